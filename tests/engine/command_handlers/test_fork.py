"""A fork: a separate chat with the path's history and files."""

import shutil

from engine.commands.catalog import Ask, ForkChat, RunTool, SelectModel, Upload
from events.catalog.chat import ChatForked
from events.catalog.workspace import ManifestRecorded
from tests.support.talk import Talk, call


def forked(talk: Talk, message_id: str | None = None) -> Talk:
    return Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, message_id)))


def test_a_fork_has_the_path_with_new_ids_and_each_event_names_its_original(talk: Talk) -> None:
    talk.replies(
        {"text": "I make it.", "calls": [call("put", files={"a": "1"})]}, {"text": "Made."}, {"text": "Yes."}
    )
    talk.ask("make a", files=[Upload("given", b"0")])
    middle = talk.branch()[-1].message_id
    talk.ask("sure?")
    fork = forked(talk, middle)
    ours, theirs = fork.app.chat(fork.chat_id), talk.app.chat(talk.chat_id)
    assert [m.text for m in ours.branch()] == ["make a", "I make it.", "Made."]
    assert not ours.messages.keys() & theirs.messages.keys()
    assert not ours.calls.keys() & theirs.calls.keys()
    assert [(c.status, c.result) for c in fork.calls()] == [("success", {"saw": {"given": "0"}})]
    copied = [r for r in fork.app.log.read_stream(f"chat-{fork.chat_id}") if r.causation_id]
    origin = {r.event_id: r.event.type for r in talk.app.log.read_stream(f"chat-{talk.chat_id}")}
    assert [origin[r.causation_id] for r in copied if r.causation_id] == [r.event.type for r in copied]
    (fact,) = (e for e in fork.events() if isinstance(e, ChatForked))
    assert (fact.origin_chat_id, fact.origin_message_id) == (talk.chat_id, middle)


def test_a_forks_workspace_starts_with_the_files_of_the_source_branch(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a": "1"})]}, {"text": "Made."})
    talk.ask("make")
    fork = forked(talk)
    last = [e for e in fork.events() if isinstance(e, ManifestRecorded)][-1]
    assert (last.source, last.source_ref) == ("branch", talk.app.chat(talk.chat_id).manifest)
    assert fork.files() == fork.on_disk() == {"a": "1"}
    assert fork.app.chat(fork.chat_id).manifest == last.manifest_id


def test_a_fork_still_works_after_the_folder_of_its_original_is_deleted(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"a": "1"}), call("look", back={"long": "x" * 40_000})]},
        {"text": "."},
        {"text": "On."},
    )  # fmt: skip
    talk.ask("make")
    fork = forked(talk)
    shutil.rmtree(talk.place.parent)
    assert fork.files() == {"a": "1"}
    assert fork.calls()[1].result == {"long": "x" * 40_000}
    assert fork.ask("go on").reason == "stop"
    assert talk.app.workspace.files(talk.chat_id).keys() == {"a"}, "its own history is still in the log"


def test_later_changes_in_a_chat_and_its_fork_do_not_affect_the_other(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"a": "1"})]},
        {"text": "."},
        {"calls": [call("put", files={"b": "2"})]},
        {"text": "."},
    )
    talk.ask("make")
    fork = forked(talk)
    fork.ask("more")
    assert fork.files() == {"a": "1", "b": "2"}
    assert talk.files() == talk.on_disk() == {"a": "1"}


def test_a_running_turn_is_interrupted_in_its_fork(talk: Talk) -> None:
    talk.replies({"text": "I wait.", "calls": [call("put", files={"a": "1"}, wait=True)]}, {"text": "Done."})
    turn_id = talk.start("go")
    place = talk.inside()
    fork = forked(talk)
    view = fork.app.chat(fork.chat_id)
    assert [c.status for c in fork.calls()] == ["interrupted"]
    assert [t.reason for t in view.turns.values()] == ["interrupted"]
    assert fork.files() == fork.on_disk() == {}
    (place / "go").touch()
    assert talk.ended(turn_id).reason == "stop"
    assert [c.status for c in fork.calls()] == ["interrupted"]
    fork.app.send(SelectModel(fork.chat_id, talk.app.chat(talk.chat_id).model))
    assert fork.ended(fork.app.send(Ask(fork.chat_id, "on")).turn_id).reason == "stop"


def test_a_fork_in_the_middle_of_a_turn_leaves_out_its_later_steps(talk: Talk) -> None:
    talk.replies({"calls": [call("look")]}, {"calls": [call("look", say="b")]}, {"text": "End."})
    talk.ask("go")
    fork = forked(talk, talk.branch()[1].message_id)
    view = fork.app.chat(fork.chat_id)
    (turn,) = view.turns.values()
    assert (len(view.messages), turn.steps) == (2, 1)
    known = set(view.messages)
    for event in fork.events("StepStarted"):
        assert event.message_id in known  # type: ignore[attr-defined]


def test_a_fork_before_any_message_has_the_files_of_that_time(talk: Talk) -> None:
    fork = forked(talk)
    assert fork.branch() == []
    assert fork.files() == {}
    again = forked(fork)
    assert again.files() == {}


def test_a_users_run_from_a_card_refers_to_the_forks_copy_of_that_call(talk: Talk) -> None:
    """Otherwise the card of that call would not show the run's result."""
    talk.replies({"calls": [call("put", files={"a": "1"})]}, {"text": "Made."})
    talk.ask("make")
    origin = talk.calls()[0].call_id
    changed = {"files": {"a": "2"}}
    ran = talk.app.send(
        RunTool(talk.chat_id, "kit:put", changed, allow_confirmations=True, from_call_id=origin)
    )
    assert talk.app.chat(talk.chat_id).calls[ran].from_call_id == origin
    fork = forked(talk)
    copy = fork.calls()[0].call_id
    runs = [one for one in fork.app.chat(fork.chat_id).calls.values() if one.from_call_id]
    assert [(one.from_call_id, one.args) for one in runs] == [(copy, changed)]
