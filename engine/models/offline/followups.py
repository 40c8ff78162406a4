"""Questions that go on from the one before: `and by island?`, `only 2013`, `what about X`, `now as a chart`."""

import re
from dataclasses import replace

from engine.models.offline.asks import Reading
from engine.models.offline.asks_charts import drawn
from engine.models.offline.asks_numbers import filters_of
from engine.models.offline.conditions import narrow, read_conditions
from engine.models.offline.groups import group_of, read_groups
from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.leftovers import unexplained
from engine.models.offline.measures import default_measure, named_measures
from engine.models.offline.named_values import FROM, TO
from engine.models.offline.passes import put_right
from engine.models.offline.rankings_rows import turned
from engine.models.offline.reader import Reader, open_reader
from engine.models.offline.refusals import refusal

__all__ = ["complete", "follow", "goes_on", "may_go_on"]

_MAY = re.compile(
    r"^\s*(?:(?:for|by|per|in|with|without|excluding|except|not)\b"
    r"|(?:so|now|then|but|ok(?:ay)?)\b,?\s+(?:how|what|which|who|whose|count|show|give|list|tell|draw|plot)\b"
    r"(?!\s+(?:about|it|that|them|this)\b))",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"^\s*(?:and|but|or|only|just|same|what about|how about|now|then|also|instead"
    r"|ok(?:ay)?,? (?:and|now)|as|the same|again|make|sort|order|reverse|the other|vice|break|split"
    r"|show (?:it|that|them|this)|plot (?:it|that|them|this)|draw (?:it|that|this)|group|limit|restrict|what if|so"
    r"|how many of (?:them|those|these)|which of (?:them|those))\b"
    r"|\b(?:of them|of those|of these|them|those ones|these ones|instead|too|as well|that as|it as|this as)\b[ ?.!]*"
    r"|\bonly\s*\?*$|\bthose\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:of them|of those|of these|them|those|these ones|instead|too|as well|that as|it as|this as)\b",
    re.IGNORECASE,
)
_ROWS = frozenset({"row", "rows", "record", "records", "entry", "entries", "observations", "lines"})
_DRAWING = ("aggregate", "compare", "top", "share", "correlation", "histogram", "scatter", "distinct")


def goes_on(question: str) -> bool:
    """Whether the words say that the question goes on from another, whatever else they say."""
    return bool(_CUE.search(question)) and not may_go_on(question)


def may_go_on(question: str) -> bool:
    """Whether the question begins as those do that go on, and as whole ones do as well: `in 2024`, `now show …`."""
    return bool(_MAY.search(question)) and not _POINTS.search(question)


def complete(reader: Reader) -> bool:
    """Whether the words alone say what is counted or computed: `how many orders`, `the total revenue`."""
    for item in reader.of("count", unused=False):
        counted = reader.after(item, ("soft", "agg"))
        named = counted is not None and counted.kind in ("row", "unknown", "col", "val", "time")
        if named or any(token.word in _ROWS for token in reader.tokens[item.end :]):
            return True
    said = reader.of("col", "verb", unused=False)
    return bool(reader.of("agg", "onavg", "sup", "howmuch", "howadj", unused=False)) and any(
        reader.measure_columns(item) for item in said
    )


def follow(question: str, previous: Intent) -> Reading | None:
    """Read `question` as a change to `previous`; None where nothing of it is a change."""
    reader = open_reader(question, previous.table)
    put_right(reader)
    if (refused := refusal(reader)) is not None:
        return Reading(previous.table, reader, refused=refused) if refused != "mutate" else None
    _quiet(reader)
    read_conditions(reader)
    read_groups(reader)
    changed = _changed(reader, previous)
    if changed is None or reader.problem is not None:
        return None
    rest = unexplained(reader, changed)
    return Reading(previous.table, reader, None, rest) if rest else Reading(previous.table, reader, changed)


def _quiet(reader: Reader) -> None:
    for item in reader.items:
        if item.kind in ("same", "what", "them", "instead", "ifonly", "also", "greet", "thanks"):
            if item.kind == "also":
                item.value = "also"
            item.used = True
        if item.kind == "vs" and item is reader.items[0]:
            item.used = True


def _changed(reader: Reader, previous: Intent) -> Intent | None:
    if reader.has("than", "corr") and reader.conditions:
        return None
    if (asked := _which_was_it(reader, previous)) is not None:
        return asked
    if (turned_round := _there(reader, previous)) is not None:
        return turned_round
    new = _measured(reader, previous)
    if reader.problem:
        return None
    new = _filtered(reader, new)
    new = _grouped(reader, new)
    new = _limited(reader, new)
    chart = reader.of("chart")
    if chart and previous.kind in _DRAWING:
        mark = next((i.value for i in chart if i.value != "any"), "any")
        reader.take(*chart)
        if new.kind == "top" and any(group.grain for group in new.groups):
            new = replace(
                new, kind="aggregate", limit=None, only_first=False
            )  # time is drawn in its order, all of it
        new = drawn(new, mark)
        if new.kind == "aggregate" and not new.groups:
            return None
    return None if new == previous else new


_THAT = frozenset({"that", "it", "this"})


def _which_was_it(reader: Reader, previous: Intent) -> Intent | None:
    """`and which country was that in?` after an extreme: the row that it stands in."""
    asked = reader.of("which", "whenq", "whereq")
    extreme = previous.measures and previous.measures[0].fn in ("max", "min") and not previous.groups
    pointed = any(token.word in _THAT for token in reader.tokens)
    if (
        not asked
        or not extreme
        or not pointed
        or previous.kind not in ("aggregate", "top")
        or reader.conditions
    ):
        return None
    labels = [c for item in reader.of("col", "time") for c in item.columns[:1]]
    reader.take(*asked, *reader.of("col", "time", "row"))
    return replace(
        previous,
        kind="top",
        measures=previous.measures[:1],
        columns=tuple(labels),
        descending=previous.measures[0].fn == "max",
        limit=5,
        only_first=True,
    )


def _there(reader: Reader, previous: Intent) -> Intent | None:
    """`and how many arrived there?` after those that left: the same place in the other role."""
    words = [token.word for token in reader.tokens]
    coming = any(word.startswith(("arriv", "land")) for word in words)
    going = any(word.startswith(("depart", "left", "leav")) for word in words)
    if "there" not in words or coming == going:
        return None
    old, new = (FROM, TO) if coming else (TO, FROM)
    filters = list(previous.filters)
    for index, filter_ in enumerate(filters):
        others = [c for c in previous.table.columns if set(c.words) & new and c.role == "text"]
        if filter_.column is not None and set(filter_.column.words) & old and len(others) == 1:
            filters[index] = replace(filter_, column=others[0])
            reader.take(*reader.of("count", "row"))
            return replace(previous, filters=tuple(filters))
    return None


def _only_a_function(reader: Reader) -> list[Item]:
    return [
        i
        for i in reader.of("agg", "onavg", "sup")
        if i.value in ("avg", "sum", "median", "max", "min", "stddev", "var", "least", "most")
    ]


def _measured(reader: Reader, previous: Intent) -> Intent:
    """Another aggregate, another column, or a count of the rows that the question before was about."""
    counted = reader.first("count")
    if counted is not None and not reader.has("agg"):
        reader.take(counted, *reader.of("row"))
        columns = [i for i in reader.of("col") if not i.used]
        if columns:
            return previous
        return replace(
            previous,
            kind="aggregate",
            measures=(Measure("count"),),
            columns=(),
            sides=(),
            limit=None,
            verdict=0,
            implied=False,
            chart=None,
        )
    if reader.has("share") and previous.kind == "aggregate" and previous.groups:
        reader.take(*reader.of("share"))
        return replace(previous, as_share=True)
    if reader.has("flip") and previous.kind in ("top", "scatter", "compare"):
        reader.take(*reader.of("flip"))
        if previous.kind == "scatter":
            return replace(previous, columns=previous.columns[::-1])
        return turned(previous)
    measures = named_measures(reader)
    if measures:
        kind = previous.kind if previous.kind in ("aggregate", "compare", "top") else "aggregate"
        return replace(previous, kind=kind, measures=tuple(measures), implied=False)
    functions = _only_a_function(reader)
    if functions and previous.measures:
        return _another_function(reader, previous, functions)
    return _another_column(reader, previous)


def _another_function(reader: Reader, previous: Intent, functions: list[Item]) -> Intent:
    reader.take(*functions)
    fn = {"least": "min", "most": "max"}.get(functions[0].value, functions[0].value)
    if previous.kind == "top" and fn in ("min", "max"):
        down = fn == "max"
        return previous if down == previous.descending else turned(previous)
    column = previous.measures[0].column
    if fn == "sum" and previous.groups and _altogether(reader, functions[0]):
        whole = Measure("count") if column is None else Measure("sum", column)
        return replace(
            previous, kind="aggregate", measures=(whole,), groups=(), limit=None, chart=None, implied=False
        )
    if column is None:
        reader.fail("it is not clear of what")
        return previous
    return replace(previous, measures=(Measure(fn, column),), implied=False)


def _altogether(reader: Reader, item: Item) -> bool:
    """`and in total?`: over all groups, rather than the total of each."""
    return reader.word_before(item) == "in" or item.text.lower() in ("altogether", "combined", "grand total")


def _another_column(reader: Reader, previous: Intent) -> Intent:
    said = [
        i
        for i in reader.of("col")
        if any(c.measure for c in i.columns) and reader.before(i, ("soft", "what", "and")) is None
    ]
    said = said or [i for i in reader.of("adj", "howadj") if reader.measure_columns(i)]
    if len(said) != 1 or not previous.measures:
        return previous
    columns = narrow(tuple(c for c in reader.measure_columns(said[0]) if c.measure), 0)
    if len(columns) != 1:
        reader.fail(f"“{said[0].text}” may mean several columns")
        return previous
    reader.take(said[0])
    old = previous.measures[0]
    fn = old.fn if old.column is not None and old.fn != "ratio" else default_measure(columns[0]).fn
    return replace(previous, measures=(Measure(fn, columns[0], old.quantile),))


def _filtered(reader: Reader, previous: Intent) -> Intent:
    """New conditions take the place of earlier ones on the same column, others are added."""
    if not reader.conditions:
        return previous
    new = filters_of(reader)
    target = (
        previous.predicate if any(f.column in {p.column for p in previous.predicate} for f in new) else None
    )
    if target is not None:
        kept = tuple(p for p in target if p.column not in {f.column for f in new})
        return replace(previous, predicate=(*kept, *new))
    also = any(i.kind == "also" for i in reader.items)
    kept_filters = []
    for old in previous.filters:
        same = [f for f in new if _same_place(f, old)]
        if not same or (also and old.op in ("=", "in")):
            kept_filters.append(old)
    return replace(previous, filters=(*kept_filters, *new))


def _same_place(new: Filter, old: Filter) -> bool:
    if old.op == "any":
        return any(_same_place(new, part) for part in old.parts)
    return new.column is old.column and new.negated == old.negated


def _grouped(reader: Reader, previous: Intent) -> Intent:
    said = list(reader.groups)
    if not said:
        for item in reader.of("col", "time"):
            if (
                not any(c.measure for c in item.columns)
                and (reader.before(item, ("soft", "and", "what")) is None)
                and previous.groups
            ):
                group = group_of(reader, item)
                if group is not None:
                    reader.take(item)
                    said.append(group)
    if not said:
        return previous
    also = any(i.kind == "also" for i in reader.items)
    groups: tuple[Group, ...] = (*previous.groups, *said) if also else tuple(said)
    groups = tuple(dict.fromkeys(groups))
    measures = previous.measures or (Measure("count"),)
    kind = (
        previous.kind
        if previous.kind in ("aggregate", "top", "share", "compare", "correlation")
        else "aggregate"
    )
    if kind == "top" and not previous.groups:
        kind = "aggregate"
    filters = previous.filters
    if not also and previous.kind == "top":
        filters = tuple(f for f in filters if f.op != "notnull")
    return replace(
        previous,
        kind=kind,
        groups=groups,
        measures=measures,
        filters=filters,
        columns=previous.columns if kind == "correlation" else (),
    )


def _limited(reader: Reader, previous: Intent) -> Intent:
    limit = reader.first("limit", "num")
    top = reader.first("top")
    if (
        top is not None
        and previous.kind in ("top", "aggregate")
        and (previous.groups or previous.kind == "top")
    ):
        reader.take(top, limit)
        number = int(limit.number) if limit is not None and limit.number else previous.limit or 10
        return replace(previous, kind="top", limit=number, only_first=False, descending=top.value == "desc")
    order = reader.first("order", "dir")
    if order is not None and previous.groups and previous.measures and not reader.has("col"):
        reader.take(*reader.of("order", "dir"))
        return replace(previous, kind="top", limit=1000, only_first=False, descending=order.value != "asc")
    return previous
