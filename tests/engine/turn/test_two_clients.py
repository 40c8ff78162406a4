"""Two clients ask in one chat at the same time: no answer may end up on a branch that nobody sees."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from engine.commands.catalog import Ask, IfRunning, SelectLeaf, StopTurn, TurnStart, UnqueueQuestion, Waiting
from engine.errors import Invalid, Refused
from tests.support.talk import Talk, call


def slow(talk: Talk) -> str:
    """A turn that runs until its tool is released."""
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "One."}, {"text": "Two."})
    return talk.start("first")


def said(talk: Talk) -> list[str]:
    return [message.content for message in talk.branch() if message.content]


def test_a_question_during_a_running_turn_is_refused_and_leaves_nothing(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    before = talk.app.version(talk.chat_id)
    with pytest.raises(Refused, match="being answered in this chat") as refused:
        talk.start("second")
    assert refused.value.code == "turn_runs"
    assert talk.app.version(talk.chat_id) == before
    (folder / "go").touch()
    talk.ended(turn_id)
    assert said(talk) == ["first", "One."]


def test_a_question_can_be_queued_instead_and_both_answers_are_on_the_path(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    waiting = talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    assert isinstance(waiting, Waiting)
    assert said(talk) == ["first"]
    (folder / "go").touch()
    talk.ended(turn_id)
    talk.ended(talk.app.turn_of(waiting).turn_id)
    assert said(talk) == ["first", "One.", "second", "Two."]


@pytest.mark.long
def test_withdrawing_a_question_notifies_the_client_that_waits_for_it(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    waiting = talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    talk.app.send(UnqueueQuestion(talk.chat_id, waiting.queued_id))
    with pytest.raises(Refused, match="withdrawn before it was asked"):
        talk.app.turn_of(waiting)
    (folder / "go").touch()
    talk.ended(turn_id)


def test_permissions_given_with_a_queued_question_apply_when_it_is_asked(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", wait=True)]},
        {"text": "One."},
        {"calls": [call("ask_first")]},
        {"text": "Two."},
    )
    turn_id = talk.start("first")
    folder = talk.inside()
    waiting = talk.app.send(Ask(talk.chat_id, "second", allow_confirmations=True, if_running="queue"))
    (folder / "go").touch()
    talk.ended(turn_id)
    assert talk.ended(talk.app.turn_of(waiting).turn_id).reason == "stop"


def test_a_question_on_another_branch_can_be_asked_during_a_turn(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    talk.app.send(SelectLeaf(talk.chat_id, None))
    talk.start("elsewhere")
    (folder / "go").touch()
    talk.ended(turn_id)


@pytest.mark.parametrize("if_running", ["refuse", "queue"])
def test_if_two_clients_ask_at_once_both_answers_are_visible(talk: Talk, if_running: IfRunning) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    both = Barrier(2)

    def ask(text: str) -> TurnStart | Waiting | Refused:
        both.wait()
        try:
            return talk.app.send(Ask(talk.chat_id, text, if_running=if_running))
        except Refused as error:
            return error

    with ThreadPoolExecutor(2) as pool:
        came = list(pool.map(ask, ("a", "b")))
    begun = [talk.app.turn_of(one) if isinstance(one, Waiting) else one for one in came]
    turns = [one for one in begun if isinstance(one, TurnStart)]
    for turn in turns:
        talk.ended(turn.turn_id)
    assert len(turns) == 2 or [one.code for one in begun if isinstance(one, Refused)] == ["turn_runs"]
    assert len(said(talk)) == 2 * len(turns)
    assert {message.turn_id for message in talk.branch()} - {None} == {turn.turn_id for turn in turns}


def test_the_turn_of_a_queued_question_can_still_be_requested_after_it_ended(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    waiting = talk.app.send(Ask(talk.chat_id, "second", if_running="queue"))
    (folder / "go").touch()
    talk.ended(turn_id)
    asked = talk.app.turn_of(waiting)
    talk.ended(asked.turn_id)
    assert talk.app.turn_of(waiting) == asked
    with pytest.raises(Refused, match="was queued"):
        talk.app.turn_of(Waiting(talk.chat_id, "nothing"))


def test_a_refusal_of_a_queued_question_is_reported_even_to_a_late_request(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    waiting = talk.app.send(Ask(talk.chat_id, "/nothing-of-this-name", if_running="queue"))
    (folder / "go").touch()
    talk.ended(turn_id)
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            talk.app.turn_of(waiting)
        assert refused.value.code == "command_not_found"


def test_a_query_form_is_not_queued(talk: Talk) -> None:
    slow(talk)
    talk.inside()
    form = {"rows": [], "measures": []}
    with pytest.raises((Refused, Invalid)):
        talk.app.send(Ask(talk.chat_id, "second", form=form, if_running="queue"))
    assert talk.events("QuestionQueued") == []
    talk.app.send(StopTurn(talk.chat_id))
