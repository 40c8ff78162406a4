"""Questions that relate things: correlations, changes from first to last, shares, and A against B."""

from engine.models.offline.asks_comparisons import all_filters
from engine.models.offline.conditions import merge
from engine.models.offline.groups import entity_column
from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.measures import default_measure
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Condition, Reader
from engine.models.offline.schema import Column
from engine.models.offline.words import word_list

__all__ = ["ask_change", "ask_correlation", "ask_share"]


_VERBS = frozenset(
    word_list("""
        is are was were come comes came have has had made belong belongs live lives cost costs weigh
        weighs that who which got get go goes do does did take took contain built sold
    """)
)


def ask_correlation(reader: Reader) -> Intent | None:
    """`correlation between A and B`, `how strongly do A and B correlate`; by group where one is said."""
    item = reader.first("corr")
    if item is None:
        return None
    said = [
        other
        for other in reader.of("col", "val", "verb", "adj", "howadj", "time")
        if reader.measure_columns(other) or other.kind == "col" or (other.kind == "time" and other.columns)
    ]
    columns = [reader.measure_columns(other)[:1] or other.columns[:1] for other in said]
    ambiguous = next((other for other in said if len(reader.measure_columns(other)) > 1), None)
    if ambiguous is not None:
        reader.fail(f"“{ambiguous.text}” may mean several columns")
        return None
    if len(columns) != 2:
        reader.fail("a correlation needs two columns of numbers")
        return None
    reader.take(item, *said, *reader.of("corr", "between", "vs", "and", "bymuch", "count"))
    pair = (columns[0][0], columns[1][0])
    numbers = [column for column in pair if column.role == "number"]
    labels = [column for column in pair if column.role == "text"]
    if len(numbers) == 1 and len(labels) == 1:
        return Intent(
            "aggregate", reader.table, (Measure("avg", numbers[0]),), (Group(labels[0]),), all_filters(reader)
        )
    if len(numbers) != 2:
        reader.fail("a correlation needs two columns of numbers")
        return None
    return Intent(
        "correlation", reader.table, groups=tuple(reader.groups), filters=all_filters(reader), columns=pair
    )


def ask_change(reader: Reader) -> Intent | None:
    """`by how many percent did A rise from the first to the last month`, `how much did A grow from 2010 to 2015`."""
    items = reader.of("change")
    if not items:
        return None
    percent = any(item.value == "pct" for item in items) or reader.has("share")
    spans = [c for c in reader.conditions if c.filter.op == "when" and c.filter.when is not None]
    spans += [
        c
        for c in reader.conditions
        if c.filter.op == "between" and c.filter.column is not None and c.filter.column.year
    ]
    ends = [item for item in reader.of("sup") if item.value in ("first", "last")]
    amount = (
        percent
        or reader.has("bymuch", "howmuch")
        or any(i.text.lower().startswith(("by how", "how much")) for i in items)
    )
    if reader.has("trend") or reader.groups or not (amount or len(ends) == 2):
        if reader.groups or reader.has("trend"):
            reader.take(*items)
        return None
    date = main_date(reader.table.dates) or next((c for c in reader.table.columns if c.year), None)
    said = [
        i
        for i in reader.of("col", "verb", "val")
        if reader.measure_columns(i) and not (i.kind == "val" and i.entries)
    ]
    measures = [c for i in said for c in reader.measure_columns(i)[:1] if c.measure]
    if not measures and len(reader.table.measures) == 1:
        measures = [reader.table.measures[0]]
    if date is None or len(measures) != 1 or (not ends and not spans and not _whole(reader)):
        reader.fail("it is not clear from when to when")
        return None
    reader.take(
        *items,
        *said,
        *ends,
        *reader.of(
            "from", "to", "time", "share", "bymuch", "howmuch", "between", "onavg", "agg", "when", "count"
        ),
    )
    grain = "year" if spans or date.year else None
    return Intent(
        "change",
        reader.table,
        (default_measure(measures[0]),),
        (Group(date, "year" if grain and date.role == "date" else None),),
        all_filters(reader),
        percent=percent,
    )


def _whole(reader: Reader) -> bool:
    return reader.has("extent") or any(
        item.text.lower() in ("over the years", "overall") for item in reader.items
    )


def ask_share(reader: Reader) -> Intent | None:
    """`what share of A are B`, `percentage of rows by group`, `share of total revenue from X`."""
    item = reader.first("share", "rate")
    if item is None or (item.kind == "rate" and not _flag_beside(reader, item)):
        return None
    if item.kind == "rate":
        return _rate(reader, item)
    for other in reader.of("share"):
        if (part := _part_of(reader, other)) is not None:
            return part
    if reader.has("missing") and not reader.conditions:
        return None
    summed = next(
        (
            i
            for i in reader.of("col")
            if any(c.additive for c in i.columns)
            and (i.exact or not i.text.lower().endswith("s"))
            and reader.before(i, ("soft", "agg", "val", "col", "row")) is item
        ),
        None,
    )
    if summed is not None:
        column = next(c for c in summed.columns if c.additive)
        reader.take(
            item,
            *[i for i in reader.of("col") if column in i.columns],
            *[i for i in reader.of("agg") if i.value == "sum"],
        )
        return _share_of_sum(reader, column)
    counted = reader.after(item)
    if (
        counted is not None
        and counted.kind == "col"
        and reader.conditions
        and all(c.measure for c in counted.columns)
    ):
        counted.kind = "row"
    reader.take(
        item, *[i for i in reader.of("agg") if i.value == "sum"], *reader.of("count"), *reader.of("share")
    )
    if not reader.groups and not reader.conditions:
        columns = [i for i in reader.of("col") if len(i.columns) == 1 and not i.columns[0].measure]
        if len(columns) == 1:
            reader.take(columns[0], *reader.of("row"))
            return Intent(
                "aggregate", reader.table, (Measure("count"),), (Group(columns[0].columns[0]),), as_share=True
            )
        reader.fail("it is not clear of what the share is meant")
        return None
    reader.take(*reader.of("row"))
    base, predicate = _partition(reader, item)
    if not predicate:
        return Intent(
            "aggregate",
            reader.table,
            (Measure("count"),),
            tuple(reader.groups),
            merge([c.filter for c in base]),
            as_share=True,
        )
    return Intent(
        "share",
        reader.table,
        groups=tuple(reader.groups),
        filters=merge([c.filter for c in base]),
        predicate=merge([c.filter for c in predicate]),
    )


def _part_of(reader: Reader, item: Item) -> Intent | None:
    """`tip as a percentage of the bill`: one column over another."""
    left = reader.before(item, ("soft", "row", "agg"))
    right = reader.after(item, ("soft", "row", "agg"))
    if left is None or right is None or left.kind != "col" or right.kind != "col" or left.used or right.used:
        return None
    over, under = reader.measure_columns(left), reader.measure_columns(right)
    between = [token.word for token in reader.tokens[left.end : item.start]]
    if len(over) != 1 or len(under) != 1 or over == under or "as" not in between:
        return None
    reader.take(left, right, *reader.of("share", "agg", "onavg"))
    for other in reader.of("col"):
        if over[0] in other.columns or under[0] in other.columns:
            reader.take(other)
    measure = Measure("percent", over[0], per=under[0])
    return Intent("aggregate", reader.table, (measure,), tuple(reader.groups), all_filters(reader))


def _partition(reader: Reader, item: Item) -> tuple[list[Condition], list[Condition]]:
    """Conditions that say of what the share is taken, and those that say what is counted."""
    conditions = reader.conditions
    before = [c for c in conditions if c.start < item.start]
    after = [c for c in conditions if c.start >= item.start]
    verbs = [
        o
        for o in reader.items
        if o.start > item.end and o.text.lower() in _VERBS and o.kind in ("soft", "verb", "neg", "which")
    ]
    cut = next((v.start for v in verbs if any(c.start >= v.start for c in after)), None)
    times = [
        c
        for c in after
        if c.filter.when is not None or (c.filter.column is not None and c.filter.column.year)
    ]
    if cut is not None and any(c.start < cut for c in after):
        base, predicate = [c for c in after if c.start < cut], [c for c in after if c.start >= cut]
    elif len(after) > 1 and after[-1].filter.op == "is":
        base, predicate = after[:-1], after[-1:]
    else:
        base, predicate = [], after
    moved = [c for c in predicate if c in times]
    if len(moved) < len(predicate):
        base, predicate = [*base, *moved], [c for c in predicate if c not in moved]
    if not predicate and before and not reader.groups:
        return [], before
    if reader.groups and predicate and not before and cut is None and all(c in times for c in predicate):
        return [*base, *predicate], []
    return [*before, *base], predicate


def _share_of_sum(reader: Reader, column: Column) -> Intent | None:
    if reader.groups:
        return Intent(
            "aggregate",
            reader.table,
            (Measure("sum", column),),
            tuple(reader.groups),
            all_filters(reader),
            as_share=True,
        )
    times = [c for c in reader.conditions if c.filter.when is not None]
    predicate = [c for c in reader.conditions if c not in times] or times
    base = [c for c in reader.conditions if c not in predicate]
    if not predicate:
        reader.fail("it is not clear of what the share is meant")
        return None
    return Intent(
        "share",
        reader.table,
        (Measure("sum", column),),
        filters=merge([c.filter for c in base]),
        predicate=merge([c.filter for c in predicate]),
    )


def _flag_beside(reader: Reader, item: Item) -> Item | None:
    before = reader.before(item)
    return (
        before if before is not None and before.kind == "col" and before.columns[0].yes is not None else None
    )


def _rate(reader: Reader, item: Item) -> Intent | None:
    flag = _flag_beside(reader, item)
    assert flag is not None
    column = flag.columns[0]
    reader.take(item, flag, *reader.of("onavg"), *[i for i in reader.of("agg") if i.value in ("avg", "sum")])
    conditions = all_filters(reader)
    predicate = (Filter("is", column, (column.yes or "",)),)
    return Intent("share", reader.table, groups=tuple(reader.groups), filters=conditions, predicate=predicate)


def entity(reader: Reader) -> Column | None:
    """The column that names what rows are about."""
    return entity_column(reader.table)
