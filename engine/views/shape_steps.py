"""Finds the steps that fit a column of a table, judging by the facts about the column. Pure."""

import re
from collections.abc import Sequence

from engine.tools.shaping.looked import Choice, Reading
from engine.tools.shaping.preview import ColumnFacts, ShapePreview
from engine.tools.shaping.texts import SEPARATORS, Merge
from engine.tools.shaping.writing import counted
from engine.tools.table_selects import Joinable
from engine.workspace.table_facts import ColumnProfile, TableProfile
from events.late_dataclass import dataclass

__all__ = [
    "Choice",
    "ColumnFacts",
    "Joinable",
    "Merge",
    "Offer",
    "Reading",
    "ShapePreview",
    "likely_separator",
    "offers_for",
    "source_table",
    "to_clean_first",
]

_DATE = re.compile(
    r"(?i)\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|.*\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\d.*"
)
_NUMBER = re.compile(r"[^\d]{0,8}\d[\d .,'’]*[^\d]{0,8}")
_CODE = re.compile(r"(?!(?:EUR|USD|GBP|CHF|US|CA|AU)?\$?[-.]?\d)[A-Za-z]{1,8}[-_#/.]?\d[\w-]*")
"""Matches an identifier such as `C-17`, whose digits are not an amount."""
_SOURCE = re.compile(
    r"(?is)\s*(?:--[^\n]*\n\s*)*SELECT\s+\*\s+FROM\s+(?:\"([^\"]+)\"|(\w+))(?:\s+LIMIT\s+\d+)?\s*;?\s*"
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A step that could be applied to a column."""

    kind: str
    """The kind of the step, such as `dates`."""
    label: str
    hint: str = ""
    """A short description of the finding, such as `3 unreadable`."""


def offers_for(column: ColumnProfile) -> tuple[Offer, ...]:
    """Return the steps that fit a column, the likely ones first."""
    return tuple(offer for _, offer in _scored(column))


def to_clean_first(columns: Sequence[ColumnProfile]) -> str:
    """Return the name of the column that most likely needs a step; if several are equally likely, the first."""
    return max(columns, key=lambda column: _scored(column)[0][0]).name


def _scored(column: ColumnProfile) -> list[tuple[float, Offer]]:
    """Return the steps that fit a column, the likely ones first, each with its likelihood."""
    values = [text for text in (*column.values, *column.unreadable_examples) if text.strip()][:200]
    unread = f"{column.unreadable:,} unreadable" if column.unreadable else ""
    dated = column.type == "DATE" or column.type.startswith("TIMESTAMP")
    text = column.type == "VARCHAR"
    found: list[tuple[float, Offer]] = []
    if text or dated or column.type.endswith("INT"):
        share = _share(values, _DATE) if text else 0.3 if dated else 0.0
        found.append(
            (share + bool(unread and dated), Offer("dates", "Read as dates", unread if dated else ""))
        )
    if text or (unread and not dated):
        share = _share(values, _NUMBER) * (0.3 if _share(values, _CODE) > 0.5 else 0.9)
        found.append((share + bool(unread), Offer("numbers", "Read as numbers", unread)))
    elif column.type == "DOUBLE" or column.type.startswith("DECIMAL"):
        found.append((0.025, Offer("numbers", "Read as numbers")))  # its points may separate thousands
    if text:
        found.append((0.5, Offer("unify", "Trim and unify", counted(column.distinct, "value"))))
        if likely_separator(values):
            found.append((0.45, Offer("split", "Split", f"at “{likely_separator(values)}”")))
        else:
            found.append((0.1, Offer("split", "Split")))
    found.append(
        (0.4 if column.missing else 0.05, Offer("fill_down", "Fill down", f"{column.missing:,} empty"))
    )
    found.append((0.03, Offer("rename", "Rename")))
    found.append((0.02, Offer("filter", "Keep some rows")))
    found.append((0.01, Offer("sort", "Sort")))
    found.append((0.0, Offer("duplicates", "Drop duplicates")))
    return sorted(found, key=lambda one: -one[0])


def _share(values: Sequence[str], pattern: re.Pattern[str]) -> float:
    return (
        sum(pattern.fullmatch(text.strip()) is not None for text in values) / len(values) if values else 0.0
    )


def likely_separator(values: Sequence[str]) -> str:
    """Return the separator that most values contain; empty if there is none."""
    for separator in SEPARATORS:
        if values and sum(separator in text.strip() for text in values) >= 0.8 * len(values):
            return separator
    return ""


def source_table(sql: str | None, name: str | None, tables: Sequence[TableProfile]) -> TableProfile | None:
    """Return the table to clean for a result: the table whose rows, or first rows, it shows; otherwise the result
    itself."""
    by_name = {table.name.lower(): table for table in tables}
    plain = _SOURCE.fullmatch(sql or "")
    wanted = (plain[1] or plain[2]) if plain else None
    return by_name.get((wanted or "").lower()) or by_name.get((name or "").lower())
