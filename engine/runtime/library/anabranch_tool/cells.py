"""Converts values of a result to JSON."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any

__all__ = ["moment_cell", "plain_cell"]


def plain_cell(value: Any) -> Any:
    """Convert one value of a result to JSON: decimals become floats, NaN and infinity None, dates ISO text, and bytes
    hexadecimal."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): plain_cell(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain_cell(inner) for inner in value]
    return str(value)


def moment_cell(value: Any) -> Any:
    """Convert one value to JSON for a chart: dates become midnight in the reader's time zone, times with a zone become
    UTC.

    A browser would read a date without a time as midnight in UTC, which in places west of Greenwich is on the day
    before.
    """
    if isinstance(value, dt.datetime):
        return (value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value).isoformat()
    if isinstance(value, dt.date):
        return f"{value.isoformat()}T00:00:00"
    return plain_cell(value)
