"""The offline analyst: a model that ships, needs no key and no network, and never invents.

It reads a question by rules, asks for one tool call, and puts the result into words. It keeps nothing between
requests: what was asked before is read again from the history that it is given.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.cancel import Cancel
from engine.messages import Message, ToolMessage
from engine.models.model import ArgumentsDelta, CallDelta, Delta, Finished, ModelRequest, TextDelta
from engine.models.offline.answer import answer, result_of
from engine.models.offline.asks import Reading
from engine.models.offline.files import tableless, unread_files
from engine.models.offline.intent import Intent
from engine.models.offline.replies import decline, describe_table, no_tables, not_offered, offered_instead
from engine.models.offline.sql import group_label, query
from engine.models.offline.understand import understand
from engine.models.offline.wording import in_words
from events.canonical import JSON, JSONObject

__all__ = ["OfflineModel"]

_REMEMBERED = 12
"""Questions of the history that are read again to understand a follow-up."""


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    arguments: JSONObject
    commentary: str


class OfflineModel:
    """See the module. Implements `engine.models.model.Model`."""

    provider = "offline"
    parameters: Mapping[str, JSON] = MappingProxyType({})

    def body(self, request: ModelRequest) -> bytes:  # noqa: ARG002 - the seam
        """See `Model.body`: nothing goes out."""
        return b""

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[Delta]:
        """Stream one reply: a call, or after its result the answer."""
        for delta in _reply(request):
            if cancel.is_set:
                yield Finished("cancelled")
                return
            yield delta


def _reply(request: ModelRequest) -> Iterator[Delta]:
    questions = [item.text for item in request.messages if isinstance(item, Message) and item.role == "user"]
    results = _results(request)
    if not questions or not questions[-1].strip():
        yield from _say(decline(None, request.tables) if request.tables else no_tables())
        return
    unread = unread_files(request.system)
    if (lacking := tableless(questions[-1], request.tables, unread)) is not None:
        yield from _say(offered_instead(lacking, request.tables))
        return
    if not request.tables:
        yield from _say(no_tables(unread))
        return
    reading = _read(questions, request, unread)
    if reading.intent is None:
        yield from _say(decline(reading, request.tables))
    elif results:
        yield from _say(_answer(reading.intent, results[-1], request))
    else:
        yield from _call(_plan(reading.intent), request)


def _results(request: ModelRequest) -> list[ToolMessage]:
    """Results since the last question."""
    found: list[ToolMessage] = []
    for item in request.messages:
        if isinstance(item, ToolMessage):
            found.append(item)
        elif item.role == "user":
            found = []
    return found


def _read(questions: list[str], request: ModelRequest, unread: Mapping[str, str]) -> Reading:
    previous: Intent | None = None
    for question in questions[-_REMEMBERED:-1]:
        if question.strip() and tableless(question, request.tables, unread) is None:
            previous = understand(question, request.tables, previous).intent or previous
    return understand(questions[-1], request.tables, previous)


def _say(text: str) -> Iterator[Delta]:
    start = 0
    for end, letter in enumerate(text, 1):
        if letter in " \n" or end == len(text):
            yield TextDelta(text[start:end])
            start = end
    yield Finished("stop")


def _call(call: _Call, request: ModelRequest) -> Iterator[Delta]:
    known = [*(tool.name for tool in request.tools), *(brief.name for brief in request.briefs)]
    name = next((wire for wire in known if wire in _wire_names(call.tool)), None)
    if name is None:
        yield from _say(not_offered(call.tool))
        return
    yield TextDelta(call.commentary)
    yield CallDelta(0, name)
    text = json.dumps(call.arguments, ensure_ascii=False)
    for start in range(0, len(text), 80):
        yield ArgumentsDelta(0, text[start : start + 80])
    yield Finished("calls")


def _wire_names(tool: str) -> tuple[str, ...]:
    return f"toolset__data-analyst__{tool}", f"toolset__data_analyst__{tool}", tool


def _plan(intent: Intent) -> _Call:
    if intent.kind == "describe":
        return _Call(
            "describe", {"table": intent.table.name}, f"I look at the columns of {intent.table.name}."
        )
    built = query(intent)
    title = _title(intent)
    if intent.chart is None:
        return _Call(
            "query",
            {"sql": built.sql, "title": title},
            f"I compute this from {intent.table.name}: {title.lower()}.",
        )
    arguments: JSONObject = {"sql": built.sql, "mark": intent.chart, "title": title}
    if intent.kind == "scatter" and intent.chart == "boxplot":
        arguments |= {
            "x": built.labels[1] if len(built.labels) > 1 else built.labels[0],
            "y": built.labels[0],
        }
    elif intent.kind in ("scatter", "histogram"):
        arguments["x"] = built.labels[0]
        if len(intent.columns) > 1:
            arguments["y"] = built.labels[1]
        if intent.color is not None:
            arguments["color"] = intent.color.name
    else:
        arguments |= {"x": built.labels[0], "y": built.numbers[0]}
        if len(built.labels) > 1:
            arguments["color"] = built.labels[1]
    return _Call("chart", arguments, f"I draw this from {intent.table.name}: {title.lower()}.")


def _title(intent: Intent) -> str:
    by = " and ".join(group_label(group) for group in intent.groups)
    if intent.kind == "correlation":
        what = f"correlation of {' and '.join(c.name for c in intent.columns)}"
    elif intent.kind in ("scatter", "histogram", "distinct"):
        what = " against ".join(c.name for c in reversed(intent.columns))
        what = (
            f"distribution of {what}"
            if intent.kind == "histogram"
            else f"values of {what}"
            if intent.kind == "distinct"
            else what
        )
    elif intent.kind in ("list", "head"):
        what = f"rows of {intent.table.name}"
    elif intent.kind == "missing_table":
        what = "missing values by column"
    elif intent.kind == "change":
        what = f"change of {intent.measures[0].column.name if intent.measures[0].column else 'rows'}"
        by = ""
    elif intent.kind == "share":
        what = "share of rows"
    else:
        what = ", ".join(in_words(measure) for measure in intent.measures[:3])
        what = f"share by {what}" if intent.as_share else what
    title = f"{what} by {by}" if by else what
    return title[0].upper() + title[1:]


def _answer(intent: Intent, result: ToolMessage, request: ModelRequest) -> str:
    if result.status != "success":
        reason = result.content.get("error") if isinstance(result.content, dict) else None
        detail = f": {reason}" if isinstance(reason, str) else ""
        return (
            f"The call did not finish ({result.status.replace('_', ' ')}){detail}. I have no number to tell."
        )
    if intent.kind == "describe":
        profile = next(t for t in request.tables if t.name == intent.table.name)
        return describe_table(profile)
    if intent.chart is not None:
        note = result.content.get("note") if isinstance(result.content, dict) else None
        told = f" {note}" if isinstance(note, str) else ""
        return f"Here is the {_CHARTS.get(intent.chart, 'chart')}: {_title(intent).lower()}.{told}"
    found = result_of(result.content)
    if found is None:
        return "The result came back in a shape that I can't read. I have no number to tell."
    return answer(intent, found)


_CHARTS = {
    "bar": "bar chart",
    "line": "line chart",
    "point": "scatter plot",
    "arc": "pie chart",
    "area": "area chart",
    "histogram": "histogram",
    "boxplot": "box plot",
    "rect": "heat map",
}
