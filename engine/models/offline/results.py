"""Query results, and the format of their numbers and labels."""

import datetime as dt
import re
from collections.abc import Mapping

from engine.models.offline.form import Ref
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Result", "Row", "gap_words", "label", "measured", "number", "result_of"]

_WITH_SECONDS = re.compile(r"0?(\d{1,2}:\d\d:\d\d)(?:\.\d+)?")

Row = Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Result:
    """The part of a query's result that is shown."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    total: int


def result_of(content: JSON) -> Result | None:
    """Return a tool's result as rows; None if it is not a table."""
    if not isinstance(content, dict):
        return None
    columns, sample, total = content.get("columns"), content.get("rows"), content.get("row_count")
    if not isinstance(columns, list) or not isinstance(sample, list):
        return None
    names = tuple(str(c.get("name")) if isinstance(c, dict) else str(c) for c in columns)
    rows = tuple(dict(zip(names, row, strict=False)) for row in sample if isinstance(row, list))
    return Result(names, rows, total if isinstance(total, int) else len(rows))


def number(value: JSON) -> str:
    """Return a number for a sentence, with separators and significant decimals."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "no value" if value is None else _time(str(value))
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"


def _time(text: str) -> str:
    """Return a time with seconds as people write it, 3:07:05, without fractions; other texts are unchanged."""
    return found[1] if (found := _WITH_SECONDS.fullmatch(text)) is not None else text


def measured(value: JSON) -> float | None:
    """Return a number of a result, or the seconds of a length of time; None for anything else."""
    if isinstance(value, int | float):
        return float(value)
    if not _WITH_SECONDS.fullmatch(str(value)):
        return None
    hours, minutes, seconds = str(value).split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def gap_words(first: JSON, second: JSON) -> str:
    """Return the difference of two numbers or of two lengths of time."""
    gap = abs((measured(first) or 0) - (measured(second) or 0))
    return number(gap) if isinstance(first, int | float) else str(dt.timedelta(seconds=round(gap)))


def label(value: JSON, ref: Ref | None = None) -> str:
    """Return a group's label: years without separators, months as 2024-03."""
    if value is None:
        return "(missing)"
    text = _time(str(value))
    if ref is not None and ref.grain == "month":
        return text[:7]
    if ref is not None and ref.grain == "quarter" and len(text) >= 7:
        return f"{text[:4]}-Q{(int(text[5:7]) + 2) // 3}"
    return text.removesuffix("T00:00:00").removesuffix(" 00:00:00")
