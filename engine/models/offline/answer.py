"""What is said once the numbers are there: the answer first, then what it was computed from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from engine.models.offline.intent import Intent, Measure
from engine.models.offline.sql import group_label, query
from engine.models.offline.wording import (
    alike,
    date_words,
    filter_words,
    in_words,
    label_words,
    measured_words,
    number,
    where_words,
)
from events.canonical import JSON

__all__ = ["Result", "answer", "result_of"]

_TIED = 3
"""Groups that are named where several share the lowest or the highest value."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came back of a query: as much of it as was shown."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, JSON], ...]
    total: int


def result_of(content: JSON) -> Result | None:
    """Read a tool's answer; None where it is no table."""
    if not isinstance(content, dict):
        return None
    columns, sample, total = content.get("columns"), content.get("sample"), content.get("rows")
    if not isinstance(columns, list) or not isinstance(sample, list):
        return None
    names = tuple(str(c.get("name")) if isinstance(c, dict) else str(c) for c in columns)
    rows = tuple(dict(zip(names, row, strict=False)) for row in sample if isinstance(row, list))
    return Result(names, rows, total if isinstance(total, int) else len(rows))


def answer(intent: Intent, result: Result) -> str:
    """The answer in words."""
    if not result.rows:
        return f"No row of `{intent.table.name}` matches{where_words(intent.filters).replace(' where', ':')}."
    if intent.kind in ("aggregate", "extent", "share", "correlation") and not intent.groups:
        return _single(intent, result)
    if intent.kind == "compare":
        return _compared(intent, result)
    if intent.kind == "top":
        return _ranked(intent, result)
    if intent.kind == "change":
        return _changed(intent, result)
    if intent.kind in ("aggregate", "share", "correlation"):
        return _grouped(intent, result)
    return _listed(intent, result)


def _based_on(intent: Intent, row: Mapping[str, JSON]) -> str:
    counted, missing = row.get("values_counted"), row.get("values_missing")
    told = f"Computed over `{intent.table.name}`{where_words(intent.filters)}"
    if isinstance(counted, int):
        told += f", from {counted:,} rows"
    if isinstance(missing, int) and missing:
        told += f"; {missing:,} without a value left out"
    return told + "."


def _single(intent: Intent, result: Result) -> str:
    row = result.rows[0]
    if intent.kind == "share":
        return _share(intent, row)
    if intent.kind == "correlation":
        first, second = intent.columns[:2]
        value = row.get("correlation")
        if not isinstance(value, int | float):
            return f"The correlation of {first.name} and {second.name} is undefined here: one of them does not vary."
        strength = (
            "strong"
            if abs(value) >= 0.7
            else "moderate"
            if abs(value) >= 0.4
            else "weak"
            if abs(value) >= 0.1
            else "next to none"
        )
        way = "positive" if value > 0 else "negative"
        return (f"The correlation of {first.name} and {second.name} is **{value:.4f}** ({strength}, {way}; Pearson). "
                f"Computed over `{intent.table.name}`{where_words(intent.filters)}, "
                f"from {number(row.get('pairs'))} rows with both values.")  # fmt: skip
    names = query(intent).numbers
    told = [(m, row.get(n)) for m, n in zip(intent.measures, names, strict=False)]
    if len(told) == 1 and told[0][0].column is None:
        counted = f"**{number(told[0][1])}** {_rows(intent, told[0][1])}"
        return f"{counted}{where_words(intent.filters)}. Counted in `{intent.table.name}`."
    if all(value is None for _, value in told):
        return f"There are rows to look at, but none with a value{where_words(intent.filters)}."
    verdict = _columns_verdict(intent, told)
    line = "; ".join(f"the {in_words(m)} is **{measured_words(v, m)}**" for m, v in told)
    extra = ""
    if (
        intent.implied
        and len(names) > len(told)
        and names[1].startswith(("average_", "total_"))
        and row.get("values_counted") != 1
    ):
        extra = f" ({names[1].replace('_', ' ', 1)}: {number(row.get(names[1]))})"
    return f"{verdict}{line[0].upper()}{line[1:]}{extra}. {_based_on(intent, row)}"


def _columns_verdict(intent: Intent, told: list[tuple[Measure, JSON]]) -> str:
    if not intent.verdict or len(told) != 2:
        return ""
    first, second = told[0][1], told[1][1]
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return ""
    return "Yes: " if (first - second) * intent.verdict > 0 else "No: "


def _rows(intent: Intent, value: JSON) -> str:
    return intent.noun.removesuffix("s") if value == 1 else intent.noun


def _share(intent: Intent, row: Mapping[str, JSON]) -> str:
    percent = row.get("percent")
    some, whole = (
        (row.get("part"), row.get("whole")) if intent.measures else (row.get("matching"), row.get("all_rows"))
    )
    if percent is None:
        return f"No row matches{where_words(intent.filters)}, so there is no share to tell."
    what = (
        f"of the total {intent.measures[0].column.name}"
        if intent.measures and intent.measures[0].column
        else "of the rows"
    )
    holds = " and ".join(filter_words(item) for item in intent.predicate)
    return f"**{number(percent)} %** {what}{where_words(intent.filters)} ({number(some)} of {number(whole)}): {holds}."


def _compared(intent: Intent, result: Result) -> str:
    built = query(intent)
    name, side = built.numbers[0], built.labels[0]
    if intent.groups:
        return _grouped(intent, result)
    values = [(str(label_words(row.get(side), None)), row.get(name)) for row in result.rows]
    known = [(label, value) for label, value in values if isinstance(value, int | float)]
    what = in_words(intent.measures[0])
    listed = "; ".join(f"{label}: **{number(value)}**" for label, value in sorted(known, key=lambda p: -p[1]))
    if len(known) < 2:
        alone = f"{what[0].upper()}{what[1:]}{where_words(intent.filters)}: {listed or 'no values'}"
        return f"{alone}. The other side has no rows to compare."
    lead = ""
    if intent.verdict:
        lead = _verdict(intent, known)
    (top, high), (low, least) = max(known, key=lambda p: p[1]), min(known, key=lambda p: p[1])
    gap = f" {top} is ahead of {low} by {number(high - least)}"
    gap += f" ({number(100 * (high - least) / abs(least))} %)" if least else ""
    if high == least:
        gap = " Both are equal"
    return f"{lead}{what[0].upper()}{what[1:]}{where_words(intent.filters)}: {listed}.{gap}."


def _verdict(intent: Intent, known: list[tuple[str, float]]) -> str:
    first = intent.sides[0]
    wanted = {str(v).lower().strip("'") for v in first.filter.values} | {first.label.lower()}
    if first.filter.when is not None:
        wanted.add(first.filter.when.label.lower())
    wanted |= {str(int(v)) for v in first.filter.values if isinstance(v, float)}
    mine = next((value for label, value in known if label.lower() in wanted), None)
    others = [value for label, value in known if label.lower() not in wanted]
    if mine is None or not others:
        return ""
    return "Yes. " if all((mine - other) * intent.verdict > 0 for other in others) else "No. "


def _ranked(intent: Intent, result: Result) -> str:
    built = query(intent)
    name = built.numbers[0]
    group = intent.groups[0] if intent.groups else None
    labels = built.labels[:1] if group else built.labels[:2]

    def told(row: Mapping[str, JSON]) -> str:
        return ", ".join(label_words(row.get(label), group) for label in labels) or "a row"

    first = result.rows[0]
    best = [row for row in result.rows if row.get(name) == first.get(name)]
    what = (
        in_words(intent.measures[0])
        if group
        else intent.measures[0].column.name
        if intent.measures[0].column
        else "count"
    )
    end = "highest" if intent.descending else "lowest"
    value = measured_words(first.get(name), intent.measures[0])
    if not intent.only_first:
        column = intent.measures[0].column
        numbers = [] if column is not None and column.year else [row.get(name) for row in result.rows[:20]]
        written = alike(numbers) if numbers else partial(measured_words, measure=intent.measures[0])
        lines = "\n".join(
            f"{i}. {told(row)}: {written(row.get(name))}" for i, row in enumerate(result.rows[:20], 1)
        )
        return f"By {what}{where_words(intent.filters)}, {end} first:\n\n{lines}"
    if len(best) > 1 and len(best) < len(result.rows) + 1 and group is None and not labels:
        return f"The {end} {what} is **{value}**{where_words(intent.filters)}."
    if len(best) > 1:
        return f"{_and([f'**{told(row)}**' for row in best[:5]])} tie: {what} {value}{where_words(intent.filters)}."
    lead = f"**{told(first)}**: {what} {value}, the {end}{where_words(intent.filters)}."
    return lead + _other_reading(intent, built.numbers, result, told)


def _other_reading(intent: Intent, names: tuple[str, ...], result: Result, told: object) -> str:
    """Where no aggregate was named and the other one has another winner, both are told."""
    if (
        not intent.implied
        or len(names) < 2
        or not names[1].startswith(("average_", "total_"))
        or len(result.rows) >= (intent.limit or 0)
    ):
        return ""
    known = [row for row in result.rows if isinstance(row.get(names[1]), int | float)]
    pick = max if intent.descending else min
    if not known or not callable(told):
        return ""
    other = pick(known, key=lambda row: float(str(row.get(names[1]))))
    return (
        ""
        if other is result.rows[0]
        else f" By {names[1].replace('_', ' ', 1)} it is {told(other)} ({number(other.get(names[1]))})."
    )


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _changed(intent: Intent, result: Result) -> str:
    row = result.rows[0]
    percent, change = row.get("percent_change"), row.get("change")
    if not isinstance(change, int | float):
        return "There are too few values to tell a change."
    column = intent.measures[0].column
    way = "rose" if change > 0 else "fell" if change < 0 else "stayed the same"
    by = f"**{number(abs(percent))} %**" if isinstance(percent, int | float) else ""
    since = f"from {number(row.get('first_value'))} ({date_words(str(row.get('first_time')))})"
    until = f"to {number(row.get('last_value'))} ({date_words(str(row.get('last_time')))})"
    name = column.name if column else "It"
    return f"{name} {way} by {by} ({number(abs(change))}): {since} {until}{where_words(intent.filters)}."


def _grouped(intent: Intent, result: Result) -> str:
    built = query(intent)
    name = built.numbers[0]
    rows = [row for row in result.rows if isinstance(row.get(name), int | float)]
    by = " and ".join(group_label(group) for group in intent.groups)
    what = (
        in_words(intent.measures[0])
        if intent.measures
        else "correlation"
        if intent.kind == "correlation"
        else "share"
    )
    what = "share of rows" if intent.as_share and intent.measures[0].column is None else what
    lead = f"{what[0].upper()}{what[1:]} by {by}{where_words(intent.filters)}"
    if not rows:
        return f"{lead}: the table has the groups, without values."
    sign = " %" if intent.as_share or intent.kind == "share" else ""

    written = alike([row.get(name) for row in rows])

    def told(row: Mapping[str, JSON]) -> tuple[str, str]:
        labels = [
            label_words(row.get(label), group)
            for label, group in zip(built.labels[-len(intent.groups) :], intent.groups, strict=False)
        ]
        return ", ".join(labels), f"{written(row.get(name))}{sign}"

    if intent.kind == "share" and intent.sides and intent.verdict:
        known = [(str(row.get(built.labels[0])), float(str(row.get(name)))) for row in rows]
        lead = _verdict(intent, known) + lead
    if len(rows) <= 8 and result.total == len(result.rows):
        empty = f"; {result.total - len(rows)} without a value" if result.total > len(rows) else ""
        return f"{lead}: {'; '.join(' '.join(told(row)) for row in rows)}{empty}."
    if result.total > len(result.rows):
        return f"{lead}: {result.total:,} rows; the table has them all."
    return f"{lead}: {result.total:,} rows; {_extremes(rows, name, told)}. The table has them all."


def _extremes(
    rows: list[Mapping[str, JSON]], name: str, told: Callable[[Mapping[str, JSON]], tuple[str, str]]
) -> str:
    """`lowest Rome with 3, highest Oslo and Bern with 9`: the groups at both ends, those that tie together."""
    values = [float(str(row.get(name))) for row in rows]
    if min(values) == max(values):
        return f"the value is {told(rows[0])[1]} in each"
    parts = []
    for word, end in (("lowest", min(values)), ("highest", max(values))):
        ends = [told(row) for row, value in zip(rows, values, strict=True) if value == end]
        shown = [label for label, _ in ends]
        if len(shown) > _TIED:
            shown = [*shown[: _TIED - 1], f"{len(shown) - _TIED + 1} others"]
        parts.append(f"{word} {_and(shown)} with {ends[0][1]}")
    return ", ".join(parts)


def _listed(intent: Intent, result: Result) -> str:
    if intent.kind == "missing_table":
        parts = [f"{row.get('column_name')} {number(row.get('missing'))}" for row in result.rows]
        if intent.limit == 1:
            return f"**{parts[0]}**: the most missing values of all columns of `{intent.table.name}`."
        return f"Columns of `{intent.table.name}` with missing values: {', '.join(parts)}."
    if intent.kind == "distinct":
        column = intent.columns[0].name
        values = ", ".join(label_words(row.get(column), None) for row in result.rows[:40])
        more = "" if result.total <= 40 else ", …"
        many = "different values" if result.total != 1 else "value"
        return f"{column} has {result.total:,} {many}{where_words(intent.filters)}: {values}{more}."
    if intent.kind == "head":
        return f"The first rows of `{intent.table.name}`, which has {intent.table.rows:,} in all."
    names = query(intent).labels[:1]
    shown = [label_words(row.get(name), None) for row in result.rows[:12] for name in names]
    listed = f": {', '.join(shown)}" if shown and result.total <= 12 else ""
    noun = "" if intent.noun == "rows" else f" {intent.noun}"
    return f"**{result.total:,}**{noun} found{where_words(intent.filters)}{listed}."
