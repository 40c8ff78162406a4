"""Compares two branches, two moments of a chat, or two chats: calls, tables, charts, SQL, files and numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TypeAlias

from engine.errors import AnabranchError, Invalid, NotFound
from engine.rendering.plans import ChartPlan, RenderPlan, TablePlan
from engine.rendering.titles import table_title
from engine.tools.file_tables import TableSource
from engine.tools.table_comparison import TableComparisons, TableDiff
from engine.tools.toolbox import ReadModels
from engine.views.chat import CallView, ChatView, MessageView
from engine.views.chats import ChatReads
from engine.views.comparison import (
    CallPair,
    ChartPair,
    ComparedFile,
    ComparedTable,
    ComparedText,
    Comparison,
    Side,
)
from engine.views.comparison_matching import (
    calls_of,
    matched_calls,
    matched_plans,
    moved_numbers,
    shared_messages,
)
from engine.views.placement import results_of
from engine.views.workspace import WorkspaceReads
from events.canonical import canonical_json
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Comparisons", "SideWanted", "side_named"]

_TABLES = frozenset((".csv", ".tsv", ".parquet", ".pq", ".xlsx", ".jsonl", ".ndjson"))
_TEXTS: Mapping[str, str] = {"sql": "sql", "code": "python"}
"""Argument that contains a program → the program's language."""
_Pair: TypeAlias = tuple[CallView | None, CallView | None]


@dataclass(frozen=True, slots=True)
class SideWanted:
    """One side of a requested comparison: a chat now, at a message, at a named moment, or at a log position."""

    chat_id: str
    message_id: str | None = None
    """A message's id, or the name of a moment."""
    position: int | None = None


def side_named(text: str) -> SideWanted:
    """Parse a side: `CHAT`, `CHAT@now`, `CHAT@MESSAGE_ID`, `CHAT@POSITION` or `CHAT@MOMENT` (the name of a moment).

    Raises:
        Invalid: the text does not name a chat, or has nothing after the `@` (`not_a_side`).
    """
    chat_id, mark, rest = text.strip().partition("@")
    if not chat_id or (mark and not rest):
        raise Invalid(
            "not_a_side",
            f"{text!r} is not valid. Write CHAT, CHAT@now, CHAT@MESSAGE_ID, CHAT@POSITION or CHAT@MOMENT (the name of "
            "a moment).",
        )
    if rest.isascii() and rest.isdigit() and len(rest) < 19:
        return SideWanted(chat_id, position=int(rest))
    return SideWanted(chat_id, message_id=rest if rest not in ("", "now") else None)


@dataclass(frozen=True, slots=True)
class _Found:
    """A side with the messages of its branch."""

    side: Side
    branch: Sequence[MessageView]


class Comparisons:
    """Compares sides. Thread-safe."""

    def __init__(
        self, views: ChatReads, read: ReadModels, workspace: WorkspaceReads, tables: TableComparisons
    ) -> None:
        self._views = views
        self._read = read
        self._workspace = workspace
        self._tables = tables

    def side(self, wanted: SideWanted) -> Side:
        """Return the facts about a side without comparing it. Raises the same errors as `compare`."""
        return self._found(wanted).side

    def compare(self, first: SideWanted, second: SideWanted) -> Comparison:
        """Return how the second side differs from the first.

        Raises:
            NotFound: the chat or message does not (or did not) exist, or the log has no such position.
        """
        a, b = self._found(first), self._found(second)
        shared = shared_messages(a.branch, b.branch)
        both = a.branch[shared - 1] if shared else None
        same = list(zip(calls_of(a.branch[:shared]), calls_of(b.branch[:shared]), strict=False))
        pairs = matched_calls(calls_of(a.branch[shared:]), calls_of(b.branch[shared:]))
        chats = a.side.chat_id, b.side.chat_id
        tables: list[ComparedTable] = []
        calls = [CallPair(one, other, True, True) for one, other in same]
        for pair in pairs:
            found = list(self._result_tables(pair, chats))
            tables += found
            calls.append(_call_pair(pair, found))
        return Comparison(
            a=a.side,
            b=b.side,
            parted_after=(both.text or "Used tools") if both is not None else None,
            numbers=moved_numbers(tables),
            tables=tuple(tables),
            charts=tuple(chart for pair in pairs for chart in _charts(pair)),
            texts=_distinct(text for pair in pairs for text in _texts(pair)),
            files=tuple(self._files(a.side, b.side, _shown(tables))),
            calls=tuple(calls),
        )

    def _found(self, wanted: SideWanted) -> _Found:
        view = self._views.chat(wanted.chat_id, wanted.position)
        leaf, manifest = self._place(view, wanted)
        branch = view.branch(leaf) if leaf is not None else []
        questions = [message.text for message in branch if message.role == "user"]
        answers = [message.content for message in branch if message.role != "user" and message.content]
        side = Side(
            chat_id=view.chat_id,
            message_id=leaf,
            position=wanted.position,
            title=view.title,
            question=questions[-1] if questions else "",
            answer=answers[-1] if answers else "",
            at=branch[-1].created_at if branch else None,
            manifest_id=manifest,
            here=wanted.position is None and leaf == view.leaf,
        )
        return _Found(side, branch)

    def _place(self, view: ChatView, wanted: SideWanted) -> tuple[str | None, str | None]:
        """Return the last message of a side and the state of its files."""
        if wanted.message_id is None:
            return view.leaf, view.manifest
        if wanted.message_id not in view.messages:
            named = {one["name"]: one for one in self._read("moments", chat_id=wanted.chat_id)}
            if wanted.message_id in named:
                moment = named[wanted.message_id]
                return moment["message_id"], moment["manifest_id"]
        leaf = _leaf(view, wanted.message_id)
        return leaf, self._workspace.manifest_at(wanted.chat_id, leaf)

    def _result_tables(self, pair: _Pair, chats: tuple[str, str]) -> Iterator[ComparedTable]:
        plans = [[one for one in _plans(call) if _source(one, "") is not None] for call in pair]
        for one, other in matched_plans(*plans):
            a, b = (_source(plan, chat) for plan, chat in zip((one, other), chats, strict=True))
            yield self._compared(_title(one or other, pair), a, b)

    def _compared(self, name: str, a: TableSource | None, b: TableSource | None) -> ComparedTable:
        if a is None or b is None or a.sha256 == b.sha256:
            return ComparedTable(name, a, b, None)
        try:
            return ComparedTable(name, a, b, self._tables.compare(a, b))
        except AnabranchError as error:
            return ComparedTable(name, a, b, None, error.message)

    def _files(self, a: Side, b: Side, shown: set[tuple[str, str]]) -> Iterator[ComparedFile]:
        """Yield the files whose bytes differ between the sides, except the result tables in `shown`."""
        before, after = (
            self._workspace.files(side.chat_id, side.manifest_id) if side.manifest_id is not None else {}
            for side in (a, b)
        )
        for path in sorted({*before, *after}):
            one, other = before.get(path), after.get(path)
            if all((path, entry.sha256) in shown for entry in (one, other) if entry is not None):
                continue
            if one is None or other is None:
                yield ComparedFile(path, one.sha256 if one else None, other.sha256 if other else None)
            elif one.sha256 != other.sha256:
                sources = (
                    TableSource(a.chat_id, one.sha256, path),
                    TableSource(b.chat_id, other.sha256, path),
                )
                yield ComparedFile(path, one.sha256, other.sha256, self._rows_of(path, *sources))

    def _rows_of(self, path: str, a: TableSource, b: TableSource) -> TableDiff | None:
        """Return how the rows of two files differ; None if the files cannot be read as tables."""
        if PurePosixPath(path).suffix.lower() not in _TABLES:
            return None
        try:
            return self._tables.compare(a, b)
        except AnabranchError:
            return None


def _shown(tables: Sequence[ComparedTable]) -> set[tuple[str, str]]:
    """Return the path and hash of each result table."""
    return {
        (source.path, source.sha256)
        for table in tables
        for source in (table.a, table.b)
        if source is not None
    }


def _leaf(view: ChatView, message_id: str) -> str:
    """Return the message; if it is a question, return the last message of its latest answer."""
    message = view.messages.get(message_id)
    if message is None:
        raise NotFound(
            "message_not_found", f"This chat does not contain a message or a moment called {message_id}."
        )
    turns = sorted(
        (turn for turn in view.turns.values() if turn.message_id == message_id),
        key=lambda turn: turn.started_at,
    )
    if message.role != "user" or not turns:
        return message_id
    steps = [one for one in view.messages.values() if one.turn_id == turns[-1].turn_id and one.role != "user"]
    return max(steps, key=lambda one: one.position).message_id if steps else message_id


def _call_pair(pair: _Pair, tables: Sequence[ComparedTable]) -> CallPair:
    a, b = pair
    if a is None or b is None:
        return CallPair(a, b, False, False)
    if tables:
        same = not any(table.differs for table in tables)
    else:
        same = (a.status, a.result, a.render_plan) == (b.status, b.result, b.render_plan)
    return CallPair(a, b, a.args == b.args, same)


def _plans(call: CallView | None) -> list[RenderPlan]:
    return [result.plan for result in results_of([call])] if call is not None else []


def _source(plan: RenderPlan | None, chat_id: str) -> TableSource | None:
    """Return the table that a plan shows, which is a file or consists of rows that the call returned."""
    if not isinstance(plan, TablePlan):
        return None
    if plan.file is not None:
        return TableSource(chat_id, plan.file.sha256, plan.file.path)
    if not plan.rows or not plan.columns:
        return None
    rows: list[JSON] = [dict(zip(plan.columns, row, strict=False)) for row in plan.rows]
    content = canonical_json(rows).encode()
    return TableSource(chat_id, sha256(content).hexdigest(), "rows.json", content=content)


def _title(plan: RenderPlan | None, pair: _Pair) -> str:
    """Return the title that a table has on its card."""
    if not isinstance(plan, TablePlan):
        return _tool_name(pair)
    call = pair[0] or pair[1]
    result = call.result if call is not None and isinstance(call.result, dict) else {}
    listed = result.get("columns")
    columns = [
        (str(one.get("name")), str(one.get("type")))
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict)
    ]
    return table_title(plan.title, plan.name, plan.sql, columns)


def _tool_name(pair: _Pair) -> str:
    call = pair[0] or pair[1]
    return call.tool_id.rpartition(":")[2] if call is not None else ""


def _charts(pair: _Pair) -> Iterator[ChartPair]:
    plans = [[plan for plan in _plans(call) if isinstance(plan, ChartPlan)] for call in pair]
    for one, other in matched_plans(*plans):
        a, b = (plan if isinstance(plan, ChartPlan) else None for plan in (one, other))
        shown = b or a
        yield ChartPair((shown.title if shown else None) or "Chart", a, b)


def _texts(pair: _Pair) -> Iterator[ComparedText]:
    for argument, language in _TEXTS.items():
        before, after = (_text(call, argument) for call in pair)
        if before is not None or after is not None:
            yield ComparedText(_tool_name(pair), "sql" if language == "sql" else "python", before, after)


def _distinct(texts: Iterable[ComparedText]) -> tuple[ComparedText, ...]:
    """Return each pair of texts once: a query and the chart of its result often have the same SQL."""
    return tuple({(text.language, text.before, text.after): text for text in reversed([*texts])}.values())[
        ::-1
    ]


def _text(call: CallView | None, argument: str) -> str | None:
    found = call.args.get(argument) if call is not None and isinstance(call.args, dict) else None
    return found if isinstance(found, str) else None
