"""Blobs that are kept, removed and checked (WSP-6)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.app import App
from engine.commands import RemoveFile, SelectLeaf, Upload, UploadFiles
from engine.errors import NotFound, Refused
from engine.views.results import TableSource
from events.log import Verification
from tests.support.talk import Talk, call


def blob(app: App, chat_id: str, sha256: str) -> Path:
    return app.workspace.path(chat_id, sha256)


def test_what_no_event_reaches_is_removed_and_all_else_stays(app: App, talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a.txt": "1"})]}, {"text": "Done."})
    talk.ask()
    before = talk.files()
    orphan = app.workspace.path(talk.chat_id, "ab" * 32)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"left by a crash between blob and event")
    assert app.retention.collect().removed == 1
    assert not orphan.exists()
    assert app.retention.collect().removed == 0
    assert talk.files() == before
    assert app.checking.check().ok


def test_a_flipped_bit_and_a_lost_blob_are_named_with_their_chat(app: App, talk: Talk) -> None:
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


def test_older_contents_go_only_where_no_leaf_holds_them(app: App, talk: Talk) -> None:
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


def test_nothing_is_removed_from_a_chat_in_which_a_turn_runs(app: App, talk: Talk) -> None:
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


def test_nothing_is_removed_where_the_log_does_not_verify(
    app: App, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.log, "verify", lambda: Verification(False, 1, 1, 1, "changed"))
    with pytest.raises(Refused, match="does not verify"):
        app.retention.collect()


def test_what_was_made_of_removed_contents_to_show_them_is_removed_too(app: App, talk: Talk) -> None:
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


def test_a_chat_goes_on_though_a_question_cannot_be_answered_again_without_its_file(
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
    assert "not kept any more" in (failed.problem or "")
    app.send(SelectLeaf(talk.chat_id, leaf.message_id))
    assert talk.ask("On?").reason == "stop"
    assert talk.branch()[-1].content == "It goes on."
