"""A recorded analysis as a program that runs without Anabranch: its steps in order, and their data. Plain data."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

from engine.views.reports.report import FigurePart, TablePart
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "ChartStep",
    "LoadStep",
    "OmittedStep",
    "Program",
    "PythonStep",
    "QueryStep",
    "QuestionStep",
    "Step",
    "TableName",
]


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name in SQL."""

    name: str
    schema: str = ""
    """The schema: a named moment, or "" for the files of the call itself."""

    @property
    def quoted(self) -> str:
        """Return the table name in quotes for SQL."""
        parts = [self.schema, self.name] if self.schema else [self.name]
        return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


@dataclass(frozen=True, slots=True)
class QuestionStep:
    """The user's question."""

    text: str


@dataclass(frozen=True, slots=True)
class LoadStep:
    """A step that reads a table from the program's own data."""

    table: TableName
    files: tuple[str, ...]
    """The files in the data folder; several Parquet files form one table."""
    hive: bool
    """Whether values in folder names, as in `year=2026`, become columns."""
    origin: str
    """A description of the file from which the data was made."""


@dataclass(frozen=True, slots=True)
class QueryStep:
    """A step that runs one SELECT, whose result is a table."""

    table: TableName
    title: str
    sql: str
    recorded: str
    """The recorded result, in the data folder."""
    shown: TablePart | None
    """The first rows of the result."""


@dataclass(frozen=True, slots=True)
class ChartStep:
    """A chart of one SELECT."""

    title: str
    sql: str
    spec: JSONObject
    shown: FigurePart | None


@dataclass(frozen=True, slots=True)
class PythonStep:
    """Code that ran over the tables."""

    title: str
    code: str
    output: str
    shown: tuple[TablePart | FigurePart, ...]


@dataclass(frozen=True, slots=True)
class OmittedStep:
    """A call that cannot be part of the program, and why."""

    tool: str
    why: str


Step: TypeAlias = QuestionStep | LoadStep | QueryStep | ChartStep | PythonStep | OmittedStep


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that a program's writer needs."""

    title: str
    steps: tuple[Step, ...]
    data: Mapping[str, bytes]
    """The files of the data folder, by their path in it."""
    folder: str
    """The name of the data folder."""
    position: int
    chain_hash: str
    made_at: datetime
    """The time in UTC."""
    packages: tuple[str, ...]
    """The names and versions of the packages that the analysis used, such as `duckdb==2.0.0`."""

    @property
    def has_python(self) -> bool:
        """Whether the program contains Python."""
        return any(isinstance(step, PythonStep) for step in self.steps)
