"""The environment of a call is fixed, and its facts are recorded (RUN-9); real processes."""

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from engine.runtime.messages import read_message
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from events.catalog.tool_call import ToolCallFinished
from tests.support.talk import Talk, call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX")
WAYS = [True, False] if sys.platform.startswith("linux") else [False]


def run(pool: Pool, folder: Path, code: str, packages: tuple[Path, ...] = ()) -> RunOutcome:
    """Run `code` as the body of a tool in a process of `pool`."""
    tools = folder / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "act.py").write_text(f"def run(workspace):\n{textwrap.indent(textwrap.dedent(code), '    ')}")
    return pool.run(
        RunRequest("call", folder, "tools.act:run", folder, {}, packages=packages), cancel=Cancellation()
    )


SETTINGS = """
    import os, time, locale
    return {"zone": time.strftime("%Z"), "offset": time.timezone, "hash": hash("the same text"),
            "locale": os.environ["LC_ALL"], "threads": os.environ["OMP_NUM_THREADS"]}
"""


@pytest.mark.parametrize("forks", WAYS)
def test_zone_locale_threads_and_hash_seed_are_the_same_everywhere(
    tmp_path: Path, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the user's own settings are; `-I` would ignore the hash seed."""
    found: list[Any] = []
    for zone, language in (("Asia/Tokyo", "de_DE.UTF-8"), ("America/Lima", "C")):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("LC_ALL", language)
        with Pool(fork=forks) as pool:
            found.append(run(pool, tmp_path, SETTINGS).value)
    assert found[0] == found[1]
    assert found[0] | {"hash": 0} == {
        "zone": "UTC",
        "offset": 0,
        "hash": 0,
        "locale": "C.UTF-8",
        "threads": "1",
    }


@pytest.mark.parametrize("forks", WAYS)
def test_variables_of_the_user_do_not_affect_the_interpreter(
    tmp_path: Path, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its flags are ours: a module on the user's PYTHONPATH is not found."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "planted.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "mine"))
    monkeypatch.setenv("PYTHONHASHSEED", "77")
    with Pool(fork=forks) as pool:
        outcome = run(pool, tmp_path, "import planted")
        assert outcome.error is not None
        assert "planted" in outcome.error.message
        assert outcome.environment is not None
        assert outcome.environment["hash_seed"] == "0"


@pytest.mark.parametrize("forks", WAYS)
def test_the_same_call_records_the_same_facts_and_another_package_version_changes_them(
    tmp_path: Path, forks: bool
) -> None:
    """Packages that a host has loaded and packages that a call loads are both listed, with their versions."""
    code = "import colours, json\nreturn {}"
    found = []
    for number, version in enumerate(("1.0", "1.0", "1.1")):
        packages = tmp_path / str(number)
        packages.mkdir()
        (packages / "colours.py").write_text(f"__version__ = {version!r}")
        with Pool(fork=forks, preload=["yaml"]) as pool:
            found.append(run(pool, tmp_path / "bundle", code, (packages,)).environment)
    assert found[0] is not None
    assert found[0] == found[1] != found[2]
    assert found[0]["packages"]["colours"] == "1.0"
    assert found[0]["packages"]["yaml"]
    assert "json" not in found[0]["packages"]
    assert found[0]["python"].endswith(".".join(map(str, sys.version_info[:3])))


def test_environment_facts_that_a_process_sends_are_accepted_only_as_a_few_texts() -> None:
    """Code of a bundle could send them too: it must not be able to fill the log or send other types."""
    assert read_message(json.dumps({"environment": {"python": 3}}).encode()) is None
    assert read_message(json.dumps({"environment": {str(n): "x" for n in range(99)}}).encode()) is None
    assert read_message(json.dumps({"environment": {"packages": {"a": {"b": "c"}}}}).encode()) is not None


def test_a_finished_call_refers_to_its_environment_by_hash(talk: Talk) -> None:
    """Two calls of a chat share the same blob, which can be read; a failed call has one too."""
    talk.replies({"calls": [call("look"), call("look", fail="x")]}, {"text": "."})
    talk.ask()
    finished = [e for e in talk.events() if isinstance(e, ToolCallFinished)]
    refs = [e.environment for e in finished]
    assert len(refs) == 2
    assert refs[0] is not None
    assert refs[0] == refs[1]
    facts = json.loads(talk.app.workspace.read(talk.chat_id, refs[0].sha256))
    assert facts["time_zone"] == "UTC"
    assert facts["packages"]["duckdb"]
