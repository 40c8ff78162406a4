"""Suggests a type and axes for a chart if only its rows are given, as in `/chart SELECT …`."""

from collections.abc import Sequence

from anabranch_tool import ToolError
from tools.chart_columns import Column

__all__ = ["suggested"]

_MARKS = {"time": "line", "number": "point"}


def suggested(columns: Sequence[Column]) -> tuple[dict[str, str], str]:
    """Return `mark`, `x`, `y` and `color`, chosen by the kinds of the columns, and a note about this choice.

    Raises:
        ToolError: no column of numbers is left for y.
    """
    drawn = [column for column in columns if column.kind != "other"]
    times = [column for column in drawn if column.kind == "time"]
    groups = [column for column in drawn if column.kind in ("text", "flag")]
    numbers = [column for column in drawn if column.kind == "number"]
    x = next(iter([*times, *groups, *numbers]), None)
    y = next((column for column in numbers if column is not x), None)
    if x is None or y is None:
        raise ToolError("There is no column of numbers to draw. Select one, or set mark, x and y.")
    asked = {"mark": _MARKS.get(x.kind, "bar"), "x": x.name, "y": y.name}
    color = next((column for column in groups if column is not x), None)
    if color is not None:
        asked["color"] = color.name
    by = f", colour {color.name}" if color is not None else ""
    return (
        asked,
        f"Chosen from the columns: {asked['mark']}, {x.name} across, {y.name} up{by}. Set mark, x and y "
        "for another chart.",
    )
