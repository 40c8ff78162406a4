"""Which blobs are kept, removed and checked (WSP-6)."""

import hashlib
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from engine.app.app import App, open_app
from engine.app.maintenance.unexplained import work_of
from engine.commands.catalog import (
    CreateChat,
    DeleteChat,
    ForkChat,
    InstallToolset,
    RemoveFile,
    RestoreToolset,
    RunTool,
    SelectLeaf,
    SetRenderConfig,
    Upload,
    UploadFiles,
)
from engine.errors import NotFound, Refused
from engine.views.results import TableSource
from events.catalog.tool_call import ToolCallFinished
from events.catalog.turn import TurnFinished, TurnStarted
from events.catalog.workspace import ContentsRemoved
from events.duckdb_log import DuckDBLog
from events.event import BlobRef
from events.log import Append, Verification
from tests.support.talk import KIT, Talk, call, install_kit, write_bundle


def blob(app: App, chat_id: str, sha256: str) -> Path:
    return app.workspace.path(chat_id, sha256)


def test_blobs_that_no_event_refers_to_are_removed_and_all_others_stay(app: App, talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a.txt": "1"})]}, {"text": "Done."})
    talk.ask()
    before = talk.files()
    orphan = stray(app, talk.chat_id, b"left by a crash between blob and event", at_work(app, talk.chat_id))
    assert app.retention.collect().removed == 1
    assert not orphan.exists()
    assert app.retention.collect().removed == 0
    assert talk.files() == before
    assert app.checking.check().ok


def test_a_flipped_bit_and_a_lost_blob_are_reported_with_their_chat(app: App, talk: Talk) -> None:
    app.send(UploadFiles(talk.chat_id, [Upload("one.csv", b"a,b\n1,2\n"), Upload("two.csv", b"c\n3\n")]))
    files = app.workspace.files(talk.chat_id)
    flipped, lost = (
        blob(app, talk.chat_id, files["one.csv"].sha256),
        blob(app, talk.chat_id, files["two.csv"].sha256),
    )
    flipped.chmod(0o600)
    flipped.write_bytes(b"a,b\n1,3\n")
    lost.unlink()
    found = app.checking.check()
    assert not found.ok
    assert [(b.chat_id, b.sha256) for b in found.damaged] == [(talk.chat_id, files["one.csv"].sha256)]
    assert [(b.chat_id, b.sha256) for b in found.missing] == [(talk.chat_id, files["two.csv"].sha256)]
    flipped.write_bytes(b"a,b\n1,2\n")
    lost.write_bytes(b"c\n3\n")
    assert app.checking.check().ok


@pytest.mark.long
def test_older_contents_are_removed_unless_the_end_of_a_branch_uses_them(app: App, talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"kept.txt": "1", "changed.txt": "old"})]},
        {"calls": [call("put", files={"changed.txt": "new"})]},
        {"text": "Done."},
    )
    talk.ask()
    states = sorted(app.chat(talk.chat_id).manifests.values(), key=lambda m: m["position"])
    first = app.workspace.files(talk.chat_id, states[0]["id"])
    assert app.retention.collect(datetime.now(UTC) - timedelta(days=1)).removed == 0
    app.retention.collect(datetime.now(UTC) + timedelta(days=1))
    assert talk.files() == {"kept.txt": "1", "changed.txt": "new"}
    with pytest.raises(NotFound):
        app.workspace.read(talk.chat_id, first["changed.txt"].sha256)


def test_nothing_is_removed_from_a_chat_with_a_running_turn(app: App, talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"half": "1"}, wait=True)]}, {"text": "Done."})
    turn_id = talk.start()
    place = talk.inside()
    orphan = app.workspace.path(talk.chat_id, "cd" * 32)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"perhaps about to be named")
    app.retention.collect()
    assert orphan.exists()
    (place / "go").touch()
    talk.ended(turn_id)
    app.retention.collect()
    assert not orphan.exists()


def test_nothing_is_removed_if_the_log_fails_verification(
    app: App, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.log, "verify", lambda: Verification(False, 1, 1, 1, "Event 1 was changed."))
    with pytest.raises(Refused, match=r"Nothing was removed\. Event 1 was changed\."):
        app.retention.collect()


@pytest.mark.long
def test_cached_previews_of_removed_contents_are_removed_too(app: App, talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"t.csv": "region,units\nEast,1\n"})]},
        {"calls": [call("put", remove=["t.csv"])]},
        {"text": "Done."},
    )
    talk.ask()
    states = sorted(app.chat(talk.chat_id).manifests.values(), key=lambda m: m["position"])
    source = TableSource(
        talk.chat_id, app.workspace.files(talk.chat_id, states[0]["id"])["t.csv"].sha256, "t.csv"
    )
    assert app.results.page(source, 5).rows == (("East", 1),)
    assert list((app.data / "cache" / "tables").iterdir()) != []
    assert app.retention.collect(datetime.now(UTC) + timedelta(seconds=1)).removed > 0
    assert list((app.data / "cache").glob("*/*")) == []
    with pytest.raises(NotFound):
        app.results.page(source, 5)


@pytest.mark.long
def test_a_chat_can_continue_even_if_the_file_of_an_earlier_question_was_removed(
    app: App, talk: Talk
) -> None:
    talk.replies({"text": "One row."}, {"text": "Gone."}, {"text": "It goes on."})
    talk.ask("How many rows?", files=[Upload("big.csv", b"a,b\n1,2\n")])
    app.send(RemoveFile(talk.chat_id, "big.csv"))
    talk.ask("And now?")
    first, *_, leaf = talk.branch()
    app.retention.collect(datetime.now(UTC) + timedelta(days=1))
    failed = talk.retry(first.message_id)
    assert failed.reason == "error"
    assert "no longer stored" in (failed.problem or "")
    app.send(SelectLeaf(talk.chat_id, leaf.message_id))
    assert talk.ask("On?").reason == "stop"
    assert talk.branch()[-1].content == "It goes on."


def stray(app: App, chat_id: str, data: bytes, written: datetime) -> Path:
    """A content that no event names, as after a crash or with another log."""
    path = app.workspace.path(chat_id, hashlib.sha256(data).hexdigest())
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (written.timestamp(), written.timestamp()))
    return path


def at_work(app: App, chat_id: str) -> datetime:
    """A time at which a turn of the chat was running."""
    turn = next(row for row in app.read("turns") if row["chat_id"] == chat_id)
    begun: datetime = turn["started_at"]
    return begun.replace(tzinfo=UTC)


def test_all_contents_of_a_missing_chat_folder_are_named(app: App, talk: Talk) -> None:
    app.send(UploadFiles(talk.chat_id, [Upload("one.csv", b"a\n1\n")]))
    shutil.rmtree(app.data / "chats" / talk.chat_id)
    found = app.checking.check()
    assert not found.ok
    sha256 = hashlib.sha256(b"a\n1\n").hexdigest()
    assert [(b.chat_id, b.sha256) for b in found.missing] == [(talk.chat_id, sha256)]
    assert not (app.data / "chats" / talk.chat_id).exists(), "looking makes no folder"
    app.send(DeleteChat(talk.chat_id))
    found = app.checking.check()
    assert found.ok
    assert [(b.sha256, b.why) for b in found.removed if b.chat_id == talk.chat_id] == [
        (sha256, "chat deleted")
    ]


def artful(folder: Path, app: App) -> Talk:
    """A chat with a large render plan; only that plan names the page that it shows."""
    page = {"artifacts/card.html": "<p>Only a plan names this.</p>"}
    app.send(InstallToolset(write_bundle(folder / "kit", KIT | page), "yes"))
    app.send(SetRenderConfig("kit:look", "html", {"artifact": "artifacts/card.html", "data": "$return"}))
    talk = Talk(app, folder)
    app.send(RunTool(talk.chat_id, "kit:look", {"back": {"rows": ["x" * 40_000]}}))
    return talk


def large_plan(talk: Talk) -> Path:
    """The blob of its plan."""
    (plan,) = [e.render_plan for e in talk.events("ToolCallFinished") if isinstance(e, ToolCallFinished)]
    assert isinstance(plan, BlobRef)
    return blob(talk.app, talk.chat_id, plan.sha256)


@pytest.mark.long
def test_contents_that_only_a_large_render_plan_names_are_kept_and_checked(tmp_path: Path) -> None:
    page = hashlib.sha256(b"<p>Only a plan names this.</p>").hexdigest()
    with open_app(tmp_path / "data") as app:
        talk = artful(tmp_path, app)
        assert app.retention.collect().removed == 0
        assert app.checking.check().ok
        blob(app, talk.chat_id, page).unlink()
        assert {b.sha256 for b in app.checking.check().missing} == {page}
        (plan := large_plan(talk)).unlink()
        assert {b.sha256 for b in app.checking.check().missing} == {plan.name}, "what it names is not known"


@pytest.mark.long
def test_nothing_is_removed_from_a_chat_whose_render_plan_cannot_be_read(tmp_path: Path) -> None:
    page = hashlib.sha256(b"<p>Only a plan names this.</p>").hexdigest()
    with open_app(tmp_path / "data") as app:
        talk = artful(tmp_path, app)
        plan = large_plan(talk)
        plan.chmod(0o600)
        plan.write_bytes(b"damaged")
        done = app.retention.collect()
        assert done.removed == 0
        assert [(one.name, one.files) for one in done.unexplained] == [(talk.chat_id, 1)]
        assert blob(app, talk.chat_id, page).exists()


def test_a_hash_in_a_tools_result_does_not_count_as_a_reference_to_stored_content(
    app: App, talk: Talk
) -> None:
    talk.replies({"calls": [call("put", back={"sha256": "ab" * 32, "size": 7})]}, {"text": "."})
    talk.ask()
    assert app.checking.check().ok


def test_every_stored_toolset_file_is_checked(app: App) -> None:
    stored = next(row for row in app.read("toolset_files") if row["path"] == "tools/act.py")
    file = app.data / stored["stored_path"]
    file.chmod(0o600)
    file.write_text("evil")
    (file.parent / "more.py").write_text("evil")
    found = app.checking.check()
    assert not found.ok
    assert [(f.toolset_id, f.path, f.what) for f in found.bad_files] == [
        ("kit", "tools/act.py", "changed"),
        ("kit", "tools/more.py", "added"),
    ]
    app.send(RestoreToolset("kit"))
    assert app.checking.check().ok


@pytest.mark.long
def test_removal_by_retention_is_distinguished_from_damage_in_forks_and_after_a_restore(
    app: App, talk: Talk
) -> None:
    first = hashlib.sha256(b"retired").hexdigest()
    app.send(UploadFiles(talk.chat_id, [Upload("a", b"retired")]))
    app.send(RemoveFile(talk.chat_id, "a"))
    assert app.retention.collect(datetime.now(UTC) + timedelta(days=1)).removed > 0
    assert [e.contents for e in talk.events("ContentsRemoved") if isinstance(e, ContentsRemoved)] == [
        (first,)
    ]
    found = app.checking.check()
    assert found.ok
    assert (first, "retention") in {(b.sha256, b.why) for b in found.removed}
    fork = app.send(ForkChat(talk.chat_id))
    found = app.checking.check()
    assert found.ok
    assert {b.chat_id for b in found.removed if b.sha256 == first} == {talk.chat_id, fork}
    app.send(UploadFiles(talk.chat_id, [Upload("again", b"retired")]))
    assert {b.chat_id for b in app.checking.check().removed if b.sha256 == first} == {fork}
    blob(app, talk.chat_id, first).unlink()
    assert [b.sha256 for b in app.checking.check().missing] == [first], "named again, so it must be there"
    app.send(UploadFiles(talk.chat_id, [Upload("more", b"retired")]))
    assert app.checking.check().ok


def test_a_removal_that_was_interrupted_after_its_event_is_completed_by_the_next_one(
    app: App, talk: Talk
) -> None:
    app.send(UploadFiles(talk.chat_id, [Upload("a", b"cut off")]))
    app.send(RemoveFile(talk.chat_id, "a"))
    later = datetime.now(UTC) + timedelta(days=1)
    app.retention.collect(later)
    back = stray(app, talk.chat_id, b"cut off", datetime.now(UTC) + timedelta(hours=1))
    assert app.retention.collect().removed == 1
    assert not back.exists()


@pytest.mark.long
def test_contents_that_the_log_does_not_explain_stay_until_they_are_named_for_removal(
    app: App, talk: Talk
) -> None:
    talk.replies({"text": "."})
    talk.ask()
    other = datetime.now(UTC) + timedelta(hours=3)
    of_another_log = [stray(app, talk.chat_id, b"lost work %d" % n, other) for n in range(3)]
    leftover = stray(app, talk.chat_id, b"of a crash", at_work(app, talk.chat_id))
    done = app.retention.collect()
    assert done.removed == 1
    assert not leftover.exists()
    (left,) = done.unexplained
    assert (left.name, left.kind, left.files, left.bytes) == (talk.chat_id, "contents", 3, 33)
    assert all(path.exists() for path in of_another_log)
    with pytest.raises(NotFound, match=f"items are: {talk.chat_id}"):
        app.retention.collect(unexplained=[talk.chat_id, "something-else"])
    assert all(path.exists() for path in of_another_log)
    assert app.retention.collect(unexplained=[talk.chat_id]).removed == 3
    assert app.retention.collect().unexplained == ()


@pytest.mark.long
def test_replacing_the_log_by_another_removes_no_contents(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
        chat_id = app.send(CreateChat())
        app.send(UploadFiles(chat_id, [Upload(f"{n}.csv", b"n\n%d\n" % n) for n in range(27)]))
    working = tmp_path / "data" / "chats" / chat_id / "calls" / "cut-off" / "half.csv"
    working.parent.mkdir(parents=True)
    working.write_bytes(b"what a killed call had written")
    before = contents_below(tmp_path / "data")
    for name in ("anabranch.duckdb", "anabranch.journal"):
        (tmp_path / "data" / name).rename(tmp_path / name)
    with open_app(tmp_path / "data") as app:
        with pytest.raises(
            Refused, match=r"Nothing was removed\. This folder contains chats, but the log has no events"
        ):
            app.retention.collect()
        app.accept_log()
        done = app.retention.collect(datetime.now(UTC) + timedelta(days=1))
        assert done.removed == 0
        found = {(one.kind, one.name): one.files for one in done.unexplained}
        assert found.pop(("chat", chat_id)) >= 27
        ((kind, name),) = [key for key in found if key[0] == "toolset"]
        assert name.startswith("kit/1.0.0-")
        assert found[kind, name] == 2
        assert found["copies", "toolset-copies"] == 2
        assert before <= contents_below(tmp_path / "data")
        assert working.exists()
    for name in ("anabranch.duckdb", "anabranch.journal"):
        (tmp_path / name).replace(tmp_path / "data" / name)
    with open_app(tmp_path / "data") as app:
        app.accept_log()
        assert app.checking.check().ok
        assert not working.exists()
        assert len(app.workspace.files(chat_id)) == 27
        assert app.retention.collect().unexplained == ()


@pytest.mark.long
def test_leftovers_of_another_log_are_removed_when_they_are_named(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
        app.send(UploadFiles(chat_id := app.send(CreateChat()), [Upload("a", b"1")]))
    for name in ("anabranch.duckdb", "anabranch.journal"):
        (tmp_path / "data" / name).unlink()
    with open_app(tmp_path / "data") as app:
        app.accept_log()
        names = [one.name for one in app.retention.collect().unexplained]
        app.retention.collect(unexplained=names)
        assert app.retention.collect().unexplained == ()
        assert not (app.data / "chats" / chat_id).exists()
        assert not (app.data / "toolsets" / "kit").exists()
        assert app.checking.check().ok


def contents_below(data: Path) -> set[tuple[str, bytes]]:
    """Paths and bytes of all contents and toolset files."""
    found = [*data.glob("chats/*/blobs/*/*"), *data.glob("toolsets/*/**/*"), *data.glob("toolset-copies/*/*")]
    return {(path.relative_to(data).as_posix(), path.read_bytes()) for path in found if path.is_file()}


def test_nothing_is_removed_while_the_log_is_read_only(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        app.log.close()
        with pytest.raises(Refused, match=r"Nothing was removed\. The log is closed"):
            app.retention.collect()


def test_files_written_after_an_interrupted_turn_are_not_attributed_to_it(tmp_path: Path) -> None:
    """The turn is recorded as ended when the folder is opened again, which may be hours later."""
    now = [datetime(2026, 1, 5, 9, tzinfo=UTC)]
    log = DuckDBLog(tmp_path, clock=lambda: now[0])
    turn = str(UUID(int=1))
    log.append(Append("chat-a", [TurnStarted(turn_id=turn, message_id=str(UUID(int=2)), model="offline")]))
    now[0] += timedelta(hours=5)
    log.append(Append("chat-a", [TurnFinished(turn_id=turn, reason="interrupted")]))
    with log.reads.reader() as cursor:
        work = work_of(cursor, "a")
    log.close()
    began = datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp()
    assert work.explains(began)
    assert not work.explains(began + 2 * 3600)
