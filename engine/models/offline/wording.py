"""Writes a form as a sentence, and its parts as words. The grammar can read such a sentence back."""

import re
from dataclasses import replace

from engine.models.offline.form import CHARTS, Condition, Filter, Form, Having, Measure, Order, Ref, Scalar

__all__ = [
    "chart_words",
    "condition_words",
    "filter_words",
    "group_conditions",
    "having_words",
    "measure_words",
    "order_words",
    "ref_words",
    "sentence",
]

_AGGREGATES = {
    "sum": "total {}", "mean": "average {}", "median": "median {}", "min": "minimum {}", "max": "maximum {}",
    "range": "range of {}", "stddev": "standard deviation of {}", "variance": "variance of {}",
    "distinct": "number of different {}", "missing": "number of missing values in {}"
}  # fmt: skip
_GRAINS = {
    "month of year": "calendar month",
    "quarter of year": "calendar quarter",
    "hour of day": "hour of day",
}
_COMPARES = {
    ">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "equal to", "!=": "not equal to"
}  # fmt: skip
_PERIODS = {"=": "in", "!=": "not in", ">=": "since", ">": "after", "<": "before", "<=": "until"}


def column_words(ref: Ref) -> str:
    """Return a column's name, in quotes if it contains anything but words."""
    if ref.until:
        return f"{ref.unit} from {column_words(Ref(ref.column))} to {column_words(Ref(ref.until))}"
    if ref.width:
        return f"{column_words(Ref(ref.column))} in steps of {ref.step}"
    if ref.unit:
        return f"{column_words(Ref(ref.column))} in {ref.unit}"
    return ref.column if re.fullmatch(r"[^\W\d]\w*( \w+)*", ref.column) else f'"{ref.column}"'


def ref_words(ref: Ref) -> str:
    """Return the words for a group: a column, or the period to which a date column is truncated."""
    if ref.grain in ("", "day"):
        return column_words(ref)
    return f"{_GRAINS.get(ref.grain, ref.grain)} of {column_words(ref)}"


def measure_words(measure: Measure) -> str:
    """Return the words for a measure, without the conditions of a share."""
    if measure.per is not None:
        return f"average {measure_words(replace(measure, per=None))} for each {ref_words(measure.per)}"
    if measure.aggregate == "count":
        return "share of rows" if measure.share else "number of rows"
    assert measure.of is not None
    if measure.aggregate == "distinct" and measure.of.grain:
        return f"number of {measure.of.grain}s of {column_words(measure.of)}"
    name = column_words(measure.of)
    if measure.other is not None:
        other = column_words(measure.other)
        if measure.aggregate == "correlation":
            return f"correlation between {name} and {other}"
        joint = {"+": "plus", "-": "minus", "*": "times", "/": "per", "%": "in percent of"}[
            measure.operator or "+"
        ]
        name = f"{name} {joint} {other}"
    if measure.share:
        return f"share of {name}"
    if measure.aggregate == "percentile":
        return f"{measure.at:g}th percentile of {name}"
    return _AGGREGATES[measure.aggregate].format(name)


def value_words(value: Scalar) -> str:
    """Return the words for a value: texts in quotes, numbers unchanged."""
    return (
        f'"{value}"' if isinstance(value, str) else f"{value:.15g}" if abs(value) < 1e15 else f"{value:.0f}"
    )


def condition_words(condition: Condition) -> str:
    """Return the words for a condition: `species is "Gentoo"`."""
    name, compare = column_words(condition.of), condition.compare
    if condition.other is not None:
        return f"{name} is {_COMPARES[compare]} {column_words(condition.other)}"
    if compare in ("missing", "present", "above average", "below average"):
        return f"{name} is {compare}"
    if condition.of.grain:
        said = [str(value) for value in condition.values]
        if compare.endswith("between"):
            return f"{name} {'not ' * compare.startswith('not')}between {said[0]} and {said[1]}"
        if condition.of.grain == "time of day" and compare in ("=", "!="):
            return f"{name} {'not ' * (compare == '!=')}at {said[0]}"
        return f"{name} {_PERIODS[compare]} {' or '.join(said)}"
    values = [value_words(value) for value in condition.values]
    if compare in _COMPARES or compare.endswith("between"):
        values = [_length(value) for value in values] if compare not in ("=", "!=") else values
    if compare.endswith("between"):
        return f"{name} is {compare} {' and '.join(values)}"
    if compare.endswith("contains"):
        return f"{name} {'does not contain' if compare.startswith('not') else 'contains'} {values[0]}"
    if compare in ("=", "!=") and isinstance(condition.values[0], str):
        return f"{name} is {'not ' * (compare == '!=')}{' or '.join(values)}"
    return f"{name} is {_COMPARES[compare]} {' or '.join(values)}"


def _length(said: str) -> str:
    """Return a length of time as people write it: 3:30:00."""
    return said.strip('"').removeprefix("0") if re.fullmatch(r'"\d\d:\d\d:\d\d"', said) else said


def filter_words(found: Filter) -> str:
    """Return the words for a filter."""
    return " or ".join(condition_words(condition) for condition in found.any)


def where_words(filters: tuple[Filter, ...]) -> str:
    """Return the words for all filters, with `where`; empty if there are none."""
    return f" where {' and '.join(map(filter_words, filters))}" if filters else ""


def having_words(form: Form, having: Having) -> str:
    """Return the words for a condition on a measure of each group: `number of rows at least 50`."""
    measure = form.measures[having.measure]
    if measure.where and measure.share and (having.compare, having.value) == ("=", 0.0):
        return f"no rows whose {' and '.join(map(filter_words, measure.where))}"
    said = measure_words(measure)
    return f"{said} {_COMPARES[having.compare]} {value_words(having.value)}"


def group_conditions(form: Form) -> str:
    """Return the words for all conditions on the measures of each group, with `with`; empty if there are none."""
    said = [having_words(form, one) for one in form.having]
    return f" with {' and '.join(said)}" if said else ""


def order_words(order: Order, form: Form) -> str:
    """Return the words for the order of a result."""
    if order.by == "groups":
        return "sorted in reverse order" if order.descending else ""
    if isinstance(order.by, Ref):
        return f"sorted by {column_words(order.by)} {'descending' if order.descending else 'ascending'}"
    which = f"by {measure_words(form.measures[order.by])} " if len(form.measures) > 1 else ""
    return f"sorted {which}{'descending' if order.descending else 'ascending'}"


def chart_words(form: Form) -> str:
    """Return the words for the chart of a form."""
    name = CHARTS.get(form.chart or "", "table")
    return f"horizontal {name}" if form.horizontal else name


def _core(form: Form) -> str:
    names = [column_words(ref) for ref in form.columns]
    if form.show == "numbers":
        said = " and ".join(measure_words(measure) for measure in form.measures)
        if form.window is not None:
            size = f"{form.window.size}-{_grain(form)} " if form.window.size else ""
            kind = {
                "change": f"{_grain(form)} over {_grain(form)} change",
                "percent change": f"{_grain(form)} over {_grain(form)} percent change",
            }
            said = f"{size}{kind.get(form.window.kind, form.window.kind)} of {said}"
        return said
    return {
        "rows": f"{', '.join(names)} of rows" if names else "rows",
        "values": f"different values of {names[0]}" if names else "",
        "columns": f"describe {form.table}",
        "missing": "missing values by column",
        "duplicates": f"duplicate {names[0]}" if names else "duplicate rows",
        "outliers": f"outliers in {names[0]}" if names else "",
        "points": " by ".join(names) if form.chart == "boxplot" else " against ".join(reversed(names[:2])),
        "histogram": f"histogram of {names[0]}" if names else "",
        "change": f"change of {measure_words(form.measures[0])}" if form.measures else "",
    }[form.show]


def _grain(form: Form) -> str:
    return next((ref.grain for ref in form.groups if ref.grain), "") or "year"


def sentence(form: Form, *, chart: bool = True) -> str:
    """Return the sentence that describes a form without its table's name; if `chart` is False, also without its type of
    chart.
    """
    said = _core(form)
    parts = [m for m in form.measures if m.share and m.where]
    filters = form.filters
    if parts:
        said += f"{where_words(filters)} whose {' and '.join(map(filter_words, parts[0].where))}"
        filters = ()
    if form.groups and form.limit == 1 and form.ties:
        end = "highest" if form.order is None or form.order.descending else "lowest"
        if form.having and form.window is None and not parts:
            ranked = 0 if form.order is None or not isinstance(form.order.by, int) else form.order.by
            said = measure_words(form.measures[ranked])  # the others only serve conditions
        named = [ref for ref in form.groups if ref not in form.within] or form.groups[-1:]
        said = f"{' and '.join(map(ref_words, named))} with the {end} {said}"
        said += f" within {' and '.join(map(ref_words, form.within))}" if form.within else ""
    elif form.groups:
        said += f" by {' and '.join(map(ref_words, form.groups))}"
    if form.show == "points" and len(form.columns) > 2 and form.chart != "boxplot":
        said += f" colored by {column_words(form.columns[2])}"
    by = form.order.by if form.order is not None else 0
    lowest = form.order is not None and not form.order.descending
    if form.show == "rows" and isinstance(by, Ref) and form.limit == 1 and form.ties:
        said += f" with the {'lowest' if lowest else 'highest'} {column_words(by)}"
    said += group_conditions(form) + where_words(filters)
    if form.limit is not None and not (form.limit == 1 and form.ties):
        said += f", {'bottom' if lowest else 'top'} {form.limit}"
        said += f" by {column_words(by)}" if form.show == "rows" and isinstance(by, Ref) else ""
        said += f" within {' and '.join(map(ref_words, form.within))}" if form.within else ""
    elif form.order is not None and form.limit is None and (words := order_words(form.order, form)):
        said += f", {words}"
    if chart and form.chart is not None and form.show != "histogram":
        said += f" as a {chart_words(form)}"
    return said
