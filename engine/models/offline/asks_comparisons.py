"""A against B: which sides, measured by what, and whether a yes or a no is wanted."""

from engine.models.offline.conditions import merge
from engine.models.offline.intent import Filter, Group, Intent, Measure, Side
from engine.models.offline.items import Item
from engine.models.offline.measures import default_measure, named_measures
from engine.models.offline.reader import Condition, Reader

__all__ = ["all_filters", "ask_comparison"]


def all_filters(reader: Reader, leave_out: tuple[Condition, ...] = ()) -> tuple[Filter, ...]:
    """Conditions but for those in `leave_out`, those on one column put together."""
    return merge([c.filter for c in reader.conditions if c not in leave_out])


def ask_comparison(reader: Reader) -> Intent | None:
    """`A vs B`, `is A heavier than B`, `the difference between A and B`, `compare A and B`."""
    than, vs = reader.first("than"), reader.first("vs")
    if (chances := _chances(reader, than or vs)) is not None:
        return chances
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


def _chances(reader: Reader, pivot: Item | None) -> Intent | None:
    """`were women more likely to survive than men`: the share of yes on each side."""
    likely = reader.first("likely") or reader.first("rate")
    flags = [c for c in reader.conditions if c.filter.op == "is"]
    if likely is not None and likely.kind == "rate":
        named = reader.before(likely)
        if named is None or named.kind != "col" or named.used or named.columns[0].yes is None:
            return None
        flag = Filter("is", named.columns[0], (named.columns[0].yes,))
        reader.take(named)
    elif likely is None or not flags:
        return None
    else:
        flag = flags[-1].filter
    pair = _sides(reader, pivot)
    if pivot is None or pair is None or pair[0].filter.column is None or pair[0].filter.column is flag.column:
        return None
    adjective = reader.first("more", "adj")
    up = likely.value != "less" and (adjective is None or adjective.value != "lt")
    reader.take(likely, pivot, adjective, *reader.of("than", "vs", "more", "row", "onavg", "agg"))
    column = pair[0].filter.column
    rest = tuple(f for f in all_filters(reader, pair) if f != flag)
    return Intent(
        "share",
        reader.table,
        groups=(Group(column),),
        filters=(*rest, *merge([c.filter for c in pair])),
        predicate=(flag,),
        sides=tuple(Side(c.text, c.filter) for c in pair),
        verdict=(1 if up else -1) if _is_yes_or_no(reader) else 0,
        descending=up,
    )


def _is_yes_or_no(reader: Reader) -> bool:
    asked = ("do", "does", "did", "is", "are", "was", "were", "has", "have", "had")
    return reader.items[0].text.lower() in asked


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
    reader.take(*reader.of("than"))
    if mean is not None:
        measures = [Measure("avg", m.column) if m.column else m for m in measures]
        implied = False
    asks = _is_yes_or_no(reader) and than is not None
    return Intent(
        "compare",
        reader.table,
        tuple(measures) or (Measure("count"),),
        tuple(reader.groups),
        all_filters(reader, tuple(same)),
        sides=tuple(Side(c.text, c.filter) for c in same),
        verdict=direction if asks else 0,
        descending=direction > 0,
        implied=implied and bool(measures),
    )


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
        "aggregate",
        reader.table,
        tuple(Measure(fn, c) for c in columns),
        tuple(reader.groups),
        all_filters(reader),
        verdict=(1 if up else -1) if asks else 0,
    )
