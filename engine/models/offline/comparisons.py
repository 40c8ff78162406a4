"""Numbers with a comparison: `over 4,000 lbs`, `between 1000 and 2000`, `at least 2 carats`, `8 cylinders`."""

from engine.models.offline.column_names import concept_columns
from engine.models.offline.concepts import UNIT_CONCEPTS, UNITS
from engine.models.offline.intent import Filter, Group
from engine.models.offline.items import Item
from engine.models.offline.moments import take_negation, time_column
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS, Column
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
    found = _what_is_measured(reader, first, last, used)
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
        and reader.word_before(left) not in _TIME_WORDS
    ):
        return None
    column = time_column(reader, beside)
    if column is None:
        return None
    if column.role == "number":
        short = tuple(value - 1900 if column.short_year else value for value in values)
        return Filter(op, column, short)
    first, last = int(values[0]), int(values[-1])
    if op == "between":
        return Filter("when", column, when=year_period(first, last - first + 1))
    return Filter("when" if op == "=" else op, column, when=year_period(first))


def _what_is_measured(
    reader: Reader, first: Item, last: Item, used: list[Item]
) -> tuple[Column, list[Item]] | None:
    """The column that a number is compared with: named after it, before it, or told by its unit."""
    if _is_having(reader, first, last, used):
        return None
    if (degree := _degree_after(reader, last)) is not None:
        return degree
    following = reader.after(last, ())
    while following is not None and (following.kind == "tail" or following.text.lower() in ("different",)):
        following = reader.after(following, ())
    skipped = following if following is not None and following.kind == "unit" else None
    direct = (used and used[0].kind in ("op", "tail", "between", "than", "from", "to")) or True
    if following is not None and following.kind == "soft" and following.text.lower() in ("of",):
        following = reader.after(following)
    if following is not None and following.kind in ("col", "time") and not following.used and direct:
        columns = tuple(c for c in following.columns if c.role == "number" and not _flagged(c, used))
        left = nearest_before(reader, first)
        if columns and (left is None or left.kind != "col" or following.start == last.end):
            said = (
                [following, left]
                if left is not None and left.kind == "adj" and not reader.measure_columns(left)
                else [following]
            )
            return _single(reader, columns, last, said)
    left = nearest_before(reader, first)
    if left is None and (aged := _of_persons(reader, first)) is not None:
        return aged, []
    if left is not None:
        columns = _fitting(reader, left, last)
        said = [left]
        if left.kind == "adj" and (named := nearest_before(reader, left)) is not None and named.kind == "col":
            columns, said = reader.measure_columns(named) or columns, [left, named]
        if not columns and left.kind in ("verb", "adj"):
            reader.fail(f"no column tells what “{left.text}” means")
            return None
        if columns:
            return _single(reader, columns, last, said)
    if (
        skipped is None
        and len(reader.table.measures) == 1
        and used
        and used[0].kind in ("op", "between", "tail")
    ):
        return reader.table.measures[0], []
    unit = (
        UNITS.get(skipped.value)
        if skipped is not None
        else ("money", 1.0)
        if reader.tokens[last.start].money
        else None
    )
    if unit is not None:
        kinds = UNIT_CONCEPTS.get(unit[0], "").split()
        for kind in kinds:
            columns = tuple(c for c in concept_columns(reader.table, (kind,)) if c.role == "number")
            if columns:
                return _single(reader, columns, last, [])
    return None


def _degree_after(reader: Reader, last: Item) -> tuple[Column, list[Item]] | None:
    """`20 years old`, `60 minutes late`: what the number measures stands after its unit."""
    unit = reader.after(last, ())
    base = reader.after(unit, ()) if unit is not None and unit.kind in ("unit", "time") else None
    if unit is None or base is None or base.kind != "base":
        return None
    columns = tuple(c for c in reader.measure_columns(base) if c.measure)
    if len(columns) != 1 or (base.direction < 0 and base.text.lower() != "young"):
        return None
    return columns[0], [unit, base]


def _flagged(column: Column, used: list[Item]) -> bool:
    """Whether a column of yes and no cannot be what a comparison is about."""
    return column.yes is not None and bool(used)


def _is_having(reader: Reader, first: Item, last: Item, used: list[Item]) -> bool:
    """`genres with more than 100 movies`, `ordered more than 70 times`: how many rows a group has."""
    after = reader.after(last)
    if after is None or not used or used[0].kind not in ("op", "tail"):
        return False
    counted = (
        after.kind == "row"
        or after.text.lower() == "times"
        or (after.kind == "unknown" and after is reader.items[-1])
    )
    next_word = reader.after(last, ())
    counted = counted or (next_word is not None and next_word.text.lower() == "times")
    groups = [
        i
        for i in reader.items[: reader.index(first)]
        if i.kind == "col" and len(i.columns) == 1 and i.columns[0].category and not i.used
    ]
    if not counted or len(groups) != 1 or reader.has("count", "agg") or groups[0].columns[0].yes is not None:
        return False
    reader.having = Filter(used[0].value, None, (last.number or 0.0,))
    reader.groups.append(Group(groups[0].columns[0]))
    reader.take(groups[0], last, *used, after if after.kind == "row" else None)
    return True


def _of_persons(reader: Reader, first: Item) -> Column | None:
    """`kids under 10`, `patients over 65`: a number after persons is their age."""
    ages = [column for column in reader.table.columns if column.words[-1:] == ("age",) and column.measure]
    index = reader.index(first)
    said = reader.items[index - 1] if index else None
    if (
        len(ages) == 1
        and said is not None
        and said.kind in ("row", "unknown", "val")
        and first.kind in ("op", "between", "from")
    ):
        is_person = reader.tokens[said.start].stem in PERSONS or said.kind == "val"
        return ages[0] if is_person else None
    return None


def _fitting(reader: Reader, left: Item, last: Item) -> tuple[Column, ...]:
    """Columns that `left` speaks of; of several meanings of an adjective the one that a unit after the number fits."""
    unit = reader.after(last, ("tail",))
    if (
        left.kind in ("adj", "verb")
        and unit is not None
        and unit.kind in ("unit", "time")
        and len(left.concepts) > 1
    ):
        said = UNITS.get(unit.value) or UNITS.get(reader.tokens[unit.start].stem)
        for concept in left.concepts:
            columns = tuple(c for c in concept_columns(reader.table, (concept,)) if c.role == "number")
            kept = tuple(c for c in columns if c.unit and said and UNITS[c.unit][0] == said[0])
            if kept:
                return kept
    return reader.measure_columns(left)


def nearest_before(reader: Reader, item: Item) -> Item | None:
    """The nearest thing before `item` that can be measured, not looking past another condition."""
    index = reader.index(item)
    for other in reversed(reader.items[:index]):
        if other.kind in ("col", "verb", "adj", "time") and (other.kind != "time" or other.columns):
            if other.kind == "col" and other.used:
                return other
            if other.kind == "col" and not any(column.role == "number" for column in other.columns):
                return None
            return other
        if other.kind in ("num", "count", "limit", "unknown", "when") or (other.kind == "agg" and other.used):
            return None
        if other.kind == "row":
            continue
    return None


def _single(
    reader: Reader, columns: tuple[Column, ...], last: Item, said: list[Item]
) -> tuple[Column, list[Item]] | None:
    if len(columns) > 1:
        unit = reader.after(last, ())
        if unit is not None and unit.kind == "unit":
            columns = tuple(c for c in columns if c.unit == unit.value) or columns
    if len(columns) > 1:
        for other in reader.of("col"):
            shared = tuple(c for c in columns if c in other.columns)
            if len(shared) == 1 and len(other.columns) == 1:
                reader.take(other)
                return shared[0], [*said, other]
    if len(columns) > 1:
        names = " or ".join(f"“{column.name}”" for column in columns[:3])
        reader.fail(f"it is not clear whether {names} is meant")
        return None
    return columns[0], said


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
