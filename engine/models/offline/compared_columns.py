"""What a number is compared with: a column named beside it, told by an adjective, a unit, or by who the rows are."""

from typing import TypeAlias

from engine.models.offline.column_names import concept_columns
from engine.models.offline.concepts import UNIT_CONCEPTS, UNITS
from engine.models.offline.intent import Filter, Group
from engine.models.offline.items import Item
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS, Column

__all__ = ["nearest_before", "what_is_measured"]


_Found: TypeAlias = tuple[Column, list[Item]]


def what_is_measured(reader: Reader, first: Item, last: Item, used: list[Item]) -> _Found | None:
    """The column that a number is compared with: named after it, before it, or told by its unit."""
    if _is_having(reader, first, last, used):
        return None
    after = _named_after(reader, first, last, used)
    if after is not None or reader.problem is not None:
        return after
    following = reader.after(last, ())
    while following is not None and (following.kind == "tail" or following.text.lower() in ("different",)):
        following = reader.after(following, ())
    unit = following if following is not None and following.kind == "unit" else None
    if (heads := _party_of(reader, first)) is not None:
        return heads, []
    left = nearest_before(reader, first)
    if left is not None and _no_year(left, last):
        left = None
    if unit is not None and (kept := _kept_in(reader, unit, left)) is not None:
        return kept, []
    if left is None and (aged := _of_persons(reader, first)) is not None:
        return aged, []
    if left is not None:
        before = _named_before(reader, left, last)
        if before is not None or reader.problem is not None:
            return before
    if (
        unit is None
        and len(reader.table.measures) == 1
        and used
        and used[0].kind in ("op", "between", "tail")
    ):
        return reader.table.measures[0], []
    return _told_by_unit(reader, unit, last)


def _named_after(reader: Reader, first: Item, last: Item, used: list[Item]) -> _Found | None:
    if (degree := _degree_after(reader, last)) is not None:
        return degree
    inner = reader.before(last)
    if inner is not None and inner.kind == "col" and inner.start > first.start and not inner.used:
        return _single(reader, reader.measure_columns(inner), last, [inner])
    following = reader.after(last, ())
    while following is not None and (following.kind == "tail" or following.text.lower() in ("different",)):
        following = reader.after(following, ())
    if following is not None and following.kind == "unit":
        named = reader.after(following, ())
        columns = (
            tuple(c for c in named.columns if c.measure) if named is not None and named.kind == "col" else ()
        )
        if (
            named is not None
            and len(columns) == 1
            and not named.used
            and nearest_before(reader, first) is None
        ):
            return columns[0], [following, named]
    if following is not None and (heads := _heads_counted(reader, first, following)) is not None:
        return heads, [following]
    if following is not None and following.kind == "soft" and following.text.lower() == "of":
        following = reader.after(following)
    if following is None or following.kind not in ("col", "time") or following.used:
        return None
    columns = tuple(c for c in following.columns if c.role == "number" and not _flagged(c, used))
    left = nearest_before(reader, first)
    if not columns or not (left is None or left.kind != "col" or following.start == last.end):
        return None
    vague = left is not None and left.kind == "adj" and not reader.measure_columns(left)
    return _single(reader, columns, last, [following, left] if vague and left is not None else [following])


def _named_before(reader: Reader, left: Item, last: Item) -> _Found | None:
    columns, said = _fitting(reader, left, last), [left]
    named = nearest_before(reader, left) if left.kind == "adj" else None
    if (
        named is not None
        and named.kind == "col"
        and (
            not left.concepts
            or set(columns) & set(reader.measure_columns(named))
            or _right_before(reader, named, left)
        )
    ):
        columns, said = reader.measure_columns(named) or columns, [left, named]
    if not columns and left.kind in ("verb", "adj"):
        reader.fail(f"no column tells what “{left.text}” means")
        return None
    return _single(reader, columns, last, said) if columns else None


def _told_by_unit(reader: Reader, unit: Item | None, last: Item) -> _Found | None:
    money = ("money", 1.0) if reader.tokens[last.start].money else None
    measured = UNITS.get(unit.value) if unit is not None else money
    for kind in UNIT_CONCEPTS.get(measured[0], "").split() if measured is not None else ():
        columns = tuple(c for c in concept_columns(reader.table, (kind,)) if c.role == "number")
        if columns:
            return _single(reader, columns, last, [])
    return None


def _party_of(reader: Reader, first: Item) -> Column | None:
    """`parties of 4 or more`: the column that tells how many are in each row."""
    before = reader.before(first)
    if reader.word_before(first) != "of" or before is None or before.kind not in ("row", "unknown"):
        return None
    if reader.tokens[before.start].stem not in ("party", "group", "table", "family", "household"):
        return None
    columns = [c for c in concept_columns(reader.table, ("headcount",)) if c.whole and c.distinct <= 60]
    return columns[0] if len(columns) == 1 else None


def _no_year(left: Item, last: Item) -> bool:
    """Whether a column of years stands before a number that is none."""
    years = left.kind in ("time", "col") and bool(left.columns) and all(c.year for c in left.columns)
    return years and last.number is not None and not last.number >= 40


def _kept_in(reader: Reader, unit: Item, left: Item | None) -> Column | None:
    """`under 100k miles`: the one column of that unit, where the column named before is of another."""
    kind = UNITS[unit.value][0]
    kept = [c for c in reader.table.measures if c.unit and UNITS.get(c.unit, ("",))[0] == kind]
    named = reader.measure_columns(left) if left is not None else ()
    if left is None or left.kind != "col" or len(kept) != 1 or kept[0] in named:
        return None
    return kept[0] if kind in ("length", "mass", "speed", "power", "area", "energy") else None


def _right_before(reader: Reader, named: Item, adjective: Item) -> bool:
    """Whether only words like `is` stand between a column and what is said of it."""
    between = reader.items[reader.index(named) + 1 : reader.index(adjective)]
    return all(item.text.lower() in ("is", "are", "was", "were", "that", "which") for item in between)


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


def _heads_counted(reader: Reader, first: Item, following: Item) -> Column | None:
    """`4 or more people`, where a column tells how many are in each row."""
    if following.kind not in ("row", "unknown") or reader.tokens[following.start].stem not in PERSONS:
        return None
    if nearest_before(reader, first) is not None:
        return None
    columns = [c for c in concept_columns(reader.table, ("headcount",)) if c.whole and c.distinct <= 60]
    return columns[0] if len(columns) == 1 else None


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
    said = reader.before(first)
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
