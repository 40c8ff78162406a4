"""Questions that relate things: correlations, changes from first to last, shares, and A against B."""

from engine.models.offline.words import word_list
from engine.models.offline.conditions import main_date, merge
from engine.models.offline.groups import entity_column
from engine.models.offline.intent import Filter, Group, Intent, Measure, Side
from engine.models.offline.linking import Item
from engine.models.offline.measures import default_measure, named_measures
from engine.models.offline.reader import Condition, Reader
from engine.models.offline.schema import Column

__all__ = ["ask_change", "ask_comparison", "ask_correlation", "ask_share"]

_VERBS = frozenset(word_list("""
    is are was were come comes came have has had made belong belongs live lives cost costs weigh weighs that
    who which got get go goes do does did take took contain built sold
"""))  # fmt: skip


def _filters(reader: Reader, leave_out: tuple[Condition, ...] = ()) -> tuple[Filter, ...]:
    return merge([c.filter for c in reader.conditions if c not in leave_out])


def ask_correlation(reader: Reader) -> Intent | None:
    """`correlation between A and B`, `how strongly do A and B correlate`; by group where one is said."""
    item = reader.first("corr")
    if item is None:
        return None
    said = [
        other
        for other in reader.of("col", "val", "verb", "adj", "howadj")
        if reader.measure_columns(other) or other.kind == "col"
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
            "aggregate", reader.table, (Measure("avg", numbers[0]),), (Group(labels[0]),), _filters(reader)
        )
    if len(numbers) != 2:
        reader.fail("a correlation needs two columns of numbers")
        return None
    return Intent(
        "correlation", reader.table, groups=tuple(reader.groups), filters=_filters(reader), columns=pair
    )


def ask_change(reader: Reader) -> Intent | None:
    """`by how many percent did A rise from the first to the last month`, `how much did A grow from 2010 to 2015`."""
    items = reader.of("change")
    if not items:
        return None
    percent = any(item.value == "pct" for item in items) or reader.has("share")
    spans = [c for c in reader.conditions if c.filter.op == "when" and c.filter.when is not None]
    spans += [c for c in reader.conditions if c.filter.op == "between" and c.filter.column is not None and c.filter.column.year]
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
        "change", reader.table, (default_measure(measures[0]),), (Group(date, "year" if grain and date.role == "date" else None),),
        _filters(reader), percent=percent,
    )  # fmt: skip


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
    if reader.has("missing") and not reader.conditions:
        return None
    summed = next(
        (
            i
            for i in reader.of("col")
            if any(c.additive for c in i.columns) and (i.exact or not i.text.lower().endswith("s")) and reader.before(i, ("soft", "agg", "val", "col", "row")) is item
        ),
        None,
    )
    if summed is not None:
        column = next(c for c in summed.columns if c.additive)
        reader.take(item, *[i for i in reader.of("col") if column in i.columns], *[i for i in reader.of("agg") if i.value == "sum"])
        return _share_of_sum(reader, column)
    counted = reader.after(item)
    if counted is not None and counted.kind == "col" and reader.conditions and all(c.measure for c in counted.columns):
        counted.kind = "row"
    reader.take(item, *[i for i in reader.of("agg") if i.value == "sum"], *reader.of("count"))
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
        "share", reader.table, groups=tuple(reader.groups), filters=merge([c.filter for c in base]),
        predicate=merge([c.filter for c in predicate]),
    )  # fmt: skip


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
            _filters(reader),
            as_share=True,
        )
    times = [c for c in reader.conditions if c.filter.when is not None]
    predicate = [c for c in reader.conditions if c not in times] or times
    base = [c for c in reader.conditions if c not in predicate]
    if not predicate:
        reader.fail("it is not clear of what the share is meant")
        return None
    return Intent(
        "share", reader.table, (Measure("sum", column),), filters=merge([c.filter for c in base]),
        predicate=merge([c.filter for c in predicate]),
    )  # fmt: skip


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
    conditions = _filters(reader)
    predicate = (Filter("is", column, (column.yes or "",)),)
    return Intent("share", reader.table, groups=tuple(reader.groups), filters=conditions, predicate=predicate)


def ask_comparison(reader: Reader) -> Intent | None:
    """`A vs B`, `is A heavier than B`, `the difference between A and B`, `compare A and B`."""
    than, vs = reader.first("than"), reader.first("vs")
    if than is None:
        than = next((i for i in reader.of("op") if i.text.lower().endswith(" than")), None)
    compared, difference = reader.first("compare"), reader.first("bymuch")
    either = reader.first("or") if reader.has("adj", "more", "sup") else None
    if not (than or vs or compared or difference or either):
        return None
    sides = _sides(reader, than or vs)
    if sides is None:
        return _two_columns(reader, than, difference) if than or difference else None
    return _compare(reader, sides, than, difference)


def _sides(reader: Reader, pivot: Item | None) -> tuple[Condition, Condition] | None:
    plain = [
        c
        for c in reader.conditions
        if c.filter.op in ("=", "is", "when", "begins", "contains") and not c.filter.negated
    ]
    right = [c for c in plain if pivot is not None and c.start >= pivot.end]
    left = [c for c in plain if pivot is not None and c.end <= pivot.start]
    for second in right:
        for first in reversed(left):
            if first.filter.column is second.filter.column and first.filter != second.filter:
                return first, second
    for index, first in enumerate(plain):
        for second in plain[index + 1 :]:
            if first.filter.column is second.filter.column and first.filter != second.filter:
                return first, second
    if pivot is not None and left and reader.has("rest"):
        other = left[-1]
        rest = reader.first("rest")
        assert rest is not None
        reader.take(rest)
        reverse = Condition(
            Filter(
                other.filter.op,
                other.filter.column,
                other.filter.values,
                not other.filter.negated,
                other.filter.when,
            ),
            rest.start,
            rest.end,
            "the others",
        )
        reader.conditions.append(reverse)
        return other, reverse
    return None


def _compare(
    reader: Reader, pair: tuple[Condition, Condition], than: Item | None, difference: Item | None
) -> Intent | None:
    same = [
        c
        for c in reader.conditions
        if c.filter.column is pair[0].filter.column and c.filter.op == pair[0].filter.op
    ]
    if than is not None or len(same) == 2:
        same = list(pair)
    adjective = reader.first("adj", "more")
    direction = 1
    measures: list[Measure] = named_measures(reader) if reader.has("agg", "onavg") else []
    if than is not None and than.kind == "op":
        direction = -1 if than.value.startswith("<") else 1
        measures = measures or _measured(reader, than)
    elif adjective is not None:
        direction = adjective.direction if adjective.kind == "adj" else (1 if adjective.value == "gt" else -1)
        measures = measures or _measured(reader, adjective)
    if not measures:
        measures = _measured(reader, None)
    if reader.problem:
        return None
    implied = not measures or any(m.fn in ("sum", "avg") for m in measures)
    implied = implied and not any(i.kind in ("agg", "onavg") and i.used for i in reader.items)
    mean = reader.first("onavg")
    reader.take(
        adjective,
        than,
        difference,
        mean,
        *reader.of("vs", "compare", "more", "which", "or", "between", "bymuch", "count", "row"),
    )
    reader.take(*[i for i in reader.of("than")])
    if mean is not None:
        measures = [Measure("avg", m.column) if m.column else m for m in measures]
        implied = False
    lead = reader.items[0].text.lower()
    asks = lead in ("do", "does", "did", "is", "are", "was", "were", "has", "have", "had") and (
        than is not None
    )
    return Intent(
        "compare", reader.table, tuple(measures) or (Measure("count"),), tuple(reader.groups), _filters(reader, tuple(same)),
        sides=tuple(Side(c.text, c.filter) for c in same), verdict=direction if asks else 0, descending=direction > 0,
        implied=implied and bool(measures),
    )  # fmt: skip


def _measured(reader: Reader, item: Item | None) -> list[Measure]:
    """What two sides are compared by: a column that is named, or one that the adjective or a verb speaks of."""
    said = [i for i in reader.of("col", "verb", "howadj") if reader.measure_columns(i) and not i.used]
    if said:
        columns = reader.measure_columns(said[0])
        if len(columns) > 2:
            reader.fail(f"“{said[0].text}” may mean several columns")
        reader.take(*said[:1])
        return [default_measure(column) for column in columns[:2]]
    if item is not None and item.kind == "adj":
        columns = reader.measure_columns(item)
        if not columns:
            reader.fail(f"no column tells what “{item.text}” means")
        return [default_measure(column) for column in columns[:2]]
    said = [i for i in reader.of("val") if i.columns and reader.measure_columns(i)]
    if said:
        reader.take(said[0])
        return [default_measure(c) for c in reader.measure_columns(said[0])[:1]]
    if item is not None and (verb := reader.first("verb")) is not None:
        reader.fail(f"no column tells what “{verb.text}” means")
    return []


def _two_columns(reader: Reader, than: Item | None, difference: Item | None) -> Intent | None:
    """Two columns of the same rows against each other."""
    said = [i for i in reader.of("col") if len(reader.measure_columns(i)) == 1]
    if len(said) != 2:
        return None
    columns = [reader.measure_columns(i)[0] for i in said]
    fn = next(
        (i.value for i in reader.of("agg", "onavg") if i.value in ("avg", "median", "sum", "max", "min")),
        "avg",
    )
    adjective = reader.first("adj", "more")
    up = adjective is None or (
        adjective.direction > 0 if adjective.kind == "adj" else adjective.value == "gt"
    )
    if than is not None and than.kind == "op":
        up = not than.value.startswith("<")
    reader.take(than, difference, adjective, *said, *reader.of("agg", "onavg", "and", "between", "bymuch"))
    lead = reader.items[0].text.lower()
    asks = than is not None and lead in ("do", "does", "did", "is", "are", "was", "were")
    return Intent(
        "aggregate", reader.table, tuple(Measure(fn, c) for c in columns), tuple(reader.groups), _filters(reader),
        verdict=(1 if up else -1) if asks else 0,
    )  # fmt: skip


def entity(reader: Reader) -> Column | None:
    """The column that names what rows are about."""
    return entity_column(reader.table)
