"""Converts the tables that tools return, in any of several forms, to columns and rows."""

from collections.abc import Iterable, Sequence

from events.json_value import JSON, JSONObject

__all__ = ["MOST_DRAWN", "CannotShow", "drawn_rows", "table_rows"]

MOST_DRAWN = 5_000
"""The maximum number of a file's rows that one chart draws."""
_MOST_CELLS = 100_000


class CannotShow(Exception):
    """Raised if a result cannot be shown. The message gives the reason and the available names."""

    def __init__(self, message: str, expression: str | None = None, keys: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message, self.expression, self.keys = message, expression, tuple(keys)[:20]


def table_rows(
    value: JSON, named: JSON
) -> tuple[tuple[str, ...] | None, tuple[tuple[JSON, ...], ...] | None]:
    """Return the columns and rows of a list of objects, a list of lists with columns, or an object of columns.

    Raises:
        CannotShow: the value has another form, or its columns have different lengths.
    """
    names = _column_names(named)
    if value is None:
        return names, None
    if isinstance(value, dict) and all(isinstance(column, list) for column in value.values()):
        lists = [column for column in value.values() if isinstance(column, list)]
        if len({len(column) for column in lists}) > 1:
            raise CannotShow("the columns of rows have different lengths")
        return tuple(value), tuple(zip(*lists, strict=True))
    if not isinstance(value, list):
        raise CannotShow("rows must be a list of objects, or of lists with columns named")
    if all(isinstance(row, dict) for row in value):
        objects = [row for row in value if isinstance(row, dict)]
        names = names or tuple(dict.fromkeys(key for row in objects for key in row))
        return names, tuple(tuple(row.get(name) for name in names) for row in objects)
    lists = [row for row in value if isinstance(row, list)]
    width = len(names) if names else max((len(row) for row in lists), default=0)
    if len(lists) != len(value) or any(len(row) != width for row in lists):
        raise CannotShow("every row must be an object, or a list with a value for each column")
    return names or tuple(f"column {number}" for number in range(1, width + 1)), tuple(map(tuple, lists))


def _column_names(value: JSON) -> tuple[str, ...] | None:
    """Return the column names from a list of names or a list of objects with a name."""
    if value is None:
        return None
    names = (
        [item.get("name") if isinstance(item, dict) else item for item in value]
        if isinstance(value, list)
        else []
    )
    if not names or not all(isinstance(name, str) for name in names):
        raise CannotShow("columns must be a list of names")
    return tuple(str(name) for name in names)


def drawn_rows(names: Sequence[str], rows: Sequence[Sequence[JSON]]) -> list[JSONObject]:
    """Return the first rows of a file, as many as a browser can easily draw as a chart."""
    most = min(MOST_DRAWN, max(1, _MOST_CELLS // max(1, len(names))))
    return [dict(zip(names, row, strict=True)) for row in rows[:most]]
