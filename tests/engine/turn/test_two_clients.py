"""Two clients ask in one chat at the same time: no answer may end on a branch that nobody sees."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from engine.cli.busy_chat import IfRunning, ask_or_queue
from engine.command_handlers.queue import Waiting
from engine.command_handlers.starting import TurnStart
from engine.commands.catalog import Ask, QueueQuestion, SelectLeaf, UnqueueQuestion
from engine.errors import Refused
from tests.support.talk import Talk, call


def slow(talk: Talk) -> str:
    """A turn that runs until its tool is let go on."""
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "One."}, {"text": "Two."})
    return talk.start("first")


def said(talk: Talk) -> list[str]:
    return [message.content for message in talk.branch() if message.content]


def test_a_question_in_a_chat_that_answers_is_refused_and_leaves_nothing(talk: Talk) -> None:
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


def test_it_may_wait_instead_and_both_answers_are_on_the_path(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    waiting = ask_or_queue(talk.app, Ask(talk.chat_id, "second"), "queue")
    assert isinstance(waiting, Waiting)
    assert not waiting.turn.done()
    (folder / "go").touch()
    talk.ended(turn_id)
    talk.ended(waiting.turn.result(60).turn_id)
    assert said(talk) == ["first", "One.", "second", "Two."]


def test_one_that_is_taken_back_is_told_to_who_waits_for_it(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    waiting = talk.app.send(QueueQuestion(talk.chat_id, "second"))
    talk.app.send(UnqueueQuestion(talk.chat_id, waiting.queued_id))
    with pytest.raises(Refused, match="taken back"):
        waiting.turn.result(60)
    (folder / "go").touch()
    talk.ended(turn_id)


def test_what_a_queued_question_allows_holds_when_it_is_asked(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", wait=True)]},
        {"text": "One."},
        {"calls": [call("ask_first")]},
        {"text": "Two."},
    )
    turn_id = talk.start("first")
    folder = talk.inside()
    waiting = talk.app.send(QueueQuestion(talk.chat_id, "second", allow_confirmations=True))
    (folder / "go").touch()
    talk.ended(turn_id)
    assert talk.ended(waiting.turn.result(60).turn_id).reason == "stop"


def test_on_another_branch_one_may_ask_while_a_turn_runs(talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    talk.app.send(SelectLeaf(talk.chat_id, None))
    talk.start("elsewhere")
    (folder / "go").touch()
    talk.ended(turn_id)


@pytest.mark.parametrize("if_running", ["refuse", "queue"])
def test_of_two_that_ask_at_once_no_answer_is_hidden(talk: Talk, if_running: IfRunning) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    both = Barrier(2)

    def ask(text: str) -> TurnStart | Waiting | Refused:
        both.wait()
        try:
            return ask_or_queue(talk.app, Ask(talk.chat_id, text), if_running)
        except Refused as error:
            return error

    with ThreadPoolExecutor(2) as pool:
        came = list(pool.map(ask, ("a", "b")))
    begun = [one.turn.result(60) if isinstance(one, Waiting) else one for one in came]
    turns = [one for one in begun if isinstance(one, TurnStart)]
    for turn in turns:
        talk.ended(turn.turn_id)
    assert len(turns) == 2 or [one.code for one in begun if isinstance(one, Refused)] == ["turn_runs"]
    assert len(said(talk)) == 2 * len(turns)
    assert {message.turn_id for message in talk.branch()} - {None} == {turn.turn_id for turn in turns}
