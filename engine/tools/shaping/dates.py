"""Dates in mixed formats: finds the formats in a column, and makes SQL that reads each value in its own format.
Pure."""

from collections.abc import Collection, Mapping, Sequence

from engine.tools.shaping.writing import empty, literal, quote
from events.late_dataclass import dataclass

__all__ = ["FORMATS", "DateOrder", "date_steps", "format_of", "look_at_dates"]

DateOrder = str
"""How to read ambiguous dates: `day_first`, `month_first` or `empty`."""


@dataclass(frozen=True, slots=True)
class _Format:
    name: str
    words: str
    """The name of the format on the page."""
    shape: str
    """A regular expression for the whole date."""
    reads: str
    """SQL over `{day}`, the text of the date."""


def _parsed(form: str) -> str:
    return f"try_strptime({{day}}, '{form}')"


FORMATS = (
    _Format("iso", "year-month-day", r"\d{4}-\d{1,2}-\d{1,2}", _parsed("%Y-%m-%d")),
    _Format("iso_slash", "year/month/day", r"\d{4}/\d{1,2}/\d{1,2}", _parsed("%Y/%m/%d")),
    _Format("iso_dot", "year.month.day", r"\d{4}\.\d{1,2}\.\d{1,2}", _parsed("%Y.%m.%d")),
    _Format(
        "compact",
        "yearmonthday",
        r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
        _parsed("%Y%m%d"),
    ),
    _Format("dot", "day.month.year", r"\d{1,2}\.\d{1,2}\.\d{4}", _parsed("%d.%m.%Y")),
    _Format("dot_short", "day.month.yy", r"\d{1,2}\.\d{1,2}\.\d{2}", _parsed("%d.%m.%y")),
    _Format("named", "day month year", r"\d{1,2} [A-Za-z]{3} \d{4}", _parsed("%d %b %Y")),
    _Format("named_long", "day month year", r"\d{1,2} [A-Za-z]{4,9} \d{4}", _parsed("%d %B %Y")),
    _Format("named_short", "day month yy", r"\d{1,2} [A-Za-z]{3} \d{2}", _parsed("%d %b %y")),
    _Format("named_us", "month day, year", r"[A-Za-z]{3} \d{1,2} \d{4}", _parsed("%b %d %Y")),
    _Format("named_us_long", "month day, year", r"[A-Za-z]{4,9} \d{1,2} \d{4}", _parsed("%B %d %Y")),
    _Format("month", "month and year, read as the first day", r"[A-Za-z]{3} \d{4}", _parsed("%b %Y")),
    _Format("month_long", "month and year, read as the first day", r"[A-Za-z]{4,9} \d{4}", _parsed("%B %Y")),
    _Format("month_iso", "month and year, read as the first day", r"\d{4}-\d{1,2}", _parsed("%Y-%m")),
    _Format("month_slash", "month and year, read as the first day", r"\d{1,2}/\d{4}", _parsed("%m/%Y")),
    _Format(
        "serial",
        "a day's number in Excel",
        r"[2-6]\d{4}",
        "CAST(DATE '1899-12-30' + CAST({day} AS INTEGER) AS TIMESTAMP)",
    ),
    _Format("epoch", "seconds since 1970", r"1\d{9}", "make_timestamp(CAST({day} AS BIGINT) * 1000000)"),
    _Format(
        "epoch_ms", "milliseconds since 1970", r"1\d{12}", "make_timestamp(CAST({day} AS BIGINT) * 1000)"
    ),
)
_ORDERED = {"slash": ("/", "%Y", r"\d{4}"), "slash_short": ("/", "%y", r"\d{2}"), "dash": ("-", "%Y", r"\d{4}"),
            "dash_short": ("-", "%y", r"\d{2}")}  # fmt: skip
"""Formats with two numbers before the year, either of which can be the day. Each format has a separator, a year format
and a pattern for the year.
"""
_BY_NAME: Mapping[str, _Format] = {one.name: one for one in FORMATS}
_TIMES = "['%H:%M:%S', '%H:%M', '%H:%M:%S.%f', '%I:%M:%S %p', '%I:%M %p', '%I:%M%p']"
_TIME = r"^(.*?)(?:[T ]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?: ?[AaPp][Mm])?))?( ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?$"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_CLEANED = (
    (r"\s+|,", " "),
    (r"(?i)\b(\d{1,2})(st|nd|rd|th)\b", r"\1"),
    (r"(\d)\. ?([A-Za-z])", r"\1 \2"),
    (rf"(?i)\b({_MONTHS})t?\.", r"\1"),
    (r"(?i)\bsept\b", "sep"),
    (r"(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.? ", ""),
    (r"(\d)[-/. ]+([A-Za-z]{3,9})[-/. ]+(\d)", r"\1 \2 \3"),
    (r" +", " "),
)
"""Replacements that unify different ways of writing, in order: spaces, ordinals, points after months, weekdays."""


def format_of(name: str) -> tuple[str, str]:
    """Return a format's name on the page, and which number comes first in it: day, month, same (both numbers are equal)
    or either.
    """
    base, _, order = name.partition(":")
    if base in _BY_NAME:
        return _BY_NAME[base].words, ""
    separator, year, _ = _ORDERED[base]
    parts = ("month", "day") if order == "month" else ("day", "month")
    return f"{separator.join(parts)}{separator}{'year' if year == '%Y' else 'yy'}", order


def _cleaned(column: str) -> str:
    text = f"trim(CAST({column} AS VARCHAR))"
    for pattern, instead in _CLEANED:
        text = f"regexp_replace({text}, {literal(pattern)}, {literal(instead)}, 'g')"
    return f"trim({text})"


def _parted(source: str, column: str) -> list[tuple[str, str]]:
    """Return the parts of a SELECT that split a value's text into day, time and zone."""
    cut = ", ".join(
        f"regexp_extract(ab_text, {literal(_TIME)}, {group}) AS {name}"
        for group, name in ((1, "ab_day"), (2, "ab_time"), (3, "ab_zone"))
    )
    return [
        ("dated", f"SELECT *, {_cleaned(quote(column))} AS ab_text FROM {source}"),
        ("parted", f"SELECT *, {cut} FROM dated"),
    ]


def _classed(column: str, seen: Collection[str] | None) -> str:
    """Return SQL for the name of a value's format. If `seen` is given, the SQL looks only for these formats."""
    bases = {name.partition(":")[0] for name in seen} if seen is not None else None
    cases = [f"WHEN {empty(quote(column))} THEN 'empty'"]
    cases += [
        f"WHEN regexp_full_match(ab_day, {literal(one.shape)}) THEN '{one.name}'"
        for one in FORMATS
        if bases is None or one.name in bases
    ]
    for name, (separator, _, year) in _ORDERED.items():
        if bases is not None and name not in bases:
            continue
        shape = rf"(\d{{1,2}}){separator}(\d{{1,2}}){separator}{year}"
        first, second = (f"CAST(regexp_extract(ab_day, {literal(shape)}, {at}) AS INTEGER)" for at in (1, 2))
        cases.append(
            f"WHEN regexp_full_match(ab_day, {literal(shape)}) THEN CASE WHEN {first} = {second} THEN '{name}:same' "
            f"WHEN {first} > 12 THEN '{name}:day' WHEN {second} > 12 THEN '{name}:month' ELSE '{name}:either' END"
        )
    return f"CASE {' '.join(cases)} ELSE 'unread' END"


def _day(order: DateOrder, seen: Collection[str] | None) -> str:
    """Return SQL that reads a value's day according to its format."""
    cases = [
        f"WHEN '{one.name}' THEN {one.reads.format(day='ab_day')}"
        for one in FORMATS
        if seen is None or one.name in seen
    ]
    for name, (separator, year, _) in _ORDERED.items():
        day, month = (
            f"try_strptime(ab_day, '{separator.join(parts)}{separator}{year}')"
            for parts in (("%d", "%m"), ("%m", "%d"))
        )
        ways = {"day": day, "same": day, "month": month}
        if order != "empty":
            ways["either"] = day if order == "day_first" else month
        cases += [
            f"WHEN '{name}:{way}' THEN {value}"
            for way, value in ways.items()
            if seen is None or f"{name}:{way}" in seen
        ]
    return f"CASE ab_format {' '.join(cases)} END" if cases else "CAST(NULL AS TIMESTAMP)"


def _moment(order: DateOrder, seen: Collection[str] | None) -> str:
    """Return SQL that yields a value's moment, in UTC if it names a zone; NULL if its time cannot be read."""
    sign = "CASE WHEN contains(ab_zone, '-') THEN 1 ELSE -1 END"
    hours, minutes = (
        f"coalesce(try_cast(regexp_extract(ab_zone, '(\\d{{2}}):?(\\d{{2}})', {at}) AS INTEGER), 0)"
        for at in (1, 2)
    )
    time = f"CAST(try_strptime(upper(ab_time), {_TIMES}) AS TIME)"
    offset = f"to_minutes({sign} * ({hours} * 60 + {minutes}))"
    return (
        f"CASE WHEN ab_time = '' THEN {_day(order, seen)} "
        f"ELSE CAST({_day(order, seen)} AS DATE) + {time} + {offset} END"
    )


def look_at_dates(source: str, column: str) -> str:
    """Return a SELECT of a column's formats: for each format, the number of values, examples, and the date of the first
    example if read with the day first or with the month first.

    `source` is a relation with the column.
    """
    parts = _parted(source, column)
    parts.append(
        (
            "classed",
            f"SELECT *, row_number() OVER () AS ab_row, {_classed(column, None)} AS ab_format FROM parted",
        )
    )
    read = (
        f"SELECT *, {_moment('day_first', None)} AS ab_d, {_moment('month_first', None)} AS ab_m FROM classed"
    )
    parts.append(("looked", read))
    name = "CASE WHEN ab_format <> 'empty' AND ab_d IS NULL AND ab_m IS NULL THEN 'unread' ELSE ab_format END"
    raw = f"CAST({quote(column)} AS VARCHAR)"
    return (
        f"WITH {_listed(parts)} SELECT {name} AS format, count(*) AS n, min_by({raw}, ab_row) AS example, "
        "CAST(min_by(ab_d, ab_row) AS VARCHAR) AS day_first, CAST(min_by(ab_m, ab_row) AS VARCHAR) AS month_first, "
        f"count(*) FILTER (ab_time <> '' OR ab_format LIKE 'epoch%') AS timed, "
        f"count(*) FILTER (ab_zone <> '') AS zoned, list(DISTINCT {raw} ORDER BY {raw})[:8] AS examples "
        "FROM looked GROUP BY 1 ORDER BY n DESC, 1"
    )


def _listed(parts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} AS ({sql})" for name, sql in parts)


def date_steps(
    source: str, column: str, seen: Collection[str], order: DateOrder, *, timed: bool
) -> list[tuple[str, str]]:
    """Return the name and SELECT of each part of the step that reads a column as dates, the result last.

    Args:
        source: a relation that has the column.
        column: its name.
        seen: its formats, as `look_at_dates` names them.
        order: how dates that can be read in two ways are read.
        timed: whether any value has a time of day.
    """
    known = [name for name in seen if name not in ("empty", "unread")]
    value = f"CAST({_moment(order, known)} AS {'TIMESTAMP' if timed else 'DATE'})"
    parts = _parted(source, column)
    parts.append(("classed", f"SELECT *, {_classed(column, known)} AS ab_format FROM parted"))
    helpers = "ab_text, ab_day, ab_time, ab_zone, ab_format"
    parts.append(
        ("result", f"SELECT * EXCLUDE ({helpers}) REPLACE ({value} AS {quote(column)}) FROM classed")
    )
    return parts
