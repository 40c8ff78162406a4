"""The effect of a step: counts and values of its column before and after, and unreadable values. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from engine.commands import steps as given
from engine.commands.steps import Step
from engine.tools.shaping.looked import Choice, Looked, Reading
from engine.tools.shaping.statement import Shape, columns_named
from engine.tools.shaping.texts import Merge
from engine.tools.shaping.writing import empty, free_name, quote
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["ColumnFacts", "ShapePreview", "Sides", "compared_sql", "preview_of", "result_name"]

_PAIRS = 200
_SAMPLE = 50
_UNREAD = 20
_IN_PLACE = (given.ReadDates, given.ReadNumbers, given.UnifyText, given.FillDown)
"""Steps that change one column and leave the rows as they are."""


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column before or after a step."""

    type: str
    empty: int
    """The number of rows without a value."""
    different: int
    """The number of different values."""
    first: str
    """The smallest value, as text."""
    last: str


@dataclass(frozen=True, slots=True)
class Sides:
    """The table before and after a step."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    column: tuple[ColumnFacts, ColumnFacts] | None = None
    """The step's column before and after the step, if the step changes one column and keeps it."""


@dataclass(frozen=True, slots=True)
class ShapePreview:
    """The effect of the last step in a list."""

    table: str
    name: str
    """The name of the new table; a number is added if it is already used."""
    said: tuple[str, ...]
    sql: str
    sides: Sides
    changed: tuple[tuple[str, str, int], ...]
    """The most frequent changes, each as value before, value after and number of rows."""
    changed_rows: int
    unread_rows: int
    """The number of rows that have a value before the step but not after it."""
    unread: tuple[tuple[str, int], ...]
    """The values that the step could not read, each with its number of rows."""
    sample_columns: tuple[str, ...]
    sample: tuple[tuple[JSON, ...], ...]
    """Some rows of the new table."""
    readings: tuple[Reading, ...] = ()
    choices: tuple[Choice, ...] = ()
    merges: tuple[Merge, ...] = ()
    notes: tuple[str, ...] = ()
    in_place: bool = False
    """Whether the step changes values of one column only."""

    @property
    def changes_nothing(self) -> bool:
        """Whether the new table would be the same as the old one."""
        same = self.sides.column is None or self.sides.column[0].type == self.sides.column[1].type
        return self.in_place and same and not self.changed_rows and not self.unread_rows

    @property
    def needed(self) -> tuple[Choice, ...]:
        """The choices that must be made before the step can run."""
        return tuple(choice for choice in self.choices if choice.needed)

    def to_json(self) -> JSONObject:
        """Return the preview as JSON."""
        document: JSONObject = asdict(self)
        return document


def result_name(table: str) -> str:
    """Return the name of a table made from another one: `orders_clean` for `orders`."""
    stem = table.rstrip("0123456789").removesuffix("_")
    return table if stem.endswith("_clean") or table.endswith("_clean") else f"{table}_clean"


def _column(step: Step, after: Shape) -> str | None:
    names = columns_named(step)
    return names[0] if len(names) == 1 and names[0] in after.names else None


def compared_sql(before: Shape, after: Shape, step: Step) -> tuple[str, ...]:
    """Return the SELECTs whose results `preview_of` needs: counts before and after the step, sample rows, changed
    values, and values that could not be read.
    """
    column = _column(step, after)
    sides = tuple(
        shape.select(f"SELECT count(*) AS rows{_facts(shape, column)} FROM {shape.last}")
        for shape in (before, after)
    )
    if column is None or not isinstance(step, _IN_PLACE):
        return (*sides, after.select(f"SELECT * FROM {after.last} LIMIT {_SAMPLE}"))
    name = quote(column)
    old, new = (f"CAST({side}.{name} AS VARCHAR)" for side in ("b", "a"))
    joined = f"FROM {before.last} b POSITIONAL JOIN {after.last} a"
    lost = f"NOT {empty(f'b.{name}')} AND a.{name} IS NULL"
    later = quote(free_name(f"{column} after", before.names))
    others = [f"b.{quote(one)}" for one in before.names if one != column]
    rows = ", ".join([f"b.{name} AS {name}", f"a.{name} AS {later}", *others])
    return (
        *sides,
        after.select(f"SELECT {rows} {joined} LIMIT {_SAMPLE}"),
        after.select(
            f"SELECT {old} AS old, {new} AS new, count(*) AS n, sum(count(*)) OVER () AS total {joined} "
            f"WHERE {old} IS DISTINCT FROM {new} AND NOT ({lost}) GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT {_PAIRS}"
        ),
        after.select(
            f"SELECT {old} AS old, count(*) AS n, sum(count(*)) OVER () AS total {joined} WHERE {lost} "
            f"GROUP BY 1 ORDER BY n DESC, 1 LIMIT {_UNREAD}"
        ),
    )


def _facts(shape: Shape, column: str | None) -> str:
    if column is None or column not in shape.names:
        return ""
    name = quote(column)
    return (
        f", count(*) FILTER ({empty(name)}) AS empty, count(DISTINCT {name}) AS different, "
        f"CAST(min({name}) AS VARCHAR) AS first, CAST(max({name}) AS VARCHAR) AS last"
    )


Rows = Sequence[Mapping[str, JSON]]


def preview_of(
    before: Shape,
    after: Shape,
    step: Step,
    looked: Looked,
    results: Sequence[Rows],
    sample: tuple[Sequence[str], Sequence[Sequence[JSON]]],
) -> ShapePreview:
    """Return the preview. `results` are the results of `compared_sql`, and `sample` is the third of these results, with
    its columns."""
    old, new = results[0][0], results[1][0]
    column = _column(step, after)
    facts = None
    if column is not None and column in before.names:
        facts = (_column_facts(before, column, old), _column_facts(after, column, new))
    changed, lost = (results[3], results[4]) if len(results) > 3 else ((), ())
    return ShapePreview(
        after.table,
        result_name(after.table),
        after.said,
        after.sql,
        Sides((_int(old["rows"]), _int(new["rows"])), (len(before.columns), len(after.columns)), facts),
        tuple((_text(row["old"]), _text(row["new"]), _int(row["n"])) for row in changed),
        _int(changed[0]["total"]) if changed else 0,
        _int(lost[0]["total"]) if lost else 0,
        tuple((_text(row["old"]), _int(row["n"])) for row in lost),
        tuple(sample[0]),
        tuple(tuple(row) for row in sample[1]),
        looked.readings,
        looked.choices,
        looked.merges,
        looked.notes,
        isinstance(step, _IN_PLACE),
    )


def _column_facts(shape: Shape, column: str, row: Mapping[str, JSON]) -> ColumnFacts:
    return ColumnFacts(
        shape.kind(column),
        _int(row["empty"]),
        _int(row["different"]),
        _text(row["first"]),
        _text(row["last"]),
    )


def _int(value: JSON) -> int:
    return int(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0


def _text(value: JSON) -> str:
    return "" if value is None else str(value)
