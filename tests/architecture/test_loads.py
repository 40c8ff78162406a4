"""Imports load no unneeded modules, which would cost time and add attack surface. Each test uses a new process."""

import json
import subprocess
import sys

import pytest

from tests.architecture.modules import ROOT


def loaded_by(module: str) -> set[str]:
    """Return the top-level packages, and our own modules, that are loaded if only `module` is imported."""
    return loaded_after(f"import {module}")


def loaded_after(work: str) -> set[str]:
    """Return the top-level packages, and our own modules, that are loaded after a process did `work`."""
    code = f"{work}; import sys, json; print(json.dumps([n for n, m in sys.modules.items() if m]))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600, check=True
    )
    names: list[str] = json.loads(run.stdout.splitlines()[-1])
    return {name.split(".")[0] for name in names} | {
        name for name in names if name.startswith(("events.", "engine."))
    }


def test_the_engine_does_not_load_the_page() -> None:
    """The command line and the tests need no Streamlit, and pandas would slow every command down by half a second."""
    assert loaded_by("engine.app.app") & {"streamlit", "pandas", "altair", "ui"} == set()


def test_opening_an_app_does_not_load_modules_that_only_some_commands_need() -> None:
    """They took 40 % of the time of `anabranch chat list`."""
    heavy = {"numpy", "pyarrow", "httpx", "httpx2", "sqlglot", "markdown_it", "rapidfuzz", "fastapi", "mcp"}
    assert (
        loaded_by("engine.app.app") & (heavy | {"engine.models.offline.replies", "engine.numbers.fitting"})
        == set()
    )


@pytest.mark.long
def test_the_page_does_not_load_pandas_before_a_table_is_drawn() -> None:
    """It would take a third of the time to the first page after a start."""
    views = ", ".join(f"ui.views.{view}" for view in ("chat", "history", "settings", "toolsets"))
    assert loaded_by(views) & {"pandas", "altair"} == set()


_HEAVY = {"duckdb", "pyarrow", "streamlit", "httpx", "pydantic", "typer", "rich", "yaml", "engine.app.app"}
"""Modules that a command which needs no engine must not load. The first seven take longer to import than Click."""


def test_help_does_not_load_the_engine() -> None:
    """`anabranch --help` lists the commands without importing them."""
    for words in (["--help"], ["chat", "--help"], ["aks"]):
        loaded = loaded_after(f"from engine.cli.main import run; run({words})")
        assert loaded & (_HEAVY | {"engine.cli.ask", "engine.cli.chat_list"}) == set(), words


def test_listing_chats_while_an_app_runs_does_not_load_the_engine() -> None:
    """The running app answers."""
    modules = "engine.cli.main, engine.cli.chat_list, engine.cli.folder_engine, engine.cli.remote_engine"
    ours = {"engine.cli.answer", "engine.commands.catalog", "engine.views.chat", "events.event"}
    assert loaded_by(modules) & (_HEAVY | ours) == set()


def test_listing_chats_without_a_running_app_loads_the_log_but_not_the_engine() -> None:
    """Loading the engine took two thirds of the time, and the command does not use it."""
    modules = (
        "engine.cli.chat_list, engine.cli.local_engine, engine.app.log_reader, engine.app.queries.of_log"
    )
    heavy = {"engine.app.app", "engine.commands.catalog", "engine.turn.parts", "engine.tools.tables", "yaml"}
    heavy |= {
        "pydantic",
        "pydantic_core",
        "events.event",
        "events.codec",
    }  # a third of the time, to decode events
    assert loaded_by(f"engine.cli.main, {modules}") & heavy == set()


def test_the_tool_host_loads_almost_nothing() -> None:
    """It forks for every call, and bundle code runs in the same process as all that is loaded."""
    heavy = {
        "duckdb",
        "httpx",
        "pydantic",
        "pyarrow",
        "streamlit",
        "fastapi",
        "click",
        "yaml",
        "jsonschema_rs",
    }
    assert loaded_by("engine.runtime.host") & (heavy | {"events", "ui", "engine.app.app"}) == set()


@pytest.mark.parametrize("module", ["events.duckdb_log", "events.memory_log", "events.projections.registry"])
def test_the_log_does_not_load_the_engine(module: str) -> None:
    """Events can be read with nothing but the log."""
    assert loaded_by(module) & {"engine", "ui", "streamlit", "httpx", "fastapi"} == set()


def test_the_catalog_does_not_load_a_database() -> None:
    """Events are values: they are decoded without storage."""
    assert loaded_by("events.catalog.event_types") & {"duckdb", "pyarrow"} == set()
