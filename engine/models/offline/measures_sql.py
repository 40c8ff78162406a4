"""Makes the SQL of a measure: its aggregate, its share, and its column name in the result."""

import re
from dataclasses import replace

from engine.models.offline.conditions_sql import filters_sql, period_sql
from engine.models.offline.form import Form, Measure
from engine.models.offline.lengths_sql import length_sql, minutes_sql
from engine.models.offline.quoting import name_sql
from engine.models.offline.schema import Table

__all__ = ["beside_numbers", "having_sql", "measure_label", "measure_sql", "value_sql"]


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


def _both_known(measure: Measure, form: Form, table: Table) -> str:
    """Return the condition that both columns of a ratio or a difference have values; empty if no value is missing."""
    refs = [ref for ref in (measure.of, measure.other) if ref is not None]
    missing = len(refs) == 2 and any(table.column(ref).profile.missing for ref in refs)
    return " AND ".join(f"{name_sql(ref, form)} IS NOT NULL" for ref in refs) if missing else ""


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
                # a part and its whole are of the same rows; “total cost over total clicks” asks for two totals
                both = _both_known(measure, form, table) if of else ""
                where = f" FILTER (WHERE {both})" if both else ""
                return f"{of}sum({column}){where} / nullif(sum({other}){where}, 0)"
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
    """Return the SQL of a measure for HAVING. It does not contain the window for a share of all groups, which is not
    allowed there."""
    return measure_sql(measure, form, table) if measure.where else value_sql(measure, form, table)


def beside_numbers(form: Form, table: Table, names: tuple[str, ...]) -> dict[str, str]:
    """Return the columns shown next to the numbers, such as the parts of a share, as name → SQL."""
    found: dict[str, str] = {}
    for measure in form.measures:
        value = value_sql(measure, form, table)
        if measure.share and measure.where:
            part = f"{value} FILTER (WHERE {' AND '.join(filters_sql(measure.where, form, table))})"
            found |= {"part": f"coalesce({part}, 0)", "whole": value}
        elif measure.share:
            found[measure_label(Measure(measure.aggregate, measure.of, measure.operator, measure.other))] = (
                value
            )
        elif (
            measure.aggregate not in ("count", "distinct", "missing", "correlation")
            and not form.groups
            and not form.chart
        ):
            column = name_sql(measure.of, form) if measure.of else "*"
            both = _both_known(measure, form, table) if measure.operator in ("%", "-", "*") else ""
            counted = f"count(*) FILTER (WHERE {both})" if both else f"count({column})"
            found |= {"values_counted": counted, "values_missing": f"count(*) - {counted}"}
        elif measure.aggregate == "correlation" and measure.of and measure.other:
            both = f"{name_sql(measure.of, form)} IS NOT NULL AND {name_sql(measure.other, form)} IS NOT NULL"
            found["pairs"] = f"count(*) FILTER (WHERE {both})"
    return {name: sql for name, sql in found.items() if name not in names}
