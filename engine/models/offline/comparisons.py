"""Numbers with a comparison: `over 4,000 lbs`, `between 1000 and 2000`, `at least 2 carats`, `8 cylinders`."""

from engine.models.offline.compared_columns import nearest_before, what_is_measured
from engine.models.offline.concepts import UNITS
from engine.models.offline.intent import Filter
from engine.models.offline.items import Item
from engine.models.offline.moments import take_negation, time_column
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column
from engine.models.offline.times import year_period
from engine.models.offline.words import word_list

__all__ = ["nearest_before", "read_number"]


_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>", "<>": "="}


_TIME_WORDS = word_list("""
    in during of for from year on within only just about and to or until till vs versus than was were is
    did through
""")


def read_number(reader: Reader, item: Item) -> None:
    """Turn a number and what stands around it into a condition, where it is one."""
    reading = _operator(reader, item)
    if reading is None:
        return
    op, values, used, left = reading
    first, last = min([*used, item], key=lambda i: i.start), max([*used, item], key=lambda i: i.start)
    when = _as_time(reader, op, values, item, left)
    if when is not None:
        reader.add(when, first, last)
        reader.take(item, *used)
        return
    found = what_is_measured(reader, first, last, used)
    if found is None:
        return
    column, said = found
    if column.year and column.short_year:
        values = tuple(value - 1900 if value >= 1900 else value for value in values)
    factor = _convert(reader, column, last)
    if factor is None:
        reader.fail(f"“{column.name}” is kept in another unit")
        return
    values = tuple(value * factor for value in values)
    if column.unit in ("pct", "percent") or not item.percent or (column.high or 0) > 1.5:
        pass
    else:
        values = tuple(value / 100 for value in values)
    negated = take_negation(reader, first)
    reader.add(
        Filter(op, column, values, negated=negated and op in ("between", "in")),
        min([first, *said], key=lambda i: i.start),
        last,
    )
    if negated and op in _OPPOSITE:
        reader.conditions[-1].filter = Filter(_OPPOSITE[op], column, values)
    reader.take(item, *used, *[other for other in said if not _is_aggregated(reader, other)])
    _take_unit(reader, last)


def _is_aggregated(reader: Reader, item: Item) -> bool:
    """Whether an aggregate asks for the very column that a condition is about: `median price under 50`."""
    before = reader.before(item)
    return item.kind == "col" and before is not None and before.kind in ("agg",) and not before.used


def _take_unit(reader: Reader, last: Item) -> None:
    following = reader.after(last, ())
    while following is not None and (
        following.kind == "unit" or following.text.lower() in ("years", "year", "old", "points", "point", "°")
    ):
        reader.take(following)
        if following.kind in ("base", "time"):
            following.kind = "soft"
        following = reader.after(following, ())


def _operator(reader: Reader, item: Item) -> tuple[str, tuple[float, ...], list[Item], Item] | None:
    """The comparison that `item` stands in, its numbers, the items that say it, and the leftmost of those."""
    assert item.number is not None
    before, after = reader.before(item), reader.after(item)
    if (
        after is not None
        and after.kind in ("and", "to")
        and before is not None
        and before.kind in ("between", "from")
    ):
        other = reader.after(after)
        if other is not None and other.kind == "num" and other.number is not None and not other.used:
            low, high = sorted((item.number, other.number))
            return "between", (low, high), [before, after, other], before
    if (
        after is not None
        and after.kind == "to"
        and (other := reader.after(after)) is not None
        and other.kind == "num"
    ):
        assert other.number is not None
        return "between", (item.number, other.number), [after, other], item
    if (
        after is not None
        and after.kind == "num"
        and reader.tokens[item.start].end + 1 == reader.tokens[after.start].start
        and not after.used
        and after.number is not None
        and after.number > item.number
    ):
        return "between", (item.number, after.number), [after], item
    tail = _tail(reader, item)
    if tail is not None:
        return tail.value, (item.number,), [tail], item
    if before is None:
        return ("=", (item.number,), [], item) if _equality(reader, item) else None
    if before.kind == "op":
        return before.value, (item.number,), [before], before
    sign = reader.before(before) if before.kind == "col" and reader.measure_columns(before) else None
    if sign is not None and sign.kind == "op" and sign.value != "=" and not sign.used:
        return sign.value, (item.number,), [sign], item
    if before.kind == "than":
        adjective = reader.before(before)
        further = reader.before(adjective) if adjective is not None else None
        if adjective is not None and adjective.kind in ("unknown", "col") and further is not None:
            adjective = further if further.kind in ("more", "adj") else adjective
        if adjective is not None and adjective.kind in ("adj", "more"):
            if _year_like(reader, item.number) and any(
                o.kind == "num" and o.number is not None and _year_like(reader, o.number)
                for o in reader.items[: reader.index(before)]
            ):
                return "=", (item.number,), [], item
            up = adjective.direction > 0 if adjective.kind == "adj" else adjective.value == "gt"
            used = [before, adjective] if adjective.kind == "more" else [before]
            return (">" if up else "<"), (item.number,), used, before
    if before.kind in ("since", "after", "before", "until"):
        op = {"since": ">=", "after": ">", "before": "<", "until": "<="}[before.value or before.kind]
        return op, (item.number,), [before], before
    following = reader.after(item, ())
    if before.kind == "from" and following is not None and following.kind == "onward":
        return ">=", (item.number,), [before, following], before
    return ("=", (item.number,), [], item) if _equality(reader, item) else None


def _tail(reader: Reader, item: Item) -> Item | None:
    following = reader.after(item, ())
    for _ in range(2):
        if following is not None and following.kind == "tail":
            return following
        if following is not None and following.kind in ("unit", "col", "soft"):
            following = reader.after(following, ())
    return None


def _equality(reader: Reader, item: Item) -> bool:
    before, after = reader.before(item), reader.after(item, ())
    if before is not None and before.kind in ("op", "than"):
        return (
            before.kind == "than"
            and item.number is not None
            and _year_like(reader, item.number)
            and bool(reader.conditions)
        )
    beside = [
        other
        for other in (reader.items[reader.index(item) - 1] if reader.index(item) else None, before, after)
        if other
    ]
    if any(other.kind in ("col", "verb", "when", "time") for other in beside):
        return True
    if item.number is not None and _year_like(reader, item.number) and not item.money and not item.percent:
        return True
    return before is not None and before.kind in ("and", "or") and bool(reader.conditions)


def _year_like(reader: Reader, number: float) -> bool:
    has_time = bool(reader.table.dates) or any(column.year for column in reader.table.columns)
    return has_time and number.is_integer() and 1500 <= number <= 2200


def _as_time(reader: Reader, op: str, values: tuple[float, ...], item: Item, left: Item) -> Filter | None:
    """Years as a condition on a date or on a column of years; None where the numbers are no years."""
    if item.money or item.percent or not all(_year_like(reader, value) for value in values):
        return None
    beside = reader.before(left, ("soft", "op"))
    following = reader.after(item, ())
    if following is not None and following.kind == "unit":
        return None
    if (
        beside is not None
        and left.kind not in ("since", "after", "before", "until", "from")
        and beside.kind in ("col", "verb", "adj")
        and (measured := reader.measure_columns(beside))
        and op != "="
        and all(column.measure for column in measured)
        and any((column.high or 0.0) >= min(values) for column in measured)
        and not (_is_aggregated(reader, beside) and op == "between" and _covered(reader, values))
        and reader.word_before(left) not in _TIME_WORDS
    ):
        return None
    column = time_column(reader, beside)
    if column is None:
        return None
    if column.role == "date" and not _reaches(column, values):
        years = [c for c in reader.table.columns if c.year and not c.short_year and _within(c, values)]
        column = years[0] if len(years) == 1 else column
    if column.role == "number":
        short = tuple(value - 1900 if column.short_year else value for value in values)
        return Filter(op, column, short)
    first, last = int(values[0]), int(values[-1])
    if op == "between":
        return Filter("when", column, when=year_period(first, last - first + 1))
    return Filter("when" if op == "=" else op, column, when=year_period(first))


def _reaches(date: Column, values: tuple[float, ...]) -> bool:
    """Whether a column of dates has any of these years."""
    low, high = (date.minimum or "")[:4], (date.maximum or "")[:4]
    return not (low.isdigit() and high.isdigit()) or (float(low) <= values[-1] and values[0] <= float(high))


def _within(column: Column, values: tuple[float, ...]) -> bool:
    return column.low is not None and column.high is not None and column.low <= values[-1] <= column.high


def _covered(reader: Reader, values: tuple[float, ...]) -> bool:
    """Whether the table's years or dates reach from the first of `values` to the last."""
    spans = [(c.low, c.high) for c in reader.table.columns if c.year and not c.short_year]
    for date in reader.table.dates:
        low, high = (date.minimum or "")[:4], (date.maximum or "")[:4]
        if low.isdigit() and high.isdigit():
            spans.append((float(low), float(high)))
    return any(
        low is not None and high is not None and low <= values[0] and values[-1] <= high
        for low, high in spans
    )


def _convert(reader: Reader, column: Column, last: Item) -> float | None:
    """What a number is multiplied by to be in the column's unit; None where that is not known."""
    following = reader.after(last, ("tail",))
    if following is None or following.kind not in ("unit", "time") or column.unit is None:
        return 1.0
    name = following.value if following.kind == "unit" else reader.tokens[following.start].stem
    said, kept = UNITS.get(name), UNITS.get(column.unit)
    if said is None or kept is None or said == kept:
        return 1.0
    if said[0] != kept[0]:
        return (
            1.0
            if {said[0], kept[0]} <= {"years", "time", "money", "euro", "sterling", "rating", "score"}
            else None
        )
    if following.kind == "time":
        reader.take(following)
    factor = said[1] / kept[1]
    return round(factor, 9)
