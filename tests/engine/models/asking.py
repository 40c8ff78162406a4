"""Shared by the tests of models: a request in a few words, and everything in a reply."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.models.anthropic_replies import AnthropicReply
from engine.models.gemini_replies import GeminiReply
from engine.models.messages import HistoryItem, Message, Part, TextPart, ToolMessage, ToolRequest
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    Model,
    ModelRequest,
    OpaqueDelta,
    ReasoningDelta,
    TextDelta,
    ToolSpec,
)
from engine.models.openai_replies import OpenAIReply
from engine.models.replies import Ending, ReplyReader
from engine.models.reply_json import frames
from engine.system.cancellation import Cancellation
from events.json_value import JSON

__all__ = ["Said", "answer", "ask", "assistant", "read", "request", "sse", "user"]


def user(*parts: Part | str) -> Message:
    """A message of the user."""
    return Message("m", "user", tuple(TextPart(text=p) if isinstance(p, str) else p for p in parts))


def assistant(*parts: Part | str, requests: tuple[ToolRequest, ...] = ()) -> Message:
    """A message of the model."""
    return Message(
        "m", "assistant", tuple(TextPart(text=p) if isinstance(p, str) else p for p in parts), requests
    )


def answer(call_id: str, content: JSON, status: str = "success") -> ToolMessage:
    """The result of a call."""
    return ToolMessage(call_id, "query", status, content)


def request(
    *messages: HistoryItem,
    system: str = "Be brief.",
    tools: tuple[ToolSpec, ...] = (),
    model: str = "a-model",
    **more: Any,
) -> ModelRequest:
    """A request of `messages`."""
    return ModelRequest(model, system, messages, tools, **more)


def ask(model: Model, *messages: HistoryItem, cancel: Cancellation | None = None, **more: Any) -> list[Delta]:
    """Everything in the reply of `model`."""
    parameters: Mapping[str, JSON] = model.parameters
    return list(model.stream(request(*messages, parameters=parameters, **more), cancel or Cancellation()))


@dataclass(frozen=True)
class Said:
    """The parts of a reply, collected."""

    text: str
    reasoning: str
    calls: list[tuple[str, str, str]]
    """Name, id, text of arguments."""
    opaque: list[JSON]
    deltas: list[Delta]
    ending: Ending


def read(dialect: str, chunks: bytes | Iterable[bytes]) -> Said:
    """Read a reply's bytes in a dialect, without any network."""
    readers: dict[str, ReplyReader] = {
        "openai": OpenAIReply("openai"),
        "gemini": GeminiReply(),
        "anthropic": AnthropicReply(),
    }
    reader = readers[dialect]
    pieces = [chunks] if isinstance(chunks, bytes) else chunks
    deltas = [delta for frame in frames(pieces) for delta in reader.read(frame)]
    deltas += reader.finish()
    calls = [delta for delta in deltas if isinstance(delta, CallDelta)]
    arguments = {call.index: "" for call in calls}
    for delta in deltas:
        if isinstance(delta, ArgumentsDelta):
            arguments[delta.index] += delta.text
    return Said(
        "".join(d.text for d in deltas if isinstance(d, TextDelta)),
        "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)),
        [(call.name, call.provider_call_id, arguments[call.index]) for call in calls],
        [d.part.data for d in deltas if isinstance(d, OpaqueDelta)],
        deltas,
        reader.ending,
    )


def sse(*payloads: Any, done: bool = True) -> bytes:
    """Payloads as an event stream; strings are sent unchanged."""
    lines = [p if isinstance(p, str) else json.dumps(p, ensure_ascii=False) for p in payloads]
    return "".join(f"data: {line}\n\n" for line in [*lines, *(["[DONE]"] if done else [])]).encode()
