"""English words for months, weekdays and the lengths of time that rows are grouped by."""

from types import MappingProxyType

__all__ = ["GRAINS", "GRAIN_ADJECTIVES", "MONTHS", "WEEKDAYS"]

MONTHS = MappingProxyType(
    {
        name: number
        for number, month in enumerate(
            [
                "january",
                "february",
                "march",
                "april",
                "may",
                "june",
                "july",
                "august",
                "september",
                "october",
                "november",
                "december",
            ],
            1,
        )
        for name in (month, month[:3], *(("sept",) if number == 9 else ()))
    }
)


WEEKDAYS = MappingProxyType(
    {
        day: number
        for number, day in enumerate(
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], 1
        )
    }
)


GRAINS = MappingProxyType(
    {
        "hour": "hour", "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
        "decade": "decade", "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month",
        "quarterly": "quarter", "yearly": "year", "annual": "year", "annually": "year", "weekday": "weekday",
        "date": "day",
    }
)  # fmt: skip
GRAIN_ADJECTIVES = frozenset(
    {"hourly", "daily", "weekly", "monthly", "quarterly", "yearly", "annual", "annually"}
)
"""Words that mean a length of time and no name of a column."""
