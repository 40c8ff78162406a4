"""What type a column of texts really has: numbers as text, odd dates, words for a missing value.

A column becomes a number or a date only where nearly all of its values read as one; what was assumed and what
was lost is told in words, for the table's note. A text column stays text, and keeps words that may mean
something there (`None`, `unknown`, or `NA` among two-letter codes).
"""

from dataclasses import dataclass

import duckdb

__all__ = ["Typed", "quote", "typed_select"]

_NULL_IN_TEXT = ("", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "NULL", "null", "Null", "<NA>")
_NULL_IN_NUMBERS = (*_NULL_IN_TEXT, "-", "--", "—", "–", "?", ".", "..", "None", "none", "nil", "missing", "unknown",
                    "Unknown", "na", "Na", "#DIV/0!", "#VALUE!", "#REF!", "n.a.", "inf", "-inf")  # fmt: skip
_NEARLY_ALL = 0.98
_DATES = (
    "%Y-%m-%d", "%b %d %Y", "%b %d, %Y", "%B %d %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y",
    "%d/%b/%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y",
    "%m-%d-%Y", "%d-%m-%Y", "%Y-%m", "%b %Y", "%B %Y", "%b-%Y", "%m/%Y", "%a %b %d %Y", "%A, %B %d, %Y",
)  # fmt: skip
_TIMES = (" %H:%M:%S", " %H:%M", " %I:%M %p", " %I:%M:%S %p")
_DAY_AND_MONTH_SWAPPED = {"%m/%d/%Y": "%d/%m/%Y", "%m/%d/%y": "%d/%m/%y", "%m-%d-%Y": "%d-%m-%Y"}
_GROUPED = r"^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$"
_COMMA = r"^[-+]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$"
_WHOLE = r"^[-+]?\d{1,18}$"
_PLAIN = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
_COLLECTED_UP_TO = 200_000
"""Rows of a table up to which equal values are collected before they are looked at."""
_COUNTS = (
    *(
        f"coalesce(sum(n) FILTER ({reads}), 0)"
        for reads in (
            "v IS NOT NULL",
            f"regexp_matches(v, '{_PLAIN}')",
            f"regexp_matches(v, '{_WHOLE}')",
            "regexp_matches(v, '^[-+]?0\\d+$')",
            "try_cast(v AS TIMESTAMP) IS NOT NULL",
            "lower(v) IN ('true', 'false')",
        )
    ),
    "max(length(v))",
    *(
        f"coalesce(sum(n) FILTER ({reads}), 0)"
        for reads in (
            "regexp_matches(v, '[0-9]')",
            "r = 'NA'",
            "r <> '' AND NOT regexp_matches(r, '^[A-Z]{2}$')",
        )
    ),
)
"""What is counted of a column, in the order of `_Counted`: `n` values `r`, which are `v` where they are not missing."""
_NOTHING = (0, 0, 0, 0, 0, 0, None, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Typed:
    """How one column is read."""

    expression: str
    """SQL over the raw column."""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Counted:
    """How the values of one text column read."""

    name: str
    values: int
    plain: int
    whole: int
    zeros: int
    """Whole numbers that begin with a zero: codes, not numbers."""
    moments: int
    booleans: int
    longest: int
    digits: int
    na: int
    no_codes: int
    """Values that are no two capital letters."""


def quote(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _texts(words: tuple[str, ...]) -> str:
    return "(" + ", ".join("'" + word.replace("'", "''") + "'" for word in words) + ")"


def typed_select(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[str, list[str]]:
    """Return a SELECT list that reads every column of `table` in its real type, and notes for the reader."""
    described = connection.execute(f"DESCRIBE {quote(table)}").fetchall()
    counted = _census(connection, table, [name for name, kind, *_ in described if kind == "VARCHAR"])
    parts: list[str] = []
    notes: list[str] = []
    for name, kind, *_ in described:
        typed = (
            _type_column(connection, table, counted[name]) if kind == "VARCHAR" else Typed(_plain(name, kind))
        )
        parts.append(f"{typed.expression} AS {quote(name.strip() or 'column')}")
        if typed.note:
            notes.append(typed.note)
    return ", ".join(parts), notes


def _left(name: str) -> str:
    """A column's values as text, without those that stand for a missing number."""
    value = f"trim({quote(name)})"
    return f"CASE WHEN {value} NOT IN {_texts(_NULL_IN_NUMBERS)} THEN {value} END"


def _census(connection: duckdb.DuckDBPyConnection, table: str, names: list[str]) -> dict[str, _Counted]:
    """Count in one pass over the values how those of every text column read.

    The columns are stacked on one another, so that each pattern is tried in one place and not once for each column;
    and equal values are tried once, but where there are so many rows that collecting them would take the memory.
    """
    if not names:
        return {}
    trimmed = ", ".join(f"trim({quote(name)}) AS v{index}" for index, name in enumerate(names))
    stacked = f"UNPIVOT (SELECT {trimmed} FROM {quote(table)}) ON COLUMNS(*) INTO NAME k VALUE r"
    rows = connection.execute(f"SELECT count(*) FROM {quote(table)}").fetchone()
    few = rows is not None and rows[0] <= _COLLECTED_UP_TO
    values = (
        f"SELECT k, r, count(*) AS n FROM ({stacked}) GROUP BY ALL"
        if few
        else f"SELECT *, 1 AS n FROM ({stacked})"
    )
    counted = connection.execute(
        f"WITH held AS {'MATERIALIZED ' if few else ''}"
        f"(SELECT k, r, n, CASE WHEN r NOT IN {_texts(_NULL_IN_NUMBERS)} THEN r END AS v FROM ({values})) "
        f"SELECT k, {', '.join(_COUNTS)} FROM held GROUP BY k"
    ).fetchall()
    found = {k: row for k, *row in counted}
    return {name: _Counted(name, *found.get(f"v{index}", _NOTHING)) for index, name in enumerate(names)}


def _plain(name: str, kind: str) -> str:
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isfinite({quote(name)}) THEN {quote(name)} END"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"CAST({quote(name)} AS TIMESTAMP)"
    return quote(name)


def _type_column(connection: duckdb.DuckDBPyConnection, table: str, counted: _Counted) -> Typed:
    name, count = counted.name, counted.values
    left = _left(name)
    if not count:
        return _as_text(counted)
    if counted.booleans == count:
        return Typed(f"try_cast({left} AS BOOLEAN)")
    enough = count * _NEARLY_ALL
    if counted.plain >= enough and counted.zeros == 0:
        kind = "BIGINT" if counted.whole == counted.plain else "DOUBLE"
        return Typed(
            f"try_cast({left} AS {kind})", _lost(connection, table, name, left, kind, count - counted.plain)
        )
    if counted.digits >= enough and counted.zeros == 0 and counted.longest <= 40:
        typed = _date(connection, table, name, left, count, counted.moments) or _number(
            connection, table, name, left, count
        )
        if typed is not None:
            return typed
    return _as_text(counted)


def _as_text(counted: _Counted) -> Typed:
    value = f"trim({quote(counted.name)})"
    codes = counted.na and not counted.no_codes
    words = tuple(word for word in _NULL_IN_TEXT if word != "NA") if codes else _NULL_IN_TEXT
    return Typed(f"CASE WHEN {value} NOT IN {_texts(words)} THEN {value} END")


def _lost(
    connection: duckdb.DuckDBPyConnection, table: str, name: str, left: str, kind: str, lost: int
) -> str | None:
    if not lost:
        return None
    rows = connection.execute(
        f"SELECT DISTINCT v FROM (SELECT {left} AS v FROM {quote(table)}) "
        f"WHERE v IS NOT NULL AND try_cast(v AS {kind}) IS NULL ORDER BY v LIMIT 3"
    ).fetchall()
    shown = ", ".join(f"“{row[0]}”" for row in rows)
    return f"{name}: {lost} values that are no number are read as missing ({shown})."


def _date(
    connection: duckdb.DuckDBPyConnection, table: str, name: str, left: str, count: int, moments: int
) -> Typed | None:
    if moments >= count * _NEARLY_ALL:
        midnight = connection.execute(
            f"SELECT bool_and(m = date_trunc('day', m)) FROM (SELECT try_cast({left} AS TIMESTAMP) AS m "
            f"FROM {quote(table)})"
        ).fetchone()
        kind = "DATE" if midnight and midnight[0] else "TIMESTAMP"
        note = (
            f"{name}: {count - moments} values that are no date are read as missing."
            if moments < count
            else None
        )
        return Typed(f"try_cast(try_cast({left} AS TIMESTAMP) AS {kind})", note)
    formats = [(pattern, "DATE") for pattern in _DATES]
    sample = f"(SELECT {left} AS v FROM {quote(table)} WHERE {left} IS NOT NULL LIMIT 500)"
    clock = connection.execute(f"SELECT count(*) FROM {sample} WHERE contains(v, ':')").fetchone()
    if clock and clock[0]:
        formats = [(day + time, "TIMESTAMP") for day in _DATES[:20] for time in _TIMES]
    sums = ", ".join(f"count(try_strptime(v, '{pattern}'))" for pattern, _ in formats)
    row = connection.execute(f"SELECT count(v), {sums} FROM {sample}").fetchone()
    assert row is not None
    hits = dict(zip(formats, row[1:], strict=True))
    best = max(formats, key=lambda item: hits[item])
    if hits[best] < row[0] * 0.9:
        return None
    expression = f"try_strptime({left}, '{best[0]}')"
    read = connection.execute(f"SELECT count({expression}) FROM {quote(table)}").fetchone()
    assert read is not None
    pattern, kind = best
    swapped = _DAY_AND_MONTH_SWAPPED.get(pattern)
    if read[0] < count:
        other = [item for item, found in hits.items() if found and item != best and item[1] == kind]
        extra = ", ".join(f"'{item[0]}'" for item in [best, *other])
        expression = f"try_strptime({left}, [{extra}])"
        read = connection.execute(f"SELECT count({expression}) FROM {quote(table)}").fetchone()
        assert read is not None
    if read[0] < count * _NEARLY_ALL:
        return None
    note = f"{name}: text like “{_example(connection, table, left)}” is read as a date"
    if swapped and hits.get((swapped, kind)) == hits[best]:
        note += ", the month first"
    if read[0] < count:
        note += f"; {count - read[0]} that are none are missing"
    return Typed(f"CAST({expression} AS {kind})", note + ".")


def _example(connection: duckdb.DuckDBPyConnection, table: str, left: str) -> str:
    row = connection.execute(f"SELECT min({left}) FROM {quote(table)}").fetchone()
    return str(row[0]) if row else ""


def _number(
    connection: duckdb.DuckDBPyConnection, table: str, name: str, left: str, count: int
) -> Typed | None:
    """Numbers with separators, a currency sign, a percent sign or a decimal comma."""
    bare = f"regexp_replace({left}, '^([-+]?)\\s*(?:[$€£¥]|USD|EUR|GBP)\\s*|\\s*(?:[$€£¥%]|USD|EUR|GBP)$', '\\1', 'g')"
    bare = f"regexp_replace({bare}, '[\\s'']', '', 'g')"
    row = connection.execute(
        f"SELECT count(*) FILTER (regexp_matches(b, '{_PLAIN}')), count(*) FILTER (regexp_matches(b, '{_GROUPED}')), "
        f"count(*) FILTER (regexp_matches(b, '{_COMMA}')), count(*) FILTER (v LIKE '%\\%' ESCAPE '\\') "
        f"FROM (SELECT {left} AS v, {bare} AS b FROM {quote(table)})"
    ).fetchone()
    assert row is not None
    plain, grouped, comma, percents = row
    enough = count * _NEARLY_ALL
    how = "percent" if percents >= enough else "text with signs or separators"
    if plain + grouped >= enough and (grouped or comma < enough or plain >= enough):
        expression = f"try_cast(replace({bare}, ',', '') AS DOUBLE)"
    elif comma >= enough:
        expression = f"try_cast(replace(replace({bare}, '.', ''), ',', '.') AS DOUBLE)"
        how = "text with a decimal comma"
    else:
        return None
    whole = connection.execute(
        f"SELECT bool_and(n = floor(n) AND abs(n) < 9e15), count(n) FROM (SELECT {expression} AS n FROM {quote(table)})"
    ).fetchone()
    assert whole is not None
    if whole[0]:
        expression = f"CAST({expression} AS BIGINT)"
    note = f"{name}: {how} is read as a number"
    if whole[1] < count:
        note += f"; {count - whole[1]} that are none are missing"
    return Typed(expression, note + ".")
