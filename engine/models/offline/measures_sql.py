"""Makes the SQL of a measure: its aggregate, its share, and its column name in the result."""

import re
from dataclasses import replace

from engine.models.offline.conditions_sql import filters_sql, period_sql
from engine.models.offline.form import Form, Measure
from engine.models.offline.lengths_sql import length_sql, minutes_sql
from engine.models.offline.quoting import name_sql
from engine.models.offline.schema import Table

__all__ = ["having_sql", "measure_label", "measure_sql", "value_sql"]


def measure_label(measure: Measure) -> str:
    """Return the name of a measure's column in the result."""
    if measure.per is not None:
        per = re.sub(r"[^0-9A-Za-z]+", "_", measure.per.name).lower()
        return f"{measure_label(replace(measure, per=None))}_per_{per}"
    if measure.aggregate == "count":
        return "percent" if measure.share else "count"
    assert measure.of is not None
    name = re.sub(r"\W+", "_", measure.of.name).strip("_").lower()
    if measure.other is not None:
        joint = {"+": "plus", "-": "minus", "*": "times", "/": "per", "%": "percent_of", "": "and"}[
            measure.operator
        ]
        name = f"{name}_{joint}_{re.sub(r'[^0-9A-Za-z]+', '_', measure.other.name).strip('_').lower()}"
    if measure.share:
        return f"percent_of_{name}"
    prefix = {
        "sum": "total", "mean": "average", "median": "median", "min": "lowest", "max": "highest", "range": "range_of",
        "stddev": "stddev", "variance": "variance", "distinct": "different", "missing": "missing",
        "correlation": "correlation", "percentile": f"percentile_{measure.at:g}".replace(".", "_")
    }[measure.aggregate]  # fmt: skip
    return f"{prefix}_{name}"


_FUNCTIONS = {
    "sum": "sum({})", "mean": "avg({})", "median": "median({})", "min": "min({})", "max": "max({})",
    "range": "max({0}) - min({0})", "stddev": "stddev_samp({})", "variance": "var_samp({})",
    "distinct": "count(DISTINCT {})"
}  # fmt: skip


def value_sql(measure: Measure, form: Form, table: Table) -> str:
    """Return the SQL of a measure's aggregate, without its filter, its `per` column and its share."""
    if measure.aggregate == "count":
        return "count(*)"
    assert measure.of is not None
    column = period_sql(measure.of, form, table) if measure.of.grain else name_sql(measure.of, form)
    if table.column(measure.of).lasting and measure.aggregate not in ("distinct", "missing", "correlation"):
        return length_sql(measure, form, table)
    if measure.operator:
        assert measure.other is not None
        other = name_sql(measure.other, form)
        if measure.operator in ("/", "%"):
            of = "100.0 * " if measure.operator == "%" else ""
            if measure.aggregate == "sum":
                return f"{of}sum({column}) / nullif(sum({other}), 0)"
            column = f"{of}{column} / nullif({other}, 0)"
        elif measure.operator == "+" and measure.aggregate == "sum":
            column = f"coalesce({column} + {other}, {column}, {other})"  # rows without one of them count too
        else:
            column = f"{column} {measure.operator} {other}"
    if measure.aggregate == "missing":
        return f"count(*) - count({column})"
    if measure.aggregate == "correlation":
        assert measure.other is not None
        return f"corr({minutes_sql(measure.of, form, table)}, {minutes_sql(measure.other, form, table)})"
    if measure.aggregate == "percentile":
        return f"quantile_cont({column}, {measure.at / 100:g})"
    return _FUNCTIONS[measure.aggregate].format(column)


def _per_sql(measure: Measure, form: Form, table: Table) -> str:
    """Return the SQL for the average of a count or sum over the different values of a column. Rows without such a value
    are left out.
    """
    assert measure.per is not None
    per = period_sql(measure.per, form, table) if measure.per.grain else name_sql(measure.per, form)
    value = value_sql(measure, form, table)
    return f"1.0 * {value} FILTER (WHERE {per} IS NOT NULL) / nullif(count(DISTINCT {per}), 0)"


def measure_sql(measure: Measure, form: Form, table: Table) -> str:
    """Return the SQL of a measure, as a share if it is one."""
    value = _per_sql(measure, form, table) if measure.per is not None else value_sql(measure, form, table)
    if not measure.where:
        return f"100.0 * {value} / nullif(sum({value}) OVER (), 0)" if measure.share else value
    part = f"{value} FILTER (WHERE {' AND '.join(filters_sql(measure.where, form, table))})"
    return f"100.0 * coalesce({part}, 0) / nullif({value}, 0)" if measure.share else part


def having_sql(measure: Measure, form: Form, table: Table) -> str:
    """Return the SQL of a measure in HAVING, which cannot contain the window for a share of all groups."""
    return measure_sql(measure, form, table) if measure.where else value_sql(measure, form, table)
