"""Draws a call's charts: for models that accept pictures, and to check that each chart shows something."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from engine.rendering.charts.renderer import ChartFailed, NoRenderer, Picture
from engine.rendering.plans import ChartPlan, FileRef, PartsPlan, RenderPlan
from engine.tools.tool_output import RawPicture
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["ChartFailed", "Drawn", "DrawsCharts", "RowsOf", "draw_charts"]

_SCALE = 1.0
"""The number of pixels per point. Labels are readable at this scale, and a picture has a quarter of the bytes of a
picture for print.
"""
_MOST = 8
"""The maximum number of pictures of one call's charts. Further charts are only checked."""
_LONGEST, _MOST_TOLD = 400, 4
"""Limits on the sentences for the model: the length of each, and their number. Results have a separate limit."""
_WORDS = {
    "rect": "rectangle",
    "symbol": "point",
    "line": "line",
    "area": "area",
    "arc": "slice",
    "rule": "rule",
    "text": "text",
}
_SHARED = ("line", "area", "trail")
"""Kinds of marks that can show many rows in one mark."""

RowsOf = Callable[[FileRef], Sequence[Mapping[str, Any]] | None]
"""Reads the rows for a chart from its file; None if they cannot be read, which the card reports."""


class DrawsCharts(Protocol):
    """Draws a chart as PNG; see `engine.rendering.charts.renderer.ChartRenderer`."""

    def warm(self) -> None:
        """Prepare the renderer in the background."""
        ...

    def render(
        self, spec: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] | None = None, *, scale: float = ...
    ) -> Picture:
        """Draw `spec` with `rows`. Raises ChartFailed or NoRenderer."""
        ...


@dataclass(slots=True)
class Drawn:
    """The charts of a call after they were drawn."""

    plan: RenderPlan
    """The plan with Vega-Lite's warnings as notes, and without the parts that could not be drawn."""
    pictures: list[RawPicture] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """Sentences for the model: how many marks were drawn, Vega-Lite's warnings, and which charts failed."""
    failed: list[str] = field(default_factory=list)
    """The names of the parts that could not be drawn."""

    def said(self, result: JSONObject) -> JSONObject:
        """Return a call's result with the sentences in `told` added to its notes, and without the charts that
        failed.
        """
        notes, charts = result.get("notes", []), result.get("charts")
        if self.told and isinstance(notes, list):
            said: list[JSON] = [sentence[:_LONGEST] for sentence in self.told[:_MOST_TOLD]]
            if len(self.told) > _MOST_TOLD:
                said.append(f"{len(self.told) - _MOST_TOLD} more notes about charts are on the card.")
            result = {**result, "notes": [*notes, *said]}
        if self.failed and isinstance(charts, list):
            result = {**result, "charts": [one for one in charts if _name(one) not in self.failed]}
        return result


def draw_charts(plan: RenderPlan, charts: DrawsCharts | None, rows_of: RowsOf | None = None) -> Drawn:
    """Draw every chart of `plan`. If one of several parts fails, the others are kept and the failure becomes a note.

    Without `rows_of`, charts of a file are neither drawn nor checked.

    Raises:
        ChartFailed: the only chart cannot be drawn or draws nothing; the message says what to change.
    """
    if charts is None:
        return Drawn(plan)
    drawn = Drawn(plan)
    try:
        if isinstance(plan, ChartPlan):
            drawn.plan = _draw(plan, charts, rows_of, drawn)
        elif isinstance(plan, PartsPlan):
            drawn.plan = _draw_parts(plan, charts, rows_of, drawn)
    except NoRenderer as error:
        return Drawn(plan.model_copy(update={"notes": (*plan.notes, str(error))}))
    return drawn


def _draw_parts(plan: PartsPlan, charts: DrawsCharts, rows_of: RowsOf | None, drawn: Drawn) -> PartsPlan:
    parts: list[RenderPlan] = []
    failures: list[str] = []
    for part in plan.parts:
        try:
            parts.append(_draw(part, charts, rows_of, drawn) if isinstance(part, ChartPlan) else part)
        except ChartFailed as error:
            failures.append(f"The chart {_called(part)} is not shown. {error}")
            drawn.failed += [part.name] if part.name else []
    drawn.told = [*failures, *drawn.told]
    return plan.model_copy(update={"parts": tuple(parts), "notes": (*plan.notes, *failures)})


def _draw(plan: ChartPlan, charts: DrawsCharts, rows_of: RowsOf | None, drawn: Drawn) -> ChartPlan:
    """Draw one chart; return its plan with notes."""
    rows: Sequence[Mapping[str, Any]] | None = plan.data
    if plan.file is not None:
        rows = rows_of(plan.file) if rows_of is not None else None
        if rows is None:
            return plan
    picture = charts.render(plan.spec, rows, scale=_SCALE)
    if len(drawn.pictures) < _MOST:
        caption = f"{plan.title or 'Chart'} ({plan.name})" if plan.name else plan.title or "Chart"
        drawn.pictures.append(RawPicture(picture.data, picture.media_type, caption[:500]))
    counted = [_counted(picture, plan.row_count)] if plan.row_count is not None else []
    warned = [f"Vega-Lite warns: {warning}" for warning in picture.warnings]
    before = f"{plan.name}: " if isinstance(drawn.plan, PartsPlan) and plan.name else ""
    drawn.told += [before + sentence for sentence in (*counted, *warned)]
    return plan.model_copy(update={"notes": (*counted, *plan.notes, *warned)})


def _counted(picture: Picture, rows: int) -> str:
    """Return `4 marks from 200 rows.`, with the kinds of marks if there are several or if one mark can show many
    rows."""
    said = f"{picture.marks:,} mark{'s' * (picture.marks != 1)}"
    if len(picture.kinds) > 1 or any(kind in _SHARED for kind in picture.kinds):
        kinds = [_several(count, _WORDS.get(kind, kind)) for kind, count in picture.kinds.items() if count]
        said += f" ({', '.join(kinds)})"
    return f"{said} from {rows:,} row{'s' * (rows != 1)}."


def _several(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"


def _called(part: RenderPlan) -> str:
    return " ".join([f"“{part.title or 'Chart'}”", *([f"({part.name})"] if part.name else [])])


def _name(chart: JSON) -> JSON:
    return chart.get("name") if isinstance(chart, dict) else None
