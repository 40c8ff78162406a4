"""Calls that wait for the user: approved, edited, denied, always allowed, abandoned, and kept over a restart."""

import json
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    ApproveCall,
    AskAgain,
    DenyCall,
    ForkChat,
    InstallToolset,
    SelectModel,
    SelectTools,
    StopTurn,
)
from engine.errors import Invalid, NotFound, Refused
from engine.models.messages import ToolMessage
from engine.views.chat import TurnView
from events.catalog.chat import ConfirmationRuleSet
from events.catalog.tool_call import ToolCallApproved, ToolCallDenied, ToolCallStarted
from events.catalog.turn import TurnResumed
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider
from tests.support.talk import KIT, Talk, call, install_kit, write_bundle


def waiting(talk: Talk) -> str:
    """The id of the only waiting call."""
    (found,) = (c.call_id for c in talk.calls() if c.status == "awaiting_confirmation")
    return found


def approve(talk: Talk, call_id: str, **more: object) -> TurnView:
    return talk.ended(talk.app.send(ApproveCall(talk.chat_id, call_id, **more)).turn_id)  # type: ignore[arg-type]


def asks(talk: Talk, **arguments: object) -> TurnView:
    talk.replies({"text": "May I?", "calls": [call("ask_first", **arguments)]}, {"text": "Done."})
    return talk.ask()


def test_a_call_that_needs_approval_waits_and_runs_once_it_is_approved(talk: Talk) -> None:
    waits = asks(talk, files={"a": "1"})
    assert (waits.reason, talk.files()) == ("awaiting_confirmation", {})
    assert talk.branch()[-1].calls[0].commentary == "May I?"
    ended = approve(talk, waiting(talk))
    assert (ended.turn_id, ended.reason, talk.files()) == (waits.turn_id, "stop", {"a": "1"})
    assert [c.status for c in talk.calls()] == ["success"]
    (approved,) = (e for e in talk.events() if isinstance(e, ToolCallApproved))
    assert approved.by == "user"
    assert approved.arguments.model_dump() == {"value": {"files": {"a": "1"}}}
    assert talk.branch()[-1].content == "Done."


def test_a_call_approved_with_other_arguments_runs_with_them_and_the_model_is_told(talk: Talk) -> None:
    asks(talk, files={"a": "1"})
    ended = approve(talk, waiting(talk), arguments={"files": {"b": "2"}, "back": {"n": 1}})
    assert talk.files() == {"b": "2"}
    assert talk.calls()[0].args == {"files": {"b": "2"}, "back": {"n": 1}}
    step, told = talk.app.request(talk.chat_id, ended.turn_id, 2).messages[-2:]
    assert not isinstance(step, ToolMessage)
    assert step.requests[0].arguments == {"files": {"b": "2"}, "back": {"n": 1}}
    assert isinstance(told, ToolMessage)
    assert told.content == {"n": 1}


def test_edited_arguments_that_are_invalid_are_refused_and_the_call_still_waits(talk: Talk) -> None:
    asks(talk)
    call_id = waiting(talk)
    with pytest.raises(Invalid, match='say: 3 is not of type "string"'):
        talk.app.send(ApproveCall(talk.chat_id, call_id, arguments={"say": 3}))
    assert waiting(talk) == call_id


def test_a_denial_is_a_result_for_the_model(talk: Talk) -> None:
    asks(talk, files={"a": "1"})
    ended = talk.ended(talk.app.send(DenyCall(talk.chat_id, waiting(talk), "not today")).turn_id)
    assert (ended.reason, talk.branch()[-1].content, talk.files()) == ("stop", "Done.", {})
    told = talk.app.request(talk.chat_id, ended.turn_id, 2).messages[-1]
    assert isinstance(told, ToolMessage)
    assert (told.status, told.content) == ("denied", {"error": "The user said no: not today"})
    assert not talk.events("ToolCallStarted")


@pytest.mark.long
def test_calls_before_a_waiting_call_run_and_calls_after_it_wait(talk: Talk) -> None:
    talk.replies(
        {
            "calls": [
                call("put", files={"before": "1"}),
                call("look"),
                call("ask_first", files={"asked": "1"}),
                call("put", files={"after": "1"}),
                call("look"),
            ]
        },
        {"text": "."},
    )
    assert talk.ask().reason == "awaiting_confirmation"
    assert [c.status for c in talk.calls()] == [
        "success", "success", "awaiting_confirmation", "pending", "pending",
    ]  # fmt: skip
    assert talk.files() == {"before": "1"}
    assert approve(talk, waiting(talk)).reason == "stop"
    assert [c.status for c in talk.calls()] == ["success"] * 5
    assert talk.calls()[4].result == {"saw": {"before": "1", "asked": "1", "after": "1"}}
    started = [e.call_id for e in talk.events() if isinstance(e, ToolCallStarted)]
    assert started == [c.call_id for c in talk.calls()], "each ran once, in the model's order"


def test_two_waiting_calls_can_be_answered_in_any_order_but_run_in_the_models_order(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("ask_first", files={"a": "1"}), call("ask_first", files={"a": "2"})]}, {"text": "."}
    )
    talk.ask()
    first, second = (c.call_id for c in talk.calls())
    assert approve(talk, second).reason == "awaiting_confirmation"
    assert talk.files() == {}
    assert approve(talk, first).reason == "stop"
    assert talk.files() == {"a": "2"}


def test_always_in_this_chat_allows_all_later_calls_until_it_is_withdrawn(talk: Talk) -> None:
    asks(talk, files={"a": "1"})
    approve(talk, waiting(talk), always=True)
    talk.replies(*[{"text": "."}] * 2, {"calls": [call("ask_first", files={"b": "1"})]}, {"text": "Again."})
    assert talk.ask().reason == "stop"
    approvals = [e.by for e in talk.events() if isinstance(e, ToolCallApproved)]
    assert approvals == ["user", "always in this chat"]
    talk.app.send(AskAgain(talk.chat_id, "kit:ask_first"))
    assert [e.always for e in talk.events() if isinstance(e, ConfirmationRuleSet)] == [True, False]
    talk.replies(*[{"text": "."}] * 4, {"calls": [call("ask_first")]}, {"text": "."})
    assert talk.ask().reason == "awaiting_confirmation"


@pytest.mark.long
def test_a_permission_for_one_chat_does_not_apply_to_another(talk: Talk, tmp_path: Path) -> None:
    asks(talk)
    approve(talk, waiting(talk), always=True)
    other = Talk(talk.app, tmp_path)
    assert asks(other).reason == "awaiting_confirmation"


@pytest.mark.long
def test_always_applies_to_one_publisher_and_not_to_another_with_the_same_id(
    talk: Talk, tmp_path: Path
) -> None:
    asks(talk, files={"a": "1"})
    approve(talk, waiting(talk), always=True)
    app = talk.app
    mine = next(row["follows"] for row in app.installed() if row["id"] == "kit")
    other = KIT | {"toolset.yaml": KIT["toolset.yaml"].replace('"1.0.0"', '"9.0.0"')}
    app.send(InstallToolset(write_bundle(tmp_path / "other", other), "yes"))
    talk.replies(*[{"text": "."}] * 2, {"calls": [call("ask_first", files={"b": "1"})]}, {"text": "Again."})
    try:
        assert talk.ask().reason == "awaiting_confirmation"
    finally:
        app.send(InstallToolset(Path(mine), "yes"))


def test_only_a_waiting_call_can_be_answered(talk: Talk) -> None:
    asks(talk)
    call_id = waiting(talk)
    with pytest.raises(NotFound, match="no call 0000"):
        talk.app.send(ApproveCall(talk.chat_id, "0000"))
    approve(talk, call_id)
    with pytest.raises(Refused, match="is not waiting for an answer: it ended with the status success"):
        talk.app.send(DenyCall(talk.chat_id, call_id))


def test_asking_another_question_denies_the_waiting_calls(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("ask_first", files={"a": "1"}), call("put", files={"b": "1"})]},
        {"text": "Well then."},
    )
    waits = talk.ask()
    turn = talk.ask("Never mind. What else?")
    assert (turn.reason, talk.branch()[-1].content) == ("stop", "Well then.")
    assert talk.app.chat(talk.chat_id).turns[waits.turn_id].reason == "cancelled"
    assert [c.status for c in talk.calls()] == ["denied", "cancelled"]
    sent = [m for m in talk.app.request(talk.chat_id, turn.turn_id, 1).messages if isinstance(m, ToolMessage)]
    assert [m.status for m in sent] == ["denied", "cancelled"]
    assert talk.files() == {}


def test_stop_ends_a_waiting_turn(talk: Talk) -> None:
    waits = asks(talk)
    assert talk.app.send(StopTurn(talk.chat_id)) == 1
    view = talk.app.chat(talk.chat_id)
    assert view.turns[waits.turn_id].reason == "cancelled"
    assert [c.status for c in talk.calls()] == ["denied"]
    assert talk.app.send(StopTurn(talk.chat_id)) == 0


@pytest.mark.long
def test_the_step_limit_counts_steps_before_and_after_a_wait(talk: Talk) -> None:
    calls = [{"calls": [call("ask_first", files={str(n): "1"})]} for n in range(6)]
    talk.replies(*calls, {"text": "Out of steps."})
    talk.ask()
    for _ in range(4):
        assert approve(talk, waiting(talk)).reason == "awaiting_confirmation"
    talk.replies(*calls[:5], {"text": "Out of steps."})
    ended = approve(talk, waiting(talk))
    assert (ended.reason, ended.steps) == ("limit", 6)


@pytest.mark.long
def test_a_tool_that_was_removed_during_the_wait_is_not_run(talk: Talk) -> None:
    asks(talk, files={"a": "1"})
    call_id = waiting(talk)
    from engine.commands.catalog import DisableTool, EnableTool  # noqa: PLC0415

    talk.app.send(DisableTool("kit:ask_first"))
    try:
        assert approve(talk, call_id).reason == "stop"
    finally:
        talk.app.send(EnableTool("kit:ask_first"))
    (made,) = talk.calls()
    assert made.error is not None
    assert (made.status, made.error["kind"]) == ("error", "tool_unavailable")
    assert talk.files() == {}


def test_a_fork_of_a_waiting_turn_does_not_wait(talk: Talk, tmp_path: Path) -> None:
    asks(talk)
    copy = Talk(talk.app, tmp_path, talk.app.send(ForkChat(talk.chat_id)))
    assert [c.status for c in copy.calls()] == ["interrupted"]
    assert [t.reason for t in copy.app.chat(copy.chat_id).turns.values()] == ["interrupted"]
    assert waiting(talk), "the original still waits"


def test_a_waiting_turn_survives_closing_and_continues_where_it_was(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
        talk = Talk(app, tmp_path)
        talk.replies(
            {"calls": [call("put", files={"first": "1"}), call("ask_first", files={"a": "1"}), call("look")]},
            {"text": "Done."},
        )
        assert talk.ask().reason == "awaiting_confirmation"
    with open_app(tmp_path / "data") as app:
        talk = Talk(app, tmp_path, talk.chat_id)
        assert [c.status for c in talk.calls()] == ["success", "awaiting_confirmation", "pending"]
        ended = approve(talk, waiting(talk))
        assert (ended.reason, talk.files()) == ("stop", {"first": "1", "a": "1"})
        assert talk.calls()[2].result == {"saw": {"first": "1", "a": "1"}}
        assert len(talk.events("TurnResumed")) == 1
        app.reads.rebuild()
        assert app.chat(talk.chat_id).turns[ended.turn_id].reason == "stop"


@pytest.mark.long
def test_a_resumed_turn_keeps_its_model_if_the_chat_has_another_one_now(talk: Talk, tmp_path: Path) -> None:
    waits = asks(talk)
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"text": "Wrong."}] * 3))
    talk.app.send(SelectModel(talk.chat_id, f"scripted:{other}"))
    approve(talk, waiting(talk))
    assert talk.branch()[-1].content == "Done."
    assert talk.app.chat(talk.chat_id).turns[waits.turn_id].reason == "stop"


def test_the_events_of_a_denied_call_are_in_order(talk: Talk) -> None:
    asks(talk)
    talk.ended(talk.app.send(DenyCall(talk.chat_id, waiting(talk))).turn_id)
    types = [e.type for e in talk.events()]
    assert types[types.index("TurnStarted") :] == [
        "TurnStarted", "StepStarted", "MessageAdded", "ToolCallRequested", "TurnFinished",
        "ToolCallDenied", "ToolCallFinished", "TurnResumed", "StepStarted", "MessageAdded", "TurnFinished",
    ]  # fmt: skip
    assert len([e for e in talk.events() if isinstance(e, ToolCallDenied | TurnResumed)]) == 2


def test_a_call_of_a_tool_that_is_not_selected_does_not_wait_but_fails(talk: Talk, app: App) -> None:
    app.send(SelectTools(talk.chat_id, {"kit": ["look"]}))
    assert asks(talk).reason == "stop"
    (made,) = talk.calls()
    assert made.error is not None
    assert made.error["kind"] == "unknown_tool"


@pytest.mark.long
def test_a_resumed_turn_continues_at_the_address_where_it_started(talk: Talk) -> None:
    replies = [Reply(calls=(Call("toolset__kit__ask_first", {}),)), Reply(text="Here as before.")]
    with (
        fake_provider("openai", replies) as server,
        fake_provider("openai", [Reply(text="Elsewhere.")]) as other,
    ):
        talk.app.send(SelectModel(talk.chat_id, "openai:fake-model", server.base_url))
        assert talk.ask().reason == "awaiting_confirmation"
        talk.app.send(SelectModel(talk.chat_id, "openai:fake-model", other.base_url))
        approve(talk, waiting(talk))
        assert other.requests == []
    assert talk.branch()[-1].content == "Here as before."


@pytest.mark.long
def test_if_the_model_is_gone_the_call_still_waits(talk: Talk) -> None:
    asks(talk)
    call_id = waiting(talk)
    for script in talk.folder.glob("script*.json"):
        script.unlink()
    with pytest.raises(NotFound, match="There is no script"):
        talk.app.send(ApproveCall(talk.chat_id, call_id))
    assert waiting(talk) == call_id
    assert talk.app.send(StopTurn(talk.chat_id)) == 1
