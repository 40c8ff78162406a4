"""Rankings: top and bottom N, which has the most or least, the longest, the latest, the most common."""

from engine.models.offline.groups import entity_column, group_of
from engine.models.offline.intent import Group, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.measures import ranking_column, superlative_measure
from engine.models.offline.rankings_rows import (
    all_filters,
    asked_places,
    is_downwards,
    most_common,
    rank_groups,
    rank_rows,
)
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS, Column

__all__ = ["ask_ranking"]


def ask_ranking(reader: Reader) -> Intent | None:
    """Read a ranking of rows or of groups; None where no superlative ranks anything."""
    lead = _lead(reader)
    if lead is None:
        return None
    if (ends := _both_ends(reader)) is not None:
        return ends
    if (common := _of_most_rows(reader, lead)) is not None:
        return common
    asked = reader.items[0] if reader.items else None
    if asked is not None and asked.text.lower() == "how":
        asked = reader.items[1] if len(reader.items) > 1 else None
    if asked is not None and asked.kind == "howadj" and asked.concepts == lead.concepts:
        return None
    subject = _subject(reader, lead)
    limit = reader.first("limit")
    number = int(limit.number) if limit is not None and limit.number else None
    if lead.value in ("mode", "rare"):
        return most_common(reader, lead, subject, limit, lead.value == "mode")
    if subject is None and limit is not None and lead.kind == "sup" and not reader.groups:
        subject = lead
    if subject is None:
        return _extreme(reader, lead, limit)
    if lead.concepts[:1] in (("popularity",), ("crowd",)) and not reader.measure_columns(lead):
        return most_common(reader, lead, subject, limit, lead.direction > 0)
    by = ranking_column(reader)
    down = is_downwards(reader, lead)
    group, unique = _group(reader, subject)
    if reader.problem:
        return None
    if unique or group is None:
        return rank_rows(reader, lead, subject, by, down, number, limit)
    return rank_groups(reader, lead, subject, group, by, down, number, limit)


def _both_ends(reader: Reader) -> Intent | None:
    """`the youngest and the oldest passenger`: both extremes of one column."""
    sups = [item for item in reader.of("sup") if item.value == "adj"]
    if len(sups) != 2 or sups[0].direction == sups[1].direction or reader.has("limit"):
        return None
    between = [item for item in reader.items if sups[0].start < item.start < sups[1].start]
    columns = reader.measure_columns(sups[0])
    joined = any(item.kind == "and" for item in between) and all(
        i.kind in ("and", "soft", "row") for i in between
    )
    if not joined or columns != reader.measure_columns(sups[1]) or len(columns) != 1:
        return None
    reader.take(*sups, *between, *reader.of("row", "howadj", "howmuch", "which"))
    for item in reader.of("col", "verb"):
        if columns[0] in reader.measure_columns(item):
            reader.take(item)
    pair = (Measure("min", columns[0]), Measure("max", columns[0]))
    return Intent("aggregate", reader.table, pair, tuple(reader.groups), tuple(all_filters(reader)))


def _of_most_rows(reader: Reader, lead: Item) -> Intent | None:
    """`which port did most passengers embark from`: the commonest value of the column that stands after the rows."""
    rows = reader.after(lead)
    if (
        lead.value not in ("most", "least")
        or rows is None
        or rows.kind != "row"
        or reader.has("agg", "by", "limit")
    ):
        return None
    later = [item for item in reader.of("col") if item.start > rows.start]
    asked = reader.first("which")
    first = reader.after(asked) if asked is not None else None
    if len(later) != 1 or first is None or first.kind != "unknown" or not _may_lead(later[0], lead):
        return None
    first.kind = "soft"
    return most_common(reader, lead, later[0], None, lead.value == "most")


def _extreme(reader: Reader, lead: Item, limit: Item | None) -> Intent | None:
    """`longest bill length`: the extreme of a column, no row or group is asked for."""
    if lead.kind != "sup" or limit is not None or lead.value in ("last", "first"):
        return None
    if lead.value in ("max", "min") and not any(i.kind in ("whenq", "whereq") for i in reader.items):
        return None
    columns = superlative_measure(reader, lead)
    if len(columns) != 1:
        return None
    whens = [*reader.of("whenq"), *asked_places(reader)]
    reader.take(lead, *whens)
    down = is_downwards(reader, lead)
    measure = Measure("max" if down else "min", columns[0])
    if whens:
        return Intent(
            "top",
            reader.table,
            (measure,),
            (),
            tuple(all_filters(reader)),
            descending=down,
            limit=5,
            only_first=True,
        )
    return Intent("aggregate", reader.table, (measure,), tuple(reader.groups), tuple(all_filters(reader)))


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
    if (
        measured is not None
        and measured.kind == "col"
        and reader.measure_columns(measured)
        and lead.kind == "sup"
    ):
        beside = reader.after(measured, ())
        if beside is not None and (
            beside.kind in ("row", "time") or (beside.kind == "unknown" and not beside.used)
        ):
            return beside
    after = reader.after(lead, ("soft", "val", "base", "limit"))
    direct = reader.after(lead)
    if (
        direct is not None
        and direct.kind == "val"
        and direct.used
        and (after is None or after.kind not in ("row", "unknown", "time", "col"))
    ):
        return direct
    if (after is not None and after.kind in ("row", "unknown", "time")) or (
        after is not None and after.kind == "col" and _labels(after)
    ):
        return after if not (after.kind == "unknown" and after.used) else None
    if lead.kind == "order":
        return reader.first("row", "unknown")
    return None


def _names_persons(reader: Reader, column: Column) -> bool:
    """Whether a column can answer `who`."""
    words = set(column.words)
    return bool(words & (_NAMED | PERSONS)) or column.naming or reader.table.may_be_called("person")


_NAMED = frozenset(
    {"name", "artist", "director", "author", "winner", "president", "monarch", "team", "club", "title"}
)


def _labels(item: Item) -> bool:
    return any(not column.measure for column in item.columns)


def _may_lead(item: Item, lead: Item) -> bool:
    if item is lead or item.kind not in ("col", "row", "unknown", "time"):
        return False
    return item.kind != "col" or any(not c.measure or c.category for c in item.columns)


def _group(reader: Reader, subject: Item) -> tuple[Group | None, bool]:
    """How the subject groups rows, and whether each row is one of it anyway."""
    if subject.kind in ("row", "unknown", "val", "sup"):
        return None, True
    if subject.kind == "which":
        column = entity_column(reader.table)
        if column is None or not _names_persons(reader, column):
            reader.fail("there is no column of names")
            return None, True
        return Group(column), column.unique or column.naming
    group = group_of(reader, subject)
    if group is None:
        if reader.problem is None:
            reader.fail("there is no column of dates")
        return None, True
    column = group.column
    if group.grain == "day" and column.unique and column.type == "DATE":
        return group, True
    return group, group.grain is None and (
        column.unique or (column.naming and column.distinct > 0.95 * column.rows)
    )
