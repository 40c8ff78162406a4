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
_TIMED = r"^[-+]?\d+[-/\\ ]"
"""How everything begins that DuckDB reads as a moment: asking it of each text would cost most of the time."""
_COLLECTED_UP_TO = 200_000
"""Rows of a table up to which equal values of all its columns are collected before they are looked at."""
_FEW_VALUES = 50_000
"""Different values of a column up to which they are collected in a table of any length."""
_MISSING, _WHOLE_ONE, _PLAIN_ONE, _OTHER = range(4)
"""Kinds of values: words for none, whole numbers, other numbers, and what is neither."""
_KIND = (
    f"CASE WHEN r IS NULL THEN {_MISSING} WHEN regexp_matches(r, '{_WHOLE}') THEN {_WHOLE_ONE} "
    f"WHEN regexp_matches(r, '{_PLAIN}') THEN {_PLAIN_ONE} "
    f"WHEN r IN ({', '.join(repr(word) for word in _NULL_IN_NUMBERS)}) THEN {_MISSING} ELSE {_OTHER} END"
)
_COUNTS = (
    *(
        f"coalesce(sum(n) FILTER ({reads}), 0)"
        for reads in (
            f"c <> {_MISSING}",
            f"c IN ({_WHOLE_ONE}, {_PLAIN_ONE})",
            f"c = {_WHOLE_ONE}",
            f"CASE c WHEN {_WHOLE_ONE} THEN regexp_matches(r, '^[-+]?0\\d+$') ELSE false END",
            f"CASE c WHEN {_OTHER} THEN CASE WHEN regexp_matches(r, '{_TIMED}') "
            "THEN try_cast(r AS TIMESTAMP) IS NOT NULL ELSE false END ELSE false END",
            f"CASE c WHEN {_OTHER} THEN lower(r) IN ('true', 'false') ELSE false END",
        )
    ),
    f"max(length(r)) FILTER (c <> {_MISSING})",
    *(
        f"coalesce(sum(n) FILTER ({reads}), 0)"
        for reads in (
            f"CASE c WHEN {_MISSING} THEN false WHEN {_OTHER} THEN regexp_matches(r, '[0-9]') ELSE true END",
            "r = 'NA'",
            "CASE WHEN c IN (1, 2) THEN true ELSE r <> '' AND NOT regexp_matches(r, '^[A-Z]{2}$') END",
            f"c = {_MISSING}",
            "padded",
        )
    ),
)
"""What is counted of a column, in the order of `_Counted`: `n` values `r` of the kind `c`."""
_NOTHING = (0, 0, 0, 0, 0, 0, None, 0, 0, 0, 0, 0)


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
    few: bool
    """Whether there are so few different values that they can be collected."""
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
    words: int
    """Words for a missing number."""
    padded: int
    """Values with space around them."""

    @property
    def trimmed(self) -> str:
        """The column without space around its values, as SQL."""
        return f"trim({quote(self.name)})" if self.padded else quote(self.name)

    @property
    def left(self) -> str:
        """Its values without those that stand for a missing number, as SQL."""
        value = self.trimmed
        return (
            f"CASE WHEN {value} NOT IN {_texts(_NULL_IN_NUMBERS)} THEN {value} END" if self.words else value
        )

    def held(self, table: str) -> str:
        """The same with how often each is there, as a relation of `v` and `n`; equal ones together where few."""
        grouped = "count(*) AS n" if self.few else "1 AS n"
        return f"(SELECT {self.left} AS v, {grouped} FROM {quote(table)}{' GROUP BY v' if self.few else ''})"


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


def _census(connection: duckdb.DuckDBPyConnection, table: str, names: list[str]) -> dict[str, _Counted]:
    """Count how the values of every text column read, each pattern tried only where a cheaper one left it open.

    Equal values are tried once, but where a column of a long table has so many different ones that collecting them
    would take the memory.
    """
    if not names:
        return {}
    few = _few(connection, table, names)
    parts = []
    for index, name in enumerate(names):
        c = quote(name)
        held = f"(SELECT {c} AS w, count(*) AS n FROM {quote(table)} GROUP BY w)" if name in few else (
            f"(SELECT {c} AS w, 1 AS n FROM {quote(table)})"
        )  # fmt: skip
        parts.append(
            f"SELECT {index} AS k, {', '.join(_COUNTS)} FROM (SELECT *, {_KIND} AS c FROM "
            f"(SELECT trim(w) AS r, n, w <> trim(w) AS padded FROM {held} WHERE w IS NOT NULL))"
        )
    found = {k: row for k, *row in connection.execute(" UNION ALL ".join(parts)).fetchall()}
    return {
        name: _Counted(name, name in few, *found.get(index, _NOTHING)) for index, name in enumerate(names)
    }


def _few(connection: duckdb.DuckDBPyConnection, table: str, names: list[str]) -> set[str]:
    """Columns whose different values can be collected: all of a short table."""
    about = ", ".join(f"approx_count_distinct({quote(name)})" for name in names)
    rows = connection.execute(f"SELECT count(*) FROM {quote(table)}").fetchone()
    if rows is None or rows[0] <= _COLLECTED_UP_TO:
        return set(names)
    counted = connection.execute(f"SELECT {about} FROM {quote(table)}").fetchone() or ()
    return {name for name, many in zip(names, counted, strict=True) if many <= min(_FEW_VALUES, rows[0] // 8)}


def _plain(name: str, kind: str) -> str:
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isfinite({quote(name)}) THEN {quote(name)} END"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"CAST({quote(name)} AS TIMESTAMP)"
    return quote(name)


def _type_column(connection: duckdb.DuckDBPyConnection, table: str, counted: _Counted) -> Typed:
    name, count, left = counted.name, counted.values, counted.left
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
        typed = _date(connection, table, counted) or _number(connection, table, counted)
        if typed is not None:
            return typed
    return _as_text(counted)


def _as_text(counted: _Counted) -> Typed:
    value = counted.trimmed
    if not counted.words:
        return Typed(value)
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


def _date(connection: duckdb.DuckDBPyConnection, table: str, counted: _Counted) -> Typed | None:
    name, left, count, moments = counted.name, counted.left, counted.values, counted.moments
    held = counted.held(table)
    if moments >= count * _NEARLY_ALL:
        midnight = connection.execute(
            f"SELECT bool_and(m = date_trunc('day', m)) FROM (SELECT try_cast(v AS TIMESTAMP) AS m FROM {held})"
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
    formats_read = f"'{best[0]}'"
    read = _readable(connection, held, formats_read)
    pattern, kind = best
    swapped = _DAY_AND_MONTH_SWAPPED.get(pattern)
    if read < count:
        other = [item for item, found in hits.items() if found and item != best and item[1] == kind]
        formats_read = "[" + ", ".join(f"'{item[0]}'" for item in [best, *other]) + "]"
        read = _readable(connection, held, formats_read)
    if read < count * _NEARLY_ALL:
        return None
    note = f"{name}: text like “{_example(connection, table, left)}” is read as a date"
    if swapped and hits.get((swapped, kind)) == hits[best]:
        note += ", the month first"
    if read < count:
        note += f"; {count - read} that are none are missing"
    return Typed(f"CAST(try_strptime({left}, {formats_read}) AS {kind})", note + ".")


def _readable(connection: duckdb.DuckDBPyConnection, held: str, formats: str) -> int:
    """How many values read as dates of `formats`."""
    row = connection.execute(
        f"SELECT sum(n) FILTER (try_strptime(v, {formats}) IS NOT NULL) FROM {held}"
    ).fetchone()
    return int(row[0] or 0) if row else 0


def _example(connection: duckdb.DuckDBPyConnection, table: str, left: str) -> str:
    row = connection.execute(f"SELECT min({left}) FROM {quote(table)}").fetchone()
    return str(row[0]) if row else ""


def _bare(value: str) -> str:
    """A number without a currency's or percent sign, and without spaces."""
    signs = r"^([-+]?)\s*(?:[$€£¥]|USD|EUR|GBP)\s*|\s*(?:[$€£¥%]|USD|EUR|GBP)$"
    return f"regexp_replace(regexp_replace({value}, '{signs}', '\\1', 'g'), '[\\s'']', '', 'g')"


def _number(connection: duckdb.DuckDBPyConnection, table: str, counted: _Counted) -> Typed | None:
    """Numbers with separators, a currency sign, a percent sign or a decimal comma."""
    count, held = counted.values, counted.held(table)
    reads = (
        f"regexp_matches(b, '{_PLAIN}')",
        f"regexp_matches(b, '{_GROUPED}')",
        f"regexp_matches(b, '{_COMMA}')",
        r"v LIKE '%\%' ESCAPE '\'",
    )
    sums = ", ".join(f"coalesce(sum(n) FILTER ({read}), 0)" for read in reads)
    row = connection.execute(f"SELECT {sums} FROM (SELECT v, n, {_bare('v')} AS b FROM {held})").fetchone()
    assert row is not None
    plain, grouped, comma, percents = row
    enough = count * _NEARLY_ALL
    how = "percent" if percents >= enough else "text with signs or separators"
    if plain + grouped >= enough and (grouped or comma < enough or plain >= enough):
        read_as = "try_cast(replace({b}, ',', '') AS DOUBLE)"
    elif comma >= enough:
        read_as = "try_cast(replace(replace({b}, '.', ''), ',', '.') AS DOUBLE)"
        how = "text with a decimal comma"
    else:
        return None
    whole = connection.execute(
        "SELECT bool_and(d = floor(d) AND abs(d) < 9e15), coalesce(sum(n) FILTER (d IS NOT NULL), 0) "
        f"FROM (SELECT {read_as.format(b=_bare('v'))} AS d, n FROM {held})"
    ).fetchone()
    assert whole is not None
    expression = read_as.format(b=_bare(counted.left))
    if whole[0]:
        expression = f"CAST({expression} AS BIGINT)"
    note = f"{counted.name}: {how} is read as a number"
    if whole[1] < count:
        note += f"; {count - whole[1]} that are none are missing"
    return Typed(expression, note + ".")
