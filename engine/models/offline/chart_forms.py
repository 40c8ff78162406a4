"""Adds a chart to a form, if a chart of the wanted type can show the form's numbers. Pure."""

from dataclasses import replace

from engine.models.offline.form import Form
from engine.models.offline.schema import Table, is_time

__all__ = ["drawn_as", "finished"]


def drawn_as(form: Form, mark: str, table: Table) -> Form | None:
    """Return a form with a chart of the type `mark`; None if such a chart cannot show the form. The chart may need
    groups that are added later.
    """
    if form.chart is not None and mark == "any":
        return form
    bare = (
        form.show == "numbers"
        and len(form.groups) <= (mark == "boxplot")
        and len(form.measures) == 1
        and form.measures[0].of is not None
    )
    if mark in ("histogram", "boxplot") and bare and form.measures[0].aggregate in ("sum", "mean"):
        of = form.measures[0].of
        assert of is not None
        show = "histogram" if mark == "histogram" else "points"
        columns = (of, *form.groups)  # a box for each group
        return Form(form.table, form.joins, show, columns=columns, filters=form.filters, chart=mark)  # type: ignore[arg-type]
    if form.show == "points":
        return replace(form, chart="point") if mark in ("point", "any") else None
    if form.show == "histogram":
        return form if mark in ("histogram", "any", "bar") else None
    if form.show != "numbers" or mark in ("point", "histogram", "boxplot"):
        return None
    if mark == "horizontal":
        return replace(form, chart="bar", horizontal=True)
    if mark == "any":
        mark = "line" if form.groups and any(is_time(ref, table) for ref in form.groups[:1]) else "bar"
        mark = "auto" if not form.groups else mark
    return replace(form, chart=mark)  # type: ignore[arg-type]


def finished(form: Form, table: Table) -> Form:
    """Return the form with a type of chart. If the question does not name a type, it is chosen here."""
    if form.chart != "auto":
        return form
    line = bool(form.groups) and is_time(form.groups[0], table)
    return replace(form, chart="line" if line else "bar")
