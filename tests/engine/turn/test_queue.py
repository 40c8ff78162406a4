"""One question in a chat waits for the end of the turn there, whatever page is open."""

import pytest

from engine.commands import Ask, DenyCall, StopTurn
from engine.errors import NotFound, Refused
from engine.signals import Signal
from tests.support.talk import Talk, call


def begins(signal: Signal) -> bool:
    return bool(signal["type"] == "turn" and signal["turn"]["reason"] is None)


def questions(talk: Talk) -> list[str]:
    return [message.text for message in talk.branch() if message.role == "user"]


def until_asked(talk: Talk, count: int) -> None:
    while len(questions(talk)) < count:
        talk.signals.get(timeout=30)
    for turn_id in talk.app.chat(talk.chat_id).turns:
        talk.ended(turn_id)


def slow(talk: Talk) -> str:
    """A turn that runs until its tool is let go on."""
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "One."}, {"text": "Two."})
    return talk.start("first")


def test_it_is_asked_when_the_turn_has_ended_with_its_files_below_its_answer(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    talk.app.queue.put(Ask(talk.chat_id, "second"))
    queued = talk.app.queue.of(talk.chat_id)
    assert queued is not None
    assert (queued.question.text, queued.refusal, questions(talk)) == ("second", None, ["first"])
    (folder / "go").touch()
    talk.ended(turn_id)
    until_asked(talk, 2)
    assert [m.content for m in talk.branch() if m.role == "assistant"][-2:] == ["One.", "Two."]
    assert talk.app.queue.of(talk.chat_id) is None


def test_a_second_one_is_refused_and_the_first_waits_on(talk: Talk) -> None:
    slow(talk)
    talk.inside()
    talk.app.queue.put(Ask(talk.chat_id, "second"))
    with pytest.raises(Refused, match="One question waits") as refused:
        talk.app.queue.put(Ask(talk.chat_id, "third"))
    assert refused.value.code == "question_waits"
    queued = talk.app.queue.of(talk.chat_id)
    assert queued is not None
    assert queued.question.text == "second"
    talk.app.queue.remove(talk.chat_id)
    talk.app.send(StopTurn(talk.chat_id))
    for turn_id in talk.app.chat(talk.chat_id).turns:
        talk.ended(turn_id)
    assert questions(talk) == ["first"]


def test_where_nothing_runs_it_is_asked_at_once(talk: Talk) -> None:
    talk.replies({"text": "One."})
    talk.app.queue.put(Ask(talk.chat_id, "first"))
    until_asked(talk, 1)
    assert talk.branch()[-1].content == "One."


def test_while_a_call_waits_for_the_user_it_waits_too(talk: Talk) -> None:
    talk.replies({"calls": [call("ask_first", files={"a": "1"})]}, {"text": "Not then."}, {"text": "Two."})
    waits = talk.ask("first")
    assert waits.reason == "awaiting_confirmation"
    talk.app.queue.put(Ask(talk.chat_id, "second"))
    assert questions(talk) == ["first"]
    (waiting,) = (c.call_id for c in talk.calls() if c.status == "awaiting_confirmation")
    talk.app.send(DenyCall(talk.chat_id, waiting))
    until_asked(talk, 2)
    assert [m.content for m in talk.branch() if m.role == "assistant"][-2:] == ["Not then.", "Two."]


def test_stopping_a_turn_that_waits_lets_it_be_asked(talk: Talk) -> None:
    talk.replies({"calls": [call("ask_first")]}, {"text": "Two."})
    talk.ask("first")
    talk.app.queue.put(Ask(talk.chat_id, "second"))
    talk.app.send(StopTurn(talk.chat_id))
    until_asked(talk, 2)


def test_what_is_refused_when_its_time_comes_is_kept_with_the_reason(talk: Talk) -> None:
    slow(talk)
    folder = talk.inside()
    talk.app.queue.put(Ask(talk.chat_id, "/nothing-of-this-name"))
    (folder / "go").touch()
    while (queued := talk.app.queue.of(talk.chat_id)) is None or queued.refusal is None:
        talk.signals.get(timeout=30)
    assert (queued.question.text, queued.refusal.code) == ("/nothing-of-this-name", "command_not_found")
    talk.app.queue.put(Ask(talk.chat_id, "second"))
    until_asked(talk, 2)
    assert questions(talk) == ["first", "second"]


def test_a_chat_that_is_not_there_has_no_queue(talk: Talk) -> None:
    with pytest.raises(NotFound):
        talk.app.queue.put(Ask("nowhere", "first"))
