"""Whole conversations with a strict provider: the state in a reply is sent back unchanged, in its place."""

from collections.abc import Sequence
from itertools import count

import pytest

from engine.models.messages import HistoryItem, ImagePart, Message, ToolMessage, ToolRequest
from engine.models.model import Finished, Model, ModelRequest, Usage
from engine.models.registry import Models
from engine.system.cancellation import Cancellation
from engine.tools.arguments import decode_arguments
from engine.turn.step import Reply as Gathered
from engine.turn.step import gather
from tests.engine.models.asking import request, user
from tests.engine.models.test_requests import QUERY
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import FakeProvider, fake_provider

DIALECTS = ["openai", "gemini", "anthropic"]
KEY = "sk-0123456789abcdefghij"


def at(server: FakeProvider) -> Model:
    """The adapter for a fake provider."""
    return Models(lambda _: KEY).resolve(f"{server.dialect}:a-model", server.base_url)


def talk(model: Model, steps: int, start: Sequence[HistoryItem] = ()) -> list[Gathered]:
    """Take `steps` replies and answer every call, like a turn."""
    history: list[HistoryItem] = [*start, user("How many?")]
    numbers = count()
    replies = []
    for _ in range(steps):
        wanted: ModelRequest = request(*history, tools=(QUERY,), parameters=model.parameters)
        reply = gather(
            model.stream(wanted, Cancellation()),
            lambda: f"call-{next(numbers)}",
            on_text=lambda _: None,
            on_call=lambda _: None,
            keep_image=lambda image: ImagePart(
                sha256="ab", media_type=image.media_type, size=len(image.data)
            ),
        )
        replies.append(reply)
        made = [
            ToolRequest(c.call_id, c.name, decode_arguments(c.text).value, c.provider_call_id)
            for c in reply.calls
        ]
        history.append(Message("m", "assistant", tuple(reply.parts), tuple(made)))
        history += [ToolMessage(m.call_id, m.name, "success", {"n": 1}) for m in made]
    return replies


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_with_calls_and_opaque_state_is_valid_throughout(dialect: str) -> None:
    """Thinking, commentary, parallel calls with only the first one signed, an empty id, an answer."""
    signed = {} if dialect == "anthropic" else {"signature": "sig-1"}
    first = Reply(
        text=("Let me ", "look."),
        reasoning=("Hm, ", "so."),
        signature="state-1",
        redacted="hidden",
        calls=(Call("query", {"sql": "select 1"}, **signed), Call("query", ("{", '"sql": "é"}'))),
    )
    second = Reply(calls=(Call("query", "", id="" if dialect != "anthropic" else "0"),), signature="state-2")
    last = Reply(text="One.", usage=(20, 2))
    with fake_provider(dialect, [first, second, last]) as server:
        replies = talk(at(server), 3)
        assert server.problems == []
    assert [reply.end.reason for reply in replies] == ["calls", "calls", "stop"]
    assert replies[0].text == "Let me look."
    assert [decode_arguments(call.text).value for call in replies[0].calls] == [
        {"sql": "select 1"},
        {"sql": "é"},
    ]
    assert decode_arguments(replies[1].calls[0].text).value == {}
    assert (replies[2].end.usage.tokens_in, replies[2].end.usage.tokens_out) == (20, 2)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chat_can_continue_with_another_provider(dialect: str) -> None:
    """Ids and state of one provider are no problem for the other."""
    history: list[HistoryItem] = [user("a")]
    for other in DIALECTS:
        call = Call("query", {}, id="functions.query:0", signature="" if other == "anthropic" else "s")
        with fake_provider(other, [Reply(reasoning="Hm.", signature="x", calls=(call,))]) as server:
            (reply,) = talk(at(server), 1)
        made = tuple(ToolRequest(f"{other}-{c.call_id}", c.name, {}, c.provider_call_id) for c in reply.calls)
        parts = [
            p.model_copy(update={"call_id": made[0].call_id}) if p.kind == "call" else p for p in reply.parts
        ]
        history += [Message("m", "assistant", tuple(parts), made)]
        history += [ToolMessage(m.call_id, m.name, "success", "ok") for m in made]
    with fake_provider(dialect, [Reply(text="Done.")]) as server:
        (reply,) = talk(at(server), 1, history)
        assert server.problems == []
    assert reply.text == "Done."


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_key_goes_in_a_header_and_nowhere_else(dialect: str) -> None:
    """Neither in the address nor in the body."""
    with fake_provider(dialect, [Reply(text="Hi.")]) as server:
        talk(at(server), 1)
    (seen,) = server.requests
    assert [name for name, value in seen.headers.items() if KEY in value] == [
        {"openai": "authorization", "gemini": "x-goog-api-key", "anthropic": "x-api-key"}[dialect]
    ]
    assert KEY not in seen.path
    assert KEY.encode() not in seen.body
    assert (
        seen.path
        == {
            "openai": "/v1/chat/completions",
            "gemini": "/v1beta/models/a-model:streamGenerateContent?alt=sse",
            "anthropic": "/v1/messages",
        }[dialect]
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_reported_body_is_the_body_that_is_sent(dialect: str) -> None:
    """Byte for byte, since a step is recorded by its body."""
    with fake_provider(dialect, [Reply(text="Hi.")]) as server:
        model = at(server)
        wanted = request(user("é 😀"), tools=(QUERY,), parameters=model.parameters)
        list(model.stream(wanted, Cancellation()))
    assert server.requests[0].body == model.body(wanted)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(text="Half", error="Overloaded right now"), "overloaded"),
        (Reply(text="Half an answer", calls=(Call("query"),), cut=150), "broken"),
        (Reply(status=429, error="Slow down", headers={"Retry-After": "7"}), "rate_limited"),
        (Reply(status=401, error=f"Bad key {KEY}"), "unauthorized"),
        (Reply(body=b"<html>Busy</html>"), "broken"),
        (Reply(body=b""), "broken"),
        (Reply(status=302, headers={"Location": "https://else.example/"}, body=b""), "not_found"),
    ],
)
def test_a_failure_is_reported_with_a_message(dialect: str, reply: Reply, kind: str) -> None:
    """It says what happened and of what kind, without the key; the text so far stays."""
    with fake_provider(dialect, [reply]) as server:
        model = at(server)
        deltas = list(model.stream(request(user("a"), parameters=model.parameters), Cancellation()))
    last = deltas[-1]
    assert isinstance(last, Finished)
    assert (last.reason, last.kind) == ("error", kind)
    assert last.error is not None
    assert KEY not in last.error
    assert last.retry_after == (7.0 if kind == "rate_limited" else None)


def test_token_counts_survive_an_error() -> None:
    """Reported tokens count, because they are paid for."""
    with fake_provider("anthropic", [Reply(text="Half", usage=(9, 9), error="Busy")]) as server:
        (reply,) = talk(at(server), 1)
    assert (reply.text, reply.end.usage) == ("Half", Usage(9))
