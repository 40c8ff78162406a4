"""The interface of a model: it takes a request and returns typed deltas.

A stream never raises because of a provider: it ends with exactly one `Finished`, which has the reason. After
`Cancellation.set()` it ends soon, with the reason `cancelled` or without a `Finished`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from engine.models.messages import HistoryItem, OpaquePart
from engine.system.cancellation import Cancellation
from engine.workspace.table_facts import TableProfile
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "ArgumentsDelta",
    "CallDelta",
    "Delta",
    "FailureKind",
    "FinishReason",
    "Finished",
    "ImageDelta",
    "Model",
    "ModelRequest",
    "OpaqueDelta",
    "ReasoningDelta",
    "TextDelta",
    "ToolBrief",
    "ToolSpec",
    "Usage",
]

FinishReason: TypeAlias = Literal["stop", "calls", "length", "content_filter", "cancelled", "error"]
FailureKind: TypeAlias = Literal[
    "unreachable",
    "no_key",
    "unauthorized",
    "not_found",
    "rate_limited",
    "overloaded",
    "context_overflow",
    "refused",
    "broken",
]
"""The kind of a provider's failure. It determines how to react."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it."""

    name: str
    """The wire name: at most 64 characters of `[a-zA-Z0-9_-]`."""
    description: str
    input_schema: JSONObject


@dataclass(frozen=True, slots=True)
class ToolBrief:
    """A tool that a model knows only by name until it picks the tool; `system` lists these tools."""

    name: str
    """The wire name. A model may call the tool even though only its name was sent."""
    line: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that one step sends."""

    model: str
    """The model's name without the provider's, e.g. `gpt-5` for `openai:gpt-5`."""
    system: str
    messages: tuple[HistoryItem, ...]
    tools: tuple[ToolSpec, ...]
    tables: tuple[TableProfile, ...] = ()
    """The workspace's tables as values, for models that read them: the offline analyst."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Path → the reason why a file that looks like a table is not one; also for models that read tables."""
    form: JSONObject | None = None
    """The query form that the user chose for this question, for the offline analyst."""
    parameters: Mapping[str, JSON] = field(default_factory=dict)
    """The `Model.parameters` at the time when the request was made."""
    images: Mapping[str, bytes] = field(default_factory=dict)
    """The pictures of the messages' image parts, by hash."""
    briefs: tuple[ToolBrief, ...] = ()
    """The tools that `system` lists only by name."""
    is_review: bool = False
    """Whether it asks for a review of the numbers of an answer."""
    may_call: bool = True
    """Whether the reply may call tools. If not, `tools` are still sent if the provider supports that."""
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Source → the names of all its tables. `tables` contains only the source tables that the user chose for questions.
    """


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the text in the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of the thinking that the provider shows."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """The beginning of a call. `index` distinguishes the calls of one reply."""

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
    """A part that must be sent back to this provider unchanged."""

    part: OpaquePart


@dataclass(frozen=True, slots=True)
class ImageDelta:
    """A whole picture in the reply."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, as last reported in the reply; None if the provider does not report them."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_total: int | None = None
    tokens_reasoning: int | None = None
    """The tokens of the thinking. Some providers include them in `tokens_out`, others do not."""
    tokens_cached: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a reply."""

    reason: FinishReason
    usage: Usage = Usage()
    error: str | None = None
    """The error message for the user: what happened, to what, and what to do; only with reason `error`."""
    kind: FailureKind | None = None
    retry_after: float | None = None
    """Seconds that the provider asks the app to wait."""
    limit: int | None = None
    """The provider's token limit for requests, if it names one; only with kind `context_overflow`."""


Delta: TypeAlias = (
    TextDelta | ReasoningDelta | CallDelta | ArgumentsDelta | OpaqueDelta | ImageDelta | Finished
)


class Model(Protocol):
    """A source of replies."""

    provider: str
    """The provider's id, e.g. `openai`; opaque parts of other providers are not sent to it."""
    parameters: Mapping[str, JSON]
    """The parameters of its requests, in addition to the messages; recorded with the step."""
    sees: bool
    """Whether it accepts pictures; other models receive text in their place."""
    reads_tables: bool
    """Whether it reads `ModelRequest.tables`. Every table must then be described as a value."""
    revises: bool
    """Whether it can write an answer again after receiving a list of its numbers that are not found in any result."""
    reviews: bool
    """Whether it can review the numbers of an answer."""
    window: int | None
    """The token limit for requests; None if there is no limit."""

    def body(self, request: ModelRequest) -> bytes:
        """Return the bytes that `stream` sends for `request`; the same request gives the same bytes. Empty if nothing
        is sent."""
        ...

    def stream(self, request: ModelRequest, cancel: Cancellation) -> Iterator[Delta]:
        """Stream one reply; see the module for the contract."""
        ...
