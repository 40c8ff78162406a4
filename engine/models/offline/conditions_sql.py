"""Makes SQL from the conditions and periods of a form."""

import datetime as dt
import re
from dataclasses import replace

from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Filter, Form, FormError, Ref
from engine.models.offline.lengths_sql import typed_sql
from engine.models.offline.periods import grain_of
from engine.models.offline.quoting import literal, name_sql, quoted
from engine.models.offline.schema import RECURRING, Table

__all__ = ["condition_sql", "filters_sql", "period_bounds", "period_sql"]

_GRAINS = {
    "day": "CAST({} AS DATE)", "week": "CAST(date_trunc('week', {}) AS DATE)",
    "month": "CAST(date_trunc('month', {}) AS DATE)", "quarter": "CAST(date_trunc('quarter', {}) AS DATE)",
    "year": "year({})", "decade": "(year({}) // 10) * 10", "month of year": "monthname({})", "weekday": "dayname({})",
    "quarter of year": "'Q' || quarter({})", "hour of day": "hour({})", "day of month": "day({})",
    "hour": "date_trunc('hour', {})",
    "part of week": "CASE isodow({}) > 5 WHEN true THEN 'weekend' WHEN false THEN 'weekday' END",
    "presence": "CASE WHEN {} IS NULL THEN 'missing' ELSE 'present' END"
}  # fmt: skip


def period_sql(ref: Ref, form: Form, table: Table) -> str:
    """Return the SQL for a group's label: a column, truncated to its period. Raise FormError if that is impossible."""
    column = name_sql(ref, form)
    if not ref.grain:
        return column
    found = table.column(ref)
    if ref.grain == "presence":
        return _GRAINS["presence"].format(column)
    if ref.grain == "decade" and found.year and not found.short_year:
        return f"({column} // 10) * 10"
    if found.role != "date" and not (found.clock and ref.grain == "hour of day"):
        raise FormError(f"The column {ref.column} has no dates, so rows cannot be grouped by {ref.grain}.")
    if ref.grain == "time of day":
        raise FormError("Rows cannot be grouped by a time of day. Use the hour of day instead.")
    if ref.grain == "day" and found.profile.type.upper() == "DATE":
        return column
    return _GRAINS[ref.grain].format(_time_sql(column, found) if found.clock else column)


def filters_sql(filters: tuple[Filter, ...], form: Form, table: Table) -> list[str]:
    """Return the SQL of each filter of a form."""
    return [_filter(found, form, table) for found in filters]


def _filter(found: Filter, form: Form, table: Table) -> str:
    if not found.any:
        raise FormError("A filter has no condition.")
    parts = [condition_sql(condition, form, table) for condition in found.any]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def period_bounds(value: str) -> tuple[str, str]:
    """Return the first day of a period, and the first day after it. Raise FormError if the period is not valid."""
    grain = grain_of(value)
    if grain is None:
        raise FormError(
            f"{value} is not a year, quarter, month or day. Write it like 2024, 2024-Q3, 2024-03 or 2024-03-05."
        )
    year = int(value[:4])
    if grain == "decade":
        return f"{year:04}-01-01", f"{year + 10:04}-01-01"
    if grain == "year":
        return f"{year:04}-01-01", f"{year + 1:04}-01-01"
    if grain == "day":
        return value, (dt.date.fromisoformat(value) + dt.timedelta(days=1)).isoformat()
    month, length = (int(value[6]) * 3 - 2, 3) if grain == "quarter" else (int(value[5:7]), 1)
    after = month + length
    return f"{year:04}-{month:02}-01", f"{year + (after > 12):04}-{(after - 1) % 12 + 1:02}-01"


def condition_sql(condition: Condition, form: Form, table: Table) -> str:
    """Return the SQL of a condition; raise FormError if its column does not exist or its values do not fit."""
    column = table.column(condition.of)
    name = name_sql(condition.of, form)
    if condition.compare == "missing":
        return f"{name} IS NULL"
    if condition.compare == "present":
        return f"{name} IS NOT NULL"
    name = typed_sql(condition.of, form, table)
    if condition.compare in ("above average", "below average"):
        sign = ">" if condition.compare == "above average" else "<"
        alone = typed_sql(condition.of, replace(form, joins=()), table)
        return f"{name} {sign} (SELECT avg({alone}) FROM {quoted(column.table or form.table)})"
    if condition.other is not None:
        return f"{name} {condition.compare.replace('!=', '<>')} {typed_sql(condition.other, form, table)}"
    if not condition.values or (condition.compare.endswith("between") and len(condition.values) != 2):
        raise FormError(
            f"The condition on {column.name} has the wrong number of values: {len(condition.values)}."
        )
    if condition.of.grain == "time of day":
        return _at_time(condition, name, column)
    if column.role == "date":
        return _dated(condition, name)
    if condition.compare in ("contains", "not contains"):
        text = str(condition.values[0]).replace("'", "''")
        return f"{'NOT ' if condition.compare.startswith('not') else ''}contains(lower({name}), '{text.lower()}')"
    return _compared(condition, name, column)


def _compared(condition: Condition, name: str, column: Column) -> str:
    values = [_value(value, column) for value in condition.values]
    if condition.compare.endswith("between"):
        return f"{name} {condition.compare.upper()} {values[0]} AND {values[1]}"
    if condition.compare == "=":
        return f"{name} = {values[0]}" if len(values) == 1 else f"{name} IN ({', '.join(values)})"
    if condition.compare == "!=":
        return f"{name} <> {values[0]}" if len(values) == 1 else f"{name} NOT IN ({', '.join(values)})"
    if len(values) > 1:
        raise FormError(f"The condition on {column.name} may have only one value, and has {len(values)}.")
    return f"{name} {condition.compare} {values[0]}"


def _value(value: str | float, column: Column) -> str:
    if column.lasting:
        if not re.fullmatch(r"([01]\d|2[0-3])(:[0-5]\d){2}", str(value)):
            raise FormError(f"{value} is not a length of time. Write it like 03:30:00.")
        return f"TIME '{value}'"
    if column.profile.type.upper() == "BOOLEAN":
        return str(value).lower() if str(value).lower() in ("true", "false") else literal(str(value))
    if column.role == "number" or (
        column.role == "flag" and not column.profile.type.upper().startswith("VARCHAR")
    ):
        try:
            return literal(float(value))
        except ValueError:
            raise FormError(f"{column.name} contains numbers, and {value} is not a number.") from None
    return literal(str(value))


def _at_time(condition: Condition, name: str, column: Column) -> str:
    """Return the SQL of a condition on the time of day. “At 08:10” includes all seconds of that minute. So does the end
    of “between 08:00 and 08:59”, but “between 08:00 and 09:00” ends exactly at 09:00.
    """
    if not column.clock and column.role != "date":
        raise FormError(f"The column {column.name} does not contain times of day.")
    times = [_clock(str(value)) for value in condition.values]
    cut = _time_sql(name, column)
    if condition.compare.endswith("between"):
        last = f"{times[1][:5]}:59" if times[1].endswith(":59:00") else times[1]
        return f"{cut} {condition.compare.upper()} TIME '{times[0]}' AND TIME '{last}'"
    if len(times) > 1 or condition.compare not in ("=", "!=", "<", "<=", ">", ">="):
        raise FormError(f"A time of day cannot be compared with {len(times)} values by {condition.compare}.")
    if condition.compare in ("=", "!="):
        no = "NOT " if condition.compare == "!=" else ""
        return f"{cut} {no}BETWEEN TIME '{times[0]}' AND TIME '{times[0][:5]}:59'"
    return f"{cut} {condition.compare} TIME '{times[0]}'"


def _time_sql(name: str, column: Column) -> str:
    """Return the SQL for the time of day in a column of times, of texts such as 08:30, or of dates with a time."""
    if column.role == "other":
        return name
    return f"{'TRY_CAST' if column.role == 'text' else 'CAST'}({name} AS TIME)"


def _clock(value: str) -> str:
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value):
        raise FormError(f"{value} is not a time of day. Write it like 07:30.")
    return f"{value}:00"


def _dated(condition: Condition, name: str) -> str:
    grain = condition.of.grain
    if grain in RECURRING:
        values = ", ".join(literal(value) for value in condition.values)
        if condition.compare not in ("=", "!="):
            raise FormError(f"A condition by {grain} can only use = or !=.")
        return f"{_GRAINS[grain].format(name)} {'IN' if condition.compare == '=' else 'NOT IN'} ({values})"
    bounds = [period_bounds(str(value)) for value in condition.values]
    (first, after), (_, last) = bounds[0], bounds[-1]
    if condition.compare in ("=", "!="):
        parts = [f"({name} >= DATE '{low}' AND {name} < DATE '{high}')" for low, high in bounds]
        whole = parts[0][1:-1] if len(parts) == 1 and condition.compare == "=" else f"({' OR '.join(parts)})"
        return whole if condition.compare == "=" else f"NOT {whole}"
    if condition.compare.endswith("between"):
        inside = f"{name} >= DATE '{first}' AND {name} < DATE '{last}'"
        return inside if condition.compare == "between" else f"NOT ({inside})"
    return {
        ">=": f"{name} >= DATE '{first}'", ">": f"{name} >= DATE '{after}'", "<": f"{name} < DATE '{first}'",
        "<=": f"{name} < DATE '{after}'"
    }[condition.compare]  # fmt: skip
