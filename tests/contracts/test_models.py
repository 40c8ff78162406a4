"""Rules that every model follows: a script, the offline analyst, or a provider behind HTTP."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

import pytest

from engine.models.messages import Message, TextPart
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    Finished,
    Model,
    ModelRequest,
    TextDelta,
    ToolSpec,
)
from engine.models.offline.analyst import OfflineModel
from engine.models.registry import Models
from engine.models.scripted import Script, ScriptedCall, ScriptedModel, ScriptedReply
from engine.system.cancellation import Cancellation
from events.canonical import canonical_json
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider

KEY = "sk-0123456789abcdefghij"
SCHEMA = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
TOOLS = (ToolSpec("query", "Runs SQL over the tables.", SCHEMA),)


@dataclass(frozen=True)
class Line:
    """One reply, in the few kinds of parts that every model can be made to send."""

    text: str = ""
    call: bool = False
    error: str = ""


class Make(Protocol):
    """Creates a model that sends `lines`, one for each request."""

    def __call__(self, *lines: Line) -> Model: ...


ARGUMENTS = {"sql": "select 'é 😀'"}


def _scripted(lines: tuple[Line, ...]) -> Model:
    calls = (ScriptedCall(name="query", arguments=dict(ARGUMENTS)),)
    replies = [
        ScriptedReply(text=line.text, calls=calls if line.call else (), error=line.error or None)
        for line in lines
    ]
    return ScriptedModel(Script(replies=tuple(replies)))


def _served(dialect: str, lines: tuple[Line, ...], stack: ExitStack) -> Model:
    calls = (Call("query", ARGUMENTS),)
    replies = [Reply(text=line.text, calls=calls if line.call else (), error=line.error) for line in lines]
    server = stack.enter_context(fake_provider(dialect, replies))
    return Models(lambda _: KEY).resolve(f"{dialect}:a-model", server.base_url)


@pytest.fixture(params=["scripted", "openai", "gemini", "anthropic"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Factories of models whose replies can be set."""
    with ExitStack() as stack:

        def made(*lines: Line) -> Model:
            if request.param == "scripted":
                return _scripted(lines)
            return _served(request.param, lines, stack)

        yield made


@pytest.fixture(params=["offline", "scripted", "openai", "gemini", "anthropic"])
def model(request: pytest.FixtureRequest) -> Iterator[Model]:
    """Every kind of model, with replies to send."""
    with ExitStack() as stack:
        lines = tuple(Line("Hello there.") for _ in range(8))
        match request.param:
            case "offline":
                yield OfflineModel()
            case "scripted":
                yield _scripted(lines)
            case dialect:
                yield _served(dialect, lines, stack)


def asked(model: Model, text: str = "Hello") -> ModelRequest:
    """A request like those of a turn."""
    messages = (Message("m", "user", (TextPart(text=text),)),)
    return ModelRequest("a-model", "Be brief.", messages, TOOLS, parameters=model.parameters)


def said(model: Model) -> list[Delta]:
    """Everything in a reply."""
    return list(model.stream(asked(model), Cancellation()))


def test_a_reply_ends_in_exactly_one_finish(model: Model) -> None:
    """The finish is the last delta."""
    deltas = said(model)
    assert [isinstance(delta, Finished) for delta in deltas] == [False] * (len(deltas) - 1) + [True]


def test_a_model_reports_its_provider_and_its_state(model: Model) -> None:
    """Both are stored with a step, as JSON."""
    assert re.fullmatch(r"[a-z]+", model.provider)
    assert json.loads(canonical_json(dict(model.parameters))) == dict(model.parameters)


def test_the_same_request_has_the_same_body(model: Model) -> None:
    """The body depends only on the request, is JSON or nothing, and contains no key."""
    body = model.body(asked(model, "é"))
    assert model.body(asked(model, "é")) == body
    assert KEY.encode() not in body
    if body:
        assert "é" in json.dumps(json.loads(body), ensure_ascii=False)


def test_a_model_that_is_stopped_before_it_starts_sends_nothing(model: Model) -> None:
    """It ends as cancelled, or just ends."""
    cancel = Cancellation()
    cancel.set()
    deltas = list(model.stream(asked(model), cancel))
    assert [d for d in deltas if not isinstance(d, Finished)] == []
    assert [d.reason for d in deltas if isinstance(d, Finished)] in ([], ["cancelled"])


def test_a_model_that_is_stopped_ends_its_reply_soon(model: Model) -> None:
    """At most, parts that were already on their way still arrive."""
    cancel = Cancellation()
    after = 0
    for delta in model.stream(asked(model), cancel):
        if cancel.is_set:
            after += not isinstance(delta, Finished)
        cancel.set()
    assert after <= 2


def test_a_reader_may_stop_in_the_middle_of_a_reply(model: Model) -> None:
    """Closing a stream early leaves nothing behind; warnings are errors here."""
    stream = model.stream(asked(model), Cancellation())
    next(stream)
    close = getattr(stream, "close", None)
    if close is not None:
        close()
        assert next(stream, None) is None


def test_replies_may_be_read_concurrently(model: Model) -> None:
    """A second chat causes no problems for the first."""
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: said(model), range(4)))
    assert all(isinstance(reply[-1], Finished) for reply in replies)
    assert len({tuple(map(repr, reply[:-1])) for reply in replies}) == 1


def test_text_arrives_complete(make: Make) -> None:
    """Nothing is lost or changed."""
    text = 'Ünïcode 😀\n\n  and <tags> & "quotes" \\ `code`\n'
    deltas = said(make(Line(text)))
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == text
    assert isinstance(deltas[-1], Finished)
    assert deltas[-1].reason == "stop"


def test_a_call_is_announced_before_its_arguments_arrive(make: Make) -> None:
    """Text first, then the call with its name, then its arguments as JSON."""
    deltas = said(make(Line("Looking. ", call=True)))
    kinds = [type(d).__name__ for d in deltas]
    assert kinds.index("TextDelta") < kinds.index("CallDelta") < kinds.index("ArgumentsDelta")
    (call,) = [d for d in deltas if isinstance(d, CallDelta)]
    text = "".join(d.text for d in deltas if isinstance(d, ArgumentsDelta) and d.index == call.index)
    assert (call.index, call.name, json.loads(text)) == (0, "query", ARGUMENTS)
    assert isinstance(deltas[-1], Finished)
    assert deltas[-1].reason == "calls"


def test_a_failure_is_a_finish_with_a_message(make: Make) -> None:
    """The text before it is kept."""
    deltas = said(make(Line("Half", error="Something happened.")))
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == "Half"
    last = deltas[-1]
    assert isinstance(last, Finished)
    assert (last.reason, "Something happened." in (last.error or "")) == ("error", True)
