"""Recorded calls run again: each verdict, and that nothing else in the chat changes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.app.queries.answers import answer
from engine.app.queries.catalog import GetReplay
from engine.commands.catalog import (
    AllowLocation,
    CreateChat,
    ForkChat,
    InstallToolset,
    ReplayChat,
    RunTool,
    UninstallToolset,
    Upload,
    UploadFiles,
)
from engine.errors import NotFound, Refused
from events.catalog.replay import ReplayFinished
from tests.support.talk import Talk, call, install_kit, write_bundle

ODD = {
    "toolset.yaml": """\
manifest_version: "1"
id: odd
name: Odd
version: "{version}"
description: Tools that are not functions of the files alone.
tools:
"""
    + "".join(
        f"""\
  - id: {name}
    name: {name}
    description: Returns something.
    entrypoint: tools.act:{name}
    effects: create
    input_schema: {{{{type: object, additionalProperties: false, properties: {{{{}}}}}}}}
"""
        for name in ("dice", "fixed", "noisy")
    ),
    "tools/act.py": """\
import os
import pyarrow as pa
import pyarrow.parquet as pq

def dice(workspace):
    return {{"rolled": os.urandom(8).hex()}}

def fixed(workspace):
    return {{"value": "{value}", "number": {number}}}

def noisy(workspace):
    table = pa.table({{"k": ["a", "b"], "x": [1.0, 2.0]}}).replace_schema_metadata({{"made": os.urandom(8).hex()}})
    pq.write_table(table, workspace / "noisy.parquet")
    return {{"rows": 2}}
""",
}


def odd(folder: Path, version: str = "1.0.0", value: str = "one", number: str = "1.5") -> Path:
    made = {path: text.format(version=version, value=value, number=number) for path, text in ODD.items()}
    return write_bundle(folder, made)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[App]:
    """An app only for this test, whose folder may be damaged."""
    with open_app(tmp_path / "data") as opened:
        install_kit(opened, tmp_path / "kit")
        yield opened


def verdicts(talk: Talk, **more: Any) -> list[tuple[str, str]]:
    """Run the branch again; return tool and verdict of each call."""
    return [(one["tool_id"], one["verdict"]) for one in replayed(talk, **more)["calls"]]


def replayed(talk: Talk, **more: Any) -> dict[str, Any]:
    replay_id = talk.app.send(ReplayChat(talk.chat_id, **more))
    return dict(talk.app.replay(talk.chat_id, replay_id))


def content(app: App, talk: Talk, data: bytes) -> Path:
    """The file in which the chat stores a content."""
    kept = (app.data / "chats" / talk.chat_id / "blobs").rglob("*")
    (found,) = [path for path in kept if path.is_file() and path.read_bytes() == data]
    return found


def test_repeated_calls_with_equal_results_are_identical_and_only_verdicts_are_recorded(
    talk: Talk,
) -> None:
    """Calls that read, add and change files, each from the files that it started with."""
    talk.replies(
        {"calls": [call("put", files={"a.txt": "1"}), call("add", files={"b.txt": "2"})]},
        {"calls": [call("put", files={"a.txt": "changed"}), call("put", remove=["b.txt"])]},
        {"calls": [call("look")]},
        {"text": "Done."},
    )
    talk.ask()
    before, disk = talk.events(), talk.on_disk()

    assert {verdict for _, verdict in verdicts(talk)} == {"identical"}

    assert [event.type for event in talk.events()[len(before) :]] == ["ReplayFinished"]
    assert (talk.on_disk(), talk.files()) == (disk, {"a.txt": "changed"})


@pytest.mark.long
def test_calls_that_ran_at_the_same_time_run_again_in_the_same_way(talk: Talk) -> None:
    """Each with the files before all of them."""
    talk.replies(
        {"calls": [call("add", files={f"{name}.txt": name}) for name in "abc"] + [call("look")]},
        {"text": "Done."},
    )
    talk.ask()
    assert verdicts(talk) == [("kit:add", "identical")] * 3 + [("kit:look", "identical")]


def test_a_failure_that_happens_again_is_identical(talk: Talk) -> None:
    """A call that failed is part of the record, too."""
    talk.replies({"calls": [call("look", fail="no such thing"), call("look", nonsense=1)]}, {"text": "Done."})
    talk.ask()
    failed, refused = replayed(talk)["calls"]
    assert failed["verdict"] == "identical"
    assert (refused["verdict"], refused["reason"][:10]) == ("skipped", "It never r")


@pytest.mark.long
def test_random_results_are_distinguished_from_a_change(own: App, tmp_path: Path) -> None:
    """If two re-runs differ from each other, the call never gives the same result."""
    own.send(InstallToolset(odd(tmp_path / "odd"), "yes"))
    talk = Talk(own, tmp_path)
    talk.replies({"calls": [call("dice"), call("fixed")]}, {"text": "Done."})
    talk.ask()
    dice, fixed = replayed(talk)["calls"]
    assert dice["verdict"] == "not_deterministic"
    assert "depends on the time, random numbers" in dice["reason"]
    assert [one["place"] for one in dice["result_diff"]] == ["rolled"]
    assert fixed["verdict"] == "identical"


@pytest.mark.long
def test_tables_with_the_same_rows_in_different_files_are_equal(own: App, tmp_path: Path) -> None:
    """They are compared by content; the file with different bytes is named."""
    own.send(InstallToolset(odd(tmp_path / "odd"), "yes"))
    talk = Talk(own, tmp_path)
    talk.replies({"calls": [call("noisy")]}, {"text": "Done."})
    talk.ask()
    (one,) = replayed(talk)["calls"]
    assert (one["verdict"], one["result_diff"]) == ("equal", [])
    assert [(file["path"], file["what"]) for file in one["file_diff"]] == [("noisy.parquet", "equal")]


@pytest.mark.long
def test_a_call_runs_with_the_tool_version_that_was_recorded_for_it(own: App, tmp_path: Path) -> None:
    """Another version was installed since, and then none."""
    own.send(InstallToolset(odd(tmp_path / "one"), "yes"))
    talk = Talk(own, tmp_path)
    talk.replies({"calls": [call("fixed")]}, {"text": "Done."})
    talk.ask()
    own.send(InstallToolset(odd(tmp_path / "two", version="2.0.0", value="two"), "yes"))
    assert verdicts(talk) == [("odd:fixed", "identical")]
    own.send(UninstallToolset("odd"))
    assert verdicts(talk) == [("odd:fixed", "identical")]


def test_changed_code_is_reported_and_does_not_run(own: App, tmp_path: Path) -> None:
    """The stored files are compared with the installed ones."""
    own.send(InstallToolset(odd(tmp_path / "odd"), "yes"))
    talk = Talk(own, tmp_path)
    talk.replies({"calls": [call("fixed")]}, {"text": "Done."})
    talk.ask()
    (code,) = (own.data / "toolsets" / "odd").rglob("act.py")
    code.chmod(0o600)
    code.write_text(code.read_text().replace("one", "two"))
    (one,) = replayed(talk)["calls"]
    assert one["verdict"] == "failed"
    assert "has changed since it was installed" in one["reason"]
    assert "act.py" in one["reason"]


def test_a_changed_byte_in_an_input_is_reported(own: App, tmp_path: Path) -> None:
    """The files that the call started with can no longer be restored."""
    talk = Talk(own, tmp_path)
    own.send(UploadFiles(talk.chat_id, [Upload("data.txt", b"12345")]))
    talk.replies({"calls": [call("look")]}, {"text": "Done."})
    talk.ask()
    (blob,) = [
        p
        for p in (own.data / "chats" / talk.chat_id / "blobs").rglob("*")
        if p.is_file() and p.read_bytes() == b"12345"
    ]
    blob.chmod(0o600)
    blob.write_bytes(b"12346")
    (one,) = replayed(talk)["calls"]
    assert one["verdict"] == "failed"
    assert one["reason"].startswith("data.txt (")
    assert "damaged" in one["reason"]


def test_a_changed_byte_in_a_result_is_reported(own: App, tmp_path: Path) -> None:
    """There is nothing left to compare with, and the verdict says so."""
    talk = Talk(own, tmp_path)
    big = {"text": "x" * 40_000}
    talk.replies({"calls": [call("look", back=big)]}, {"text": "Done."})
    talk.ask()
    blob = content(own, talk, json.dumps(big, separators=(",", ":")).encode())
    blob.chmod(0o600)
    blob.write_bytes(blob.read_bytes()[:-4] + b'y"}')
    (one,) = replayed(talk)["calls"]
    assert one["verdict"] == "failed"
    assert "damaged" in one["reason"]


def test_a_waiting_or_stopped_call_is_not_compared(talk: Talk) -> None:
    """There is no result to compare."""
    talk.replies({"calls": [call("ask_first", files={"a": "b"}), call("look")]}, {"text": "Done."})
    talk.ask()
    with pytest.raises(Refused, match="No tool was called"):
        talk.app.send(ReplayChat(talk.chat_id))


def test_only_the_named_calls_run(talk: Talk) -> None:
    """An id that is not on the branch is refused."""
    talk.replies({"calls": [call("look"), call("add", files={"a": "1"})]}, {"text": "Done."})
    talk.ask()
    look, _ = talk.calls()
    assert verdicts(talk, call_ids=(look.call_id,)) == [("kit:look", "identical")]
    with pytest.raises(NotFound, match="no call 123"):
        talk.app.send(ReplayChat(talk.chat_id, call_ids=("123",)))
    with pytest.raises(NotFound, match="no message 123"):
        talk.app.send(ReplayChat(talk.chat_id, message_id="123"))


@pytest.mark.long
def test_the_last_verdict_on_each_call_is_in_the_view_even_after_a_restart(own: App, tmp_path: Path) -> None:
    """It is read from the log."""
    talk = Talk(own, tmp_path)
    talk.replies({"calls": [call("look")]}, {"text": "Done."})
    talk.ask()
    replayed(talk)
    (one,) = talk.calls()
    (event,) = talk.events("ReplayFinished")
    assert isinstance(event, ReplayFinished)
    assert (event.calls[0].verdict, event.calls[0].environment) == ("identical", ())
    assert talk.app.chat(talk.chat_id).verdicts[one.call_id].verdict == "identical"
    assert talk.app.read("replays", chat_id=talk.chat_id)[0]["asked"] == 1


@pytest.mark.long
def test_a_fork_is_not_run_with_another_version_of_the_tool(own: App, tmp_path: Path) -> None:
    """Its calls were copied after another version had been installed."""
    own.send(InstallToolset(odd(tmp_path / "one"), "yes"))
    talk = Talk(own, tmp_path)
    talk.replies({"calls": [call("fixed")]}, {"text": "Done."})
    talk.ask()
    own.send(InstallToolset(odd(tmp_path / "two", version="2.0.0", value="two"), "yes"))
    fork = Talk(own, tmp_path, own.send(ForkChat(talk.chat_id)))
    (one,) = replayed(fork)["calls"]
    assert one["verdict"] == "skipped"
    assert "version" in one["reason"]
    assert verdicts(talk) == [("odd:fixed", "identical")]


@pytest.mark.long
def test_a_different_working_folder_does_not_count_as_a_difference(talk: Talk) -> None:
    """Each run has a new folder, and error messages contain its path."""
    talk.replies({"calls": [call("put", remove=["nothing.txt"])]}, {"text": "Done."})
    talk.ask()
    (one,) = talk.calls()
    assert one.error is not None
    assert "nothing.txt" in one.error["message"]
    assert verdicts(talk) == [("kit:put", "identical")]


@pytest.mark.long
def test_calls_after_one_that_names_a_moment_still_replay_as_identical(talk: Talk) -> None:
    """Their results keep their names, although the calls before them changed nothing."""
    number = call("python", code="1 + 1")
    talk.app.send(UploadFiles(talk.chat_id, [Upload("t.csv", b"k,x\na,1\n")]))
    total = call("query", sql="SELECT k, sum(x) AS s FROM t GROUP BY ALL", title="Totals")
    named = call("name_moment", name="before")
    talk.replies({"calls": [number, named, total, total]}, {"text": "Done."})
    talk.ask(allow_confirmations=True)
    assert [verdict for _, verdict in verdicts(talk)] == ["identical", "skipped", "identical", "identical"]


@pytest.mark.long
def test_simultaneous_calls_that_write_the_same_file_replay_as_identical(talk: Talk) -> None:
    """The second one finds the file already there."""
    talk.replies(
        {"calls": [call("add", files={"x.txt": "1"}), call("add", files={"x.txt": "1"})]}, {"text": "Done."}
    )
    talk.ask()
    assert verdicts(talk) == [("kit:add", "identical")] * 2


@pytest.mark.long
def test_a_replay_says_which_linked_file_changed_and_how(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    folder.mkdir()
    for name in ("jan", "feb"):
        (folder / f"{name}.csv").write_text("region,amount\nEast,1\n")
    chat_id = app.send(CreateChat())
    link = app.send(AllowLocation(str(folder)))
    app.send(UploadFiles(chat_id, [Upload(link.name, link.text.encode())]))
    app.send(RunTool(chat_id, "data-analyst:query", {"sql": "SELECT sum(amount) AS n FROM sales"}))
    (folder / "jan.csv").write_text("region,amount\nEast,1\nWest,10\n")
    (folder / "feb.csv").unlink()
    (folder / "mar.csv").write_text("region,amount\nEast,5\n")

    replay_id = app.send(ReplayChat(chat_id))
    (call,) = answer(app, GetReplay(chat_id, replay_id))["calls"]
    assert call["verdict"] == "differs"
    told = call["reason"]
    assert (
        "The files behind sales.link have changed since: 1 changed: jan.csv (21 → 29 bytes, written " in told
    )
    assert "1 gone: feb.csv; 1 new: mar.csv (21 bytes)." in told
