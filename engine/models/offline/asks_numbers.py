"""Aggregates: named ones, ratios, `how heavy`, and columns of numbers that stand alone."""

from engine.models.offline.column_names import concept_columns
from engine.models.offline.conditions import merge
from engine.models.offline.groups import per_head, time_group, trend_grain
from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.measures import default_measure, named_measures, of_unit
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column

__all__ = ["aggregate_of", "ask_aggregate", "ask_bare", "ask_how", "filters_of"]


def filters_of(reader: Reader) -> tuple[Filter, ...]:
    """All conditions of the question, those on one column put together."""
    return merge([condition.filter for condition in reader.conditions])


def _trend(reader: Reader) -> None:
    """`over time` groups by a grain that suits the dates, unless a time is named."""
    item = reader.first("trend")
    if item is None:
        return
    reader.take(*reader.of("trend"))
    if any(group.grain for group in reader.groups) or any(group.column.year for group in reader.groups):
        return
    date = main_date(reader.table.dates)
    if date is not None:
        reader.groups.insert(0, Group(date, trend_grain(date)))
    elif (group := time_group(reader.table, "year")) is not None:
        reader.groups.insert(0, group)
    else:
        reader.fail("there is no column of dates")


def aggregate_of(reader: Reader, measures: list[Measure], implied: bool = False) -> Intent:
    """An aggregate of `measures` over the groups and conditions that were found."""
    _trend(reader)
    return Intent(
        "aggregate", reader.table, tuple(measures), tuple(reader.groups), filters_of(reader), implied=implied
    )  # fmt: skip


def ask_aggregate(reader: Reader) -> Intent | None:
    """Read aggregates that are named with their columns, and ratios of two columns."""
    per = _ratio(reader)
    if per is not None:
        return aggregate_of(reader, [per])
    count = reader.first("count")
    if count is not None and reader.has("agg"):
        after = reader.after(count)
        if (
            after is not None
            and after.kind in ("col", "val")
            and any(c.measure for c in after.columns)
            and reader.of("agg")[0].start < count.start
        ):
            reader.take(count)
    measures = named_measures(reader) or _valued(reader)
    if not measures:
        return None
    if count is not None and not count.used and any(i.kind == "onavg" for i in reader.items):
        said = reader.after(count)
        reader.take(count if said is not None and said.kind == "col" and said.used else None)
    if (extra := reader.first("onavg")) is not None and all(m.fn == "avg" for m in measures):
        reader.take(extra)
    if (more := reader.first("count")) is not None:
        before = reader.before(more)
        if (before is not None and before.kind == "and") or more.value == "bare":
            reader.take(more, before)
            measures.append(Measure("count"))
    if reader.has("sup") and not _superlatives_explained(reader):
        return None
    return aggregate_of(reader, measures)


def _valued(reader: Reader) -> list[Measure]:
    """`average order value`, `total amount`: the one column of money, where no column is named."""
    aggs = [i for i in reader.of("agg") if i.value in ("avg", "sum", "median", "stddev")]
    worth = [t for t in reader.tokens if t.word in ("value", "amount", "worth", "spend", "size")]
    columns = concept_columns(reader.table, ("money", "price"))
    if len(aggs) != 1 or not worth or len(columns) != 1 or reader.has("col", "count", "verb"):
        return []
    reader.take(*aggs)
    return [Measure(aggs[0].value, columns[0])]


def _superlatives_explained(reader: Reader) -> bool:
    return all(item.used for item in reader.items if item.kind == "sup")


def _ratio(reader: Reader) -> Measure | None:
    """`price per carat`: the mean of one column over another, row by row."""
    for item in reader.of("by"):
        if item.text.lower() not in ("per", "per each"):
            continue
        left, right = reader.before(item), reader.after(item)
        if (
            left is None
            or right is None
            or left.kind != "col"
            or right.kind not in ("col", "unit", "row", "unknown")
            or left.used
            or right.used
        ):
            continue
        over = next((c for c in left.columns if c.measure), None)
        under = (
            next((c for c in right.columns if c.measure), None)
            if right.kind == "col"
            else _of_unit(reader, right)
            if right.kind == "unit"
            else None
        )
        if right.kind in ("row", "unknown"):
            under = per_head(reader, right)
            if under is None:
                continue
        if over is not None and under is not None and over is not under:
            for other in reader.of("agg", "onavg"):
                if other.value not in ("avg",):
                    return None
                reader.take(other)
            reader.take(item, left, right)
            return Measure("ratio", over, per=under)
    return None


def _of_unit(reader: Reader, item: Item) -> Column | None:
    """The one column that is kept in the unit said, so far as names tell."""
    kept = of_unit(reader, item)
    return kept[0] if kept else None


def ask_how(reader: Reader) -> Intent | None:
    """`how heavy is …`, `how much does … cost`, `how long is the longest …`."""
    item = reader.first("howadj", "howmuch")
    if item is None:
        return None
    if item.kind == "howadj":
        lead = next((i for i in reader.of("sup") if i.value == "adj" and i.concepts == item.concepts), None)
        columns = reader.measure_columns(item)
        if not columns:
            reader.fail(f"no column tells what “{item.text}” means")
            return None
    else:
        said = next(
            (other for other in reader.of("col", "verb", "val") if reader.measure_columns(other)), None
        )
        if said is None:
            reader.fail("no column tells how much")
            return None
        columns = reader.measure_columns(said)
        reader.take(said)
    reader.take(item)
    for other in reader.of("col"):
        if set(other.columns) & set(columns):
            reader.take(other)
    if item.kind == "howadj" and lead is not None:
        reader.take(lead, *reader.of("row"))
        fn = "max" if lead.direction > 0 else "min"
        return aggregate_of(reader, [Measure(fn, column) for column in columns[:2]])
    mean = reader.first("onavg")
    reader.take(mean)
    if mean is not None:
        return aggregate_of(reader, [Measure("avg", column) for column in columns[:3]])
    return aggregate_of(reader, [default_measure(column) for column in columns[:3]], implied=True)


def ask_bare(reader: Reader) -> Intent | None:
    """A column of numbers without an aggregate: `revenue by region`, `price of AAPL in January 2005`."""
    said = [item for item in reader.of("col", "val") if reader.measure_columns(item) and not item.used]
    said = said or [item for item in reader.of("verb") if reader.measure_columns(item)]
    said = said or [item for item in reader.of("adj") if reader.measure_columns(item)]
    if reader.groups and not said and _rows_grouped(reader):
        return aggregate_of(reader, [Measure("count")])
    if not said or not (reader.groups or reader.conditions or reader.has("trend")):
        return None
    measures = []
    for item in said:
        columns = tuple(c for c in reader.measure_columns(item) if c.measure)
        if not columns or len(columns) > 2:
            return None
        measures += [default_measure(column) for column in columns]
        reader.take(item)
    return aggregate_of(reader, measures, implied=True)


def _rows_grouped(reader: Reader) -> bool:
    """`cars by origin`: rows and a grouping, nothing else."""
    yes = any(c.filter.op == "is" for c in reader.conditions)
    return (yes or reader.has("row", "unknown", "time")) and not reader.has(
        "agg", "sup", "adj", "verb", "base"
    )
