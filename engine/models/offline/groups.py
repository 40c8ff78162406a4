"""What a question's rows are grouped by: `by species and sex`, `per month`, `for each year`, `monthly`."""

from typing import cast

from engine.models.offline.column_names import concept_columns
from engine.models.offline.intent import Grain, Group
from engine.models.offline.items import Item
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS, Column, Table

__all__ = [
    "entity_column",
    "group_of",
    "read_groups",
    "same_things",
    "spelled_out",
    "time_group",
    "trend_grain",
]

_ADVERBS = ("monthly", "yearly", "annual", "annually", "daily", "weekly", "quarterly", "hourly")


def read_groups(reader: Reader) -> None:
    """Find every grouping that is said with `by`, `per`, `each` and the like."""
    for item in reader.of("by"):
        _targets(reader, item)
    for item in reader.of("time"):
        before = reader.before(item)
        if (
            item.text.lower() in _ADVERBS
            and before is not None
            and before.kind == "agg"
            and before.value == "avg"
        ):
            if reader.table.panel or reader.table.yearly:
                reader.take(item)
            continue
        if item.text.lower() in _ADVERBS and (group := group_of(reader, item)) is not None:
            reader.groups.append(group)
            reader.take(item)
    for item in reader.of("which"):
        after = reader.after(item, ())
        if item.text.lower() == "whose":
            reader.take(item)
        elif after is not None and after.kind == "time" and reader.has("by") is False:
            continue


def _targets(reader: Reader, by: Item) -> None:
    found: list[Item] = []
    following = reader.after(by)
    if following is not None and following.kind == "count":
        counted = reader.after(following)
        if counted is not None and counted.kind in ("row", "unknown"):
            return
        reader.take(following)
        following = counted
    while following is not None:
        if following.kind in ("col", "time", "row") or (
            following.kind == "val" and following.columns and not following.used
        ):
            if following.used and following.kind == "col":
                break
            found.append(following)
            following = reader.after(following, ())
            if following is not None and following.kind == "soft" and following.text.lower() in ("of", "the"):
                break
        elif following.kind in ("and", "by", "both") and (found or following.kind != "and"):
            following = reader.after(following)
        else:
            break
        if following is not None and following.kind == "agg":
            break
    if not found and _said_before(reader, by):
        return
    if not found and reader.after(by) is None:
        reader.take(by)
        return
    _add(reader, by, found)


def _said_before(reader: Reader, by: Item) -> bool:
    """`embarked at each port`: another word for the column whose name stands before."""
    left, right = reader.before(by), reader.after(by)
    if not by.text.lower().endswith(("each", "every")):
        return False
    if left is None or right is None or left.kind != "col" or left.used or right.kind != "unknown":
        return False
    if len(left.columns) != 1 or not left.columns[0].category or left.columns[0].yes is not None:
        return False
    reader.groups.append(Group(left.columns[0]))
    reader.take(left, by, right)
    return True


def _add(reader: Reader, by: Item, found: list[Item]) -> None:
    for item in found:
        if item.kind == "row":
            if by.text.lower() in ("per", "per each") and per_head(reader, item) is not None:
                return
            if by.text.lower().endswith(("each", "every")) or by.text.lower() in ("by", "per", "across"):
                column = entity_column(reader.table)
                if column is None or column.unique:
                    reader.take(by)
                    continue
                reader.groups.append(Group(column))
                reader.take(by, item)
            continue
        if item.kind == "col" and all(
            _only_measured(c) or (c.measure and _ranks(reader, by)) for c in item.columns
        ):
            return
        group = group_of(reader, item)
        if group is None:
            continue
        if group not in reader.groups:
            reader.groups.append(group)
        reader.take(by, item)
        for other in reader.items[reader.index(by) : reader.index(item)]:
            if other.kind in ("by", "and", "both"):
                reader.take(other)


def per_head(reader: Reader, item: Item) -> Column | None:
    """`per person`: the column that tells how many persons there are in each row."""
    found = [c for c in concept_columns(reader.table, ("headcount",)) if c.whole and c.distinct <= 60]
    return found[0] if reader.tokens[item.start].stem in PERSONS and len(found) == 1 else None


def _ranks(reader: Reader, by: Item) -> bool:
    """Whether `by` says what a ranking goes by, rather than what it is grouped by."""
    for item in reader.items[: reader.index(by)]:
        if item.kind == "top" or (item.kind == "sup" and item.value not in ("max", "min")):
            return True
        if item.kind == "sup":
            after = reader.after(item, ("soft", "agg"))
            return after is None or after.kind != "col" or not reader.measure_columns(after)
    return False


def _only_measured(column: Column) -> bool:
    return column.measure and not column.category


def group_of(reader: Reader, item: Item) -> Group | None:
    """The grouping that a column or a unit of time means; a column of dates alone is taken by its trend's grain."""
    if item.kind == "time":
        exact = [column for column in item.columns if item.value != "day" or column.role != "date"]
        if exact:
            return Group(exact[0])
        return time_group(reader.table, item.value)
    columns = [column for column in item.columns if column.role in ("text", "number", "date")]
    columns = [column for column in columns if not _only_measured(column)] or columns
    if len(columns) > 1:
        columns = [column for column in columns if column.category] or columns
    columns = [spelled_out(tuple(columns))] if same_things(tuple(columns)) else columns
    if len(columns) > 1:
        names = " or ".join(f"“{column.name}”" for column in columns[:3])
        reader.fail(f"it is not clear whether {names} is meant")
        return None
    if not columns:
        return None
    if columns[0].role == "date":
        return Group(columns[0], trend_grain(columns[0]))
    return Group(columns[0])


def same_things(columns: tuple[Column, ...]) -> bool:
    """Whether columns say the same in other words, so far as counts tell: codes of ports and their names."""
    return len(columns) > 1 and all(
        c.role == "text"
        and c.complete
        and (c.distinct, c.missing) == (columns[0].distinct, columns[0].missing)
        for c in columns
    )


def spelled_out(columns: tuple[Column, ...]) -> Column:
    """Of columns that say the same, the one with the longest words."""
    return max(columns, key=lambda column: sum(len(value) for value in column.values))


def time_group(table: Table, grain: str) -> Group | None:
    """Group by a unit of time: of the table's dates, or of a column of that name."""
    named = [column for column in table.columns if column.role != "date" and column.words[-1:] == (grain,)]
    date = main_date(table.dates)
    if grain == "decade" and not table.dates:
        years = [column for column in table.columns if column.year and not column.short_year]
        return Group(years[0], "decade") if len(years) == 1 else None
    if grain == "year" and not table.dates:
        named = [column for column in table.columns if column.year] or named
    if date is None or (named and grain in ("hour", "weekday")):
        return Group(named[0]) if named else None
    if grain == "hour" and date.type == "DATE":
        return None
    return Group(date, cast(Grain, grain))


def trend_grain(column: Column) -> Grain:
    """A grain that makes a trend of a date column readable."""
    low, high = (column.minimum or "")[:10], (column.maximum or "")[:10]
    try:
        years = int(high[:4]) - int(low[:4]) + (int(high[5:7]) - int(low[5:7])) / 12
    except ValueError:
        return "day"
    if years > 3:
        return "year"
    return "month" if years > 0.25 else "day"


def entity_column(table: Table) -> Column | None:
    """The column that tells which thing a row is about, where rows are not things themselves."""
    texts = [column for column in table.columns if column.role == "text" and column.yes is None]
    named = [c for c in texts if set(c.words) & (table.nouns | {"name", "symbol", "ticker", "title", "id"})]
    if len(named) == 1:
        return named[0]
    names = [c for c in named if c.words[-1] in ("name", "title", "symbol")]
    if len(names) == 1:
        return names[0]
    return texts[0] if len(texts) == 1 else None
