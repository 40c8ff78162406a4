"""Which rows a question speaks of: values, numbers with a comparison, times, missing values, yes and no."""

from engine.models.offline.concepts import UNIT_CONCEPTS, UNITS
from engine.models.offline.intent import Filter, Group
from engine.models.offline.linking import Item, concept_columns
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS, Column, ValueEntry
from engine.models.offline.words import root
from engine.models.offline.times import MONTHS, Period, When, year_period

__all__ = ["merge", "read_conditions"]

_PASSED_OVER = ("soft", "row", "filled", "which", "both", "ifonly", "from")
_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>", "<>": "="}
_TIME_WORDS = ("in", "during", "of", "for", "from", "year", "on", "within", "only", "just", "about", "and", "to", "or", "until", "till", "vs", "versus", "than", "was", "were", "is", "did", "through")  # fmt: skip


def read_conditions(reader: Reader) -> None:
    """Find every condition; what they were read from is marked as used."""
    _zeros(reader)
    _freezing(reader)
    _tops(reader)
    for item in list(reader.items):
        if item.kind == "num" and not item.used:
            _number(reader, item)
    for item in reader.of("when"):
        _time(reader, item)
    _against_average(reader)
    _missing(reader)
    _values(reader)
    _flags(reader)
    _parts(reader)


def _tops(reader: Reader) -> None:
    """Numbers that say how many rows to show are no conditions."""
    for item in reader.of("num"):
        before, after = reader.before(item, ()), reader.after(item)
        if (
            (
                (before is not None and before.kind in ("top",))
                or (
                    before is not None
                    and before.kind == "sup"
                    and before.value in ("first", "last", "max", "min", "most", "least", "adj")
                )
            )
            or (
                after is not None
                and after.kind in ("sup", "top")
                and item.number is not None
                and item.number <= 100
            )
            or (
                after is not None
                and item.number is not None
                and 1 <= item.number <= 100
                and _heads_a_ranking(reader, item, after)
            )
        ):
            item.kind = "limit"
        elif after is not None and after.kind == "agg" and after.value == "pctl":
            item.kind = "quantile"


def _heads_a_ranking(reader: Reader, item: Item, after: Item) -> bool:
    """`five distributors with the highest …`: a number, what is ranked, and a superlative later on."""
    if after.kind not in ("col", "row", "unknown", "time", "val"):
        return False
    if reader.before(item) is not None and reader.before(item).kind not in ("which", "list", "chart", "them"):  # type: ignore[union-attr]
        return False
    if after.kind == "col" and all(column.measure and not column.category for column in after.columns):
        return False
    later = [other for other in reader.items if other.start > after.start]
    return any(other.kind in ("sup", "top") for other in later)


def _zeros(reader: Reader) -> None:
    """`a zero in x, y or z`: any of these columns is 0."""
    for item in reader.of("num"):
        after = reader.after(item, ())
        if item.number != 0 or after is None or after.text.lower() not in ("in", "for", "as"):
            continue
        columns: list[Item] = []
        following = reader.after(after)
        while following is not None and following.kind in ("col", "or", "and"):
            columns += [following] if following.kind == "col" else []
            following = reader.after(following, ())
        parts = tuple(Filter("=", c.columns[0], (0.0,)) for c in columns if c.columns[0].role == "number")
        if parts and len(parts) == len(columns):
            reader.add(Filter("any", parts=parts) if len(parts) > 1 else parts[0], item, columns[-1])
            reader.take(item, *columns)


def _freezing(reader: Reader) -> None:
    for item in reader.of("freezing"):
        columns = _temperatures(reader, -1)
        if len(columns) == 1:
            freezing = 32.0 if columns[0].unit in ("f", "fahrenheit") else 0.0
            reader.add(Filter("<", columns[0], (freezing,)), item)
            reader.take(item)
            for other in reader.of("col", "change", "time"):
                if (
                    set(other.columns) & set(concept_columns(reader.table, ("temperature",)))
                    or other.kind == "change"
                ):
                    reader.take(other)


def _temperatures(reader: Reader, direction: int) -> tuple[Column, ...]:
    return narrow(concept_columns(reader.table, ("temperature",)), direction)


def narrow(columns: tuple[Column, ...], direction: int) -> tuple[Column, ...]:
    """Of several columns, the one for the upper or the lower end, where names tell: `temp_max`, `temp_min`."""
    if len(columns) < 2 or direction == 0:
        return columns
    ends = ("max", "maximum", "high", "highest") if direction > 0 else ("min", "minimum", "low", "lowest")
    found = tuple(column for column in columns if set(ends) & set(column.words))
    return found if len(found) == 1 else columns


def _number(reader: Reader, item: Item) -> None:
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
    negated = _negated(reader, first)
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


def _negated(reader: Reader, first: Item) -> bool:
    before = reader.before(first)
    if before is not None and before.kind == "neg" and not before.used:
        reader.take(before)
        return True
    return False


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
    ):
        if not after.used and after.number is not None and after.number > item.number:
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
        while (
            adjective is not None
            and adjective.kind in ("unknown", "col")
            and reader.before(adjective) is not None
            and reader.before(adjective).kind in ("more", "adj")
        ):  # type: ignore[union-attr]
            adjective = reader.before(adjective)
        if adjective is not None and adjective.kind in ("adj", "more"):
            if _year_like(reader, item.number) and any(o.kind == "num" and o.number is not None and _year_like(reader, o.number) for o in reader.items[: reader.index(before)]):
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
        return before.kind == "than" and item.number is not None and _year_like(reader, item.number) and bool(reader.conditions)
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
        and left.kind not in ("since", "after", "before", "until")
        and beside.kind in ("col", "verb", "adj")
        and (measured := reader.measure_columns(beside))
    ):
        if (
            op != "="
            and all(column.measure for column in measured)
            and reader.word_before(left) not in _TIME_WORDS
        ):
            return None
    column = _time_column(reader, beside)
    if column is None:
        return None
    if column.role == "number":
        short = tuple(value - 1900 if column.short_year else value for value in values)
        return Filter(op, column, short)
    first, last = int(values[0]), int(values[-1])
    if op == "between":
        return Filter("when", column, when=year_period(first, last - first + 1))
    return Filter("when" if op == "=" else op, column, when=year_period(first))


def _time_column(reader: Reader, beside: Item | None) -> Column | None:
    """The column that times are about: the one named beside, else the table's own."""
    years = [column for column in reader.table.columns if column.year]
    dates = reader.table.dates
    if beside is not None:
        named = [column for column in beside.columns if column in dates or column in years]
        if len(named) == 1:
            reader.take(beside)
            return named[0]
    mentioned = [
        c
        for i in reader.of("col", unused=False)
        for c in i.columns
        if c in dates or (c in years and i.kind == "col")
    ]
    if len(set(mentioned)) == 1:
        return mentioned[0]
    if len(dates) == 1:
        return dates[0]
    if not dates and len(years) == 1:
        return years[0]
    return main_date(dates)


def main_date(dates: list[Column]) -> Column | None:
    """Of several date columns, the one that rows are dated by: the first with few missing."""
    full = [column for column in dates if column.missing == 0] or dates
    return full[0] if full else None


def _what_is_measured(
    reader: Reader, first: Item, last: Item, used: list[Item]
) -> tuple[Column, list[Item]] | None:
    """The column that a number is compared with: named after it, before it, or told by its unit."""
    if _is_having(reader, first, last, used):
        return None
    following = reader.after(last, ())
    while following is not None and (following.kind == "tail" or following.text.lower() in ("different",)):
        following = reader.after(following, ())
    skipped = following if following is not None and following.kind == "unit" else None
    direct = (used and used[0].kind in ("op", "tail", "between", "than", "from", "to")) or True
    if following is not None and following.kind == "soft" and following.text.lower() in ("of",):
        following = reader.after(following)
    if following is not None and following.kind in ("col", "time") and not following.used and direct:
        columns = tuple(c for c in following.columns if c.role == "number")
        left = _left(reader, first)
        if columns and (left is None or left.kind != "col" or following.start == last.end):
            said = [following, left] if left is not None and left.kind == "adj" and not reader.measure_columns(left) else [following]
            return _single(reader, columns, last, said)
    left = _left(reader, first)
    if left is None and (aged := _of_persons(reader, first)) is not None:
        return aged, []
    if left is not None:
        columns = _fitting(reader, left, last)
        said = [left]
        if left.kind == "adj" and (named := _left(reader, left)) is not None and named.kind == "col":
            columns, said = reader.measure_columns(named) or columns, [left, named]
        if not columns and left.kind in ("verb", "adj"):
            reader.fail(f"no column tells what “{left.text}” means")
            return None
        if columns:
            return _single(reader, columns, last, said)
    if skipped is None and len(reader.table.measures) == 1 and used and used[0].kind in ("op", "between", "tail"):
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


def _is_having(reader: Reader, first: Item, last: Item, used: list[Item]) -> bool:
    """`genres with more than 100 movies`, `ordered more than 70 times`: how many rows a group has."""
    after = reader.after(last)
    if after is None or not used or used[0].kind not in ("op", "tail"):
        return False
    counted = after.kind == "row" or after.text.lower() == "times" or (after.kind == "unknown" and after is reader.items[-1])
    counted = counted or (reader.after(last, ()) is not None and reader.after(last, ()).text.lower() == "times")  # type: ignore[union-attr]
    groups = [i for i in reader.items[: reader.index(first)] if i.kind == "col" and len(i.columns) == 1 and i.columns[0].category and not i.used]
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
    if len(ages) == 1 and said is not None and said.kind in ("row", "unknown", "val") and first.kind in ("op", "between", "from"):
        is_person = reader.tokens[said.start].stem in PERSONS or said.kind == "val"
        return ages[0] if is_person else None
    return None


def _fitting(reader: Reader, left: Item, last: Item) -> tuple[Column, ...]:
    """Columns that `left` speaks of; of several meanings of an adjective the one that a unit after the number fits."""
    unit = reader.after(last, ("tail",))
    if left.kind in ("adj", "verb") and unit is not None and unit.kind in ("unit", "time") and len(left.concepts) > 1:
        said = UNITS.get(unit.value) or UNITS.get(reader.tokens[unit.start].stem)
        for concept in left.concepts:
            columns = tuple(c for c in concept_columns(reader.table, (concept,)) if c.role == "number")
            kept = tuple(c for c in columns if c.unit and said and UNITS[c.unit][0] == said[0])
            if kept:
                return kept
    return reader.measure_columns(left)


def _left(reader: Reader, item: Item) -> Item | None:
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


def _time(reader: Reader, item: Item) -> None:
    assert item.when is not None
    before = reader.before(item)
    column = _time_column(
        reader, reader.before(item, ("soft", "since", "after", "before", "from", "until", "between"))
    )
    if (column is None or column.role != "date") and isinstance(item.when, Period) and _month_of_year(reader, item):
        return
    if column is None or column.role != "date":
        if column is not None and isinstance(item.when, Period) and item.when.grain in ("year", "decade"):
            first, end = int(item.when.start[:4]), int(item.when.end[:4]) - 1
            shift = 1900 if column.short_year else 0
            reader.add(Filter("between", column, (first - shift, end - shift)), item)
            reader.take(item)
        else:
            reader.fail("there is no column of dates")
        return
    after = reader.after(item)
    other = reader.after(after) if after is not None else None
    if (
        before is not None
        and before.kind in ("between", "from")
        and after is not None
        and after.kind in ("and", "to")
    ):
        if other is not None and isinstance(item.when, Period) and (end := _as_period(other)) is not None:
            span = Period(item.when.start, end.end, "range", f"{item.when.label} to {end.label}")
            reader.add(Filter("when", column, when=span), before, other)
            reader.take(before, item, after, other)
            return
    op = "when"
    if before is not None and before.kind in ("since", "after", "before", "until"):
        op = {"since": ">=", "after": ">", "before": "<", "until": "<="}[before.kind]
        reader.take(before)
    elif before is not None and before.kind in ("from", "to") and isinstance(item.when, Period):
        op = ">=" if before.kind == "from" and after is not None and after.kind == "onward" else "when"
        reader.take(before, after if op == ">=" else None)
    negated = _negated(reader, item)
    reader.add(
        Filter(op, column, when=item.when, negated=negated), before if op != "when" and before else item, item
    )
    reader.take(item)


def _month_of_year(reader: Reader, item: Item) -> bool:
    """A month of a year, where year and month stand in columns of their own."""
    when = item.when
    years = [c for c in reader.table.columns if c.year]
    months = [c for c in reader.table.columns if c.words == ("month",)]
    if not isinstance(when, Period) or when.grain != "month" or len(years) != 1 or len(months) != 1:
        return False
    number = int(when.start[5:7])
    spelled = [v for v in months[0].values if MONTHS.get(v.lower()) == number or (v.isdigit() and int(v) == number)]
    if len(spelled) != 1:
        return False
    value: str | float = float(number) if months[0].role == "number" else spelled[0]
    reader.add(Filter("=", years[0], (float(when.start[:4]),)), item)
    reader.add(Filter("=", months[0], (value,)), item)
    reader.take(item)
    return True


def _as_period(item: Item) -> Period | None:
    if isinstance(item.when, Period):
        return item.when
    return year_period(int(item.number)) if item.number is not None and 1500 <= item.number <= 2200 else None


def _against_average(reader: Reader) -> None:
    for item in reader.of("above", "belowavg"):
        op = "above_avg" if item.kind == "above" else "below_avg"
        after = reader.after(item)
        left = (
            after
            if after is not None and after.kind == "col" and reader.measure_columns(after)
            else _left(reader, item)
        )
        columns = reader.measure_columns(left) if left is not None else ()
        if len(columns) == 1:
            reader.add(Filter(op, columns[0]), item)
            reader.take(item, left)


def _missing(reader: Reader) -> None:
    """`no sex recorded`, `missing a rating`, `whose sex is unknown`, `without a title`."""
    for item in reader.of("neg", "missing"):
        after = reader.after(item, ("soft", "missing", "filled"))
        before = reader.before(item, ("soft", "filled"))
        column_item = after if after is not None and after.kind == "col" else None
        if (
            column_item is None
            and item.kind == "missing"
            and before is not None
            and before.kind in ("col", "neg")
        ):
            column_item = before if before.kind == "col" else reader.before(before)
            column_item = column_item if column_item is not None and column_item.kind == "col" else None
        if (
            column_item is None
            or column_item.used
            or len(column_item.columns) != 1
            or column_item.kind != "col"
        ):
            continue
        following = reader.after(column_item, ())
        if item.kind == "neg" and following is not None and following.kind in ("val", "num"):
            continue
        column = column_item.columns[0]
        left_out = item.kind == "missing" and (cut := _cut(reader, item, column_item)) is not None
        if item.kind == "neg" and column.yes is not None:
            continue
        if item.kind == "neg" and column.role == "number" and column.missing == 0:
            if (column.low or 0.0) > 0.0:
                continue
            reader.add(Filter("=", column, (0.0,)), item, column_item)
        elif item.kind == "neg" and item.text.lower() not in _LACKING and not reader.has("missing", "filled"):
            continue
        else:
            reader.add(Filter("notnull" if left_out else "null", column), item, column_item)
            if left_out:
                reader.take(cut)
        reader.take(
            item,
            column_item,
            *[
                other
                for other in reader.of("filled", "missing")
                if abs(reader.index(other) - reader.index(column_item)) <= 4
            ],
        )


_LACKING = (
    "no",
    "without",
    "have no",
    "has no",
    "had no",
    "having no",
    "with no",
    "do not",
    "does not",
    "did not",
    "not",
)


def _cut(reader: Reader, *items: Item) -> Item | None:
    """A word that leaves rows out, before a missing value is spoken of: `leaving out birds whose sex is unknown`."""
    first = min(items, key=lambda item: item.start)
    for other in reversed(reader.items[: reader.index(first)]):
        if other.kind == "neg" and not other.used:
            return other
        if other.kind not in ("soft", "row", "unknown", "which", "missing", "filled"):
            return None
    return None


def _values(reader: Reader) -> None:
    for item in reader.of("val"):
        if item.columns and not item.exact and not item.entries:
            continue
        entry = _chosen(reader, item)
        negation = _scope(reader, item)
        op = "contains" if item.part else "="
        reader.add(Filter(op, entry.column, (entry.value,), negated=negation is not None), item)
        reader.take(item, negation)
        if entry.column.yes is not None:
            continue
        for beside in (reader.before(item), reader.after(item, ())):
            if (
                beside is not None
                and beside.kind == "col"
                and entry.column in beside.columns
                and not beside.used
            ):
                if beside is reader.after(item, ()) or not _grouped(reader, beside):
                    reader.take(beside)


def _grouped(reader: Reader, item: Item) -> bool:
    before = reader.before(item)
    return before is not None and before.kind in ("by", "order")


def _chosen(reader: Reader, item: Item) -> ValueEntry:
    """Where several columns hold the value: the column named, then the one of an earlier value, then the coarsest."""
    if len(item.entries) > 1 and (role := _role(reader, item)) is not None:
        return role
    named = {column for other in reader.of("col", unused=False) for column in other.columns}
    for entry in item.entries:
        if entry.column in named:
            return entry
    used = [condition.filter.column for condition in reader.conditions]
    for other in reader.of("val", unused=False):
        if (
            other is not item
            and len(other.entries) == 1
            and any(e.column is other.entries[0].column for e in item.entries)
        ):
            return next(e for e in item.entries if e.column is other.entries[0].column)
    for entry in item.entries:
        if entry.column in used:
            return entry
    heads = [entry.column for entry in item.entries if entry.column.words[-1:] == item.entries[0].column.words[-1:]]
    if len(heads) > 1:
        reader.fail(f"it is not clear whether “{heads[0].name}” or “{heads[1].name}” is meant")
    return item.entries[0]


_FROM = frozenset("origin from pickup departure start source sender home".split())
_TO = frozenset("destination dest to dropoff arrival end target receiver away".split())


def _role(reader: Reader, item: Item) -> ValueEntry | None:
    """Of two columns with the same values, the one that `from`, `to`, `at` or `against` speaks of."""
    word = reader.word_before(item)
    wanted = _FROM if word in ("from", "at", "leaving", "in") else _TO if word in ("to", "against", "into", "towards") else None
    found = [entry for entry in item.entries if wanted and wanted & set(entry.column.words)]
    if len(found) == 1:
        before = reader.before(item)
        reader.take(before if before is not None and before.kind in ("vs", "to", "from") else None)
    return found[0] if len(found) == 1 else None


def _scope(reader: Reader, item: Item) -> Item | None:
    """The negation that a value stands under, one for a whole list of values."""
    for other in reversed(reader.items[: reader.index(item)]):
        if other.kind == "neg":
            return other
        if other.kind in ("val", "and", "or", "soft", "row", "both") or (
            other.kind == "unknown" and other.text.lower() != "but"
        ):
            if other.kind == "val" and other.used and not _is_negated(reader, other):
                return None
            if (
                other.text.lower() in ("in", "for", "from", "of")
                and other.kind == "soft"
                and _first_of_clause(reader, other)
            ):
                continue
            continue
        if other.kind == "col" and set(other.columns) & {entry.column for entry in item.entries}:
            continue
        return None
    return None


def _first_of_clause(reader: Reader, item: Item) -> bool:
    before = reader.before(item)
    return before is None or before.kind == "neg"


def _is_negated(reader: Reader, item: Item) -> bool:
    return any(c.filter.negated for c in reader.conditions if c.start <= item.start < c.end)


_OPPOSITES = {"died": "surviv", "dead": "surviv", "perished": "surviv", "drowned": "surviv", "office": "remot", "unpaid": "paid",
              "inactive": "activ", "offline": "onlin", "lost": "won", "failed": "pass", "absent": "present", "unmarried": "marri",
              "nonsmoker": "smok", "nonsmokers": "smok", "uninsured": "insur", "unemployed": "employ"}  # fmt: skip


def _flags(reader: Reader) -> None:
    """Columns of yes and no, named as if they were adjectives: `smokers`, `cancelled flights`, `not returned`."""
    for item in reader.of("unknown", "soft"):
        if (known := _OPPOSITES.get(item.text.lower())) is not None:
            opposite = [c for c in reader.table.columns if c.no is not None and any(root(word) == known for word in c.words)]
            if len(opposite) == 1:
                reader.add(Filter("is", opposite[0], (opposite[0].no or "",)), item)
                item.kind = "flag"
                reader.take(item)
    for item in reader.of("col"):
        column = item.columns[0]
        if len(item.columns) != 1 or column.yes is None or column.no is None:
            continue
        before, after = reader.before(item), reader.after(item)
        if (
            before is not None
            and before.kind in ("by", "which", "corr", "dist", "and", "between")
            and not (before.kind == "and" and reader.conditions)
        ):
            continue
        if reader.has("corr") or (after is not None and after.kind in ("rate", "share", "vs")):
            continue
        negation = before if before is not None and before.kind == "neg" and not before.used else None
        reader.add(Filter("is", column, (column.no if negation else column.yes,)), negation or item, item)
        reader.take(item, negation)


def _parts(reader: Reader) -> None:
    """Unknown words that stand inside the values of a column of names: makers in models, surnames in full names."""
    for item in reader.of("unknown"):
        token = reader.tokens[item.start]
        if len(token.stem) < 3:
            continue
        found = [
            e for e in reader.table.by_word.get(token.stem, ()) if len(e.stems) > 1 and e.column.complete
        ]
        found = found or [
            e for e in reader.table.by_word.get(token.word, ()) if len(e.stems) > 1 and e.column.complete
        ]
        columns = {entry.column for entry in found}
        if len(columns) == 1 and len(found) <= 0.5 * max(entry.column.distinct for entry in found):
            negation = _scope(reader, item)
            entry = found[0]
            if len(found) == 1:
                new = Filter("=", entry.column, (entry.value,), negated=negation is not None)
            else:
                at_start = all(other.stems[0] == token.stem for other in found)
                word = token.stem if any(token.stem in other.value.lower() for other in found) else token.word
                new = Filter(
                    "begins" if at_start else "contains", entry.column, (word,), negated=negation is not None
                )
            reader.add(new, item)
            reader.take(item, negation)
        elif not columns:
            _code(reader, item, token.word)


def _code(reader: Reader, item: Item, word: str) -> None:
    """A code for a name: GOOG for Google, AMZN for Amazon, NL for Netherlands; only where one alone fits."""
    if len(word) < 5:
        return
    fits = []
    for column in reader.table.columns:
        if column.role != "text" or not column.complete or column.distinct > 500:
            continue
        for value in column.values:
            code = value.lower()
            if (
                value.isupper()
                and 3 <= len(code) <= 5
                and code.isalpha()
                and code[0] == word[0]
                and _subsequence(code, word)
            ):
                fits.append((column, value))
    if len(fits) == 1:
        negation = _scope(reader, item)
        reader.add(Filter("=", fits[0][0], (fits[0][1],), negated=negation is not None), item)
        reader.take(item, negation)


def _subsequence(code: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in code)


def merge(filters: list[Filter]) -> tuple[Filter, ...]:
    """Values of one column become one list; those left out another; conditions on different columns all hold."""
    merged: list[Filter] = []
    for new in filters:
        for index, old in enumerate(merged):
            if (
                old.column is new.column
                and old.negated == new.negated
                and new.op in ("=", "in")
                and old.op in ("=", "in")
            ):
                values = tuple(dict.fromkeys([*old.values, *new.values]))
                merged[index] = Filter(
                    "in" if len(values) > 1 else "=", old.column, values, negated=old.negated
                )
                break
            if (
                old.column is new.column
                and new.op == old.op
                and new.op in ("contains", "begins", "when")
                and old.negated == new.negated
            ):
                if new != old:
                    merged[index] = Filter("any", parts=(*(old.parts or (old,)), new), negated=False)
                break
            if old.op == "any" and old.parts[0].column is new.column and new.op == old.parts[0].op:
                merged[index] = Filter("any", parts=(*old.parts, new))
                break
        else:
            merged.append(new)
    return tuple(merged)


def whens(filters: list[Filter]) -> list[When]:
    """Times among the conditions."""
    return [item.when for item in filters if item.when is not None]
