"""The injected parts of a turn, and its data."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.deciders.chat_state import ChatState
from engine.deciders.sources import Source
from engine.models.model import Model, Usage
from engine.numbers.doubts import DoubtedNumber
from engine.numbers.reviewed_number import ReviewedNumber
from engine.numbers.traced_reply import TracedReply
from engine.system.cancellation import Cancellation
from engine.system.weighted_cache import WeightedCache
from engine.tools.call_plans import Sending
from engine.tools.call_runner import Calls
from engine.tools.sources.catalog import ListedTables
from engine.tools.tables import Tables
from engine.tools.tool import Tool
from engine.turn.disclosure import Disclosure
from engine.turn.previous_request import PreviousRequest
from events.catalog.definition import DefinitionSet
from events.event import Event
from events.identity import Clock, NewId
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = ["Turn", "TurnParts", "TurnRules"]


BEFORE = 32 << 20
"""The maximum number of characters of cached messages, as models read them, for all chats together."""


class Offer(Protocol):
    """Returns the tools that a chat's selection currently offers."""

    def __call__(self, state: ChatState) -> Sequence[Tool]: ...


class TracesReply(Protocol):
    """Traces the numbers of a reply as if the reply followed a message. Returns None if the branch has no results."""

    def __call__(
        self,
        chat_id: str,
        message_id: str,
        text: str,
        workings: str,
        review: tuple[ReviewedNumber, ...] = (),
    ) -> TracedReply | None: ...


@dataclass(frozen=True, slots=True)
class TurnParts:
    """The parts that all turns share."""

    chats: Chats
    workspaces: Workspaces
    calls: Calls
    tables: Tables
    signals: Signals
    offer: Offer
    find: Callable[[str], Tool | None]
    """Finds a tool by its id."""
    skills: Callable[[ChatState], Sequence[tuple[str, str]]]
    """Names and descriptions of the skills that a chat may read now."""
    sources: Callable[[], Mapping[str, tuple[Source, ListedTables]]]
    """The databases and query engines that tools can read, each with its tables from when they were last listed."""
    definitions: Callable[[ChatState], Sequence[DefinitionSet]]
    """The user's definitions that are valid in a chat."""
    traced: TracesReply
    clock: Clock
    new_id: NewId
    before: WeightedCache[str, PreviousRequest] = field(
        default_factory=lambda: WeightedCache(BEFORE, lambda one: one.weight)
    )
    """The parts of each chat's last request."""


@dataclass(frozen=True, slots=True)
class TurnRules:
    """The user's settings when the turn began or continued."""

    max_steps: int = 5
    max_steps_on: bool = True
    instructions: str = ""
    allow_confirmations: bool = False
    sending: Sending = "ask"
    disclosure: Disclosure = "auto"
    disclosure_tokens: int = 6000
    keep_picks: bool = False
    recheck_numbers: bool = True
    """Whether an answer with numbers that are not found in any result is sent back to the model once."""
    review_numbers: bool = True
    """Whether the model reviews the numbers of each answer in a separate request."""
    max_calls: int | None = None
    """The number of calls after which the model must answer; None if only steps are counted."""
    max_seconds: float | None = None
    """The seconds of work after which the turn is stopped; None if there is no limit."""


@dataclass(slots=True)
class Turn:
    """One running turn. Everything but the clock can be reloaded from the log, so that waiting turns can continue."""

    chat_id: str
    turn_id: str
    message_id: str
    """The turn's last message so far; at first the question."""
    model_name: str
    model: Model | None
    """The model; None if the user runs one tool and no model is asked."""
    rules: TurnRules
    form: JSONObject | None = None
    """The query form that the user chose, for the offline analyst."""
    cancel: Cancellation = field(default_factory=Cancellation)
    closing: bool = False
    """Whether the turn was stopped because the app closes, not by the user."""
    late: bool = False
    """Whether the turn was stopped because its time is used up, not by the user."""
    doubted: tuple[DoubtedNumber, ...] = ()
    """The doubtful numbers in the last message, which is a draft. The next request asks the model to write it again."""
    usages: list[Usage] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def stopped_as(self) -> Literal["interrupted", "cancelled"]:
        """Return how the turn and its calls end if the turn is stopped."""
        return "interrupted" if self.closing else "cancelled"

    def run_out(self) -> None:
        """Stop the turn because its time is used up."""
        self.late = not self.cancel.is_set
        self.cancel.set()

    def append(self, parts: TurnParts, decide: Callable[[ChatState], Sequence[Event]]) -> Sequence[Event]:
        """Append the events that `decide` returns for the chat's state, as events of this turn."""
        recorded = parts.chats.transact(self.chat_id, decide, correlation_id=self.turn_id)
        return [record.event for record in recorded]
