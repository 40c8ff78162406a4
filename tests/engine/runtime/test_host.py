"""The host stays small: it is forked for every call, and shares nothing of the engine with tools."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_importing_the_host_does_not_load_our_dependencies() -> None:
    code = "import engine.runtime.host, engine.runtime.supervisor, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    heavy = {
        "duckdb",
        "pyarrow",
        "pandas",
        "numpy",
        "httpx",
        "pydantic",
        "fastapi",
        "streamlit",
        "multiprocessing",
    }
    assert not heavy & set(loaded)
    ours = {name for name in loaded if name.startswith(("engine.", "events", "ui"))}
    assert ours == {
        "engine.runtime",
        "engine.runtime.call_process",
        "engine.runtime.environment",
        "engine.runtime.host",
        "engine.runtime.loading",
        "engine.runtime.sandbox",
        "engine.runtime.sandbox.confine",
        "engine.runtime.sandbox.kernel",
        "engine.runtime.sandbox.landlock",
        "engine.runtime.sandbox.levels",
        "engine.runtime.sandbox.limits",
        "engine.runtime.sandbox.mounts",
        "engine.runtime.sandbox.namespaces",
        "engine.runtime.sandbox.numbers",
        "engine.runtime.sandbox.privileges",
        "engine.runtime.sandbox.processes",
        "engine.runtime.sandbox.readable",
        "engine.runtime.sandbox.seccomp",
        "engine.runtime.supervisor",
        "engine.runtime.resource_monitor",
    }
