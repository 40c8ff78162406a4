"""Makes SQL that trims, merges, splits and fills down the texts of a column, and finds nearly equal values. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from engine.commands.steps import SplitColumn, UnifyText
from engine.tools.shaping.writing import literal, quote
from events.late_dataclass import dataclass

__all__ = [
    "SEPARATORS",
    "Merge",
    "fill_sql",
    "look_at_near_values",
    "look_at_parts",
    "look_at_values",
    "merges_of",
    "split_sql",
    "unify_sql",
]

SEPARATORS = (", ", ";", ",", "|", " / ", "/", " - ", "_", ":", " ")
"""The texts at which columns can be split, the likely ones first."""
_COMPARED = 1_000
"""The maximum number of values that are compared with each other. If there are more, the most frequent values are
compared.
"""
_OTHER_LETTERS = "differs by a letter or two"
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Merge:
    """A value that is nearly equal to another one."""

    value: str
    rows: int
    becomes: str
    why: str
    """The difference between the two values, in words."""

    @property
    def has_same_letters(self) -> bool:
        """Whether both values have the same letters. If not, they may be two different names."""
        return self.why != _OTHER_LETTERS


def _trimmed(column: str) -> str:
    return f"nullif(trim(regexp_replace(CAST({column} AS VARCHAR), '[\\s\\x{{00A0}}]+', ' ', 'g')), '')"


def look_at_values(source: str, column: str, most: int) -> str:
    """Return a SELECT of a column's trimmed values, the most frequent first. For each value it counts the rows, and the
    rows in which there are spaces around the value.
    """
    name = quote(column)
    value, padded = _trimmed(name), f"count(*) FILTER ({_trimmed(name)} <> CAST({name} AS VARCHAR)) AS padded"
    return (
        f"SELECT {value} AS value, count(*) AS n, {padded} FROM {source} WHERE {value} IS NOT NULL "
        f"GROUP BY 1 ORDER BY n DESC, 1 LIMIT {most}"
    )


def look_at_near_values(source: str, column: str) -> str:
    """Return a SELECT of pairs of values that differ by a letter or two, the more frequent one first."""
    return (
        "WITH counted AS (SELECT value, n, lower(value) AS low FROM "
        f"({look_at_values(source, column, _COMPARED)})) "
        "SELECT a.value AS often, b.value AS seldom FROM counted a JOIN counted b "
        "ON a.low <> b.low AND (a.n > b.n OR (a.n = b.n AND a.value < b.value)) "
        "AND abs(length(a.low) - length(b.low)) <= 2 AND length(a.low) >= 5 AND length(b.low) >= 5 "
        "AND regexp_replace(a.low, '[^0-9]', '', 'g') = regexp_replace(b.low, '[^0-9]', '', 'g') "
        "WHERE damerau_levenshtein(a.low, b.low) <= CASE WHEN length(a.low) >= 9 THEN 2 ELSE 1 END LIMIT 500"
    )


def merges_of(values: Sequence[tuple[str, int]], near: Iterable[tuple[str, str]]) -> tuple[Merge, ...]:
    """Return the values that could be replaced by other values.

    Args:
        values: each value with its number of rows, the most frequent first.
        near: pairs of values that differ by a letter or two, the more frequent one first.
    """
    rows = dict(values)
    first: dict[str, str] = {}
    becomes: dict[str, tuple[str, str]] = {}
    for value, _ in values:
        key = _fingerprint(value)
        if key in first:
            becomes[value] = (first[key], _difference(first[key], value))
        else:
            first[key] = value
    for often, seldom in near:
        target = becomes[often][0] if often in becomes else often
        if seldom not in becomes and target != seldom and rows.get(seldom, 0) <= rows.get(target, 0):
            becomes[seldom] = (target, _OTHER_LETTERS)
    told = [Merge(value, rows[value], _end(value, becomes), why) for value, (_, why) in becomes.items()]
    return tuple(merge for merge in told if merge.becomes != merge.value)


def _end(value: str, becomes: Mapping[str, tuple[str, str]]) -> str:
    seen = {value}
    at = value
    while at in becomes and becomes[at][0] not in seen:
        at = becomes[at][0]
        seen.add(at)
    return at


def _fingerprint(value: str) -> str:
    """Return a value in lower case, without accents and punctuation, and with its words sorted (like OpenRefine's
    fingerprint).
    """
    plain = unicodedata.normalize("NFKD", value).encode("ascii", "ignore").decode() or value
    words = re.findall(r"\w+", plain.lower())
    return " ".join(sorted(set(words))) if words else value


def _difference(one: str, other: str) -> str:
    if one.lower() == other.lower():
        return "differs in capital letters"
    if _NUMBERS.findall(one) == _NUMBERS.findall(other) and len(one.split()) == len(other.split()):
        return "differs in accents or punctuation"
    return "differs in punctuation or the order of words"


def unify_sql(source: str, step: UnifyText) -> str:
    """Return the SELECT for a `UnifyText` step."""
    name = quote(step.column)
    value = _trimmed(name)
    if step.merges:
        ways = " ".join(f"WHEN {literal(old)} THEN {literal(new)}" for old, new in step.merges.items())
        value = f"CASE {value} {ways} ELSE {value} END"
    if step.case == "title":
        words = f"string_split(lower({value}), ' ')"
        value = f"array_to_string(list_transform({words}, lambda w: upper(w[1]) || w[2:]), ' ')"
    elif step.case != "keep":
        value = f"{step.case}({value})"
    return f"SELECT * REPLACE ({value} AS {name}) FROM {source}"


def fill_sql(source: str, column: str) -> str:
    """Return the SELECT that fills empty cells with the last value above them; the rows keep their order."""
    name = quote(column)
    rows = f"(SELECT *, row_number() OVER () AS ab_row FROM {source})"
    filled = f"CASE WHEN trim(CAST({name} AS VARCHAR)) = '' THEN NULL ELSE {name} END"
    value = f"last_value({filled} IGNORE NULLS) OVER (ORDER BY ab_row ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    return f"SELECT * EXCLUDE (ab_row) REPLACE ({value} AS {name}) FROM {rows} ORDER BY ab_row"


def split_sql(source: str, step: SplitColumn, columns: Sequence[str]) -> str:
    """Return the SELECT that replaces the column with its parts; `columns` lists the columns of `source`."""
    text = f"string_split(CAST({quote(step.column)} AS VARCHAR), {literal(step.separator)})"
    parts = []
    for at, name in enumerate(step.names, 1):
        last = at == len(step.names)
        part = f"array_to_string({text}[{at}:], {literal(step.separator)})" if last else f"{text}[{at}]"
        parts.append(f"nullif(trim({part}), '') AS {quote(name)}")
    listed = [part for name in columns for part in (parts if name == step.column else [quote(name)])]
    return f"SELECT {', '.join(listed)} FROM {source}"


def look_at_parts(source: str, step: SplitColumn) -> str:
    """Return a SELECT of the number of parts in the values, with examples."""
    text = f"CAST({quote(step.column)} AS VARCHAR)"
    return (
        f"SELECT len(string_split({text}, {literal(step.separator)})) AS parts, count(*) AS n, "
        f"list(DISTINCT {text} ORDER BY {text})[:5] AS examples FROM {source} WHERE {text} IS NOT NULL "
        "GROUP BY 1 ORDER BY 1"
    )
