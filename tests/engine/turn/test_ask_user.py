"""`ask_user`: the model asks a question, the turn waits, and the answer becomes the call's result."""

import json
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.cli.main import run
from engine.commands.catalog import AnswerCall, ApproveCall, DenyCall, RunTool
from engine.errors import Invalid, Refused
from engine.models.messages import ToolMessage
from tests.support.talk import Talk, call, script


def asked(talk: Talk) -> str:
    """Have the model ask; return the id of its call."""
    question = call("ask_user", question="Which revenue?", answers=["gross", "net of returns"])
    talk.replies({"text": "One thing first.", "calls": [question]}, {"text": "Net it is."})
    assert talk.ask().reason == "awaiting_confirmation"
    (waiting,) = (c.call_id for c in talk.calls() if c.status == "awaiting_confirmation")
    return waiting


def test_the_answer_is_the_result_and_the_turn_continues(talk: Talk) -> None:
    call_id = asked(talk)
    turn = talk.ended(talk.app.send(AnswerCall(talk.chat_id, call_id, " net of returns ")).turn_id)
    assert (turn.reason, talk.branch()[-1].content) == ("stop", "Net it is.")
    told = talk.app.request(talk.chat_id, turn.turn_id, 2).messages[-1]
    assert isinstance(told, ToolMessage)
    assert (told.status, told.content) == ("success", {"answer": "net of returns"})
    assert not talk.events("ToolCallStarted"), "no process runs for it"


@pytest.mark.long
def test_the_question_still_waits_after_a_restart(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        talk = Talk(app, tmp_path)
        call_id = asked(talk)
    with open_app(tmp_path / "data") as app:
        turn = app.send(AnswerCall(talk.chat_id, call_id, "gross"))
        assert app.wait(turn.turn_id, 600)
        assert app.chat(talk.chat_id).calls[call_id].result == {"answer": "gross"}


def test_a_question_cannot_be_answered_in_advance(talk: Talk) -> None:
    """Neither `--yes` nor "always in this chat" answers a question."""
    talk.replies({"calls": [call("ask_user", question="Which?")]}, {"text": "."})
    assert talk.ask(allow_confirmations=True).reason == "awaiting_confirmation"


def test_a_question_can_be_skipped(talk: Talk) -> None:
    call_id = asked(talk)
    talk.ended(talk.app.send(DenyCall(talk.chat_id, call_id)).turn_id)
    assert talk.calls()[0].status == "denied"


def test_questions_take_answers_but_not_approvals(talk: Talk) -> None:
    call_id = asked(talk)
    with pytest.raises(Refused, match="Answer it"):
        talk.app.send(ApproveCall(talk.chat_id, call_id))
    for text in ("  ", "x" * 4_001):
        with pytest.raises(Invalid, match="1 to 4,000 characters"):
            talk.app.send(AnswerCall(talk.chat_id, call_id, text))
    talk.ended(talk.app.send(AnswerCall(talk.chat_id, call_id, "gross")).turn_id)
    with pytest.raises(Refused, match="it ended with the status success"):
        talk.app.send(AnswerCall(talk.chat_id, call_id, "net"))
    talk.replies(*[{"text": "."}] * 2, {"calls": [call("ask_first")]}, {"text": "."})
    talk.ask()
    (waits,) = (c.call_id for c in talk.calls() if c.status == "awaiting_confirmation")
    with pytest.raises(Refused, match="does not ask a question"):
        talk.app.send(AnswerCall(talk.chat_id, waits, "yes"))


def test_outside_a_turn_the_tool_says_that_nobody_can_answer(app: App, talk: Talk) -> None:
    call_id = app.send(RunTool(talk.chat_id, "ask_user", {"question": "?"}, allow_confirmations=True))
    error = app.chat(talk.chat_id).calls[call_id].error
    assert error is not None
    assert "only be called by a model" in error["message"]


def test_the_terminal_shows_the_question_and_accepts_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = call("ask_user", question="Which revenue?", answers=["gross", "net"])
    model = script(tmp_path / "script.json", [{"calls": [question]}, {"text": "Thanks."}])
    data = ["--data", str(tmp_path / "data")]
    assert run(["ask", "Revenue?", "--model", model, *data]) == 3
    shown = capsys.readouterr().out
    assert "The model asks: Which revenue?" in shown
    assert "  - net" in shown
    call_id = shown.split("anabranch chat answer ")[1].split()[0]
    assert run(["chat", "answer", call_id, "net", "--json", *data]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["answer"] == "Thanks."
    assert document["tool_calls"][0]["result"] == {"answer": "net"}
