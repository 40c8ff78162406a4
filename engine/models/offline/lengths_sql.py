"""Makes SQL from columns that contain lengths of time, as TIME values or as texts such as 03:30:00."""

from engine.models.offline.form import Form, Measure, Ref
from engine.models.offline.quoting import name_sql
from engine.models.offline.schema import Table

__all__ = ["drawn_label", "drawn_name", "length_sql", "minutes_sql", "typed_sql"]

_OF_SECONDS = {"sum": "sum({})", "stddev": "stddev_samp({})", "range": "max({0}) - min({0})"}
"""Aggregates that DuckDB computes for numbers, but not for times."""
_OF_TIMES = {"mean": "avg({})", "median": "median({})", "min": "min({})", "max": "max({})"}


def typed_sql(ref: Ref, form: Form, table: Table) -> str:
    """Return the SQL of a column; a text with a length of time is converted to a time."""
    column, name = table.column(ref), name_sql(ref, form)
    text = column.lasting and column.profile.type.upper().startswith("VARCHAR")
    return f"TRY_CAST({name} AS TIME)" if text else name


def minutes_sql(ref: Ref, form: Form, table: Table) -> str:
    """Return the SQL of a column as a number; a length of time is given in minutes."""
    name = typed_sql(ref, form, table)
    return f"epoch({name}) / 60" if table.column(ref).lasting else name


def length_sql(measure: Measure, form: Form, table: Table) -> str:
    """Return the SQL of an aggregate of lengths of time. Its result is a length of time, or minutes if it is drawn in a
    chart.
    """
    assert measure.of is not None
    column = typed_sql(measure.of, form, table)
    if (how := _OF_SECONDS.get(measure.aggregate)) is not None:
        value = how.format(f"epoch({column})")
        return f"{value} / 60" if form.chart else f"to_seconds({value})"
    if measure.aggregate == "percentile":
        value = f"quantile_cont({column}, {measure.at / 100:g})"
    else:
        value = _OF_TIMES[measure.aggregate].format(column)
    return f"epoch({value}) / 60" if form.chart else value


def drawn_name(ref: Ref, table: Table) -> str:
    """Return the name of a column that is drawn in a chart; for a length of time, it ends in “(minutes)”."""
    return f"{ref.name} (minutes)" if table.column(ref).lasting else ref.name


def drawn_label(name: str, measure: Measure, form: Form, table: Table) -> str:
    """Return the name of a measure's column in the result; a length of time in a chart is in minutes."""
    if (
        not form.chart
        or measure.of is None
        or measure.aggregate in ("count", "distinct", "missing", "correlation")
    ):
        return name
    return f"{name}_minutes" if table.column(measure.of).lasting else name
