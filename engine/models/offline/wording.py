"""Numbers, labels, measures and conditions in words."""

import datetime as dt
import re
from collections.abc import Callable, Sequence

from engine.models.offline.intent import Filter, Group, Measure
from engine.models.offline.times import MONTHS
from events.canonical import JSON

__all__ = [
    "alike",
    "date_words",
    "filter_words",
    "in_words",
    "label_words",
    "measured_words",
    "number",
    "where_words",
]

_FN_WORDS = {"avg": "average {c}", "sum": "total {c}", "median": "median {c}", "min": "lowest {c}",
             "max": "highest {c}",
             "stddev": "standard deviation of {c}", "var": "variance of {c}",
             "distinct": "number of different values of {c}", "iqr": "interquartile range of {c}"}  # fmt: skip


_OP_WORDS = {"=": "is", ">": "over", ">=": "at least", "<": "under", "<=": "at most", "<>": "is not"}


_MONTH_NAMES = [
    name.capitalize()
    for name, _ in sorted(
        ((n, k) for n, k in MONTHS.items() if len(n) > 4 or n in ("may", "june", "july")), key=lambda p: p[1]
    )
]


def number(value: JSON) -> str:
    """A number as people write it: whole ones whole, others to about four digits."""
    if value is None:
        return "none"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return date_words(str(value))
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    if abs(value) >= 1:
        return f"{value:,.2f}"
    return f"{value:.4g}" if abs(value) >= 1e-4 else f"{value:.3e}"


def alike(values: Sequence[JSON]) -> Callable[[JSON], str]:
    """How the numbers of one column are written: whole ones like the others, `43.00` beside `44.56`."""
    numbers = [value for value in values if isinstance(value, float)]
    shown = [number(value) for value in numbers]
    if not any("." in text for text in shown) or any(0 < abs(value) < 1 for value in numbers):
        return number

    def written(value: JSON) -> str:
        return f"{value:,.2f}" if isinstance(value, float) else number(value)

    return written


def date_words(text: str) -> str:
    """A date or a moment as people write it: midnight is not said."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+)?", text)
    return text if found is None else found[1] if found[2] == "00:00:00" else f"{found[1]} {found[2]}"


def label_words(value: JSON, group: Group | None) -> str:
    """A group's label in words: `2013-12-01` as a month is December 2013."""
    if value is None:
        return "(missing)"
    text = date_words(str(value))
    if group is not None and group.grain in ("month", "quarter") and len(text) == 10:
        day = dt.date.fromisoformat(text)
        return (
            f"{_MONTH_NAMES[day.month - 1]} {day.year}"
            if group.grain == "month"
            else f"Q{(day.month + 2) // 3} {day.year}"
        )
    if group is not None and group.grain == "monthname" and text.isdigit():
        return _MONTH_NAMES[int(text) - 1]
    return f"{int(value)}" if isinstance(value, float) and value.is_integer() else text


def in_words(measure: Measure) -> str:
    """A measure in words."""
    if measure.column is None:
        return "number of rows"
    name = measure.column.name
    if measure.fn == "percent" and measure.per is not None:
        return f"average {name} in percent of {measure.per.name}"
    if measure.fn == "ratio" and measure.per is not None:
        return f"average {name} per {measure.per.name}"
    if measure.fn == "pctl":
        return f"{measure.quantile * 100:g}th percentile of {name}"
    if measure.fn == "distinct" and measure.grain is not None:
        return f"number of different {measure.grain.replace('monthname', 'calendar month')}s in {name}"
    if measure.column.role == "date" and measure.fn in ("min", "max"):
        return f"{'first' if measure.fn == 'min' else 'last'} {name}"
    return _FN_WORDS[measure.fn].format(c=name)


def filter_words(item: Filter) -> str:
    """A condition in words."""
    if item.op == "any":
        return " or ".join(filter_words(part) for part in item.parts)
    assert item.column is not None
    name, values = item.column.name, [number(v) if isinstance(v, float) else v for v in item.values]
    if item.column.year or item.column.time_named:
        values = [f"{v:g}" if isinstance(v, float) else v for v in item.values]
    negation = "not " if item.negated else ""
    if item.when is not None:
        sign = {"when": "in", ">": "after", ">=": "since", "<": "before", "<=": "until"}[item.op]
        return f"{name} {negation}{sign} {item.when.label}"
    if item.op in ("null", "notnull"):
        return f"{name} is {'not ' if item.op == 'notnull' else ''}missing"
    if item.op in ("above_avg", "below_avg"):
        return f"{name} is {'above' if item.op == 'above_avg' else 'below'} its average"
    if item.op == "between":
        return f"{name} {negation}between {values[0]} and {values[1]}"
    if item.op == "in":
        return f"{name} is {negation}{', '.join(str(v) for v in values[:-1])} or {values[-1]}"
    if item.op in ("begins", "contains"):
        verb = "begin" if item.op == "begins" else "contain"
        told = f"does not {verb}" if item.negated else f"{verb}s"
        return f"{name} {told}{' with' if item.op == 'begins' else ''} “{values[0]}”"
    sign = "is" if item.op == "is" else _OP_WORDS[item.op]
    shown = str(values[0]).strip("'") if item.op == "is" else values[0]
    return f"{name} {sign} {negation}{shown}"


def where_words(filters: Sequence[Filter]) -> str:
    """The conditions in words, after ` where `; nothing where there are none."""
    return " where " + " and ".join(filter_words(item) for item in filters) if filters else ""


def measured_words(value: JSON, measure: Measure) -> str:
    """A number of a measure; years without separators."""
    return (
        label_words(value, None)
        if measure.column is not None and measure.column.year and measure.fn in ("min", "max")
        else number(value)
    )
