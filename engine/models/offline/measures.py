"""Which numbers a question wants: aggregates with their columns, and what `most` or `heaviest` is measured by."""

from engine.models.offline.column_names import concept_columns
from engine.models.offline.concepts import UNIT_CONCEPTS, UNITS
from engine.models.offline.conditions import narrow
from engine.models.offline.intent import Measure
from engine.models.offline.items import Item
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column

__all__ = [
    "default_measure",
    "named_measures",
    "of_unit",
    "quantile_of",
    "ranking_column",
    "superlative_measure",
]

_QUARTILES = {"q1": 0.25, "q3": 0.75}
_EXTREMES = {"max": "max", "min": "min"}


def default_measure(column: Column) -> Measure:
    """What a bare column of numbers is told by, for a group of rows: its sum where that makes sense, else its mean."""
    return Measure("sum" if column.additive else "avg", column)


def quantile_of(reader: Reader, item: Item) -> float | None:
    """The share of rows below a percentile: `90th percentile`, `95 percentile`, `0.9 quantile`."""
    before = reader.before(item)
    after = reader.after(item)
    for beside in (before, after):
        if beside is None:
            continue
        digits = "".join(letter for letter in beside.text if letter.isdigit() or letter == ".")
        if beside.kind in ("num", "quantile", "unknown", "limit") and digits:
            value = float(digits)
            reader.take(beside)
            return value / 100 if value > 1 else value
    return None


def _function(reader: Reader, item: Item) -> tuple[str, float] | None:
    if item.kind in ("agg", "onavg"):
        if item.value == "pctl":
            share = quantile_of(reader, item)
            return None if share is None else ("pctl", share)
        if item.value in _QUARTILES:
            return "pctl", _QUARTILES[item.value]
        return item.value, 0.5
    return _EXTREMES[item.value], 0.5


def named_measures(reader: Reader) -> list[Measure]:
    """Every aggregate that is named with its column; several may share one (`min and max price`)."""
    found: list[Measure] = []
    pending: list[Item] = []
    columns_before: list[Item] = []
    for item in reader.items:
        if item.used:
            continue
        if (item.kind == "agg" and item.value != "distinct") or (
            item.kind == "sup" and item.value in _EXTREMES
        ):
            pending.append(item)
        elif item.kind in ("col", "val", "time") and _numbers(item):
            if pending:
                found += _bind(reader, pending, item)
                columns_before, pending = [], [p for p in pending if not p.used]
                last = pending[-1:] if pending else []
                pending = last
            elif found and _continues(reader, item) and item.kind == "col":
                found += [Measure(found[-1].fn, column, found[-1].quantile) for column in _numbers(item)[:1]]
                reader.take(item)
            elif item.kind == "col":
                columns_before.append(item)
        elif item.kind == "unit" and pending and reader.after(pending[-1]) is item and of_unit(reader, item):
            item.columns = of_unit(reader, item)
            found += _bind(reader, pending, item)
            pending = [p for p in pending if not p.used]
    for item in pending:
        if columns_before and not item.used:
            found += _bind(reader, [item], columns_before[-1])
    if not found and (mean := reader.first("onavg")) is not None and len(columns_before) >= 1:
        for item in columns_before:
            found += _bind(reader, [mean], item)
    return list(dict.fromkeys(found))


def _numbers(item: Item) -> tuple[Column, ...]:
    if item.kind == "time":
        return ()
    return tuple(column for column in item.columns if column.role == "number" and not column.key)


def of_unit(reader: Reader, item: Item) -> tuple[Column, ...]:
    """`total miles`: columns that are kept in that unit, or of what it measures."""
    kept = tuple(c for c in reader.table.measures if c.unit and UNITS.get(c.unit) == UNITS[item.value])
    if len(kept) == 1 or any(
        c.unit and UNITS.get(c.unit, ("",))[0] == UNITS[item.value][0] for c in reader.table.measures
    ):
        return kept if len(kept) == 1 else ()
    kinds = [k for k in UNIT_CONCEPTS.get(UNITS[item.value][0], "").split() if k != "size"]
    found = [c for kind in kinds for c in concept_columns(reader.table, (kind,)) if c.measure]
    found = [c for c in found if not c.virtual or UNITS[item.value][0] == "time"]
    return tuple(dict.fromkeys(found)) if len(set(found)) == 1 else ()


def _continues(reader: Reader, item: Item) -> bool:
    before = reader.before(item)
    previous = reader.before(before) if before is not None and before.kind == "and" else before
    return previous is not None and previous.kind == "col" and previous.used and bool(_numbers(previous))


def _bind(reader: Reader, pending: list[Item], item: Item) -> list[Measure]:
    found: list[Measure] = []
    for function in pending:
        read = _function(reader, function)
        if read is None:
            continue
        fn, share = read
        direction = 1 if fn == "max" else -1 if fn == "min" else 0
        columns = narrow(_numbers(item), direction)
        if len(columns) > 1:
            columns = tuple(c for c in columns if c.measure) or columns
        if len(columns) > 3:
            reader.fail(f"“{item.text}” may mean several columns")
        found += [Measure(fn, column, share) for column in columns[:3]]
        reader.take(function)
    reader.take(item)
    return found


def ranking_column(reader: Reader) -> tuple[Column, Item] | None:
    """The column that a ranking is said to go by: `by bill length`, `sorted by price`, `in terms of weight`."""
    for item in reader.of("by", "order"):
        after = reader.after(item)
        if after is not None and after.kind == "agg":
            return None
        if after is not None and after.kind in ("col", "val") and not after.used:
            columns = tuple(c for c in after.columns if c.role in ("number", "date"))
            if columns:
                reader.take(item, after)
                return columns[0], after
    return None


def superlative_measure(reader: Reader, item: Item) -> tuple[Column, ...]:
    """Columns that a superlative or comparative speaks of: named after it, or told by the adjective or a verb."""
    for other in reader.items[reader.index(item) + 1 :]:
        if other.kind in ("col", "val") and not other.used:
            numbers = tuple(c for c in other.columns if c.role == "number" and not c.key)
            if numbers and (other.kind == "col" or not other.entries or item.kind == "sup"):
                reader.take(other)
                if len(numbers) > 1 and item.concepts:
                    numbers = tuple(c for c in numbers if c in reader.measure_columns(item)) or numbers
                return narrow(numbers, item.direction)
            break
        if other.kind in ("sup", "than", "which", "howadj", "by", "num"):
            break
    if item.concepts:
        columns = tuple(c for c in reader.measure_columns(item) if not c.year) or tuple(
            c for c in _concept_dates(reader, item) if c.role == "date" or c.year
        )
        return narrow(columns, item.direction)
    for other in reader.of("verb", "col", "val"):
        if other.kind == "verb" and (columns := reader.measure_columns(other)):
            reader.take(other)
            return columns
        if (
            other.kind == "col"
            and (numbers := _numbers(other))
            and other.start < item.start
            and reader.after(other) is item
        ):
            reader.take(other)
            return numbers
        if other.kind == "val" and other.columns and (numbers := _numbers(other)):
            reader.take(other)
            return numbers
    named = [i for i in reader.of("col") if i.start < item.start and any(c.measure for c in i.columns)]
    if item.value in _EXTREMES and len(named) == 1 and not reader.has("agg"):
        reader.take(named[0])
        return tuple(c for c in _numbers(named[0]) if c.measure)
    return ()


def _concept_dates(reader: Reader, item: Item) -> tuple[Column, ...]:
    concepts = ("built", "date") if item.concepts == ("age",) else item.concepts
    return concept_columns(reader.table, concepts)
