"""The seam to a model: a request goes in, typed deltas come out.

A stream never raises for what a provider does: it ends in exactly one `Finished`, whose reason tells how.
After `Cancel.set()` it ends soon, with reason `cancelled`, or just ends.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from engine.cancel import Cancel
from engine.messages import HistoryItem, OpaquePart
from engine.tables import TableProfile
from events.canonical import JSON, JSONObject

__all__ = [
    "ArgumentsDelta",
    "CallDelta",
    "Delta",
    "FinishReason",
    "Finished",
    "Model",
    "ModelRequest",
    "OpaqueDelta",
    "ReasoningDelta",
    "TextDelta",
    "ToolSpec",
    "Usage",
]

FinishReason: TypeAlias = Literal["stop", "calls", "length", "content_filter", "cancelled", "error"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it."""

    name: str
    """Wire name, at most 64 of `[a-zA-Z0-9_-]`."""
    description: str
    input_schema: JSONObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that one step sends."""

    model: str
    """The name after the provider's, e.g. `gpt-5` of `openai:gpt-5`."""
    system: str
    messages: tuple[HistoryItem, ...]
    tools: tuple[ToolSpec, ...]
    tables: tuple[TableProfile, ...] = ()
    """What `system` tells of the workspace's tables, as values: the offline analyst reads these."""
    parameters: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of the thinking that the provider shows."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A call begins. `index` tells calls of one reply apart."""

    index: int
    name: str
    provider_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """More of a call's arguments, as JSON text."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class OpaqueDelta:
    """A part that must go back to this provider as it is."""

    part: OpaquePart


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; None where the provider does not say."""

    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a reply."""

    reason: FinishReason
    usage: Usage = Usage()
    error: str | None = None
    """What happened, to what, and what to do, in words for the user; only with reason `error`."""


Delta: TypeAlias = TextDelta | ReasoningDelta | CallDelta | ArgumentsDelta | OpaqueDelta | Finished


class Model(Protocol):
    """A source of replies."""

    provider: str

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[Delta]:
        """Stream one reply; see the module for the contract."""
        ...
