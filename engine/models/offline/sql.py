"""From an intent to SQL that a person would have written: one SELECT, its columns named after what they hold."""

import re
from dataclasses import dataclass

from engine.models.offline.intent import Filter, Group, Intent, Measure
from engine.models.offline.schema import Column
from engine.models.offline.times import Period, Recurring, When

__all__ = ["Query", "condition", "group_label", "label", "query", "where"]

_FUNCTIONS = {"avg": "avg({c})", "sum": "sum({c})", "median": "median({c})", "min": "min({c})", "max": "max({c})",
              "stddev": "stddev_samp({c})", "var": "var_samp({c})", "distinct": "count(DISTINCT {c})"}  # fmt: skip
_NAMES = {"avg": "average_{c}", "sum": "total_{c}", "median": "median_{c}", "min": "lowest_{c}", "max": "highest_{c}",
          "stddev": "stddev_{c}", "var": "variance_{c}", "distinct": "different_{c}", "iqr": "iqr_{c}"}  # fmt: skip
_GRAINS = {
    "day": "CAST({c} AS DATE)",
    "week": "CAST(date_trunc('week', {c}) AS DATE)",
    "month": "CAST(date_trunc('month', {c}) AS DATE)",
    "quarter": "CAST(date_trunc('quarter', {c}) AS DATE)",
    "year": "year({c})",
    "decade": "(year({c}) // 10) * 10",
    "hour": "hour({c})",
    "weekday": "dayname({c})",
    "monthname": "month({c})",
}


@dataclass(frozen=True, slots=True)
class Query:
    """SQL and the names of its columns: labels first, then numbers."""

    sql: str
    labels: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


def plain(column: Column) -> str:
    """A column's name as part of another name."""
    return re.sub(r"\W+", "_", column.name.lower()).strip("_")


def label(measure: Measure) -> str:
    """The name of a measure's column in a result."""
    if measure.column is None:
        return "count"
    name = plain(measure.column)
    if measure.fn == "percent" and measure.per is not None:
        return f"{name}_in_percent_of_{plain(measure.per)}"
    if measure.fn == "ratio" and measure.per is not None:
        return f"average_{name}_per_{plain(measure.per)}"
    if measure.fn == "pctl":
        return f"percentile_{measure.quantile * 100:g}_{name}".replace(".", "_")
    return _NAMES[measure.fn].format(c=name)


def expression(measure: Measure) -> str:
    """A measure as SQL."""
    if measure.column is None:
        return "count(*)"
    column = measure.column.sql
    if measure.grain == "hour":
        return f"count(DISTINCT date_trunc('hour', {column}))"
    if measure.grain is not None:
        return f"count(DISTINCT {group_expression(Group(measure.column, measure.grain))})"
    if measure.fn == "percent" and measure.per is not None:
        return f"avg(100.0 * {column} / nullif({measure.per.sql}, 0))"
    if measure.fn == "ratio" and measure.per is not None:
        return f"avg({column} / nullif({measure.per.sql}, 0))"
    if measure.fn == "pctl":
        return f"quantile_cont({column}, {measure.quantile:g})"
    if measure.fn == "iqr":
        return f"quantile_cont({column}, 0.75) - quantile_cont({column}, 0.25)"
    return _FUNCTIONS[measure.fn].format(c=column)


def text(value: str) -> str:
    """A text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def literal(column: Column, value: str | float) -> str:
    """A value as SQL, in its column's type."""
    if isinstance(value, str):
        return value.lower() if column.type.startswith("BOOLEAN") else text(value)
    return str(int(value)) if float(value).is_integer() else f"{value:.10g}"


def condition(item: Filter) -> str:
    """One condition as SQL."""
    if item.op == "any":
        return "(" + " OR ".join(condition(part) for part in item.parts) + ")"
    column = item.column
    assert column is not None
    name = column.sql
    if item.op == "null":
        return f"{name} IS NULL"
    if item.op == "notnull":
        return f"{name} IS NOT NULL"
    if item.op in ("above_avg", "below_avg"):
        sign = ">" if item.op == "above_avg" else "<"
        source = column.table if re.fullmatch(r"[a-z_]\w*", column.table) else f'"{column.table}"'
        return f"{name} {sign} (SELECT avg({name}) FROM {source})"
    if item.when is not None:
        return _timed(item, name, item.when)
    if item.op == "is":
        return f"{name} = {item.values[0]}"
    if item.op in ("contains", "begins"):
        pattern = str(item.values[0]).replace("'", "''")
        pattern = f"{pattern}%" if item.op == "begins" else f"%{pattern}%"
        return f"{name} {'NOT ILIKE' if item.negated else 'ILIKE'} '{pattern}'"
    values = [literal(column, value) for value in item.values]
    if item.op == "between":
        return f"{name} {'NOT ' if item.negated else ''}BETWEEN {values[0]} AND {values[1]}"
    if item.op == "in":
        return f"{name} {'NOT IN' if item.negated else 'IN'} ({', '.join(values)})"
    sign = "<>" if item.op == "=" and item.negated else item.op
    return f"{name} {sign} {values[0]}"


def _timed(item: Filter, name: str, when: When) -> str:
    if isinstance(when, Recurring) and when.part == "monthday":
        found = f"month({name}) = {when.numbers[0]} AND day({name}) = {when.numbers[1]}"
        return f"NOT ({found})" if item.negated else found
    if isinstance(when, Recurring):
        part = {"month": "month", "weekday": "isodow", "quarter": "quarter"}[when.part]
        numbers = ", ".join(str(number) for number in when.numbers)
        found = f"{part}({name}) = {numbers}" if len(when.numbers) == 1 else f"{part}({name}) IN ({numbers})"
        return f"NOT ({found})" if item.negated else found
    if item.op == "when":
        found = _span(name, when)
        return f"NOT ({found})" if item.negated else found
    edge = when.end if item.op in (">", "<=") else when.start
    sign = {">": ">=", ">=": ">=", "<": "<", "<=": "<"}[item.op]
    return f"{name} {sign} DATE '{edge}'"


def _span(name: str, when: Period) -> str:
    first, last = when.start, when.end
    if first.endswith("-01-01") and last.endswith("-01-01"):
        low, high = int(first[:4]), int(last[:4]) - 1
        return f"year({name}) = {low}" if low == high else f"year({name}) BETWEEN {low} AND {high}"
    return f"{name} >= DATE '{first}' AND {name} < DATE '{last}'"


def where(filters: tuple[Filter, ...], extra: tuple[str, ...] = ()) -> str:
    """A WHERE clause, empty where nothing is left out."""
    parts = [*dict.fromkeys([condition(item) for item in filters] + list(extra))]
    return "\nWHERE " + "\n  AND ".join(parts) if parts else ""


def group_label(group: Group) -> str:
    """The name of a group's column in a result."""
    if group.grain is None or group.grain == "day":
        return group.column.name
    return {"monthname": "month", "weekday": "weekday"}.get(group.grain, group.grain)


def group_expression(group: Group) -> str:
    """What rows are grouped by, as SQL."""
    if group.grain == "decade" and group.column.role == "number":
        return f"({group.column.sql} // 10) * 10"
    return group.column.sql if group.grain is None else _GRAINS[group.grain].format(c=group.column.sql)


def alias(name: str) -> str:
    """A result column's name as SQL."""
    return (
        name
        if re.fullmatch(r"[a-z_][a-z0-9_]*", name) and name not in ("table", "order", "group")
        else '"' + name.replace('"', '""') + '"'
    )


def named(expression_: str, name: str) -> str:
    """An expression with its name."""
    return expression_ if expression_ == alias(name) else f"{expression_} AS {alias(name)}"


def query(intent: Intent) -> Query:
    """The SQL of an intent."""
    from engine.models.offline import sql_kinds  # noqa: PLC0415

    return sql_kinds.build(intent)
