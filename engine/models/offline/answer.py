"""Writes the answer from the computed numbers: first the answer, then the data from which it was computed."""

from collections.abc import Sequence

from engine.models.offline.answer_rows import FEW, listed, value_words
from engine.models.offline.form import Condition, Form, Measure, Ref
from engine.models.offline.results import Result, Row, gap_words, label, measured, number
from engine.models.offline.schema import Table
from engine.models.offline.sql import Query, query
from engine.models.offline.wording import (
    chart_words,
    column_words,
    filter_words,
    group_conditions,
    measure_words,
    ref_words,
    where_words,
)
from events.json_value import JSON

__all__ = ["answer"]


def answer(form: Form, table: Table, result: Result) -> str:
    """Return the answer in words."""
    return _answer(form, table, result) + _left_out(form, table)


def _left_out(form: Form, table: Table) -> str:
    """Mention the rows that a condition excludes implicitly: rows without a value do not match “not A”."""
    refs = [
        c.of for f in form.filters if len(f.any) == 1 for c in f.any if c.compare.startswith(("!=", "not "))
    ]
    missing = {ref.name: table.column(ref).profile.missing for ref in refs}
    said = [f"{many:,} row{'s' * (many != 1)} without {name}" for name, many in missing.items() if many]
    one = sum(missing.values()) == 1
    return f" The {' and the '.join(said)} {'is' if one else 'are'} left out." if said else ""


def _answer(form: Form, table: Table, result: Result) -> str:
    if form.chart is not None:
        return f"Here is the {chart_words(form)}."
    if not result.rows:
        if form.show == "duplicates" and form.columns:
            repeated = " and ".join(map(ref_words, form.columns))
            return f"No value of {repeated} appears in more than one row of `{form.table}`{where_words(form.filters)}."
        if form.show in ("duplicates", "missing", "outliers"):
            return f"`{form.table}` has no {_NOTHING[form.show]}{where_words(form.filters)}."
        if form.having:
            groups = " and ".join(map(ref_words, form.groups))
            met = group_conditions(form).replace(" with", " has", 1)
            return f"No {groups} of `{form.table}`{met}{where_words(form.filters)}."
        return f"No row of `{form.table}` matches{where_words(form.filters).replace(' where', ':', 1)}."
    built = query(form, table)
    if form.show == "numbers":
        if not form.groups:
            return _single(form, built, result.rows[0])
        if form.limit == 1 and not form.within:
            return _best(form, built, result)
        if form.limit is not None and not form.within:
            return _ranked(form, built, result)
        return _grouped(form, built, result)
    if form.show == "change":
        return _changed(form, built, result.rows[0])
    return listed(form, table, result)


_NOTHING = {"duplicates": "duplicate rows", "missing": "missing values", "outliers": "outliers"}


def _conditions(form: Form) -> str:
    """Return the words for the conditions on rows, then the words for the conditions on groups in brackets."""
    met = group_conditions(form).removeprefix(" with ")
    return where_words(form.filters) + (f" ({met})" if met else "")


def _single(form: Form, built: Query, row: Row) -> str:
    measure = form.measures[0]
    value = row.get(built.numbers[0])
    if measure.share:
        return _share(form, measure, value, row)
    if measure.aggregate == "correlation":
        return _correlation(form, value, row)
    is_counted = measure.per is None and measure.aggregate in ("count", "missing", "distinct")
    if is_counted and len(form.measures) == 1:
        return _counted(form, measure, value)
    return _aggregated(form, [row.get(name) for name in built.numbers[: len(form.measures)]], row)


def _share(form: Form, measure: Measure, value: JSON, row: Row) -> str:
    if value is None:
        return f"No row matches{where_words(form.filters)}, so there is no share."
    part = " and ".join(map(filter_words, measure.where))
    of = f" of {measure_words(measure)[9:]}" if measure.of else " of the rows"
    of_all = f"({number(row.get('part'))} of {number(row.get('whole'))})"
    return f"**{number(value)} %**{of}{where_words(form.filters)} {of_all}: {part}."


def _counted(form: Form, measure: Measure, value: JSON) -> str:
    rows = "row" if value == 1 else "rows"
    things = {"distinct": "different values of", "missing": "missing values of"}.get(measure.aggregate, rows)
    name = f" {column_words(measure.of)}" if measure.of else ""
    return f"**{number(value)}** {things}{name}{where_words(form.filters)}. Counted in `{form.table}`."


def _aggregated(form: Form, every: Sequence[JSON], row: Row) -> str:
    if not any(found is not None for found in every):
        return f"No row has a value{where_words(form.filters)}."
    said = "; ".join(
        f"{measure_words(m)} is **{value_words(v)}**" for m, v in zip(form.measures, every, strict=True)
    )
    counted, missing = row.get("values_counted"), row.get("values_missing")
    based = f"Computed over `{form.table}`{where_words(form.filters)}"
    based += (
        f", from {number(counted)} {'value' if counted == 1 else 'values'}"
        if isinstance(counted, int)
        else ""
    )
    if isinstance(missing, int) and missing:
        left = "1 row without a value is" if missing == 1 else f"{number(missing)} rows without a value are"
        based += f"; {left} left out"
    return f"The {said}. {based}."


def _correlation(form: Form, value: JSON, row: Row) -> str:
    words = measure_words(form.measures[0])
    if not isinstance(value, int | float):
        return f"The {words} is undefined here, because one of the columns has the same value in every row."
    size = abs(value)
    strength = (
        "strong" if size >= 0.7 else "moderate" if size >= 0.4 else "weak" if size >= 0.1 else "next to none"
    )
    way = f", {'positive' if value > 0 else 'negative'}" if size >= 0.1 else ""
    pairs = f"from {number(row.get('pairs'))} rows with both values"
    return f"The {words} is **{value:.4f}** ({strength}{way}; Pearson), {pairs}{where_words(form.filters)}."


def _named(form: Form, built: Query, row: Row) -> str:
    return ", ".join(label(row.get(name), ref) for name, ref in zip(built.labels, form.groups, strict=True))


def _measured(measure: Measure) -> str:
    """Return the words for a measure; for a share, include the condition that defines the part."""
    whose = " and ".join(map(filter_words, measure.where)) if measure.share else ""
    return f"{measure_words(measure)} whose {whose}" if whose else measure_words(measure)


def _percent(form: Form, value: JSON) -> str:
    return f"{number(value)} %" if form.measures[0].share else number(value)


def _best(form: Form, built: Query, result: Result) -> str:
    assert form.order is not None
    assert isinstance(form.order.by, int)
    name = built.numbers[form.order.by]
    names = [f"**{_named(form, built, row)}**" for row in result.rows]
    end = "highest" if form.order.descending else "lowest"
    what = _measured(form.measures[form.order.by])
    value = _percent(form, result.rows[0].get(name))
    if result.total > 1:
        shown = ", ".join(names[:FEW]) + (f" and {result.total - FEW:,} more" if result.total > FEW else "")
        return f"{shown} tie for the {end} {what}, {value}{_conditions(form)}."
    others = _others(form, built, result.rows[0])
    return f"{names[0]} has the {end} {what}, **{value}**{others}{_conditions(form)}."


def _others(form: Form, built: Query, row: Row) -> str:
    """Return the words for the other measures of a ranked group, but not for measures that only conditions use."""
    assert form.order is not None
    unsaid = {form.order.by, *(having.measure for having in form.having)}
    return "".join(
        f"; {measure_words(measure)} {number(row.get(name))}"
        for place, (measure, name) in enumerate(zip(form.measures, built.numbers, strict=False))
        if place not in unsaid
    )


def _ranked(form: Form, built: Query, result: Result) -> str:
    assert form.order is not None
    assert isinstance(form.order.by, int)
    name = built.numbers[form.order.by]
    lines = [
        f"{place}. {_named(form, built, row)}: {_percent(form, row.get(name))}{_others(form, built, row)}"
        for place, row in enumerate(result.rows[:20], 1)
    ]
    end = "highest" if form.order.descending else "lowest"
    what = _measured(form.measures[form.order.by])
    lead = f"{what[0].upper()}{what[1:]} by {' and '.join(map(ref_words, form.groups))}{_conditions(form)}"
    return f"{lead}, {end} first:\n\n" + "\n".join(lines)


def _grouped(form: Form, built: Query, result: Result) -> str:
    name = built.numbers[-1] if form.window else built.numbers[0]
    asked = sorted(set(range(len(form.measures))) - {one.measure for one in form.having if one.measure})
    what = " and ".join(_measured(form.measures[place]) for place in asked)
    what = f"{form.window.kind} of {what}" if form.window else what
    lead = f"{what[0].upper()}{what[1:]} by {' and '.join(map(ref_words, form.groups))}{_conditions(form)}"
    rows = [row for row in result.rows if measured(row.get(name)) is not None]
    if not rows:
        return f"{lead}: {_times(form, built, result, name)}."
    if form.compares and len(rows) == 2:
        return _verdict(form, built, rows, lead)
    if form.within or result.total > len(result.rows) or (len(asked) > 1 and result.total > FEW):
        return f"{lead}: {result.total:,} {'row' if result.total == 1 else 'rows'}."
    if len(asked) > 1:
        return f"{lead}: {'; '.join(_several(form, built, row, asked) for row in result.rows)}."
    if result.total <= FEW:
        return f"{lead}: {'; '.join(f'{_named(form, built, row)} {_percent(form, row.get(name))}' for row in rows)}."
    low, high = (end(rows, key=lambda row: measured(row[name]) or 0.0) for end in (min, max))
    ends = [
        f"{word} {_named(form, built, row)} with {_percent(form, row[name])}"
        for word, row in (("lowest", low), ("highest", high))
    ]
    tied = [sum(row[name] == end[name] for row in rows) for end in (low, high)]
    return (
        f"{lead}: {result.total:,} rows; {', '.join(ends)}."
        if tied == [1, 1]
        else f"{lead}: {result.total:,} rows."
    )


def _several(form: Form, built: Query, row: Row, asked: Sequence[int]) -> str:
    """Return the words for a group with several numbers."""
    percent = {place: " %" if form.measures[place].share else "" for place in asked}
    values = (f"{number(row.get(built.numbers[place]))}{percent[place]}" for place in asked)
    return f"{_named(form, built, row)}: {' and '.join(values)}"


def _times(form: Form, built: Query, result: Result, name: str) -> str:
    """Return the answer about dates of groups, without calling one of them the lowest or highest."""
    known = [row for row in result.rows if row.get(name) is not None]
    if not known:
        return f"{result.total:,} groups, none with a value"
    if result.total > FEW:
        return f"{result.total:,} rows"
    return "; ".join(f"{_named(form, built, row)} {label(row.get(name))}" for row in known)


def _verdict(form: Form, built: Query, rows: list[Row], lead: str) -> str:
    name = built.numbers[0]
    ref = form.groups[-1]
    wanted = next(_side(c, ref) for f in form.filters for c in f.any if c.of.column == ref.column)
    first = next((row for row in rows if label(row[built.labels[-1]], ref).lower() == wanted), rows[0])
    second = next(row for row in rows if row is not first)
    gap = (measured(first[name]) or 0) - (measured(second[name]) or 0)
    said = "Yes. " if (gap > 0 if form.compares == "more" else gap < 0) else "No. "
    said = "" if form.compares == "difference" else said
    both = "; ".join(f"{_named(form, built, row)} **{number(row[name])}**" for row in (first, second))
    return f"{said}{lead}: {both}, a difference of {gap_words(first[name], second[name])}."


def _side(condition: Condition, ref: Ref) -> str:
    """Return the label of the group that a condition selects: its value, or the year or decade of a range."""
    said = str(condition.values[0]).lower()
    if condition.of == ref:
        return said
    return said[:4] if ref.grain == "year" else label(int(said[:3]) * 10, ref).lower()


def _changed(form: Form, built: Query, row: Row) -> str:
    change, percent = row.get("change"), row.get("percent_change")
    first, last = built.numbers[:2]
    if not isinstance(change, int | float):
        return f"There are too few values for a change{where_words(form.filters)}."
    way = "rose" if change > 0 else "fell" if change < 0 else "did not change"
    by = f" by **{number(abs(change))}**" if change else ""
    by += f" (**{number(abs(percent))} %**)" if isinstance(percent, int | float) and change else ""
    ref = form.columns[0]
    times = [label(row.get(name), ref) for name in ("first_time", "last_time")]
    ends = f"from {number(row.get(first))} ({times[0]}) to {number(row.get(last))} ({times[1]})"
    what = measure_words(form.measures[0])
    return f"{what[0].upper()}{what[1:]} {way}{by}: {ends}{where_words(form.filters)}."
