"""A chat's files: uploaded, edited, switched along branches, and never lost."""

from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import (
    BeginChat,
    EditMessage,
    RemoveFile,
    RenameFile,
    SaveFile,
    SelectLeaf,
    Upload,
    UploadFiles,
)
from engine.errors import AnabranchError, NotFound, Refused
from events.catalog.workspace import ManifestRecorded
from tests.support.talk import Talk, call, script


def states(talk: Talk) -> list[ManifestRecorded]:
    return [e for e in talk.events() if isinstance(e, ManifestRecorded)]


def test_an_upload_gets_a_free_name_and_never_replaces_a_file(talk: Talk) -> None:
    for content in (b"1", b"2", b"3"):
        talk.app.send(UploadFiles(talk.chat_id, [Upload("a.csv", content)]))
    assert talk.files() == talk.on_disk() == {"a.csv": "1", "a_1.csv": "2", "a_2.csv": "3"}


def test_files_of_a_question_are_attached_to_its_message(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("from a path")
    talk.replies({"text": "Seen."})
    talk.ask("look at these", files=[Upload("a.txt", b"in memory"), Upload("b.txt", tmp_path / "b.txt")])
    view = talk.app.chat(talk.chat_id)
    question = view.branch()[0].message_id
    assert sorted(view.uploads(question)) == ["a.txt", "b.txt"]
    assert talk.files() == talk.on_disk() == {"a.txt": "in memory", "b.txt": "from a path"}


def test_unreadable_uploads_are_refused_and_nothing_is_written(talk: Talk, tmp_path: Path) -> None:
    head = talk.app.log.head()
    with pytest.raises(NotFound, match="cannot be read: No such file"):
        talk.app.send(UploadFiles(talk.chat_id, [Upload("a", b"1"), Upload("b", tmp_path / "gone")]))
    with pytest.raises(Refused, match="is not a file"):
        talk.app.send(UploadFiles(talk.chat_id, [Upload("folder", tmp_path)]))
    assert talk.app.log.head() == head


def test_a_chat_whose_first_question_is_refused_is_not_created(app: App, tmp_path: Path) -> None:
    head, chats = app.log.head(), sorted((app.data / "chats").glob("*"))
    model = script(tmp_path / "s.json", [{"text": "x"}])
    for begin in (
        BeginChat("hi", [Upload("a", b"1"), Upload("gone", tmp_path / "gone")], model),
        BeginChat("   ", [Upload("a", b"1")], model),
        BeginChat("hi", model="nobody:1"),
    ):
        with pytest.raises(AnabranchError):
            app.send(begin)
    assert app.log.head() == head
    assert sorted((app.data / "chats").glob("*")) == chats


def test_a_chat_starts_with_its_question_its_files_and_its_model(app: App, tmp_path: Path) -> None:
    model = script(tmp_path / "s.json", [{"text": "Hello."}])
    turn = app.send(BeginChat("hi there", [Upload("a", b"1")], model, selection={"kit": ["look"]}))
    assert app.wait(turn.turn_id, 600)
    view = app.chat(turn.chat_id)
    assert (view.title, view.model, view.selection) == ("hi there", model, {"kit": ["look"]})
    assert [m.content for m in view.branch()] == ["hi there", "Hello."]
    assert list(app.workspace.files(turn.chat_id)) == ["a"]


def test_the_users_changes_in_the_folder_are_recorded_before_they_are_overwritten(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a", b"1")]))
    talk.replies({"text": "First."})
    talk.ask("first")
    (talk.place / "a").write_text("edited outside")
    (talk.place / "new").write_text("too")
    talk.app.send(SelectLeaf(talk.chat_id, None))
    assert talk.files() == talk.on_disk() == {"a": "1"}
    edit = states(talk)[-1]
    assert (edit.source, sorted(edit.changed), sorted(edit.added)) == ("edit", ["a"], ["new"])
    (answer,) = (m for m in talk.app.chat(talk.chat_id).messages.values() if m.role == "assistant")
    talk.app.send(SelectLeaf(talk.chat_id, answer.message_id))
    assert talk.files() == talk.on_disk() == {"a": "edited outside", "new": "too"}


def test_a_deleted_folder_is_restored_rather_than_recorded_as_an_edit(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a", b"1")]))
    count = len(states(talk))
    (talk.place / "a").unlink()
    talk.place.rmdir()
    talk.replies({"calls": [call("look")]}, {"text": "."})
    talk.ask()
    assert talk.calls()[0].result == {"saw": {"a": "1"}}
    assert len(states(talk)) == count
    assert talk.on_disk() == {"a": "1"}


def test_a_lost_marker_file_loses_no_files(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a", b"1")]))
    count = len(states(talk))
    (talk.place.parent / "workspace.json").write_text("")
    talk.app.send(UploadFiles(talk.chat_id, [Upload("b", b"2")]))
    assert talk.files() == talk.on_disk() == {"a": "1", "b": "2"}
    assert len(states(talk)) == count + 1


def test_the_folder_is_restored_bit_for_bit_when_switching_branches(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a": "one", "d/e": "x"})]}, {"text": "One."})
    talk.ask("one")
    one = talk.branch()[-1].message_id
    script_here = talk.place / "run.sh"
    script_here.write_text("#!/bin/sh")
    script_here.chmod(0o700)
    talk.app.send(SelectLeaf(talk.chat_id, None))
    assert talk.on_disk() == {}
    talk.replies({"calls": [call("put", files={"a": "two"})]}, {"text": "Two."})
    talk.ask("two")
    assert talk.on_disk() == {"a": "two"}
    talk.app.send(SelectLeaf(talk.chat_id, one))
    assert talk.on_disk() == {"a": "one", "d/e": "x", "run.sh": "#!/bin/sh"}
    assert script_here.stat().st_mode & 0o100


def test_a_retry_starts_from_the_files_before_the_answer_that_it_replaces(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"log": "x"})]}, {"text": "Done."})
    talk.ask("write", files=[Upload("given", b"1")])
    question, _, answer = talk.branch()
    assert talk.retry(answer.message_id).reason == "stop"
    assert talk.calls()[0].result == {"saw": {"given": "1"}}
    view = talk.app.chat(talk.chat_id)
    assert len(view.branch()[1].siblings) == 2
    assert view.branch()[0].message_id == question.message_id


def test_an_edited_question_keeps_the_files_that_came_with_the_original(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("before", b"0")]))
    talk.replies({"calls": [call("put", files={"made": "x"})]}, {"text": "Done."})
    talk.ask("see this", files=[Upload("given", b"1")])
    question = talk.branch()[0]
    talk.ended(talk.app.send(EditMessage(talk.chat_id, question.message_id, "see that")).turn_id)
    view = talk.app.chat(talk.chat_id)
    edited = view.branch()[0]
    assert (edited.text, set(edited.siblings)) == ("see that", {question.message_id, edited.message_id})
    assert sorted(view.uploads(edited.message_id)) == ["given"]
    assert talk.calls()[0].result == {"saw": {"before": "0", "given": "1"}}


def test_a_file_can_be_saved_unless_it_changed_since_it_was_opened(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a.md", b"one")]))
    opened = talk.app.workspace.files(talk.chat_id)["a.md"].sha256
    talk.app.send(SaveFile(talk.chat_id, "a.md", b"two", opened))
    assert talk.files() == talk.on_disk() == {"a.md": "two"}
    with pytest.raises(Refused, match=r"a.md changed since you opened it"):
        talk.app.send(SaveFile(talk.chat_id, "a.md", b"three", opened))
    with pytest.raises(Refused, match=r"A file a.md already exists"):
        talk.app.send(SaveFile(talk.chat_id, "a.md", b"anew", None))
    with pytest.raises(AnabranchError, match="leads upwards"):
        talk.app.send(SaveFile(talk.chat_id, "../a.md", b"out", None))
    assert talk.files() == {"a.md": "two"}


def test_a_save_is_refused_if_the_file_was_edited_in_the_folder(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a.md", b"one")]))
    opened = talk.app.workspace.files(talk.chat_id)["a.md"].sha256
    (talk.place / "a.md").write_text("outside")
    with pytest.raises(Refused, match="changed since"):
        talk.app.send(SaveFile(talk.chat_id, "a.md", b"mine", opened))
    assert talk.files() == talk.on_disk() == {"a.md": "outside"}


def test_an_unchanged_state_is_recorded_only_once(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"a": "1"}), call("put", files={"a": "1"}), call("look")]}, {"text": "."}
    )
    talk.ask()
    assert len(states(talk)) == 1
    first, second, looked = talk.calls()
    assert second.pre_manifest_id == second.post_manifest_id == first.post_manifest_id
    assert looked.post_manifest_id == first.post_manifest_id


@pytest.mark.long
def test_changing_one_of_many_files_records_a_small_event(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload(f"file{n}.txt", b"%d" % n) for n in range(100)]))
    talk.replies(
        {"calls": [call("put", files={f"more/{n}.txt": str(n) for n in range(1_000)})]}, {"text": "."}
    )
    talk.ask()
    (talk.place / "more" / "7.txt").write_text("another")
    talk.app.send(SelectLeaf(talk.chat_id, None))
    recorded = states(talk)[-1]
    assert sorted(recorded.changed) == ["more/7.txt"]
    assert len(recorded.model_dump_json()) < 2048


def test_files_are_shown_from_manifests_and_not_from_the_folder(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a": "1"}, wait=True)]}, {"text": "."})
    turn_id = talk.start()
    place = talk.inside()
    assert (place / "a").exists()
    assert talk.files() == {}
    (place / "go").touch()
    talk.ended(turn_id)
    assert talk.files() == {"a": "1"}


def test_links_that_a_tool_leaves_are_named_in_the_event(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a", b"1")]))
    (talk.place / "link").symlink_to("/etc/passwd")
    (talk.place / "b").write_text("2")
    talk.app.send(UploadFiles(talk.chat_id, [Upload("c", b"3")]))
    edit = next(s for s in states(talk) if s.source == "edit")
    assert [left.path for left in edit.left_out] == ["link"]
    assert talk.files() == {"a": "1", "b": "2", "c": "3"}


def test_files_of_a_missing_chat_or_state_are_not_found(talk: Talk) -> None:
    with pytest.raises(NotFound, match="no chat"):
        talk.app.workspace.files("nothing")
    with pytest.raises(NotFound, match="no recorded state"):
        talk.app.workspace.files(talk.chat_id, "nothing")


def test_renaming_and_removing_a_file_are_edits_that_can_be_reverted(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a.md", b"one"), Upload("b.md", b"two")]))
    talk.app.send(RenameFile(talk.chat_id, "a.md", "notes/first.md"))
    assert talk.files() == talk.on_disk() == {"notes/first.md": "one", "b.md": "two"}
    for taken in ("B.md", "notes"):
        with pytest.raises(Refused, match="already"):
            talk.app.send(RenameFile(talk.chat_id, "notes/first.md", taken) if taken == "B.md" else
                          RenameFile(talk.chat_id, "b.md", taken))  # fmt: skip
    with pytest.raises(AnabranchError, match="leads upwards"):
        talk.app.send(RenameFile(talk.chat_id, "b.md", "../b.md"))
    sha256 = talk.app.send(RemoveFile(talk.chat_id, "b.md"))
    assert talk.files() == talk.on_disk() == {"notes/first.md": "one"}
    with pytest.raises(NotFound, match=r"b.md no longer exists"):
        talk.app.send(RemoveFile(talk.chat_id, "b.md"))
    assert [state.source for state in states(talk)] == ["user_upload", "edit", "edit"]
    talk.app.send(SaveFile(talk.chat_id, "b.md", talk.app.workspace.read(talk.chat_id, sha256), None))
    assert talk.files() == talk.on_disk() == {"notes/first.md": "one", "b.md": "two"}


def test_an_edit_of_a_file_is_not_hidden_by_files_of_a_running_turn(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a", b"1")]))
    opened = talk.app.workspace.files(talk.chat_id)["a"].sha256
    talk.replies({"calls": [call("put", files={"made": "x"}, wait=True)]}, {"text": "."})
    turn_id = talk.start()
    place = talk.inside()
    edits = (
        SaveFile(talk.chat_id, "a", b"2", opened),
        RenameFile(talk.chat_id, "a", "b"),
        RemoveFile(talk.chat_id, "a"),
    )
    for edit in edits:
        with pytest.raises(Refused, match="A turn is running in this chat"):
            talk.app.send(edit)
    (place / "go").touch()
    talk.ended(turn_id)
    talk.app.send(edits[0])
    assert talk.files() == talk.on_disk() == {"a": "2", "made": "x"}
