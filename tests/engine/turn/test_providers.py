"""Whole turns with a provider of each dialect: what is stored, and what later requests contain."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import ApproveCall, Ask, ChangeSetting, DenyCall, SelectModel, StopTurn
from engine.models.registry import Models
from engine.views.chat import TurnView
from events.catalog.turn import StepStarted
from tests.support.long_cases import mostly_long
from tests.support.providers.rendering import RENDER
from tests.support.providers.replies import HOLD, Call, Reply
from tests.support.providers.server import FakeProvider, fake_provider
from tests.support.talk import Talk, install_kit

DIALECTS = ["openai", "gemini", "anthropic"]
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
any_dialect = pytest.mark.parametrize("dialect", mostly_long(DIALECTS, quick=(0,)))
"""For turns that do not depend on the dialect. Only `make long` runs them with the others."""


def kit(tool: str, /, **arguments: Any) -> Call:
    return Call(f"toolset__kit__{tool}", arguments)


@contextmanager
def speaking(talk: Talk, dialect: str, replies: Sequence[Reply]) -> Iterator[FakeProvider]:
    """Use a fake of that dialect as the chat's model; check at the end that every request was valid."""
    with fake_provider(dialect, replies) as server:
        talk.app.send(SelectModel(talk.chat_id, f"{dialect}:fake-model", server.base_url))
        yield server
        assert server.problems == []
        assert rebuilt(talk, dialect, server.base_url) == [request.body for request in server.requests]


@pytest.fixture(scope="module", autouse=True)
def _read_models_hold(app: App) -> Iterator[None]:
    """Check after all of these chats that the read models match the log."""
    yield
    live = {name: app.read(name) for name in ("messages", "tool_calls", "turns", "chats")}
    app.reads.rebuild()
    assert {name: app.read(name) for name in live} == live


def rebuilt(talk: Talk, dialect: str, base_url: str) -> list[bytes]:
    """Each step's request, rebuilt from its event; its hash equals the recorded one."""
    model = Models(lambda _: None).resolve(f"{dialect}:fake-model", base_url)
    bodies = []
    for event in talk.events():
        if isinstance(event, StepStarted):
            body = model.body(talk.app.request(talk.chat_id, event.turn_id, event.step))
            assert sha256(body).hexdigest() == event.request_sha256
            bodies.append(body)
    return bodies


def statuses(talk: Talk) -> list[str]:
    return [call.status for call in talk.calls()]


@any_dialect
def test_a_turn_can_have_six_steps_with_commentary(talk: Talk, dialect: str) -> None:
    talk.app.send(ChangeSetting("max_tool_iterations", 10))
    steps = [Reply(text=f"Step {n}.", calls=(kit("put", files={f"{n}": "x"}),)) for n in range(6)]
    with speaking(talk, dialect, [*steps, Reply(text="Six files.")]):
        turn = talk.ask()
    talk.app.send(ChangeSetting("max_tool_iterations", None))
    assert (turn.reason, turn.steps, len(talk.files())) == ("stop", 7, 6)
    assert [call.commentary for call in talk.calls()] == [f"Step {n}." for n in range(6)]
    assert [message.content for message in talk.branch()[1:]] == [""] * 6 + ["Six files."]
    assert (turn.tokens_in, turn.tokens_out) == (70, 35)


@pytest.mark.long
@any_dialect
def test_the_cost_of_turns_is_summed_for_the_chat_and_for_the_branch(talk: Talk, dialect: str) -> None:
    with speaking(talk, dialect, [Reply(text="One."), Reply(text="Another."), Reply(text="Two.")]):
        talk.ask("first")
        talk.retry(talk.branch()[0].message_id)
        talk.ask("second")
    view = talk.app.chat(talk.chat_id)
    assert (view.usage().tokens_in, view.usage().tokens_out) == (30, 15)
    assert (view.usage(branch=True).tokens_in, view.usage(branch=True).tokens_out) == (20, 10)


@each_dialect
def test_a_turn_continues_if_one_of_four_parallel_calls_fails(talk: Talk, dialect: str) -> None:
    calls = (
        kit("look", back={"n": 1}),
        kit("look", fail="no"),
        kit("look", back={"n": 3}),
        kit("look", back={"n": 4}),
    )
    with speaking(talk, dialect, [Reply(text="Four looks.", calls=calls), Reply(text="Done.")]):
        assert talk.ask().reason == "stop"
    assert statuses(talk) == ["success", "error", "success", "success"]
    assert [call.commentary for call in talk.calls()] == ["Four looks.", "", "", ""]


@pytest.mark.long
@any_dialect
def test_requests_can_be_rebuilt_after_a_restart_whatever_the_order_of_their_keys(
    dialect: str, tmp_path: Path
) -> None:
    replies = [
        Reply(calls=(kit("look", back={"z": 1, "a": {"y": 2, "b": [3]}}, say="s"),)),
        Reply(text="Done."),
    ]
    with fake_provider(dialect, replies) as server:
        with open_app(tmp_path / "data") as app:
            install_kit(app, tmp_path / "kit")
            talk = Talk(app, tmp_path)
            app.send(SelectModel(talk.chat_id, f"{dialect}:fake-model", server.base_url))
            assert talk.ask().reason == "stop"
        with open_app(tmp_path / "data") as app:
            again = Talk(app, tmp_path, talk.chat_id)
            assert rebuilt(again, dialect, server.base_url) == [request.body for request in server.requests]


@pytest.mark.long
@any_dialect
def test_a_call_succeeds_after_an_unknown_tool_and_two_calls_with_wrong_arguments(
    talk: Talk, dialect: str
) -> None:
    replies = [
        Reply(calls=(Call("toolset__kit__fly", {}),)),
        Reply(calls=(kit("look", say=3),)),
        Reply(calls=(kit("look", shout="x"),)),
        Reply(calls=(kit("look", say="3"),)),
        Reply(text="There."),
    ]
    with speaking(talk, dialect, replies) as server:
        assert talk.ask().reason == "stop"
        assert b"There is no tool toolset__kit__fly" in server.requests[1].body
        assert b"is not of type" in server.requests[2].body
    assert statuses(talk) == ["error", "error", "error", "success"]


@each_dialect
def test_arguments_that_are_not_json_are_reported_and_the_model_tries_again(talk: Talk, dialect: str) -> None:
    arguments: Any = {"say": 3} if dialect == "gemini" else '{"say": '
    broken = Call("toolset__kit__look", arguments)
    with speaking(talk, dialect, [Reply(calls=(broken,)), Reply(calls=(kit("look"),)), Reply(text="There.")]):
        assert talk.ask().reason == "stop"
    assert statuses(talk) == ["error", "success"]


@pytest.mark.long
@any_dialect
def test_tools_are_picked_and_used_in_the_same_turn(talk: Talk, dialect: str) -> None:
    talk.app.send(ChangeSetting("disclosure", "always"))
    replies = [
        Reply(text="Which?", calls=(Call("pick_tools", {"tools": ["toolset__kit__put"]}),)),
        Reply(calls=(kit("put", files={"a": "1"}),)),
        Reply(text="Done."),
    ]
    try:
        with speaking(talk, dialect, replies) as server:
            assert talk.ask().reason == "stop"
            first, second = (request.body for request in server.requests[:2])
            assert b'"remove"' not in first, "no parameters of tools that are not picked"
            assert b'"remove"' in second
    finally:
        talk.app.send(ChangeSetting("disclosure", None))
    assert talk.files() == {"a": "1"}


def answer(talk: Talk, dialect: str, how: str) -> TurnView:
    (call_id,) = (call.call_id for call in talk.calls() if call.status == "awaiting_confirmation")
    command = {
        "approved": ApproveCall(talk.chat_id, call_id),
        "edited": ApproveCall(talk.chat_id, call_id, {"files": {"b": "2"}}),
        "denied": DenyCall(talk.chat_id, call_id, "no"),
    }[how]
    return talk.ended(talk.app.send(command).turn_id)


@any_dialect
@pytest.mark.parametrize(("how", "files"), [("approved", {"a": "1"}), ("edited", {"b": "2"}), ("denied", {})])
def test_a_waiting_call_is_approved(talk: Talk, dialect: str, how: str, files: dict[str, str]) -> None:
    replies = [Reply(text="May I?", calls=(kit("ask_first", files={"a": "1"}),)), Reply(text="So be it.")]
    with speaking(talk, dialect, replies):
        assert talk.ask().reason == "awaiting_confirmation"
        assert answer(talk, dialect, how).reason == "stop"
    assert talk.files() == files
    assert talk.branch()[-1].content == "So be it."


@any_dialect
def test_a_question_instead_of_an_approval_leaves_a_valid_history(talk: Talk, dialect: str) -> None:
    replies = [Reply(calls=(kit("ask_first"), kit("put", files={"a": "1"}))), Reply(text="Very well.")]
    with speaking(talk, dialect, replies):
        talk.ask()
        assert talk.ask("Something else").reason == "stop"
    assert statuses(talk) == ["denied", "cancelled"]


@pytest.mark.long
@any_dialect
def test_a_turn_that_reached_the_limit_can_be_continued(talk: Talk, dialect: str) -> None:
    looks = [Reply(calls=(kit("look", say=str(n)),)) for n in range(5)]
    with speaking(talk, dialect, [*looks, Reply(text="So far."), Reply(text="Further.")]) as server:
        assert talk.ask().reason == "limit"
        assert talk.ask("Continue").reason == "stop"
        first, last = (server.requests[number].body.decode() for number in (0, 5))
        assert "For this question you have 5 steps with tool calls." in first
        assert "You have used all steps of this question." in last
        assert "none" in last[-80:].lower(), "the tools stay, and none may be called"
    assert talk.branch()[-1].content == "Further."


@pytest.mark.long
@any_dialect
def test_after_the_same_call_five_times_the_model_must_answer(talk: Talk, dialect: str) -> None:
    again = Reply(calls=(kit("look", say="again"),))
    with speaking(talk, dialect, [*[again] * 5, Reply(text="Nothing new."), Reply(text="Well.")]):
        turn = talk.ask()
        assert (turn.reason, turn.steps) == ("limit", 6)
        assert talk.branch()[-1].content == "Nothing new."
        assert talk.ask("Continue").reason == "stop"
    assert statuses(talk) == ["success", "success", "error", "error", "error"]


@any_dialect
def test_a_turn_can_be_stopped_in_the_middle_of_text(talk: Talk, dialect: str) -> None:
    with speaking(talk, dialect, [Reply(text=("One two", HOLD, " three")), Reply(text="Next.")]) as server:
        turn_id = talk.start()
        talk.signal(lambda s: s["type"] == "text" and "two" in s["text"])
        talk.app.send(StopTurn(talk.chat_id))
        assert talk.ended(turn_id).reason == "cancelled"
        assert (talk.branch()[-1].text, talk.branch()[-1].finish) == ("One two", "cancelled")
        server.release()
        assert talk.ask("And?").reason == "stop"


@pytest.mark.long
@each_dialect
def test_a_turn_can_be_stopped_in_the_middle_of_arguments(talk: Talk, dialect: str) -> None:
    pieces: Any = {"say": "x"} if dialect == "gemini" else ('{"say":', HOLD, '"x"}')
    text: Any = ("I look.", HOLD) if dialect == "gemini" else "I look."
    replies = [Reply(text=text, calls=(Call("toolset__kit__look", pieces),)), Reply(text="Next.")]
    with speaking(talk, dialect, replies) as server:
        turn_id = talk.start()
        server.wait_for_hold()
        talk.app.send(StopTurn(talk.chat_id))
        assert talk.ended(turn_id).reason == "cancelled"
        assert talk.calls() == []
        server.release()
        assert talk.ask("And?").reason == "stop"


@pytest.mark.long
@any_dialect
def test_a_turn_can_be_stopped_in_the_middle_of_a_tool(talk: Talk, dialect: str) -> None:
    replies = [Reply(calls=(kit("put", files={"half": "1"}, wait=True),)), Reply(text="Next.")]
    with speaking(talk, dialect, replies):
        turn_id = talk.start()
        talk.inside()
        talk.app.send(StopTurn(talk.chat_id))
        assert talk.ended(turn_id).reason == "cancelled"
        assert talk.ask("And?").reason == "stop"
    assert statuses(talk) == ["cancelled"]


@any_dialect
@pytest.mark.parametrize(
    ("reply", "kind", "told"),
    [
        (Reply(status=429, error="Slow down.", headers={"retry-after": "7"}), "rate_limited", "7 s"),
        (Reply(status=401, error="Bad key."), "unauthorized", "key"),
        (Reply(text="It begins", cut=180), "broken", "Retry"),
        (Reply(status=503, error="Too busy."), "overloaded", "etry"),
    ],
    ids=["429", "401", "cut", "503"],
)
def test_errors_of_a_provider_are_reported_and_the_next_question_works(
    talk: Talk, dialect: str, reply: Reply, kind: str, told: str
) -> None:
    with speaking(talk, dialect, [reply, Reply(text="Here again.")]):
        turn = talk.ask()
        assert (turn.reason, turn.problem_kind) == ("error", kind)
        assert told in (turn.problem or "")
        if kind == "rate_limited":
            assert turn.retry_after == 7
        assert talk.retry(talk.branch()[0].message_id).reason == "stop"
    assert talk.branch()[-1].content == "Here again."


@pytest.mark.long
@each_dialect
def test_a_reply_cut_inside_a_call_runs_the_calls_before_it(talk: Talk, dialect: str) -> None:
    cut = Call("toolset__kit__put", ('{"files": {"b": ', '"2'))
    calls = (kit("put", files={"a": "1"}), *(() if dialect == "gemini" else (cut,)))
    with speaking(talk, dialect, [Reply(calls=calls, finish="length"), Reply(text="One of two.")]):
        assert talk.ask().reason == "stop"
    assert talk.files() == {"a": "1"}
    assert statuses(talk) == ["success", "error"][: len(calls)]


BAD_FINISH = {
    "openai": (b'"tool_calls"}', b'"function_call_filter: UNEXPECTED_TOOL_CALL"}'),
    "gemini": (b'"STOP"', b'"UNEXPECTED_TOOL_CALL"'),
    "anthropic": (b'"tool_use", "stop_sequence"', b'"pause_turn", "stop_sequence"'),
}


@pytest.mark.long
@each_dialect
def test_no_tool_runs_after_an_abnormal_finish_and_retry_works(talk: Talk, dialect: str) -> None:
    made = Reply(text="I write.", calls=(kit("put", files={"a": "1"}),))
    body = b"".join(chunk for chunk in RENDER[dialect](made, 0) if isinstance(chunk, bytes))
    normal, bad = BAD_FINISH[dialect]
    assert body.count(normal) == 1
    with speaking(talk, dialect, [Reply(body=body.replace(normal, bad)), Reply(text="Here again.")]):
        turn = talk.ask()
        assert (turn.reason, turn.problem_kind) == ("error", "broken")
        assert "stopped the reply because" in (turn.problem or "")
        assert (talk.branch()[-1].content, talk.calls(), talk.files()) == ("I write.", [], {})
        assert talk.retry(talk.branch()[0].message_id).reason == "stop"


@pytest.mark.long
@any_dialect
def test_completed_steps_are_kept_after_an_error_and_the_chat_continues(talk: Talk, dialect: str) -> None:
    replies = [
        Reply(text="I write.", calls=(kit("put", files={"a": "1"}),)),
        Reply(status=500, error="Oops."),
        Reply(text="Done all the same."),
    ]
    with speaking(talk, dialect, replies):
        assert talk.ask().reason == "error"
        assert talk.files() == {"a": "1"}
        assert talk.ask("Continue").reason == "stop"
    assert talk.branch()[-1].content == "Done all the same."


OVERFLOW = {
    "openai": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "gemini": "The input token count (2000000) exceeds the maximum number of tokens allowed (1048575).",
    "anthropic": "prompt is too long: 205000 tokens > 200000 maximum",
}


@any_dialect
def test_a_chat_that_is_too_long_is_reported_as_such(talk: Talk, dialect: str) -> None:
    with speaking(talk, dialect, [Reply(status=400, error=OVERFLOW[dialect]), Reply(text="Short now.")]):
        turn = talk.ask()
        assert turn.problem_kind == "context_overflow"
        assert talk.ask("Shorter").reason == "stop"


@each_dialect
def test_opaque_state_is_sent_back_to_its_provider(talk: Talk, dialect: str) -> None:
    looks = Call("toolset__kit__look", {}, signature="c2ln")
    thinking = Reply(reasoning="They want a look.", text="I look.", calls=(looks,), signature="dGhpbms=")
    with speaking(talk, dialect, [thinking, Reply(text="Done.")]):
        assert talk.ask().reason == "stop"
    assert any(part.kind == "opaque" for part in talk.branch()[1].parts) or dialect == "openai"


@each_dialect
def test_opaque_state_is_not_sent_to_another_provider(talk: Talk, dialect: str, tmp_path: Path) -> None:
    others = {"openai": "anthropic", "gemini": "openai", "anthropic": "gemini"}
    thinking = Reply(
        reasoning="Hm.", calls=(Call("toolset__kit__look", {}, signature="c2ln"),), signature="dGhpbms="
    )
    with fake_provider(dialect, [thinking, Reply(text="Done.")]) as server:
        talk.app.send(SelectModel(talk.chat_id, f"{dialect}:fake-model", server.base_url))
        talk.ask()
    with fake_provider(others[dialect], [Reply(text="I see.")]) as server:
        talk.app.send(SelectModel(talk.chat_id, f"{others[dialect]}:fake-model", server.base_url))
        assert talk.ended(talk.app.send(Ask(talk.chat_id, "And you?")).turn_id).reason == "stop"
        assert server.problems == []
        assert b"c2ln" not in server.requests[0].body
        assert b"dGhpbms=" not in server.requests[0].body


@pytest.mark.long
@each_dialect
def test_missing_or_repeated_provider_ids_do_no_harm(talk: Talk, dialect: str, app: App) -> None:
    calls = (
        Call("toolset__kit__look", {"back": {"n": 1}}, id=""),
        Call("toolset__kit__look", {"back": {"n": 2}}, id="same"),
        Call("toolset__kit__look", {"back": {"n": 3}}, id="same"),
    )
    with speaking(talk, dialect, [Reply(calls=calls), Reply(calls=calls[:1]), Reply(text="Done.")]):
        assert talk.ask().reason == "stop"
    assert [call.result for call in talk.calls()] == [{"n": 1}, {"n": 2}, {"n": 3}, {"n": 1}]
    assert app.log.verify().ok
