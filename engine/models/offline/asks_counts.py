"""Counts: how many rows, how many different values, how many days."""

from engine.models.offline.asks_numbers import aggregate_of, filters_of
from engine.models.offline.groups import time_group
from engine.models.offline.intent import Filter, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.measures import default_measure
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS, Column

__all__ = ["ask_count"]


def ask_count(reader: Reader) -> Intent | None:
    """Read `how many …`, `number of …`, `different …`; None where nothing is counted."""
    counts = reader.of("count")
    distinct = [item for item in reader.of("agg") if item.value == "distinct"]
    if not counts and not distinct:
        return None
    item = counts[0] if counts else distinct[0]
    after = reader.after(item, ("soft", "agg", "both")) if counts else reader.after(item)
    reader.take(*counts, *reader.of("onavg") if distinct else ())
    for other in reader.of("agg"):
        if other.value == "sum":
            reader.take(other)
    if after is not None and after.kind in ("col", "val") and not after.used and after.columns:
        return _count_column(reader, after.columns, distinct, bool(counts))
    if after is not None and after.kind == "time" and not after.used:
        return _count_times(reader, after.value, distinct)
    if distinct and not (after is not None and after.kind in ("row", "unknown")):
        return None
    reader.take(*reader.of("row"))
    _having_some(reader)
    if distinct:
        return None
    if after is not None and (people := _people(reader, after)) is not None:
        return people
    return aggregate_of(reader, [Measure("count")])


def _people(reader: Reader, counted: Item) -> Intent | None:
    """`how many people died`: the column of deaths summed up; `how many people took part`: different ids."""
    if counted.kind not in ("row", "unknown") or reader.tokens[counted.start].stem not in PERSONS:
        return None
    verbs = [item for item in reader.of("verb") if item.concepts == ("deaths",)]
    columns = reader.measure_columns(verbs[0]) if verbs else ()
    if len(columns) == 1 and columns[0].whole:
        reader.take(counted, verbs[0])
        return aggregate_of(reader, [Measure("sum", columns[0])])
    keys = [c for c in reader.table.columns if c.key and c.words == ("id",) and c.distinct * 2 <= c.rows]
    if len(keys) == 1 and not verbs and not reader.table.may_be_called("person"):
        counted.kind = "row"
        reader.take(counted)
        return aggregate_of(reader, [Measure("distinct", keys[0])])
    return None


def _having_some(reader: Reader) -> None:
    """`orders that had a discount`: a column of amounts that is not zero."""
    for item in reader.of("col"):
        words = [token.word for token in reader.tokens[max(0, item.start - 2) : item.start]]
        numbers = [c for c in item.columns if c.measure and c.low == 0.0]
        if len(numbers) == 1 and words and words[-1] in ("a", "an", "any", "some") and not reader.groups:
            reader.add(Filter(">", numbers[0], (0.0,)), item)
            reader.take(item)


def _count_column(
    reader: Reader, columns: tuple[Column, ...], distinct: list[Item], counts: bool
) -> Intent | None:
    item = next(other for other in reader.of("col", "val") if other.columns == columns)
    numbers = [column for column in columns if column.measure]
    labels = [column for column in columns if not column.measure]
    if numbers and not distinct:
        reader.take(item)
        if len(numbers) > 2:
            reader.fail(f"“{item.text}” may mean several columns")
        return aggregate_of(reader, [default_measure(column) for column in numbers], implied=True)
    column = (labels or numbers)[0]
    if len(labels) > 1 and not distinct:
        reader.fail(f"“{item.text}” may mean several columns")
        return None
    reader.take(item, *distinct)
    if not counts:
        return Intent(
            "distinct",
            reader.table,
            columns=(column,),
            filters=filters_of(reader),
            groups=tuple(reader.groups),
        )
    return aggregate_of(reader, [Measure("distinct", column)])


def _row_a_month(reader: Reader, months: Column) -> bool:
    """Whether each row is one month of one year."""
    return any(c.year and c.distinct * months.distinct == reader.table.rows for c in reader.table.columns)


def _count_times(reader: Reader, grain: str, distinct: list[Item]) -> Intent | None:
    item = reader.of("time")[0]
    date = main_date(reader.table.dates)
    reader.take(item, *distinct)
    if date is None:
        group = time_group(reader.table, grain)
        if grain == "month" and group is not None and _row_a_month(reader, group.column):
            return aggregate_of(reader, [Measure("count")])
        if group is None:
            reader.fail("there is no column of dates")
            return None
        return aggregate_of(reader, [Measure("distinct", group.column)])
    if grain == "day" and date.unique and date.type == "DATE":
        return aggregate_of(reader, [Measure("count")])
    group = time_group(reader.table, grain)
    if group is None or group.grain is None:
        return None if group is None else aggregate_of(reader, [Measure("distinct", group.column)])
    return aggregate_of(reader, [Measure("distinct", date, grain=group.grain)])
