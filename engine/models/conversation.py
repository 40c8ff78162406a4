"""Makes a history valid for any provider: one system text, alternating roles, and an answer for each call.

The input is normally well-formed (`engine.turn.history`), but this also accepts other histories: an imported chat, a
call without an answer, an answer without a call. Nothing is added except what providers require.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.models.call_ids import CallIds, IdRule
from engine.models.messages import (
    CallPart,
    HistoryItem,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    TextPart,
    ToolMessage,
    ToolRequest,
    WorkingsPart,
)
from engine.models.model import ModelRequest
from events.canonical import canonical_json
from events.json_value import JSON
from events.late_dataclass import dataclass
from events.text import scrub_surrogates

__all__ = [
    "Asked",
    "Conversation",
    "Exchange",
    "Replied",
    "conversation",
    "result_text",
]

_NO_ANSWER: JSON = {"error": "The call was interrupted and has no result."}
_BEFORE = "(The conversation begins with the assistant.)"
_GO_ON = "Continue."


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call and its answer."""

    request: ToolRequest
    answer: ToolMessage
    wire_id: str
    """The id that the call and its answer have in this request; empty if the provider needs no id."""

    @property
    def name(self) -> str:
        """The tool's name in a form that every provider accepts, even if the model invented the name."""
        return re.sub(r"[^a-zA-Z0-9_-]", "_", self.request.name)[:64] or "unknown"


@dataclass(frozen=True, slots=True)
class Asked:
    """The user's text between two replies; never empty."""

    parts: tuple[TextPart | ImagePart, ...]


@dataclass(frozen=True, slots=True)
class Replied:
    """One message of the assistant, with the answers to its calls."""

    parts: tuple[Part, ...]
    exchanges: tuple[Exchange, ...] = ()
    """The calls and answers, in the order of the call parts."""
    data_part: str = ""
    """The text that Anabranch adds after the results; empty if there are no calls."""

    @property
    def by_place(self) -> dict[int, Exchange]:
        """The calls and answers, by the number of their call part within the message."""
        known = {exchange.request.call_id: exchange for exchange in self.exchanges}
        calls = [part for part in self.parts if isinstance(part, CallPart)]
        return {n: known[part.call_id] for n, part in enumerate(calls) if part.call_id in known}


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything that a request contains."""

    system: str
    turns: tuple[Asked | Replied, ...]


def conversation(request: ModelRequest, rule: IdRule, speaks: frozenset[str]) -> Conversation:
    """Return the conversation in `request`. An assistant message without calls is sent only if it has parts of the
    kinds in `speaks`.
    """
    system = [request.system]
    system += [m.text for m in request.messages if isinstance(m, Message) and m.role == "system"]
    turns: list[Asked | Replied] = []
    for turn in _turns(request.messages, CallIds(rule), speaks):
        last = turns[-1] if turns else None
        if isinstance(turn, Asked) and isinstance(last, Asked):
            turns[-1] = Asked(last.parts + turn.parts)
        elif isinstance(turn, Replied) and isinstance(last, Replied) and not last.exchanges:
            kept = tuple(p for p in last.parts if not isinstance(p, CallPart | OpaquePart))
            turns[-1] = replace(turn, parts=kept + turn.parts)
        else:
            turns.append(turn)
    if not turns or isinstance(turns[0], Replied):
        turns.insert(0, Asked((TextPart(text=_BEFORE if turns else _GO_ON),)))
    last = turns[-1]
    if isinstance(last, Replied) and not last.exchanges:
        turns.append(Asked((TextPart(text=_GO_ON),)))
    return Conversation("\n\n".join(text.strip() for text in system if text.strip()), tuple(turns))


def result_text(answer: ToolMessage) -> str:
    """Return an answer as text: text unchanged, everything else as JSON."""
    content = answer.content
    return scrub_surrogates(content) if isinstance(content, str) else canonical_json(content)


def _turns(items: Sequence[HistoryItem], ids: CallIds, speaks: frozenset[str]) -> Iterator[Asked | Replied]:
    answers = _Answers(items)
    for number, item in enumerate(items):
        if isinstance(item, ToolMessage) or item.role == "system":
            continue
        data = (TextPart(text=item.data_part),) if item.data_part else ()
        if item.role == "user":
            said = tuple(p for p in item.parts if isinstance(p, TextPart | ImagePart) and not _is_blank(p))
            said = data + said
            if said:
                yield Asked(said)
            continue
        called = {part.call_id for part in item.parts if isinstance(part, CallPart)}
        unplaced = [r for r in item.requests if r.call_id not in called]
        parts = _as_written(item.parts) + tuple(CallPart(call_id=r.call_id, name=r.name) for r in unplaced)
        exchanges = tuple(
            Exchange(r, answers.to(r, number), ids.of(r)) for r in _in_order(item.requests, parts)
        )
        if exchanges or any(part.kind in speaks and not _is_blank(part) for part in parts):
            yield Replied(parts, exchanges, item.data_part if exchanges else "")
        if data and not exchanges:
            yield Asked(data)


def _as_written(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts of a reply, with the model's workings put back into the text."""
    found: list[Part] = []
    for part in parts:
        if not isinstance(part, TextPart | WorkingsPart):
            found.append(part)
        elif found and isinstance(last := found[-1], TextPart):
            found[-1] = TextPart(text=last.text + part.text)
        else:
            found.append(TextPart(text=part.text))
    return tuple(found)


def _in_order(requests: Iterable[ToolRequest], parts: Iterable[Part]) -> list[ToolRequest]:
    known = {request.call_id: request for request in requests}
    return [known[p.call_id] for p in parts if isinstance(p, CallPart) and p.call_id in known]


def _is_blank(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text.strip()


class _Answers:
    """Finds the answer to a call: the first answer with the call's id after the call's message."""

    def __init__(self, items: Sequence[HistoryItem]) -> None:
        self._answers = [(n, item) for n, item in enumerate(items) if isinstance(item, ToolMessage)]

    def to(self, request: ToolRequest, asked_at: int) -> ToolMessage:
        for number, answer in self._answers:
            if number > asked_at and answer.call_id == request.call_id:
                return answer
        return ToolMessage(request.call_id, request.name, "interrupted", _NO_ANSWER)
