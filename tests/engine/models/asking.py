"""What the tests of models share: a request in few words, and the whole of a reply."""

from collections.abc import Mapping
from typing import Any

from engine.cancel import Cancel
from engine.messages import HistoryItem, Message, Part, TextPart, ToolMessage, ToolRequest
from engine.models.model import Delta, Model, ModelRequest, ToolSpec
from events.canonical import JSON

__all__ = ["answer", "ask", "assistant", "request", "user"]


def user(*parts: Part | str) -> Message:
    """What the user says."""
    return Message("m", "user", tuple(TextPart(text=p) if isinstance(p, str) else p for p in parts))


def assistant(*parts: Part | str, requests: tuple[ToolRequest, ...] = ()) -> Message:
    """What the model said."""
    return Message(
        "m", "assistant", tuple(TextPart(text=p) if isinstance(p, str) else p for p in parts), requests
    )


def answer(call_id: str, content: JSON, status: str = "success") -> ToolMessage:
    """What a call gave."""
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


def ask(model: Model, *messages: HistoryItem, cancel: Cancel | None = None, **more: Any) -> list[Delta]:
    """Everything that `model` replies."""
    parameters: Mapping[str, JSON] = model.parameters
    return list(model.stream(request(*messages, parameters=parameters, **more), cancel or Cancel()))
