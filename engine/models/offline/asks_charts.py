"""Charts: what is drawn, along which axes, as what; and distributions."""

from dataclasses import replace

from engine.models.offline.conditions import merge
from engine.models.offline.groups import group_of, time_group, trend_grain
from engine.models.offline.intent import Group, Intent, Measure
from engine.models.offline.items import Item
from engine.models.offline.measures import default_measure, named_measures
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column

__all__ = ["ask_chart", "ask_distribution", "drawn"]

_EVERY_DATE_UP_TO = 2_500
_ASK_A_CHART = ("plot", "chart", "graph", "draw", "visualize", "visualise", "plotted", "sketch")


def ask_chart(reader: Reader) -> Intent | None:
    """Read a request for a picture."""
    items = reader.of("chart")
    if not items or not _means_chart(reader, items):
        return None
    mark = next((i.value for i in items if i.value != "any"), "any")
    if any(i.text.lower().startswith("histogram") for i in reader.of("dist")):
        mark = "histogram"
    reader.take(*items, *reader.of("list"))
    color = _color(reader)
    if reader.problem:
        return None
    if mark == "histogram" or (mark in ("any",) and reader.has("dist")):
        reader.take(*reader.of("dist"))
        return _histogram(reader, "histogram" if mark == "histogram" else None)
    numbers = [i for i in reader.of("col") if any(c.measure for c in i.columns)]
    if mark == "point" or (
        mark == "any" and len(numbers) == 2 and not reader.groups and not reader.has("agg", "trend")
    ):
        return _scatter(reader, numbers, color)
    if mark == "boxplot":
        return _boxes(reader, numbers)
    return _grouped(reader, mark, numbers, color)


def _means_chart(reader: Reader, items: list[Item]) -> bool:
    return any(
        (i.value != "any" and i.text.lower() not in ("line", "bar", "bars"))
        or i.text.lower() in _ASK_A_CHART
        or reader.items[0] is i
        or "chart" in i.text.lower()
        or "graph" in i.text.lower()
        or "plot" in i.text.lower()
        for i in items
    ) or reader.word_before(items[0]) in ("a", "as", "the", "an")


def _color(reader: Reader) -> Column | None:
    paint = reader.first("paint")
    if paint is None:
        return None
    after = reader.after(paint, ("soft", "by"))
    if after is not None and after.kind == "col" and len(after.columns) == 1:
        reader.take(paint, after)
        for group in list(reader.groups):
            if group.column is after.columns[0]:
                reader.groups.remove(group)
        return after.columns[0]
    for group in list(reader.groups):
        reader.groups.remove(group)
        reader.take(paint)
        return group.column
    reader.fail("it is not clear what to colour by")
    return None


def _one(reader: Reader, item: Item) -> Column | None:
    found = [c for c in item.columns if c.measure] or list(item.columns)
    if len(found) > 1:
        reader.fail("it is not clear whether " + " or ".join(f"“{c.name}”" for c in found[:3]) + " is meant")
        return None
    reader.take(item)
    return found[0]


def _scatter(reader: Reader, numbers: list[Item], color: Column | None) -> Intent | None:
    groups = list(reader.groups)
    if len(numbers) == 1 and (
        trailing := next((i for i in reader.of("by", "vs") if reader.after(i) is not None), None)
    ):
        after = reader.after(trailing)
        if after is not None and after.kind == "col":
            numbers = [*numbers, after]
    if len(numbers) != 2:
        reader.fail("a scatter plot needs two columns of numbers")
        return None
    first, second = _one(reader, numbers[0]), _one(reader, numbers[1])
    if first is None or second is None:
        return None
    between = [i for i in reader.items if numbers[0].start < i.start < numbers[1].start]
    crossed = any(i.kind in ("vs", "by") for i in between) or any(
        i.text.lower() in ("against", "over") for i in between
    )
    reader.take(*reader.of("vs", "by", "and", "between", "compare", "corr", "op"))
    if color is None and len(groups) == 1 and groups[0].grain is None:
        color = groups[0].column
    x, y = (second, first) if crossed else (first, second)
    return Intent(
        "scatter",
        reader.table,
        filters=merge([c.filter for c in reader.conditions]),
        columns=(x, y),
        chart="point",
        color=color,
    )


def _boxes(reader: Reader, numbers: list[Item]) -> Intent | None:
    if len(numbers) != 1:
        reader.fail("a box plot needs one column of numbers")
        return None
    column = _one(reader, numbers[0])
    if column is None:
        return None
    groups = tuple(reader.groups[:1])
    return Intent(
        "scatter",
        reader.table,
        groups=groups,
        filters=merge([c.filter for c in reader.conditions]),
        columns=(column,),
        chart="boxplot",
    )


def _histogram(reader: Reader, mark: str | None) -> Intent | None:
    said = reader.of("col")
    if len(said) != 1 or reader.groups:
        if len(said) == 1 and len(reader.groups) == 1:
            reader.fail("a distribution by group is more than I can draw")
            return None
        reader.fail("it is not clear of what the distribution is meant")
        return None
    columns = [c for c in said[0].columns if c.role == "number" and not c.key]
    filters = merge([c.filter for c in reader.conditions])
    reader.take(said[0], *reader.of("row"))
    if len(columns) > 1:
        reader.fail(
            "it is not clear whether " + " or ".join(f"“{c.name}”" for c in columns[:3]) + " is meant"
        )
        return None
    if columns and not (columns[0].category and mark is None):
        return Intent("histogram", reader.table, filters=filters, columns=(columns[0],), chart="histogram")
    group = Group((columns or list(said[0].columns))[0])
    if group.column.role == "date":
        group = Group(group.column, trend_grain(group.column))
    return Intent(
        "aggregate", reader.table, (Measure("count"),), (group,), filters, chart="bar" if mark else None
    )


def ask_distribution(reader: Reader) -> Intent | None:
    """`distribution of cut` as counts, of a column of numbers as a histogram."""
    item = reader.first("dist")
    if item is None:
        return None
    if reader.groups and not reader.has("col"):
        reader.take(item, *reader.of("row", "count"))
        return Intent(
            "aggregate",
            reader.table,
            (Measure("count"),),
            tuple(reader.groups),
            merge([c.filter for c in reader.conditions]),
        )
    if item.text.lower() in ("split", "spread", "break down", "breakdown") and reader.groups:
        reader.take(item)
        return None
    reader.take(item, *reader.of("count", "which"))
    mark = "histogram" if item.text.lower().startswith("histogram") else None
    if item.text.lower() == "histogram" or mark:
        return _histogram(reader, "histogram")
    return _histogram(reader, None)


def _grouped(reader: Reader, mark: str, numbers: list[Item], color: Column | None) -> Intent | None:
    """Bars, lines and pies: a measure for each group."""
    trend = reader.first("trend")
    if (
        trend is not None
        or (mark in ("line", "area") and not reader.groups)
        or (mark == "any" and reader.has("change"))
    ):
        _over_time(reader, trend)
        reader.take(*reader.of("change"))
    for item in reader.of("col", "time"):
        if (item.kind == "time" and not reader.groups and (group := group_of(reader, item)) is not None) or (
            item.kind == "col"
            and not any(c.measure for c in item.columns)
            and len(reader.groups) < 2
            and (group := group_of(reader, item))
        ):
            reader.groups.append(group)
            reader.take(item)
    if reader.problem:
        return None
    measures = named_measures(reader)
    reader.take(*reader.of("onavg"))
    counted = reader.of("count")
    if not measures and not counted:
        columns = [c for i in numbers if not i.used for c in [_one(reader, i)] if c is not None]
        measures = [default_measure(c) for c in columns]
    if not measures:
        reader.take(*counted, *reader.of("row"))
        measures = [Measure("count")]
    reader.take(*reader.of("vs", "row", "share"))
    if reader.has("sup", "top"):
        from engine.models.offline.asks_rankings import ask_ranking  # noqa: PLC0415

        ranked = ask_ranking(reader)
        return None if ranked is None else drawn(ranked, mark)
    if not reader.groups:
        return _alone(reader, mark, measures)
    if color is not None:
        reader.groups.append(Group(color))
    filters = merge([c.filter for c in reader.conditions])
    intent = Intent(
        "aggregate", reader.table, tuple(measures[:1]), tuple(reader.groups), filters, implied=True
    )
    return drawn(intent, mark)


def _alone(reader: Reader, mark: str, measures: list[Measure]) -> Intent | None:
    column = measures[0].column
    if column is None or mark not in ("any", "bar"):
        reader.fail("it is not clear what to draw it by")
        return None
    return Intent(
        "histogram",
        reader.table,
        filters=merge([c.filter for c in reader.conditions]),
        columns=(column,),
        chart="histogram",
    )


def _over_time(reader: Reader, trend: Item | None) -> None:
    reader.take(trend)
    if any(g.grain or g.column.year for g in reader.groups):
        return
    date = main_date(reader.table.dates)
    if date is not None:
        named = reader.first("time")
        grain = "day" if date.distinct <= _EVERY_DATE_UP_TO else trend_grain(date)
        if named is not None and (group := time_group(reader.table, named.value)) is not None:
            reader.take(named)
            reader.groups.insert(0, group)
            return
        for item in reader.of("col"):
            if date in item.columns:
                reader.take(item)
        reader.groups.insert(0, Group(date, "day" if grain == "day" else trend_grain(date)))
    elif (group := time_group(reader.table, "year")) is not None:
        reader.groups.insert(0, group)
        for item in reader.of("time", "col"):
            if group.column in item.columns or item.kind == "time":
                reader.take(item)
    else:
        reader.fail("there is no column of dates")


def drawn(intent: Intent, mark: str) -> Intent:
    """The same intent as a chart; the mark, where none is asked for, suits what stands along the axis."""
    if intent.kind == "correlation":
        return replace(intent, kind="scatter", chart="point")
    if intent.kind in ("histogram", "scatter"):
        return replace(intent, chart=intent.chart or ("histogram" if intent.kind == "histogram" else "point"))
    if mark == "any":
        first = intent.groups[0] if intent.groups else None
        timed = (
            first is not None
            and (first.column.role == "date" or first.column.year)
            and first.grain not in ("weekday", "monthname", "hour")
        )
        mark = "line" if timed else "bar"
    color = intent.groups[1].column if len(intent.groups) > 1 else intent.color
    return replace(intent, chart=mark, color=color)
