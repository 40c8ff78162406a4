"""Checks that a form only asks for what can be computed from lengths of time in TIME columns. Pure."""

from engine.models.offline.form import Form, Measure
from engine.models.offline.schema import Table

__all__ = ["lengths_checked"]


def lengths_checked(form: Form, table: Table) -> bool:
    """Return whether a form uses lengths of time only in supported computations. Shares, running totals, changes and
    outliers, for example, are not supported.
    """
    compared = [c for f in form.filters for c in f.any if c.other is not None]
    if any(table.column(c.of).lasting != table.column(c.other).lasting for c in compared if c.other):
        return False
    used = [m for m in form.measures if _is_of_lengths(m, table)]
    if any(m.operator or m.share or m.per is not None or m.aggregate == "variance" for m in used):
        return False
    if any(one.measure < len(form.measures) and form.measures[one.measure] in used for one in form.having):
        return False
    if used and (form.window is not None or form.show == "change"):
        return False
    return form.show != "outliers" or not any(table.column(ref).lasting for ref in form.columns)


def _is_of_lengths(measure: Measure, table: Table) -> bool:
    refs = [ref for ref in (measure.of, measure.other) if ref is not None]
    counts = measure.aggregate in ("count", "distinct", "missing", "correlation")
    return not counts and any(table.column(ref).lasting for ref in refs)
