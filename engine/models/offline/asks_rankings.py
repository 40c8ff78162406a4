"""Rankings: top and bottom N, which has the most or least, the longest, the latest, the most common."""

from dataclasses import replace

from engine.models.offline.conditions import main_date, merge
from engine.models.offline.groups import entity_column, group_of
from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.linking import Item
from engine.models.offline.measures import (
    default_measure,
    named_measures,
    ranking_column,
    superlative_measure,
)
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column
from engine.models.offline.words import word_list

__all__ = ["ask_ranking"]

_SHOWN = 10


def ask_ranking(reader: Reader) -> Intent | None:
    """Read a ranking of rows or of groups; None where no superlative ranks anything."""
    lead = _lead(reader)
    if lead is None:
        return None
    asked = reader.items[0] if reader.items else None
    if asked is not None and asked.text.lower() == "how":
        asked = reader.items[1] if len(reader.items) > 1 else None
    if asked is not None and asked.kind == "howadj" and asked.concepts == lead.concepts:
        return None
    subject = _subject(reader, lead)
    limit = reader.first("limit")
    number = int(limit.number) if limit is not None and limit.number else None
    if lead.value in ("mode", "rare"):
        return _most_common(reader, lead, subject, limit)
    if subject is None:
        return _extreme(reader, lead, limit)
    by = ranking_column(reader)
    down = _downwards(reader, lead)
    group, unique = _group(reader, subject)
    if reader.problem:
        return None
    if unique or group is None:
        return _rows(reader, lead, subject, by, down, number, limit)
    return _groups(reader, lead, subject, group, by, down, number, limit)


def _extreme(reader: Reader, lead: Item, limit: Item | None) -> Intent | None:
    """`longest bill length`: the extreme of a column, no row or group is asked for."""
    if lead.kind != "sup" or limit is not None or lead.value in ("last", "first"):
        return None
    if lead.value in ("max", "min") and not any(i.kind in ("whenq", "whereq") for i in reader.items):
        return None
    columns = superlative_measure(reader, lead)
    if len(columns) != 1:
        return None
    whens = [*reader.of("whenq"), *_wheres(reader)]
    reader.take(lead, *whens)
    down = _downwards(reader, lead)
    measure = Measure("max" if down else "min", columns[0])
    if whens:
        return Intent("top", reader.table, (measure,), (), tuple(_filters(reader)), descending=down, limit=5, only_first=True)
    return Intent("aggregate", reader.table, (measure,), tuple(reader.groups), tuple(_filters(reader)))


_PLACES = frozenset(
    word_list("place city town location country state region zone address neighborhood origin station airport island venue area site")
)


def _wheres(reader: Reader) -> list[Item]:
    """`where was …`, where a column tells places."""
    return reader.of("whereq") if any(_PLACES & set(column.words) for column in reader.table.columns) else []


def _lead(reader: Reader) -> Item | None:
    tops, sups = reader.of("top"), [i for i in reader.of("sup") if i.value != "vague"]
    vague = [i for i in reader.of("sup") if i.value == "vague"]
    if not tops and not sups and vague and (reader.has("verb") or reader.has("by", "order")):
        lead = vague[0]
        lead.direction = -1 if lead.text.lower().startswith("wor") else 1
        return lead
    if not tops and not sups and reader.has("order"):
        return reader.first("order")
    if tops:
        for sup in sups:
            if sup.value in ("most", "least", "adj", "max", "min"):
                return sup
        return tops[0]
    return sups[0] if sups else None


def _downwards(reader: Reader, lead: Item) -> bool:
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


def _subject(reader: Reader, lead: Item) -> Item | None:
    """What is ranked: after `which`, after the number, before `with the highest`, or after the superlative itself."""
    for which in reader.of("which"):
        after = reader.after(
            which, ("soft", "limit", "val", "which") if which.text.lower() != "who" else ("soft",)
        )
        if which.text.lower() == "who":
            return which
        if after is not None and _may_lead(after, lead):
            return after
    for start in [*reader.of("limit"), *reader.of("top")]:
        after = reader.after(start, ("soft", "val", "base", "limit", "agg"))
        if after is lead:
            after = reader.after(lead, ("soft", "val", "base"))
        if after is not None and _may_lead(after, lead):
            return after
    head = [
        i
        for i in reader.items[: reader.index(lead)]
        if i.kind in ("row", "unknown", "time") or (i.kind == "col" and _labels(i))
    ]
    if head and not head[0].used and head[0].start < lead.start:
        return head[0]
    measured = reader.after(lead, ())
    if measured is not None and measured.kind == "col" and reader.measure_columns(measured) and lead.kind == "sup":
        beside = reader.after(measured, ())
        if beside is not None and (beside.kind in ("row", "time") or (beside.kind == "unknown" and not beside.used)):
            return beside
    after = reader.after(lead, ("soft", "val", "base", "limit"))
    direct = reader.after(lead)
    if direct is not None and direct.kind == "val" and direct.used and (after is None or after.kind not in ("row", "unknown", "time", "col")):
        return direct
    if (after is not None and after.kind in ("row", "unknown", "time")) or (
        after is not None and after.kind == "col" and _labels(after)
    ):
        return after if not (after.kind == "unknown" and after.used) else None
    if lead.kind == "order":
        return reader.first("row", "unknown")
    return None


def _labels(item: Item) -> bool:
    return any(not column.measure for column in item.columns)


def _may_lead(item: Item, lead: Item) -> bool:
    if item is lead or item.kind not in ("col", "row", "unknown", "time"):
        return False
    return item.kind != "col" or any(not c.measure or c.category for c in item.columns)


def _group(reader: Reader, subject: Item) -> tuple[Group | None, bool]:
    """How the subject groups rows, and whether each row is one of it anyway."""
    if subject.kind in ("row", "unknown", "val"):
        return None, True
    if subject.kind == "which":
        column = entity_column(reader.table)
        if column is None:
            reader.fail("there is no column of names")
            return None, True
        return Group(column), column.unique or column.naming
    group = group_of(reader, subject)
    if group is None:
        if reader.problem is None:
            reader.fail("there is no column of dates")
        return None, True
    column = group.column
    if group.grain == "day" and column.unique:
        return group, True
    if group.grain == "month" and column.role == "date" and _monthly(reader, column):
        return group, False
    return group, group.grain is None and (
        column.unique or (column.naming and column.distinct > 0.95 * column.rows)
    )


def _monthly(reader: Reader, column: Column) -> bool:
    return column.distinct <= 600


def _filters(reader: Reader) -> list[Filter]:
    return list(merge([c.filter for c in reader.conditions]))


def _measure_of(reader: Reader, lead: Item, by: tuple[Column, Item] | None) -> tuple[Column, ...]:
    if by is not None:
        return (by[0],)
    if lead.kind == "top" or lead.kind == "order":
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
    reader.take(*reader.of("whenq"), *_wheres(reader))
    for item in reader.of("howadj", "howmuch", "verb"):
        if item.kind != "verb" or reader.measure_columns(item):
            reader.take(item)
    for item in reader.of("sup"):
        if item.concepts and item.concepts == lead.concepts:
            reader.take(item)


def _rows(
    reader: Reader,
    lead: Item,
    subject: Item,
    by: tuple[Column, Item] | None,
    down: bool,
    number: int | None,
    limit: Item | None,
) -> Intent | None:
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
            tuple(_filters(reader)),
        )
    later = reader.of("time")
    _finish(reader, lead, subject, limit)
    reader.take(*later)
    if (columns[0].role == "date" or columns[0].year) and lead.concepts == ("age",):
        down = not down
    measure = Measure("max" if down else "min", columns[0])
    return Intent(
        "top", reader.table, (measure,), tuple(reader.groups), tuple(_filters(reader)), columns=_said_columns(reader), descending=down,
        limit=number or _plural(reader, subject), only_first=number is None,
    )  # fmt: skip


def _plural(reader: Reader, subject: Item) -> int:
    return 5


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
    return _groups(reader, lead, subject, Group(column), by, down, number, limit)


def _groups(
    reader: Reader,
    lead: Item,
    subject: Item,
    group: Group,
    by: tuple[Column, Item] | None,
    down: bool,
    number: int | None,
    limit: Item | None,
) -> Intent | None:
    measures, implied = _group_measures(reader, lead, by)
    if reader.problem or not measures:
        return None
    filters = _filters(reader)
    if not any(f.column is group.column for f in filters) and group.column.missing and group.grain is None:
        filters.append(Filter("notnull", group.column))
    _finish(reader, lead, subject, limit)
    groups = tuple(dict.fromkeys([group, *[g for g in reader.groups if g != group]]))
    if len(groups) > 1:
        reader.fail("a ranking within groups is more than I can read")
        return None
    return Intent(
        "top", reader.table, tuple(measures), groups, tuple(filters), descending=down, limit=number or _SHOWN,
        only_first=number is None, implied=implied,
    )  # fmt: skip


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
            lead.value in ("most", "least", "max", "min")
            and not lead.concepts
            and not reader.has("verb", "base") and not any(reader.measure_columns(i) or not i.columns for i in reader.of("col"))
        ):
            reader.take(*reader.of("row"))
            return [Measure("count")], False
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
    if not column.additive and any(i.text.lower() in ("ever", "overall", "single", "individual") for i in reader.items):
        return [Measure("max" if _downwards(reader, lead) else "min", column)], False
    return [default_measure(column)], True


def _sharing(reader: Reader, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Of several columns, the one that shares a word with another column of the question: home goals of a home team."""
    if len(columns) < 2:
        return columns
    said = {w for i in reader.of("col", unused=False) if len(i.columns) == 1 for w in i.columns[0].words}
    common = set.intersection(*(set(c.words) for c in columns))
    kept = tuple(c for c in columns if (set(c.words) - common) & said)
    return kept if len(kept) == 1 else columns


def _most_common(reader: Reader, lead: Item, subject: Item | None, limit: Item | None) -> Intent | None:
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
    filters = _filters(reader)
    if group.column.missing:
        filters.append(Filter("notnull", group.column))
    reader.take(lead, said, limit, *reader.of("which", "top", "row"))
    number = int(limit.number) if limit is not None and limit.number else None
    others = [g for g in reader.groups if g != group]
    if others:
        reader.fail("a ranking within groups is more than I can read")
        return None
    return Intent(
        "top", reader.table, (Measure("count"),), (group,), tuple(filters), descending=lead.value == "mode",
        limit=number or _SHOWN, only_first=number is None,
    )  # fmt: skip


def turned(intent: Intent) -> Intent:
    """The same ranking from its other end."""
    swapped = tuple(
        replace(m, fn={"max": "min", "min": "max"}.get(m.fn, m.fn)) if not intent.groups else m
        for m in intent.measures
    )
    return replace(intent, descending=not intent.descending, measures=swapped)
