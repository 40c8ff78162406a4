"""Recognizes the meaning of column names. Standard library only: `engine.rendering.column_codes` runs this file too."""

import re

__all__ = ["is_code", "is_coordinate", "one_value"]

_CODE = re.compile(
    r"(?i)(^|_(?<!per_))(id|ids|year|yr|code|zip|zipcode|postcode|hour|week|weekday|month|quarter|day|phone|sku|isbn)(_|$)"
    r"|^(zip|post)code|(?-i:[a-z]Id$)"
)
_SEVERAL = re.compile(r"(?i)[a-z]{2,}(?<![siu])s\b")
_COORDINATE = re.compile(r"(?i)(^|_)(lat|latitude|lon|lng|longitude)(_|$)")


def is_code(name: str) -> bool:
    """Return whether a column's numbers are codes, such as years and ids, which have no sums and no thousands
    separators.
    """
    return _CODE.search(name) is not None


def is_coordinate(name: str) -> bool:
    """Return whether a column's numbers are coordinates on a map, which have decimal places but no sums."""
    return _COORDINATE.search(name) is not None


def one_value(title: str) -> str:
    """Return `one month` for the title `month`, and `one value of sales` for the title `sales`, which is a plural."""
    return f"one value of {title}" if _SEVERAL.search(title) else f"one {title}"
