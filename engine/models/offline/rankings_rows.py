"""What a ranking is of and by: rows, or groups with a measure."""

from dataclasses import replace

from engine.models.offline.conditions import merge
from engine.models.offline.groups import entity_column, group_of
from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.measures import default_measure, named_measures, superlative_measure
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column
from engine.models.offline.words import word_list

__all__ = ["all_filters", "asked_places", "is_downwards", "most_common", "rank_groups", "rank_rows"]


_SHOWN = 10
_ROWS_SHOWN = 5


_PLACES = frozenset(
    word_list(
        "place city town location country state region zone address neighborhood origin station airport island "
        "venue area site"
    )
)


def asked_places(reader: Reader) -> list[Item]:
    """`where was …`, where a column tells places."""
    return reader.of("whereq") if any(_PLACES & set(column.words) for column in reader.table.columns) else []


def is_downwards(reader: Reader, lead: Item) -> bool:
    """Whether the largest comes first."""
    order = reader.first("dir")
    if order is not None:
        reader.take(order)
        return order.value == "desc"
    if lead.kind == "top":
        return lead.value == "desc"
    if lead.kind == "order":
        return True
    if lead.value in ("max", "most", "last", "mode"):
        return True
    if lead.value in ("min", "least", "first", "rare"):
        return False
    return lead.direction >= 0


def all_filters(reader: Reader) -> list[Filter]:
    """All conditions, those on one column put together."""
    return list(merge([c.filter for c in reader.conditions]))


def _measure_of(reader: Reader, lead: Item, by: tuple[Column, Item] | None) -> tuple[Column, ...]:
    if by is not None:
        return (by[0],)
    if lead.kind in ("top", "order"):
        sup = next((i for i in reader.of("sup") if i.value != "vague"), None)
        said = [i for i in reader.of("col", "verb", "val") if reader.measure_columns(i)]
        if sup is not None:
            return superlative_measure(reader, sup)
        if len(said) == 1:
            reader.take(said[0])
            return reader.measure_columns(said[0])
        return ()
    columns = superlative_measure(reader, lead)
    if not columns and lead.value in ("last", "first"):
        date = main_date(reader.table.dates) or next((c for c in reader.table.columns if c.year), None)
        columns = (date,) if date is not None else ()
    return columns


def _finish(reader: Reader, lead: Item, subject: Item, limit: Item | None) -> None:
    reader.take(lead, limit, *reader.of("top", "which", "onavg", "order"))
    if subject.kind != "unknown":
        reader.take(subject)
    reader.take(*reader.of("whenq"), *asked_places(reader))
    for item in reader.of("howadj", "howmuch", "verb"):
        if item.kind != "verb" or reader.measure_columns(item):
            reader.take(item)
    for item in reader.of("sup"):
        if item.concepts and item.concepts == lead.concepts:
            reader.take(item)


def rank_rows(
    reader: Reader,
    lead: Item,
    subject: Item,
    by: tuple[Column, Item] | None,
    down: bool,
    number: int | None,
    limit: Item | None,
) -> Intent | None:
    """A ranking of rows, or the extreme alone where only that is asked for."""
    if any(item.value not in ("distinct",) for item in reader.of("agg")):
        agg = reader.first("agg")
        if agg is None or agg.value not in ("sum",) or by is None:
            return _grouped_by_entity(reader, lead, subject, by, down, number, limit)
        reader.take(agg)
    columns = _measure_of(reader, lead, by)
    if not columns:
        if lead.concepts or lead.value == "adj":
            reader.fail(f"no column tells what “{lead.text}” means")
        else:
            reader.fail(f"it is not clear what “{lead.text}” is measured by")
        return None
    if len(columns) > 1:
        reader.fail(
            "it is not clear whether " + " or ".join(f"“{c.name}”" for c in columns[:3]) + " is meant"
        )
        return None
    if _asks_only_value(reader, columns[0], subject):
        _finish(reader, lead, subject, limit)
        fn = "max" if down else "min"
        return Intent(
            "aggregate",
            reader.table,
            (Measure(fn, columns[0]),),
            tuple(reader.groups),
            tuple(all_filters(reader)),
        )
    later = reader.of("time")
    _finish(reader, lead, subject, limit)
    reader.take(*later)
    if (columns[0].role == "date" or columns[0].year) and lead.concepts == ("age",):
        down = not down
    measure = Measure("max" if down else "min", columns[0])
    return Intent(
        "top",
        reader.table,
        (measure,),
        tuple(reader.groups),
        tuple(all_filters(reader)),
        columns=_said_columns(reader),
        descending=down,
        limit=number or _ROWS_SHOWN,
        only_first=number is None,
    )


def _said_columns(reader: Reader) -> tuple[Column, ...]:
    found = []
    for item in reader.of("col"):
        if len(item.columns) == 1:
            found.append(item.columns[0])
            reader.take(item)
    return tuple(found)


def _asks_only_value(reader: Reader, column: Column, subject: Item) -> bool:
    """`What does the most expensive diamond cost?`, `how heavy is the heaviest one?`: a number, not a row."""
    verbs = [
        i
        for i in reader.of("verb", "col", "howadj", "howmuch")
        if column in i.columns or column in reader.measure_columns(i)
    ]
    lead = reader.first("which")
    if any(i.kind in ("howadj", "howmuch") and i.start == 0 for i in verbs) and not reader.of("which"):
        reader.take(*verbs)
        return True
    if lead is None or reader.after(lead) is subject or lead.text.lower() not in ("what",):
        return False
    if any(i.kind in ("verb", "col") for i in verbs):
        reader.take(*verbs)
        return True
    return False


def _grouped_by_entity(
    reader: Reader,
    lead: Item,
    subject: Item,
    by: tuple[Column, Item] | None,
    down: bool,
    number: int | None,
    limit: Item | None,
) -> Intent | None:
    column = entity_column(reader.table)
    if column is None or column.unique:
        return None
    return rank_groups(reader, lead, subject, Group(column), by, down, number, limit)


def rank_groups(
    reader: Reader,
    lead: Item,
    subject: Item,
    group: Group,
    by: tuple[Column, Item] | None,
    down: bool,
    number: int | None,
    limit: Item | None,
) -> Intent | None:
    """A ranking of groups by a measure of their rows."""
    measures, implied = _group_measures(reader, lead, by)
    if reader.problem or not measures:
        return None
    filters = all_filters(reader)
    if (
        measures[0].column is None
        and reader.table.panel
        and reader.table.tally is None
        and not any(f.op in (">", "<", ">=", "<=") for f in filters)
    ):
        reader.fail("every group has as many rows, and it is not clear what else is counted")
        return None
    if not any(f.column is group.column for f in filters) and group.column.missing and group.grain is None:
        filters.append(Filter("notnull", group.column))
    _finish(reader, lead, subject, limit)
    groups = tuple(dict.fromkeys([group, *[g for g in reader.groups if g != group]]))
    if len(groups) > 1:
        reader.fail("a ranking within groups is more than I can read")
        return None
    return Intent(
        "top",
        reader.table,
        tuple(measures),
        groups,
        tuple(filters),
        descending=down,
        limit=number or _SHOWN,
        only_first=number is None,
        implied=implied,
    )


def _group_measures(reader: Reader, lead: Item, by: tuple[Column, Item] | None) -> tuple[list[Measure], bool]:
    aggs = [i for i in reader.of("agg") if i.value != "distinct"]
    if aggs:
        if by is not None:
            reader.take(*aggs)
            return [Measure(aggs[0].value, by[0])], False
        if lead.kind == "sup":
            lead.used = True
        found = named_measures(reader)
        if found:
            reader.take(*reader.of("by", "order"))
            return found[:1], False
        columns = _measure_of(reader, lead, None)
        if columns and aggs[0].value in ("avg", "sum", "median"):
            reader.take(*aggs)
            return [Measure(aggs[0].value, c) for c in columns[:1]], False
        return [], False
    if (share := reader.first("count")) is not None or (
        lead.kind in ("top", "order") and by is None and not _has_numbers(reader)
    ):
        reader.take(share, *reader.of("row", "by", "order"))
        return [Measure("count")], False
    return _implied_measures(reader, lead, by)


def _has_numbers(reader: Reader) -> bool:
    return any(reader.measure_columns(i) for i in reader.of("col", "verb", "sup", "val"))


def _implied_measures(
    reader: Reader, lead: Item, by: tuple[Column, Item] | None
) -> tuple[list[Measure], bool]:
    columns = _measure_of(reader, lead, by)
    mean = reader.first("onavg")
    if not columns:
        if (
            (lead.value in ("most", "least") or _counts_rows(reader, lead))
            and not lead.concepts
            and not reader.has("verb", "base")
            and not any(reader.measure_columns(i) or not i.columns for i in reader.of("col"))
        ):
            reader.take(*reader.of("row"))
            return [Measure("count")], False
        if (tally := reader.table.tally) is not None and not reader.has("verb", "base"):
            return [Measure("sum", tally)], False
        reader.fail(f"no column tells what “{lead.text}” is measured by")
        return [], False
    columns = _sharing(reader, columns)
    if len(columns) > 1:
        reader.fail(
            "it is not clear whether " + " or ".join(f"“{c.name}”" for c in columns[:3]) + " is meant"
        )
        return [], False
    column = columns[0]
    if mean is not None:
        reader.take(mean)
        return [Measure("avg", column)], False
    if column.role == "date":
        return [Measure("max" if lead.value == "last" or lead.direction > 0 else "min", column)], False
    if not column.additive and any(
        i.text.lower() in ("ever", "overall", "single", "individual") for i in reader.items
    ):
        return [Measure("max" if is_downwards(reader, lead) else "min", column)], False
    return [default_measure(column)], True


def _counts_rows(reader: Reader, lead: Item) -> bool:
    """`the largest number of trips` counts rows, `the highest` alone does not."""
    following = reader.after(lead)
    return lead.value in ("max", "min") and following is not None and following.kind in ("row", "unknown")


def _sharing(reader: Reader, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Of several columns, the one that shares a word with another column of the question: home goals of a home team."""
    if len(columns) < 2:
        return columns
    said = {w for i in reader.of("col", unused=False) if len(i.columns) == 1 for w in i.columns[0].words}
    common = set.intersection(*(set(c.words) for c in columns))
    kept = tuple(c for c in columns if (set(c.words) - common) & said)
    return kept if len(kept) == 1 else columns


def most_common(
    reader: Reader, lead: Item, subject: Item | None, limit: Item | None, down: bool
) -> Intent | None:
    """A ranking of groups by how many rows they have."""
    said = (
        subject
        if subject is not None and subject.kind in ("col", "time")
        else next(iter(reader.of("col")), None)
    )
    if said is None:
        return None
    group = group_of(reader, said)
    if group is None:
        return None
    filters = all_filters(reader)
    if group.column.missing:
        filters.append(Filter("notnull", group.column))
    reader.take(lead, said, limit, *reader.of("which", "top", "row"))
    number = int(limit.number) if limit is not None and limit.number else None
    others = [g for g in reader.groups if g != group]
    if others:
        reader.fail("a ranking within groups is more than I can read")
        return None
    return Intent(
        "top",
        reader.table,
        (Measure("count"),),
        (group,),
        tuple(filters),
        descending=down,
        limit=number or _SHOWN,
        only_first=number is None,
    )


def turned(intent: Intent) -> Intent:
    """The same ranking from its other end."""
    swapped = tuple(
        replace(m, fn={"max": "min", "min": "max"}.get(m.fn, m.fn)) if not intent.groups else m
        for m in intent.measures
    )
    return replace(intent, descending=not intent.descending, measures=swapped)
