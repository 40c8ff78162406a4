"""Makes a heading for a table that has no title, from the table's name, or from its SQL and columns. Pure."""

import re
from collections.abc import Sequence

from engine.rendering.column_codes import is_code

__all__ = ["table_title"]

_GENERIC = re.compile(r"(?i)result([ _]\d+)?(_call\d+)?")
_QUIET = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\b(?:extract|trim|substring|overlay)\s*\([^()]*\)",
    re.DOTALL | re.IGNORECASE,
)
_NAME = r'("(?:[^"]|"")+"|[^\W\d]\w*+)'
_TABLE = re.compile(rf"(?i)\b(?:from|join)\s+{_NAME}(?!\s*\()")
_WITH = re.compile(rf"(?i){_NAME}\s+as\s+(?:not\s+)?(?:materialized\s+)?\(")
_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL(\(.*\))?")
_READ = 4_000
"""The number of characters of SQL that are parsed for a title. The time grows with the square of the length."""
_MOST = 3
"""The maximum number of columns that are listed."""


def table_title(
    title: str | None, name: str | None, sql: str | None, columns: Sequence[tuple[str, str]]
) -> str:
    """Return the table's title, its name in words, or a description of its content, such as `Units by region`.

    `columns` contains names and DuckDB types. "Result" and "Result 2" do not count as titles.
    """
    for given in (title, name and name.replace("_", " ")):
        if given and given.strip() and not _GENERIC.fullmatch(given.strip()):
            return given if given == title else _capital(given.strip())
    said = _shown(_QUIET.sub(" ", (sql or "")[:_READ]), columns)
    return _capital(said) if said else title or "Result"


def _shown(sql: str, columns: Sequence[tuple[str, str]]) -> str:
    numbers = [n for n, kind in columns if _NUMBER.fullmatch(kind) and not is_code(n)]
    keys = [n for n, _ in columns if n not in numbers]
    if re.search(r"(?i)\bgroup\s+by\b", sql) and 0 < len(keys) < _MOST and 0 < len(numbers) <= _MOST:
        return f"{_listed(numbers)} by {_listed(keys)}"
    tables = _tables(sql)
    source = f" from {_listed(tables)}" if tables else ""
    if source and len(columns) > _MOST and re.match(r"(?i)\s*(select\s+\*|from\b)", sql):
        return f"rows{source}"
    return f"{_listed([n for n, _ in columns])}{source}" if columns else ""


def _tables(sql: str) -> list[str]:
    """Return the tables that SQL reads, without the tables that the SQL defines itself."""
    own = {_plain(name) for name in _WITH.findall(sql)}
    found = dict.fromkeys(_plain(name) for name in _TABLE.findall(sql))
    return [name for name in found if name not in own]


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _listed(names: Sequence[str]) -> str:
    words = [name.replace("_", " ").strip() or name for name in names]
    if len(words) > _MOST:
        return f"{', '.join(words[:_MOST])} and {len(words) - _MOST} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
