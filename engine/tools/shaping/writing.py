"""Writes names, texts and lists as SQL, and counts in sentences; lists the words for missing values. Pure."""

from collections.abc import Collection, Iterable

__all__ = ["MISSING", "counted", "empty", "free_name", "literal", "literals", "quote"]

MISSING = (
    "", "-", "--", "–", "—", ".", "?", "??", "n/a", "n.a.", "na", "nan", "null", "none", "nil", "tbd", "unknown",
    "k.a.", "#n/a", "#value!", "#ref!", "(blank)",
)  # fmt: skip
"""Texts that people write for a missing value, in lower case."""


def quote(name: str) -> str:
    """Return a name in quotes for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text in quotes for SQL."""
    return "'" + text.replace("'", "''") + "'"


def literals(texts: Iterable[str]) -> str:
    """Return texts as an SQL list."""
    return ", ".join(map(literal, texts))


def empty(column: str) -> str:
    """Return SQL that checks whether a value is missing or is a word for a missing value."""
    return f"({column} IS NULL OR lower(trim(CAST({column} AS VARCHAR))) IN ({literals(MISSING)}))"


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name that no column has yet. SQL does not distinguish names that differ only in case."""
    lower = {name.lower() for name in taken}
    while wanted.lower() in lower:
        wanted += "_"
    return wanted


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun, and with words that follow: "1 row repeats", "1,200 rows repeat".

    Args:
        count: the number.
        one: the words after the number 1.
        many: the words after other numbers; by default `one` with an s.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
