"""Checks that a form can be computed, and that nothing in it would have no effect. Pure."""

from engine.models.offline.form import Filter, Form, Measure
from engine.models.offline.schema import Table, is_time

__all__ = ["checked"]


def checked(form: Form, table: Table) -> bool:
    """Whether a form says something that can be computed, with nothing in it that would have no effect."""
    if form.chart == "auto" or any(
        _contradict((*form.filters, *m.where)) for m in (*form.measures, Measure("count"))
    ):
        return False
    if form.show == "numbers":
        return _numbers_checked(form, table)
    if form.groups or form.window or form.having:
        return False
    if form.show == "change":
        others = (c.of for f in form.filters for c in f.any if c.compare not in ("present", "missing"))
        return not any(is_time(ref, table) and ref.column != form.columns[0].column for ref in others)
    if form.show == "points":
        return len(form.columns) >= (1 if form.chart == "boxplot" else 2)
    return True


def _contradict(filters: tuple[Filter, ...]) -> bool:
    """Whether conditions can never hold together: one column equal to two different values."""
    equal = [
        f.any[0] for f in filters if len(f.any) == 1 and f.any[0].compare == "=" and len(f.any[0].values) == 1
    ]
    return len({c.of for c in equal}) < len(set(equal))


def _numbers_checked(form: Form, table: Table) -> bool:
    if not form.measures or len(set(form.measures)) < len(form.measures):
        return False
    times = [ref for ref in form.groups if is_time(ref, table)]
    if form.window is not None and (len(times) != 1 or form.limit is not None or len(form.measures) != 1):
        return False
    if any(measure.share and not measure.where and not form.groups for measure in form.measures):
        return False
    if any(not _measure_checked(measure, form) for measure in form.measures):
        return False
    if form.chart is not None:
        return bool(form.groups) and len(form.groups) <= (1 if form.chart == "arc" else 2)
    return True


def _measure_checked(measure: Measure, form: Form) -> bool:
    grouped = {ref.column for ref in form.groups}
    if measure.aggregate == "distinct" and measure.of is not None and measure.of.column in grouped:
        return False
    constant = {
        c.of
        for f in form.filters
        for c in f.any
        if c.compare == "=" and len(c.values) == 1 and len(f.any) == 1
    }
    shared = {c.of for f in measure.where for c in f.any}
    return not (measure.share and measure.where and shared & constant)
