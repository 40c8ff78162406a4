"""The SELECT of each kind of intent."""

from collections.abc import Callable

from engine.models.offline.intent import Group, Intent, Measure
from engine.models.offline.schema import Column
from engine.models.offline.sql import (
    Query,
    alias,
    condition,
    expression,
    group_expression,
    group_label,
    label,
    named,
    plain,
    text,
    where,
)  # fmt: skip

__all__ = ["build"]

_MOST_COLUMNS = 9


def build(intent: Intent) -> Query:
    """The SQL of an intent; raises KeyError for a kind that is told without a query."""
    kinds: dict[str, Callable[[Intent], Query]] = {
        "aggregate": _aggregate, "extent": _aggregate, "compare": _compare, "top": _top, "list": _list,
        "distinct": _distinct, "share": _share, "correlation": _correlation, "missing_table": _missing,
        "change": _change, "histogram": _raw, "scatter": _raw, "head": _head,
    }  # fmt: skip
    return kinds[intent.kind](intent)


def _select(parts: list[str]) -> str:
    line = ", ".join(parts)
    return f"SELECT {line}" if len(line) <= 90 else "SELECT\n  " + ",\n  ".join(parts)


def _measures(intent: Intent) -> list[tuple[str, str]]:
    """Expressions and names: what was asked, and for an implied aggregate its other reading and the rows behind it."""
    found = [(expression(m), label(m)) for m in intent.measures]
    columns = list(dict.fromkeys(m.column for m in intent.measures if m.column is not None))
    if len(columns) == 1 and len(intent.measures) == 1 and not intent.chart:
        measure = intent.measures[0]
        if (
            intent.implied
            and measure.fn in ("sum", "avg")
            and (columns[0].additive or (columns[0].whole and columns[0].name.endswith("s")))
        ):
            other = Measure("avg" if measure.fn == "sum" else "sum", columns[0])
            found.append((expression(other), label(other)))
        if measure.fn not in ("distinct",):
            found.append((f"count({columns[0].sql})", "values_counted"))
            if not intent.groups and intent.kind != "compare" and columns[0].missing:
                found.append((f"count(*) - count({columns[0].sql})", "values_missing"))
    return found


def _group_parts(groups: tuple[Group, ...]) -> tuple[list[str], list[str]]:
    names: list[str] = []
    for group in groups:
        name = group_label(group)
        names.append(name if name not in names else f"{name}_{len(names) + 1}")
    return [named(group_expression(g), n) for g, n in zip(groups, names, strict=True)], names


def _by(count: int) -> str:
    return ", ".join(str(number) for number in range(1, count + 1))


def _order(groups: tuple[Group, ...]) -> str:
    keys = []
    for index, group in enumerate(groups, 1):
        keys.append(f"min(isodow({group.column.sql}))" if group.grain == "weekday" else str(index))
    return ", ".join(keys)


def _aggregate(intent: Intent) -> Query:
    parts, names = _group_parts(intent.groups)
    if intent.as_share:
        return _shares(intent, parts, names)
    measures = _measures(intent)
    select = _select([*parts, *[named(e, n) for e, n in measures]])
    extra = tuple(
        f"{g.column.sql} IS NOT NULL" for g in intent.groups if g.grain is not None and g.column.missing
    )
    sql = f"{select}\nFROM {intent.table.source}{where(intent.filters, extra)}"
    if intent.groups:
        sql += f"\nGROUP BY {_by(len(parts))}\nORDER BY {_order(intent.groups)}"
    return Query(sql, tuple(names), tuple(name for _, name in measures))


def _shares(intent: Intent, parts: list[str], names: list[str]) -> Query:
    measure = intent.measures[0]
    amount = expression(measure)
    total = f"sum({amount}) OVER ()"
    numbers = [named(f"round(100.0 * {amount} / {total}, 4)", "percent"), named(amount, label(measure))]
    order = _order(intent.groups) if any(g.grain for g in intent.groups) else f"{len(parts) + 1} DESC, 1"
    sql = f"{_select([*parts, *numbers])}\nFROM {intent.table.source}{where(intent.filters)}"
    sql += f"\nGROUP BY {_by(len(parts))}\nORDER BY {order}"
    return Query(sql, tuple(names), ("percent", label(measure)))


def _compare(intent: Intent) -> Query:
    column = intent.sides[0].filter.column
    assert column is not None
    parts, names = _group_parts(intent.groups)
    simple = all(side.filter.op in ("=", "is") and not side.filter.negated for side in intent.sides)
    side_name = plain(column)
    if simple:
        side = named(column.sql, column.name)
        side_name = column.name
    else:
        cases = " ".join(
            f"WHEN {condition(s.filter)} THEN {text(_side_label(s.label, s.filter.when))}"
            for s in intent.sides
        )
        side = f"CASE {cases} END AS {alias(side_name)}"
    either = " OR ".join(condition(s.filter) for s in intent.sides)
    if simple:
        either = (
            f"{column.sql} IN ({', '.join(condition(s.filter).split(' = ', 1)[1] for s in intent.sides)})"
        )
    else:
        either = f"({either})"
    measures = _measures(intent)
    select = _select([side, *parts, *[named(e, n) for e, n in measures]])
    sql = f"{select}\nFROM {intent.table.source}{where(intent.filters, (either,))}\nGROUP BY {_by(len(parts) + 1)}"
    sql += f"\nORDER BY {_by(len(parts) + 1)}"
    return Query(sql, (side_name, *names), tuple(name for _, name in measures))


def _side_label(said: str, when: object) -> str:
    return getattr(when, "label", None) or said


def _top(intent: Intent) -> Query:
    direction = "DESC" if intent.descending else "ASC"
    if intent.groups:
        parts, names = _group_parts(intent.groups)
        measures = _measures(intent)
        place = len(parts) + 1
        select = _select([*parts, *[named(e, n) for e, n in measures]])
        sql = f"{select}\nFROM {intent.table.source}{where(intent.filters)}\nGROUP BY {_by(len(parts))}"
        if intent.having is not None:
            sql += f"\nHAVING {measures[0][0]} {intent.having.op} {intent.having.values[0]:g}"
        sql += f"\nORDER BY {place} {direction} NULLS LAST, 1\nLIMIT {intent.limit}"
        return Query(sql, tuple(names), tuple(name for _, name in measures))
    column = intent.measures[0].column
    assert column is not None
    shown = _shown(intent, column)
    others = [c for c in shown if c is not column]
    ties = "".join(f", {c.sql}" for c in others[:2])
    known = (f"{column.sql} IS NOT NULL",)
    sql = f"{_select([c.sql for c in shown])}\nFROM {intent.table.source}{where(intent.filters, known)}"
    sql += f"\nORDER BY {column.sql} {direction}{ties}\nLIMIT {intent.limit}"
    return Query(sql, tuple(c.name for c in others), (column.name,))


def _shown(intent: Intent, measure: Column | None = None) -> list[Column]:
    """Columns of a listing: what names a row first, then what was asked about, then the rest where there are few."""
    columns = [c for c in intent.table.stored if c.role != "other"]
    asked = [measure] if measure is not None else []
    asked += list(intent.columns) + [
        f.column for f in intent.filters if f.column is not None and f.op != "any"
    ]
    names = [c for c in columns if c.naming or (c.unique and (c.key or c.role == "text"))]
    names = names or [c for c in columns if c.role == "date"]
    if len(columns) <= _MOST_COLUMNS:
        rest = columns
    else:
        rest = [c for c in columns if c.role in ("text", "date") and not c.naming][:3]
    return list(dict.fromkeys([*names[:2], *asked, *rest]))[:_MOST_COLUMNS]


def _list(intent: Intent) -> Query:
    if intent.columns and not any(c.naming or c.unique for c in intent.columns):
        shown = _shown(intent)
    elif intent.columns:
        shown = list(
            dict.fromkeys([*intent.columns, *[f.column for f in intent.filters if f.column is not None]])
        )
    else:
        shown = _shown(intent)
    dates = [c for c in shown if c.role == "date"]
    numbers = [
        f.column
        for f in intent.filters
        if f.column is not None and f.column.role == "number" and f.op not in ("=", "in")
    ]
    order = f"{numbers[0].sql} DESC, {shown[0].sql}" if numbers and not dates else (dates or shown)[0].sql
    sql = f"{_select([c.sql for c in shown])}\nFROM {intent.table.source}{where(intent.filters)}\nORDER BY {order}"
    return Query(sql, tuple(c.name for c in shown), ())


def _distinct(intent: Intent) -> Query:
    column = intent.columns[0]
    known = (f"{column.sql} IS NOT NULL",)
    if intent.filters:
        sql = f"SELECT DISTINCT {column.sql}\nFROM {intent.table.source}{where(intent.filters, known)}\nORDER BY 1"
        return Query(sql, (column.name,), ())
    sql = f"SELECT {column.sql}, count(*) AS count\nFROM {intent.table.source}{where(intent.filters, known)}"
    return Query(f"{sql}\nGROUP BY 1\nORDER BY 1", (column.name,), ("count",))


def _share(intent: Intent) -> Query:
    holds = " AND ".join(condition(item) for item in intent.predicate)
    parts, names = _group_parts(intent.groups)
    if intent.measures:
        amount = intent.measures[0].column
        assert amount is not None
        some, whole = f"sum({amount.sql}) FILTER ({holds})", f"sum({amount.sql})"
        numbers = [(some, "part"), (whole, "whole")]
    else:
        some, whole = f"count(*) FILTER ({holds})", "count(*)"
        numbers = [(some, "matching"), (whole, "all_rows")]
    numbers.insert(0, (f"round(100.0 * {some} / nullif({whole}, 0), 4)", "percent"))
    sql = f"{_select([*parts, *[named(e, n) for e, n in numbers]])}\nFROM {intent.table.source}{where(intent.filters)}"
    if parts:
        sql += f"\nGROUP BY {_by(len(parts))}\nORDER BY {_order(intent.groups)}"
    return Query(sql, tuple(names), tuple(name for _, name in numbers))


def _correlation(intent: Intent) -> Query:
    first, second = intent.columns[:2]
    parts, names = _group_parts(intent.groups)
    numbers = [
        f"corr({first.sql}, {second.sql}) AS correlation",
        f"regr_count({first.sql}, {second.sql}) AS pairs",
    ]
    sql = f"{_select([*parts, *numbers])}\nFROM {intent.table.source}{where(intent.filters)}"
    if parts:
        sql += f"\nGROUP BY {_by(len(parts))}\nORDER BY {_order(intent.groups)}"
    return Query(sql, tuple(names), ("correlation", "pairs"))


def _missing(intent: Intent) -> Query:
    lines = [
        f"SELECT {text(c.name)} AS column_name, count(*) - count({c.sql}) AS missing "
        f"FROM {intent.table.source}{where(intent.filters)}"
        for c in intent.table.stored
    ]
    inner = "\n  UNION ALL ".join(lines)
    limit = f"\nLIMIT {intent.limit}" if intent.limit else ""
    order = f"ORDER BY missing DESC, column_name{limit}"
    return Query(
        f"SELECT column_name, missing\nFROM (\n  {inner}\n)\nWHERE missing > 0\n{order}",
        ("column_name",),
        ("missing",),
    )


def _change(intent: Intent) -> Query:
    measure, group = intent.measures[0], intent.groups[0]
    assert measure.column is not None
    inner = f"SELECT {group_expression(group)} AS t, {expression(measure)} AS v FROM {intent.table.source}"
    inner += where((*intent.filters,), (f"{measure.column.sql} IS NOT NULL",)).replace("\n", " ")
    parts = ["100.0 * (arg_max(v, t) / arg_min(v, t) - 1) AS percent_change", "arg_max(v, t) - arg_min(v, t) AS change",
             "min(t) AS first_time", "arg_min(v, t) AS first_value", "max(t) AS last_time",
             "arg_max(v, t) AS last_value"]  # fmt: skip
    return Query(
        f"{_select(parts)}\nFROM (\n  {inner} GROUP BY 1\n)",
        ("first_time", "last_time"),
        ("percent_change", "change", "first_value", "last_value"),
    )


def _raw(intent: Intent) -> Query:
    columns = list(
        dict.fromkeys(
            [*intent.columns, *[g.column for g in intent.groups], *([intent.color] if intent.color else [])]
        )
    )
    extra = tuple(f"{c.sql} IS NOT NULL" for c in intent.columns if c.missing)
    sql = f"{_select([c.sql for c in columns])}\nFROM {intent.table.source}{where(intent.filters, extra)}"
    return Query(sql, tuple(c.name for c in columns), ())


def _head(intent: Intent) -> Query:
    return Query(f"SELECT *\nFROM {intent.table.source}\nLIMIT {intent.limit or 10}")
