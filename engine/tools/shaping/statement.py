"""One SELECT for a table and its shaping steps, with a readable part for each step. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from engine.commands import steps as given
from engine.commands.steps import Step
from engine.errors import Invalid, NotFound
from engine.tools.shaping.dates import date_steps
from engine.tools.shaping.numbers import number_steps
from engine.tools.shaping.rows import duplicates_sql, filter_sql, pick_sql, rename_sql, sort_sql
from engine.tools.shaping.texts import fill_sql, split_sql, unify_sql
from engine.tools.shaping.writing import counted, quote
from events.late_dataclass import dataclass

__all__ = ["HELPERS", "Found", "Shape", "begun", "columns_named", "said", "stepped"]

HELPERS = "ab_"
"""The prefix of the names that the SQL gives to intermediate results."""


@dataclass(frozen=True, slots=True)
class Found:
    """Findings about a column, made before the step that changes the column is written."""

    formats: tuple[str, ...] = ()
    """The formats of the dates."""
    timed: bool = False
    factors: Mapping[str, float | None] = field(default_factory=dict)
    """The factors of the units."""
    kind: str = "DOUBLE"
    """The type of the numbers."""
    decimal: str = "."


@dataclass(frozen=True, slots=True)
class Shape:
    """A table with the steps written so far."""

    table: str
    parts: tuple[tuple[str, str], ...]
    """The name and SELECT of each part."""
    columns: tuple[tuple[str, str], ...]
    """The name and DuckDB type of each column of the last part. The type is empty if it is not known yet."""
    said: tuple[str, ...] = ()
    """A sentence about each step."""

    @property
    def last(self) -> str:
        """The name of the last part."""
        return self.parts[-1][0]

    @property
    def names(self) -> tuple[str, ...]:
        """The column names of the last part."""
        return tuple(name for name, _ in self.columns)

    def kind(self, column: str) -> str:
        """Return a column's type."""
        return dict(self.columns)[column]

    def select(self, wanted: str) -> str:
        """Return the SELECT `wanted`, preceded by a WITH clause that defines the parts, so that `wanted` can
        name them.
        """
        listed = ",\n".join(f"{name} AS (\n  {sql}\n)" for name, sql in self.parts)
        return f"WITH {listed}\n{wanted}"

    @property
    def sql(self) -> str:
        """Return the whole SELECT, with a comment for each step."""
        told = "".join(f"-- {' '.join(line.split())}\n" for line in self.said)
        return f"{told}{self.select(f'SELECT * FROM {self.last}')}"


def begun(table: str, columns: Sequence[tuple[str, str]], as_written: Sequence[str] = ()) -> Shape:
    """Return a table before any step; the columns in `as_written` contain the values as in the file."""
    if not as_written:
        return Shape(table, (("source", f"SELECT * FROM {quote(table)}"),), tuple(columns))
    taken = ", ".join(f"w.{quote(name)} AS {quote(name)}" for name in as_written)
    sql = f"SELECT t.* REPLACE ({taken}) FROM {quote(table)} t POSITIONAL JOIN as_written.{quote(table)} w"
    kinds = tuple((column, "VARCHAR" if column in as_written else kind) for column, kind in columns)
    return Shape(table, (("source", sql),), kinds)


def columns_named(step: Step) -> tuple[str, ...]:
    """Return the columns that a step needs."""
    match step:
        case given.RenameColumns():
            return tuple(step.names)
        case given.DropDuplicates() | given.PickColumns():
            return tuple(step.columns)
        case _:
            return (step.column,)


def stepped(shape: Shape, step: Step, found: Found) -> Shape:
    """Return the table after a step.

    Raises:
        NotFound: the step names a column that does not exist (`step_column`).
        Invalid: the step is not possible with these settings; the error says what to change.
    """
    missing = [name for name in columns_named(step) if name not in shape.names]
    if missing:
        known = ", ".join(shape.names)
        raise NotFound("step_column", f"{shape.table} has no column {missing[0]}. Its columns are: {known}.")
    number = len(shape.said) + 1
    parts, columns = _parts(shape, step, found)
    named = [(f"step_{number}_{name}" if name != "result" else f"step_{number}", sql) for name, sql in parts]
    for old, _ in parts[:-1]:
        named = [(name, sql.replace(f" FROM {old}", f" FROM step_{number}_{old}")) for name, sql in named]
    lower = [name.lower() for name, _ in columns]
    twice = next((name for name in lower if lower.count(name) > 1), None)
    if twice is not None:
        raise Invalid("step_name", f"Two columns would be called {twice}. Choose another name.")
    return Shape(shape.table, (*shape.parts, *named), columns, (*shape.said, said(step, found)))


def _parts(
    shape: Shape, step: Step, found: Found
) -> tuple[list[tuple[str, str]], tuple[tuple[str, str], ...]]:
    source, columns = shape.last, shape.columns
    match step:
        case given.ReadDates():
            order = step.order or "empty"
            parts = date_steps(source, step.column, found.formats, order, timed=found.timed)
            return parts, _typed(columns, step.column, "TIMESTAMP" if found.timed else "DATE")
        case given.ReadNumbers():
            parts = number_steps(
                source,
                step.column,
                decimal=found.decimal,
                factors=found.factors,
                approximate=step.approximate,
                kind=found.kind,
            )
            return parts, _typed(columns, step.column, found.kind)
        case given.UnifyText():
            return [("result", unify_sql(source, step))], _typed(columns, step.column, "VARCHAR")
        case given.FillDown():
            return [("result", fill_sql(source, step.column))], columns
        case given.SplitColumn():
            return [("result", split_sql(source, step, shape.names))], _split(columns, step)
        case given.RenameColumns():
            if not all(name.strip() for name in step.names.values()):
                raise Invalid("step_name", "A column needs a name.")
            after = [(step.names.get(name, name), kind) for name, kind in columns]
            return [("result", rename_sql(source, step, shape.names))], tuple(after)
        case given.DropDuplicates():
            return [("result", duplicates_sql(source, step, shape.names))], columns
        case given.KeepRows():
            return [("result", filter_sql(source, step, shape.kind(step.column)))], columns
        case given.SortRows():
            return [("result", sort_sql(source, step))], columns
        case given.PickColumns():
            return [("result", pick_sql(source, step))], _picked(columns, step)


def _split(columns: Sequence[tuple[str, str]], step: given.SplitColumn) -> tuple[tuple[str, str], ...]:
    if len(step.names) < 2 or not step.separator:
        raise Invalid("step_split", "Give a separator, and a name for each of two or more parts.")
    made = [(name, "VARCHAR") for name in step.names]
    return tuple(one for pair in columns for one in (made if pair[0] == step.column else [pair]))


def _picked(columns: Sequence[tuple[str, str]], step: given.PickColumns) -> tuple[tuple[str, str], ...]:
    if not step.columns:
        raise Invalid("step_columns", "Keep at least one column.")
    kinds = dict(columns)
    return tuple((name, kinds[name]) for name in step.columns)


def _typed(columns: Sequence[tuple[str, str]], column: str, kind: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, kind if name == column else old) for name, old in columns)


_TESTS = {
    "is": "is {}",
    "is_not": "is not {}",
    "contains": "contains {}",
    "contains_not": "does not contain {}",
    "at_least": "is at least {}",
    "at_most": "is at most {}",
    "empty": "is empty",
    "filled": "is not empty",
}
"""The words with which a step's description expresses each test of a filter; `{}` is replaced by the step's value."""


def said(step: Step, found: Found) -> str:
    """Describe a step in a few words."""
    match step:
        case given.ReadDates():
            how = {"day_first": ", day first", "month_first": ", month first"}.get(step.order or "", "")
            return f"read {step.column} as dates{how}"
        case given.ReadNumbers():
            return f"read {step.column} as numbers" + (
                " with a decimal comma" if found.decimal == "," else ""
            )
        case given.UnifyText():
            merged = f", merge {counted(len(step.merges), 'value')}" if step.merges else ""
            return f"trim {step.column}{merged}" + (f", in {step.case} case" if step.case != "keep" else "")
        case given.FillDown():
            return f"fill {step.column} down"
        case given.SplitColumn():
            return f"split {step.column} into {', '.join(step.names)}"
        case given.RenameColumns():
            return "rename " + ", ".join(f"{old} to {new}" for old, new in step.names.items())
        case given.DropDuplicates():
            return f"drop rows with repeated values in {', '.join(step.columns) or 'all columns'}"
        case given.KeepRows():
            return f"keep rows where {step.column} {_TESTS[step.test].format(step.value)}"
        case given.SortRows():
            return f"sort by {step.column}{', largest first' if step.descending else ''}"
        case given.PickColumns():
            return f"keep {counted(len(step.columns), 'column')}"
