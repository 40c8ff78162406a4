"""Values of a result as JSON."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any

__all__ = ["plain_cell"]


def plain_cell(value: Any) -> Any:
    """Turn one value of a result into JSON; what is no number becomes None, dates ISO text."""
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
