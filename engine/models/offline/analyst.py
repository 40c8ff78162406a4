"""The offline analyst: the model that ships with Anabranch. It needs no key and no network, and invents nothing.

It reads a question with a grammar, requests one tool call, and puts the result into words. It has no state
between requests: the forms of earlier questions are opaque parts of the messages that it receives.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from engine.models.messages import Message, OpaquePart, ToolMessage
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    Finished,
    ModelRequest,
    OpaqueDelta,
    TextDelta,
)
from engine.models.offline.answer import answer
from engine.models.offline.files import not_yet_read, only_results, tableless
from engine.models.offline.form import Form, FormError
from engine.models.offline.form_documents import form_from, form_json
from engine.models.offline.joining import table_of
from engine.models.offline.replies import (
    choices,
    decline,
    describe_table,
    no_tables,
    not_offered,
    not_readable,
    offered_instead,
    read_again,
    read_first,
)
from engine.models.offline.results import result_of
from engine.models.offline.source_sql import sql_at_source
from engine.models.offline.sql import query
from engine.models.offline.understand import Reading, understand
from engine.models.offline.wording import sentence
from engine.system.cancellation import Cancellation
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["OfflineModel"]


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    arguments: JSONObject
    commentary: str


class OfflineModel:
    """The model of the offline analyst. Implements `engine.models.model.Model`."""

    provider = "offline"
    sees = False
    reads_tables = True
    revises = False
    reviews = False
    window: int | None = None
    parameters: Mapping[str, JSON] = MappingProxyType({})

    def body(self, request: ModelRequest) -> bytes:  # noqa: ARG002 - the seam
        """See `Model.body`: returns no bytes, because nothing is sent."""
        return b""

    def stream(self, request: ModelRequest, cancel: Cancellation) -> Iterator[Delta]:
        """Stream one reply: first a call, and after its result the answer."""
        for delta in _reply(request):
            if cancel.is_set:
                yield Finished("cancelled")
                return
            yield delta


def _reply(request: ModelRequest) -> Iterator[Delta]:
    questions = [item.text for item in request.messages if isinstance(item, Message) and item.role == "user"]
    asked = questions[-1] if questions else ""
    if (table := not_yet_read(asked, request.sources, request.tables, request.unread)) is not None:
        yield from _say(read_first(table))
        return
    lacking = tableless(asked, request.tables, request.unread)
    if lacking is not None:
        yield from _say(offered_instead(lacking, request.tables))
        return
    if not request.tables:
        yield from _say(no_tables(request.unread, tuple(request.sources)))
        return
    if (gone := _gone(request, asked)) is not None:
        yield from _say(gone)
        return
    results = _results(request)
    reading = _read(request, asked)
    if not results:
        forms = [form_json(form) for form in reading.forms]
        corrected = [list(pair) for pair in reading.corrected]
        data: JSONObject = {"forms": forms, **({"corrected": corrected} if corrected else {})}  # type: ignore[dict-item]
        data |= {"remarks": list(reading.remarks)} if reading.remarks else {}
        yield OpaqueDelta(OpaquePart(provider="offline", data=data))
    if len(reading.forms) > 1:
        yield from _say(choices(reading.forms, request.tables))
    elif not reading.forms:
        yield from _say(decline(asked, reading, request.tables))
    elif results and not _draws_next(reading.forms[0], results, request):
        yield from _say(_answer(reading, results[-1], request))
    else:
        try:
            call = _plan(reading.forms[0], request, results[-1] if results else None)
        except FormError as error:
            yield from _say(offered_instead(str(error), request.tables))
            return
        yield from _call(call, request)


def _gone(request: ModelRequest, asked: str) -> str | None:
    """Return a message that names the missing table if the only tables are results of earlier calls, and the question
    mentions none of them; else None.
    """
    if request.form is not None or _results(request) or not only_results(asked, request.tables):
        return None
    names = [table.name for table in request.tables]
    if request.unread:
        return not_readable(request.unread, names)
    before, _ = _forms(request)
    lost = [form.table for form in before.forms if form.table not in names] if before else []
    return not_readable({lost[0]: "it is no longer in this chat"}, names) if lost else None


def _results(request: ModelRequest) -> list[ToolMessage]:
    """Return the tool results since the last question."""
    found: list[ToolMessage] = []
    for item in request.messages:
        if isinstance(item, ToolMessage):
            found.append(item)
        elif item.role == "user":
            found = []
    return found


def _read(request: ModelRequest, asked: str) -> Reading:
    """Return the form that the user chose; else the reading in this turn's first reply; else a new reading of the
    question.
    """
    if request.form is not None:
        return Reading((form_from(request.form),))
    before, current = _forms(request)
    if current is not None:
        return current
    asked_before = sum(isinstance(item, Message) and item.role == "user" for item in request.messages) > 1
    previous = before.forms[0] if before and len(before.forms) == 1 else None
    names = {table.name for table in request.tables}
    if previous is not None and not {previous.table, *(join.table for join in previous.joins)} <= names:
        previous = None
    return understand(asked, request.tables, previous, first=not asked_before)


def _forms(request: ModelRequest) -> tuple[Reading | None, Reading | None]:
    """Return the last earlier reading that had exactly one form, and the reading of the newest question."""
    before: Reading | None = None
    current: Reading | None = None
    for item in request.messages:
        if not isinstance(item, Message):
            continue
        if item.role == "user":
            before, current = current if current and len(current.forms) == 1 else before, None
        for part in item.parts:
            if isinstance(part, OpaquePart) and part.provider == "offline" and isinstance(part.data, dict):
                current = _stored(part.data)
    return before, current


def _stored(data: JSONObject) -> Reading:
    forms, corrected, remarks = data.get("forms"), data.get("corrected"), data.get("remarks")
    pairs = (
        [(str(pair[0]), str(pair[1])) for pair in corrected if isinstance(pair, list)]
        if isinstance(corrected, list)
        else []
    )
    return Reading(
        tuple(form_from(form) for form in forms) if isinstance(forms, list) else (),
        corrected=tuple(pairs),
        remarks=tuple(map(str, remarks)) if isinstance(remarks, list) else (),
    )


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


def _draws_next(form: Form, results: Sequence[ToolMessage], request: ModelRequest) -> bool:
    """Whether the rows for a chart have arrived from a source, and only the chart must still be drawn."""
    if form.chart is None or len(results) != 1 or results[-1].status != "success":
        return False
    return table_of(form, request.tables).profile.source is not None


def _plan(form: Form, request: ModelRequest, came: ToolMessage | None = None) -> _Call:
    """Return the next call; `came` is the result with a source's rows if a chart of them must still be drawn."""
    table = table_of(form, request.tables)
    source = table.profile.source
    at: JSONObject = {"source": source.name} if source is not None else {}
    if form.show == "columns":
        named = form.table if source is None else form.table.removeprefix(f"{source.name}.")
        return _Call("describe", {"table": named, **at}, f"The columns of {form.table}.")
    built = query(form, table)
    sql = built.sql if source is None else sql_at_source(built.sql, request.tables, source)
    title = sentence(form, chart=False)  # the user may choose another type on the card
    title = title[:1].upper() + title[1:]
    commentary = f"{title}, from {form.table}."
    if form.chart is None or (source is not None and came is None):
        return _Call("query", {"sql": sql, "title": title[:120], **at}, commentary)
    content = came.content if came is not None and isinstance(came.content, dict) else {}
    rows: JSONObject = {"sql": sql} if came is None else {"table": content.get("table")}
    arguments: JSONObject = {**rows, "mark": form.chart, "title": title[:120], "x": built.labels[0]}
    if form.show == "numbers":
        arguments["y"] = built.numbers[-1] if form.window else built.numbers[0]
        if len(built.labels) > 1:
            arguments["color"] = built.labels[1]
    elif form.chart == "boxplot":
        arguments |= {"x": built.labels[-1], "y": built.labels[0]}
    elif form.show == "points":
        arguments["y"] = built.labels[1]
        if len(built.labels) > 2:
            arguments["color"] = built.labels[2]
    if form.horizontal:
        arguments["orientation"] = "horizontal"
    return _Call("chart", arguments, commentary)


def _answer(reading: Reading, result: ToolMessage, request: ModelRequest) -> str:
    form = reading.forms[0]
    if result.status != "success":
        reason = result.content.get("error") if isinstance(result.content, dict) else None
        detail = f": {reason.rstrip('. ')}" if isinstance(reason, str) else ""
        said = f"The call did not finish ({result.status.replace('_', ' ')}){detail}. I have no number to report."
        of = next((table for table in request.tables if table.name == form.table), None)
        changed = of is not None and of.source is not None and "column" in detail.lower()
        return f"{said}{read_again(form.table) if changed else ''}"
    read = "".join(f" I read “{said}” as “{meant}”." for said, meant in reading.corrected)
    read += "".join(f" I ignored “{remark}”." for remark in reading.remarks)
    if form.show == "columns":
        return describe_table(next(t for t in request.tables if t.name == form.table)) + read
    if form.chart is not None:
        notes = result.content.get("notes") if isinstance(result.content, dict) else None
        # the first note only counts the marks, and the chart shows them
        said = "".join(f" {note}" for note in notes[1:]) if isinstance(notes, list) else ""
        words = sentence(form, chart=False)
        return f"Here is the chart: {words}.{said}{read}"
    found = result_of(result.content)
    if found is None:
        return "I can't read the format of the result, so I have no number to report."
    notes = result.content.get("notes") if isinstance(result.content, dict) else None
    said = "".join(f"\n\n{note}" for note in _notes_for_people(result.content, notes))
    return answer(form, table_of(form, request.tables), found) + read + said


def _notes_for_people(content: JSON, notes: JSON) -> list[str]:
    """Return a result's notes, except the note that the model received only a part of the result, because users see the
    whole result.
    """
    table = content.get("table") if isinstance(content, dict) else None
    listed = notes if isinstance(notes, list) else []
    return [str(note) for note in listed if f"the table {table} has all" not in str(note)]
