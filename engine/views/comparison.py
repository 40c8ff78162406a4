"""The result of comparing two branches, moments or chats. Plain data for the page, the CLI and the API."""

from datetime import datetime
from typing import Literal

from engine.rendering.plans import ChartPlan
from engine.tools.file_tables import TableSource
from engine.tools.table_comparison import Column, RowPair, TableDiff
from engine.views.chat import CallView
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "CallPair",
    "ChartPair",
    "Column",
    "ComparedFile",
    "ComparedTable",
    "ComparedText",
    "Comparison",
    "MovedNumber",
    "RowPair",
    "Side",
    "TableDiff",
]

Where = Literal["both", "a", "b"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a chat at a message, or as it was at a position."""

    chat_id: str
    message_id: str | None
    """The last message of the side's branch; None if the branch has no messages."""
    position: int | None
    """The position in the log; None means now."""
    title: str
    question: str
    """The last question of the branch."""
    answer: str
    """The last answer of the branch."""
    at: datetime | None
    """When the last message was recorded, in UTC."""
    manifest_id: str | None
    here: bool
    """Whether the chat is on this branch now."""

    def to_json(self) -> JSONObject:
        """Return the side as JSON for the command line and the API."""
        return {
            "chat_id": self.chat_id,
            "message_id": self.message_id,
            "position": self.position,
            "title": self.title,
            "question": self.question,
            "answer": self.answer,
        }


@dataclass(frozen=True, slots=True)
class CallPair:
    """A call of A and the corresponding call of B; one of them may be missing."""

    a: CallView | None
    b: CallView | None
    arguments_same: bool
    results_same: bool

    @property
    def status(self) -> Literal["same", "changed", "only_a", "only_b"]:
        """How the two calls compare."""
        if self.a is None or self.b is None:
            return "only_a" if self.b is None else "only_b"
        return "same" if self.arguments_same and self.results_same else "changed"

    @property
    def tool_id(self) -> str:
        """The tool of both calls."""
        call = self.a or self.b
        assert call is not None
        return call.tool_id

    def to_json(self) -> JSONObject:
        """Return the call pair as JSON for the command line and the API."""
        a, b = (call.call_id if call is not None else None for call in (self.a, self.b))
        return {"tool_id": self.tool_id, "status": self.status, "a": a, "b": b}


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A result table of both sides, or of only one."""

    name: str
    a: TableSource | None
    b: TableSource | None
    diff: TableDiff | None
    """The differences; None if only one side has the table, if the bytes are equal, or if it could not be read."""
    problem: str | None = None
    """The reason why the table could not be compared."""

    @property
    def differs(self) -> bool:
        """Whether the tables have different contents. Tables that only store the same rows as different bytes do not
        differ.
        """
        if self.a is None or self.b is None or self.problem is not None:
            return True
        return self.diff is not None and self.diff.verdict == "differs"

    def to_json(self) -> JSONObject:
        """Return the compared table as JSON for the command line and the API."""
        if self.diff is not None:
            return {"name": self.name, "only_in": None, **self.diff.to_json()}
        only = "a" if self.b is None else "b" if self.a is None else None
        verdict = "differs" if self.differs else "identical"
        found: JSONObject = {"name": self.name, "only_in": only, "verdict": verdict}
        counts: JSONObject = {"added": 0, "removed": 0, "changed": 0} if verdict == "identical" else {}
        return found | counts | ({"problem": self.problem} if self.problem is not None else {})


@dataclass(frozen=True, slots=True)
class ChartPair:
    """A chart of both sides, or of only one."""

    title: str
    a: ChartPlan | None
    b: ChartPlan | None

    @property
    def differs(self) -> bool:
        """Whether the two charts differ."""
        return self.a != self.b


@dataclass(frozen=True, slots=True)
class ComparedText:
    """The SQL or code of a call on both sides."""

    name: str
    """The name that the tool gave the result."""
    language: Literal["sql", "python"]
    before: str | None
    """The text in A; None if only B has the text."""
    after: str | None

    def to_json(self) -> JSONObject:
        """Return the compared text as JSON for the command line and the API."""
        return {"name": self.name, "language": self.language, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file that is in only one side, or has different bytes."""

    path: str
    a: str | None
    """The hash of the content in A; None if A does not have the file."""
    b: str | None
    table: TableDiff | None = None
    """The differences between the rows, if both versions are tables."""

    @property
    def what(self) -> Literal["added", "removed", "changed", "equal"]:
        """How B differs from A; `equal` means the same table, stored as different bytes."""
        if self.a is None or self.b is None:
            return "added" if self.a is None else "removed"
        return "changed" if self.table is None or self.table.verdict == "differs" else "equal"

    def to_json(self) -> JSONObject:
        """Return the compared file as JSON for the command line and the API."""
        found: JSONObject = {"path": self.path, "what": self.what, "a": self.a, "b": self.b}
        return found if self.table is None else {**found, "table": self.table.to_json()}


@dataclass(frozen=True, slots=True)
class MovedNumber:
    """A number in a table whose value in B differs from its value in A."""

    label: str
    """The row and column of the number: `East, q2`."""
    table: str
    a: int | float
    b: int | float

    @property
    def change(self) -> int | float:
        """The difference B − A."""
        return self.b - self.a

    @property
    def relative(self) -> float | None:
        """The change relative to A; None if A is 0."""
        return self.change / abs(self.a) if self.a else None

    def to_json(self) -> JSONObject:
        """Return the moved number as JSON for the command line and the API."""
        return {
            "label": self.label,
            "table": self.table,
            "a": self.a,
            "b": self.b,
            "change": self.change,
            "relative": self.relative,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between A and B."""

    a: Side
    b: Side
    parted_after: str | None
    """The text of the last message that both sides have; None if they have no message in common."""
    numbers: tuple[MovedNumber, ...]
    """The numbers that moved, the largest relative change first."""
    tables: tuple[ComparedTable, ...]
    charts: tuple[ChartPair, ...]
    texts: tuple[ComparedText, ...]
    """The texts of all calls, including equal ones."""
    files: tuple[ComparedFile, ...]
    calls: tuple[CallPair, ...]

    @property
    def same_results(self) -> bool:
        """Whether tables, charts, files and the results of calls are the same."""
        return (
            not any(table.differs for table in self.tables)
            and not any(chart.differs for chart in self.charts)
            and all(file.what == "equal" for file in self.files)
            and all(pair.results_same for pair in self.calls)
        )

    @property
    def told(self) -> str:
        """The outcome in a sentence."""
        if not self.same_results:
            return "A and B give different results."
        if self.a.answer == self.b.answer:
            return "A and B give the same results in the same words."
        return "A and B give the same results. Only the wording differs."

    def to_json(self) -> JSONObject:
        """Return the comparison as JSON for the command line and the API."""
        return {
            "a": self.a.to_json(),
            "b": self.b.to_json(),
            "same_results": self.same_results,
            "told": self.told,
            "parted_after": self.parted_after,
            "numbers": [number.to_json() for number in self.numbers],
            "tables": [table.to_json() for table in self.tables],
            "charts": [{"title": chart.title, "differs": chart.differs} for chart in self.charts],
            "sql": [text.to_json() for text in self.texts if text.before != text.after],
            "files": [file.to_json() for file in self.files],
            "calls": [pair.to_json() for pair in self.calls],
        }
