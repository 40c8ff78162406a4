"""From a reader's items to an intent: which kind of question it is, and what is still unexplained in it.

Each `_ask_…` looks for one kind of question and returns None where it is another. The order matters: what has
a word of its own comes first, plain aggregates, counts and lists last.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.models.offline import asks_charts, asks_rankings, asks_relations
from engine.models.offline.concepts import UNITS
from engine.models.offline.conditions import main_date, merge, read_conditions
from engine.models.offline.groups import read_groups, time_group, trend_grain
from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.leftovers import unexplained
from engine.models.offline.measures import default_measure, named_measures
from engine.models.offline.linking import Item, concept_columns
from engine.models.offline.reader import Reader, open_reader
from engine.models.offline.refusals import refusal
from engine.models.offline.schema import Column, Table

__all__ = ["Reading", "filters_of", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading one question over one table."""

    table: Table
    reader: Reader
    intent: Intent | None = None
    problem: str | None = None
    """Why there is no intent, as the second half of a sentence."""
    refused: str | None = None
    """A kind of question that no table answers: `cause`, `future`, `advice`, `mutate`, `self`, `greet`, `vague`."""

    @property
    def explained(self) -> int:
        """How many items were put to use."""
        return sum(item.used for item in self.reader.items)


def read(question: str, table: Table) -> Reading:
    """Read `question` over `table`."""
    reader = open_reader(question, table)
    refused = refusal(reader)
    if refused is not None:
        return Reading(table, reader, refused=refused)
    read_conditions(reader)
    read_groups(reader)
    intent = _first_of(reader)
    if intent is None or reader.problem is not None:
        return Reading(table, reader, problem=reader.problem or unexplained(reader, None))
    rest = unexplained(reader, intent)
    if rest is not None:
        return Reading(table, reader, problem=rest)
    return Reading(table, reader, replace(intent, noun=_noun(reader)))


def _first_of(reader: Reader) -> Intent | None:
    asks: tuple[Callable[[Reader], Intent | None], ...] = (
        _ask_having,
        _ask_missing_table,
        _ask_describe,
        asks_relations.ask_correlation,
        asks_relations.ask_change,
        asks_relations.ask_share,
        asks_charts.ask_chart,
        asks_relations.ask_comparison,
        _ask_extent,
        asks_charts.ask_distribution,
        asks_rankings.ask_ranking,
        _ask_aggregate,
        _ask_count,
        _ask_how,
        _ask_list,
        _ask_bare,
    )
    for ask in asks:
        intent = ask(reader)
        if intent is not None or reader.problem is not None:
            return intent
    return None


def _noun(reader: Reader) -> str:
    for item in reader.items:
        if item.kind == "row" and item.text.lower() != reader.table.name:
            return item.text.lower()
    return reader.nouns[0].lower() if reader.nouns else "rows"


def filters_of(reader: Reader) -> tuple[Filter, ...]:
    """All conditions of the question, those on one column put together."""
    return merge([condition.filter for condition in reader.conditions])


def _ask_having(reader: Reader) -> Intent | None:
    if reader.having is None:
        return None
    reader.take(*reader.of("which", "list", "row", "tail"))
    filters = (*filters_of(reader), Filter("notnull", reader.groups[-1].column))
    return Intent(
        "top", reader.table, (Measure("count"),), tuple(reader.groups[-1:]), filters, having=reader.having, limit=1000,
    )  # fmt: skip


def _ask_missing_table(reader: Reader) -> Intent | None:
    missing = reader.of("missing")
    if not missing or reader.of("agg") or any(c.filter.op in ("null", "notnull") for c in reader.conditions):
        return None
    if reader.has("col"):
        return None
    reader.take(*missing, *reader.of("describe", "count", "and", "share", "by", "which", "groups"))
    return Intent("missing_table", reader.table, filters=filters_of(reader))


def _ask_describe(reader: Reader) -> Intent | None:
    item = reader.first("describe", "head")
    if (
        item is None
        or reader.conditions
        or reader.groups
        or reader.has("agg", "sup", "top", "chart", "vs", "than")
    ):
        return None
    columns = [c for other in reader.of("col") if other.text.lower() != "table" for c in other.columns]
    if item.kind == "head":
        reader.take(item, *reader.of("list", "limit", "num", "row"))
        return Intent("head", reader.table, limit=10)
    numbers = tuple(column for column in columns if column.measure)
    reader.take(item, *reader.of("col", "describe", "list", "count", "which", "row", "head", "time", "dist"))
    if len(numbers) == 1 and len(columns) == 1:
        return _spread(reader.table, numbers[0])
    return Intent("describe", reader.table, columns=tuple(columns))


def _spread(table: Table, column: Column) -> Intent:
    quartiles = tuple(Measure("pctl", column, share) for share in (0.25, 0.75))
    low, high = Measure("min", column), Measure("max", column)
    middle = (Measure("avg", column), Measure("median", column), Measure("stddev", column))
    return Intent("aggregate", table, (*middle, low, *quartiles, high))


def _ask_extent(reader: Reader) -> Intent | None:
    span, minmax = reader.first("extent"), reader.first("range")
    if minmax is not None:
        columns = [c for item in reader.of("col") for c in item.columns if c.role in ("number", "date")]
        dates = reader.of("time")
        if not columns and dates and (date := main_date(reader.table.dates)):
            columns = [date]
        if len(columns) == 1:
            reader.take(minmax, *reader.of("col", "time"))
            pair = (Measure("min", columns[0]), Measure("max", columns[0]))
            return Intent("aggregate", reader.table, pair, tuple(reader.groups), filters_of(reader))
    if span is None:
        return None
    column = main_date(reader.table.dates) or next((c for c in reader.table.columns if c.year), None)
    if column is None:
        reader.fail("there is no column of dates")
        return None
    reader.take(span, *reader.of("time", "from", "to", "extent", "whenq"))
    for item in reader.of("col"):
        if column in item.columns:
            reader.take(item)
    pair = (Measure("min", column), Measure("max", column))
    return Intent("extent", reader.table, pair, filters=filters_of(reader))


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


def _aggregate(reader: Reader, measures: list[Measure], implied: bool = False) -> Intent:
    _trend(reader)
    return Intent(
        "aggregate", reader.table, tuple(measures), tuple(reader.groups), filters_of(reader), implied=implied
    )  # fmt: skip


def _ask_aggregate(reader: Reader) -> Intent | None:
    per = _ratio(reader)
    if per is not None:
        return _aggregate(reader, [per])
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
    if (extra := reader.first("onavg")) is not None and all(m.fn == "avg" for m in measures):
        reader.take(extra)
    if (more := reader.first("count")) is not None:
        before = reader.before(more)
        if (before is not None and before.kind == "and") or more.value == "bare":
            reader.take(more, before)
            measures.append(Measure("count"))
    if reader.has("sup") and not _superlatives_explained(reader):
        return None
    return _aggregate(reader, measures)


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
            or right.kind not in ("col", "unit")
            or left.used
            or right.used
        ):
            continue
        over = next((c for c in left.columns if c.measure), None)
        under = next((c for c in right.columns if c.measure), None) if right.kind == "col" else _of_unit(reader, right)
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
    kept = [c for c in reader.table.measures if c.unit and UNITS.get(c.unit) == UNITS[item.value]]
    return kept[0] if len(kept) == 1 else None


def _ask_count(reader: Reader) -> Intent | None:
    counts = reader.of("count")
    distinct = [item for item in reader.of("agg") if item.value == "distinct"]
    if not counts and not distinct:
        return None
    item = counts[0] if counts else distinct[0]
    after = reader.after(item, ("soft", "agg", "both")) if counts else reader.after(item)
    reader.take(*counts, *reader.of("onavg") if distinct else ())
    for other in reader.of("agg"):
        if other.value == "sum":
            reader.take(other)
    if after is not None and after.kind in ("col", "val") and not after.used and after.columns:
        return _count_column(reader, after.columns, distinct, bool(counts))
    if after is not None and after.kind == "time" and not after.used:
        return _count_times(reader, after.value, distinct, counts[0].text if counts else "")
    if distinct and not (after is not None and after.kind in ("row", "unknown")):
        return None
    reader.take(*[other for other in reader.of("row")])
    _having_some(reader)
    if distinct:
        return None
    return _aggregate(reader, [Measure("count")])


def _having_some(reader: Reader) -> None:
    """`orders that had a discount`: a column of amounts that is not zero."""
    for item in reader.of("col"):
        words = [token.word for token in reader.tokens[max(0, item.start - 2) : item.start]]
        numbers = [c for c in item.columns if c.measure and c.low == 0.0]
        if len(numbers) == 1 and words and words[-1] in ("a", "an", "any", "some") and not reader.groups:
            reader.add(Filter(">", numbers[0], (0.0,)), item)
            reader.take(item)


def _count_column(reader: Reader, columns: tuple[Column, ...], distinct: list, counts: bool) -> Intent | None:  # type: ignore[type-arg]
    item = next(other for other in reader.of("col", "val") if other.columns == columns)
    numbers = [column for column in columns if column.measure]
    labels = [column for column in columns if not column.measure]
    if numbers and not distinct:
        reader.take(item)
        if len(numbers) > 2:
            reader.fail(f"“{item.text}” may mean several columns")
        return _aggregate(reader, [default_measure(column) for column in numbers], implied=True)
    column = (labels or numbers)[0]
    if len(labels) > 1 and not distinct:
        reader.fail(f"“{item.text}” may mean several columns")
        return None
    reader.take(item, *distinct)
    if not counts:
        return Intent(
            "distinct",
            reader.table,
            columns=(column,),
            filters=filters_of(reader),
            groups=tuple(reader.groups),
        )
    return _aggregate(reader, [Measure("distinct", column)])


def _count_times(reader: Reader, grain: str, distinct: list, said: str) -> Intent | None:  # type: ignore[type-arg]
    item = reader.of("time")[0]
    date = main_date(reader.table.dates)
    reader.take(item, *distinct)
    if date is None:
        group = time_group(reader.table, grain)
        if group is None:
            reader.fail("there is no column of dates")
            return None
        return _aggregate(reader, [Measure("distinct", group.column)])
    if grain == "day" and date.unique:
        return _aggregate(reader, [Measure("count")])
    group = time_group(reader.table, grain)
    if group is None or group.grain is None:
        return None if group is None else _aggregate(reader, [Measure("distinct", group.column)])
    return (
        replace(
            _aggregate(reader, [Measure("distinct", date)]),
            columns=(date,),
            groups=tuple(reader.groups),
            limit=None,
        )
        if grain == "day"
        else None
    )


def _ask_how(reader: Reader) -> Intent | None:
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
        return _aggregate(reader, [Measure(fn, column) for column in columns[:2]])
    mean = reader.first("onavg")
    reader.take(mean)
    if mean is not None:
        return _aggregate(reader, [Measure("avg", column) for column in columns[:3]])
    return _aggregate(reader, [default_measure(column) for column in columns[:3]], implied=True)


def _ask_list(reader: Reader) -> Intent | None:
    asked = reader.first("which", "list")
    columns = [item for item in reader.of("col") if not item.used]
    labels = [c for item in columns for c in item.columns[:1] if not c.measure]
    distinct = [item for item in reader.of("agg") if item.value == "distinct"]
    if len(columns) == 1 and labels and not labels[0].naming and (asked or distinct or not reader.conditions):
        if asked is None and not distinct and not _shows(reader):
            return None
        if labels[0].role == "date" and not labels[0].unique:
            return None
        if not labels[0].unique and labels[0].role != "date":
            reader.take(columns[0], asked, *distinct, *reader.of("row"))
            return Intent(
                "distinct",
                reader.table,
                columns=(labels[0],),
                filters=filters_of(reader),
                groups=tuple(reader.groups),
            )
    rows = reader.of("row") or [item for item in reader.of("unknown", "time")]
    if not (reader.conditions or columns) or reader.groups or (asked is None and not rows and not columns):
        return None
    if not reader.conditions and not any(c.naming or c.unique for c in labels):
        return None
    if asked is None and not reader.of("row") and not _shows(reader) and not labels:
        return None
    if asked is None and any(c.measure for item in columns for c in item.columns):
        return None
    if any(len(item.columns) > 1 for item in columns):
        return None
    reader.take(asked, *columns, *rows[:1] if rows and rows[0].kind != "unknown" else ())
    shown = tuple(column for item in columns for column in item.columns)
    return Intent("list", reader.table, columns=shown, filters=filters_of(reader))


def _shows(reader: Reader) -> bool:
    return any(
        token.word in ("show", "list", "give", "display", "find", "get") for token in reader.tokens[:4]
    )


def _ask_bare(reader: Reader) -> Intent | None:
    """A column of numbers without an aggregate: `revenue by region`, `price of AAPL in January 2005`."""
    said = [item for item in reader.of("col", "val") if reader.measure_columns(item) and not item.used]
    said = said or [item for item in reader.of("verb") if reader.measure_columns(item)]
    said = said or [item for item in reader.of("adj") if reader.measure_columns(item)]
    if reader.groups and not said and _rows_grouped(reader):
        return _aggregate(reader, [Measure("count")])
    if not said or not (reader.groups or reader.conditions or reader.has("trend")):
        return None
    measures = []
    for item in said:
        columns = tuple(c for c in reader.measure_columns(item) if c.measure)
        if not columns or len(columns) > 2:
            return None
        measures += [default_measure(column) for column in columns]
        reader.take(item)
    return _aggregate(reader, measures, implied=True)


def _rows_grouped(reader: Reader) -> bool:
    """`cars by origin`: rows and a grouping, nothing else."""
    yes = any(c.filter.op == "is" for c in reader.conditions)
    return (yes or reader.has("row", "unknown", "time")) and not reader.has("agg", "sup", "adj", "verb", "base")
