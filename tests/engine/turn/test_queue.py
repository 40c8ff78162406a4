"""Queued questions of a chat wait for the end of the running turn, whatever page is open."""

from pathlib import Path

import pytest

from engine.app.app import open_app
from engine.chats.signals import Signal
from engine.commands.catalog import (
    Ask,
    AskQueued,
    DeleteChat,
    DenyCall,
    ForkChat,
    MoveQueued,
    RestoreChat,
    RewordQueued,
    StopTurn,
    UnqueueQuestion,
    Upload,
)  # fmt: skip
from engine.errors import NotFound, Refused
from engine.views.queued import Queued
from events.catalog.question import QuestionQueued, QuestionUnqueued
from tests.support.talk import Talk, call, install_kit


def begins(signal: Signal) -> bool:
    return bool(signal["type"] == "turn" and signal["turn"]["reason"] is None)


def questions(talk: Talk) -> list[str]:
    return [message.text for message in talk.branch() if message.role == "user"]


def first(talk: Talk) -> Queued | None:
    return next(iter(talk.app.queued(talk.chat_id)), None)


def until_asked(talk: Talk, count: int) -> None:
    while len(questions(talk)) < count:
        talk.signals.get(timeout=600)
    for turn_id in talk.app.chat(talk.chat_id).turns:
        talk.ended(turn_id)


def slow(talk: Talk) -> str:
    """A turn that runs until its tool is released."""
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "One."}, {"text": "Two."})
    return talk.start("first")


def test_a_queued_question_is_asked_below_the_answer_when_the_turn_has_ended(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    queued = next(iter(talk.app.queued(talk.chat_id)), None)
    assert queued is not None
    assert (queued.question.text, queued.refusal, queued.due) == ("second", None, False)
    assert questions(talk) == ["first"]
    (folder / "go").touch()
    talk.ended(turn_id)
    until_asked(talk, 2)
    assert [m.content for m in talk.branch() if m.role == "assistant"][-2:] == ["One.", "Two."]
    assert talk.app.queued(talk.chat_id) == ()


@pytest.mark.long
def test_several_questions_wait_in_order_and_can_be_moved_changed_and_withdrawn(talk: Talk) -> None:
    talk.replies({"calls": [call("put", wait=True)]}, *({"text": f"{n}."} for n in range(1, 5)))
    turn_id = talk.start("first")
    folder = talk.inside()
    for text in ("second", "third", "fourth", "fifth"):
        talk.app.send(Ask(talk.chat_id, text, if_running="queue"))
    second, third, fourth, fifth = (one.queued_id for one in talk.app.queued(talk.chat_id))
    talk.app.send(MoveQueued(talk.chat_id, fourth, second))
    talk.app.send(MoveQueued(talk.chat_id, second))
    talk.app.send(RewordQueued(talk.chat_id, third, "third, in other words"))
    talk.app.send(UnqueueQuestion(talk.chat_id, fifth))
    texts = ["fourth", "third, in other words", "second"]
    assert [one.question.text for one in talk.app.queued(talk.chat_id)] == texts
    assert talk.app.past.waiting(talk.chat_id, talk.app.log.head()) == tuple(texts)
    assert talk.app.chat(talk.chat_id).waiting == 3

    (folder / "go").touch()
    talk.ended(turn_id)
    until_asked(talk, 4)
    assert questions(talk) == ["first", *texts]
    assert [m.content for m in talk.branch() if m.role == "assistant"][-4:] == ["1.", "2.", "3.", "4."]
    for command in (MoveQueued(talk.chat_id, third), RewordQueued(talk.chat_id, third, "late")):
        with pytest.raises(NotFound, match="is no longer waiting"):
            talk.app.send(command)


@pytest.mark.long
def test_no_more_than_twenty_questions_can_be_queued(talk: Talk) -> None:
    slow(talk)
    talk.inside()
    for number in range(20):
        talk.app.send(Ask(talk.chat_id, f"question {number}", if_running="queue"))
    with pytest.raises(Refused, match="20 questions are waiting") as refused:
        talk.app.send(Ask(talk.chat_id, "one more", if_running="queue"))
    assert refused.value.code == "questions_wait"
    for one in talk.app.queued(talk.chat_id):
        talk.app.send(UnqueueQuestion(talk.chat_id, one.queued_id))
    talk.app.send(StopTurn(talk.chat_id))
    for turn_id in talk.app.chat(talk.chat_id).turns:
        talk.ended(turn_id)
    assert questions(talk) == ["first"]


def test_questions_behind_a_refused_one_wait_until_the_user_has_decided(talk: Talk) -> None:
    slow(talk)
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "/nothing-of-this-name", if_running="queue"))
    talk.app.send(Ask(talk.chat_id, "third", if_running="queue"))
    (folder / "go").touch()
    while (queue := talk.app.queued(talk.chat_id))[0].refusal is None:
        talk.signals.get(timeout=600)
    assert [one.question.text for one in queue] == ["/nothing-of-this-name", "third"]
    assert questions(talk) == ["first"]
    talk.app.send(UnqueueQuestion(talk.chat_id, queue[0].queued_id))
    until_asked(talk, 2)
    assert questions(talk) == ["first", "third"]


def test_if_no_turn_runs_a_question_is_asked_at_once(talk: Talk) -> None:
    talk.replies({"text": "One."})
    talk.app.send(Ask(talk.chat_id, "first", if_running="queue"))
    until_asked(talk, 1)
    assert talk.branch()[-1].content == "One."


def test_a_queued_question_waits_while_a_call_waits_for_the_user(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", wait=True), call("ask_first", files={"a": "1"})]},
        {"text": "Not then."},
        {"text": "Two."},
    )
    turn_id = talk.start("first")
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    (folder / "go").touch()
    assert talk.ended(turn_id).reason == "awaiting_confirmation"
    assert questions(talk) == ["first"]
    (waiting,) = (c.call_id for c in talk.calls() if c.status == "awaiting_confirmation")
    talk.app.send(DenyCall(talk.chat_id, waiting))
    until_asked(talk, 2)
    assert [m.content for m in talk.branch() if m.role == "assistant"][-2:] == ["Not then.", "Two."]


def test_stopping_a_waiting_turn_lets_the_queued_question_be_asked(talk: Talk) -> None:
    talk.replies({"calls": [call("put", wait=True), call("ask_first")]}, {"text": "Two."})
    turn_id = talk.start("first")
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    (folder / "go").touch()
    assert talk.ended(turn_id).reason == "awaiting_confirmation"
    talk.app.send(StopTurn(talk.chat_id))
    until_asked(talk, 2)
    assert questions(talk) == ["first", "second"]
    assert talk.branch()[-1].content == "Two."


def test_a_queued_question_that_is_refused_is_kept_with_the_reason(talk: Talk) -> None:
    slow(talk)
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "/nothing-of-this-name", if_running="queue"))
    (folder / "go").touch()
    while (queued := first(talk)) is None or queued.refusal is None:
        talk.signals.get(timeout=600)
    assert (queued.question.text, queued.refusal.code) == ("/nothing-of-this-name", "command_not_found")
    talk.app.send(Ask(talk.chat_id, "second"))
    until_asked(talk, 2)
    assert questions(talk) == ["first", "second"]
    kept = next(iter(talk.app.queued(talk.chat_id)), None)
    assert kept is not None, "its words are the user's until they are discarded"
    assert kept.question == queued.question
    talk.app.send(UnqueueQuestion(talk.chat_id, queued.queued_id))
    assert talk.app.queued(talk.chat_id) == ()


def test_a_refusal_is_forgotten_once_the_question_is_asked_successfully(talk: Talk) -> None:
    slow(talk)
    talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    talk.app.send(DeleteChat(talk.chat_id))
    while (queued := first(talk)) is None or queued.refusal is None:
        talk.signals.get(timeout=600)
    assert queued.refusal.code == "chat_deleted"
    talk.app.send(RestoreChat(talk.chat_id))
    talk.app.send(queued.question)
    assert talk.app.queued(talk.chat_id) == ()


def test_a_chat_that_does_not_exist_has_no_queue(talk: Talk) -> None:
    with pytest.raises(NotFound):
        talk.app.send(Ask("nowhere", "first", if_running="queue"))


def test_files_of_a_queued_question_reach_the_workspace_when_it_is_asked(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"a.txt": "a tool's"}, wait=True)]}, {"text": "One."}, {"text": "Two."}
    )
    turn_id = talk.start("first")
    folder = talk.inside()
    files = [Upload("a.txt", b"the user's"), Upload("../b<.txt", b"more")]
    talk.app.send(Ask(talk.chat_id, "second", files, if_running="queue"))
    assert talk.app.workspace.files(talk.chat_id) == {}
    (folder / "go").touch()
    talk.ended(turn_id)
    until_asked(talk, 2)
    assert talk.files() == {"a.txt": "a tool's", "a_1.txt": "the user's", "b_.txt": "more"}


def test_a_question_queued_when_the_engine_closes_stays_queued_until_the_user_asks_it(
    tmp_path: Path,
) -> None:
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
        talk = Talk(app, tmp_path)
        slow(talk)
        talk.inside()
        app.send(Ask(talk.chat_id, "second", [Upload("a.txt", b"the user's")], if_running="queue"))
    with open_app(tmp_path / "data") as app:
        opened = Talk(app, tmp_path, talk.chat_id)
        queued = next(iter(app.queued(talk.chat_id)), None)
        assert queued is not None
        assert (queued.question.text, queued.due, questions(opened)) == ("second", True, ["first"])
        assert [upload.name for upload in queued.question.files] == ["a.txt"]
        assert app.retention.collect().removed == 0
        assert app.checking.check().ok
        app.send(AskQueued(talk.chat_id))
        app.send(AskQueued(talk.chat_id))
        until_asked(opened, 2)
        assert questions(opened) == ["first", "second"]
        assert opened.files() == {"a.txt": "the user's"}
        assert app.queued(talk.chat_id) == ()


def test_a_withdrawn_question_is_not_asked_but_stays_in_the_log(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    waits = next(iter(talk.app.queued(talk.chat_id)), None)
    assert waits is not None
    assert talk.app.send(UnqueueQuestion(talk.chat_id, waits.queued_id)) is True
    assert talk.app.send(UnqueueQuestion(talk.chat_id, waits.queued_id)) is False
    (folder / "go").touch()
    talk.ended(turn_id)
    talk.app.send(AskQueued(talk.chat_id))
    assert questions(talk) == ["first"]
    (queued,) = talk.events("QuestionQueued")
    (unqueued,) = talk.events("QuestionUnqueued")
    assert isinstance(queued, QuestionQueued)
    assert isinstance(unqueued, QuestionUnqueued)
    assert (queued.text, unqueued.queued_id, unqueued.reason) == ("second", queued.queued_id, "taken_back")
    then = next(r for r in talk.app.log.read_stream(f"chat-{talk.chat_id}") if r.event == queued)
    assert talk.app.chat(talk.chat_id, at=then.position).waiting == 1
    assert talk.app.chat(talk.chat_id).waiting == 0


def test_asking_a_queued_question_and_removing_it_from_the_queue_are_one_batch(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    (folder / "go").touch()
    talk.ended(turn_id)
    until_asked(talk, 2)
    stream = talk.app.log.read_stream(f"chat-{talk.chat_id}")
    (unqueued,) = (record for record in stream if isinstance(record.event, QuestionUnqueued))
    after = stream[stream.index(unqueued) + 1]
    assert (after.event.type, after.correlation_id) == ("MessageAdded", unqueued.correlation_id)


def test_queued_questions_are_not_copied_to_a_fork(talk: Talk) -> None:
    slow(talk)
    talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    forked = talk.app.send(ForkChat(talk.chat_id))
    assert talk.app.queued(forked) == ()


def test_an_empty_question_is_not_queued(talk: Talk) -> None:
    slow(talk)
    talk.inside()
    with pytest.raises(Refused) as refused:
        talk.app.send(Ask(talk.chat_id, " \n", [Upload("a.txt", b"1")], if_running="queue"))
    assert refused.value.code == "question_empty"
    assert talk.events("QuestionQueued") == []


def test_withdrawing_an_old_question_does_not_withdraw_a_newer_one(talk: Talk) -> None:
    """A page that was drawn earlier may still offer to withdraw the old one."""
    slow(talk)
    talk.inside()
    talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    before = next(iter(talk.app.queued(talk.chat_id)), None)
    assert before is not None
    talk.app.send(UnqueueQuestion(talk.chat_id, before.queued_id))
    talk.app.send(Ask(talk.chat_id, "third", if_running="queue"))
    assert talk.app.send(UnqueueQuestion(talk.chat_id, before.queued_id)) is False
    waits = next(iter(talk.app.queued(talk.chat_id)), None)
    assert waits is not None
    assert waits.question.text == "third"
