"""Converts cards to parts of a report: tables as rows, charts as pictures, files as text."""

from collections.abc import Callable, Iterator
from typing import Any

from engine.chats.workspaces import Workspaces
from engine.errors import AnabranchError, NotFound
from engine.rendering.charts.renderer import ChartFailed, ChartRenderer, NoRenderer
from engine.rendering.plans import (
    ChartPlan,
    CodePlan,
    DocumentPlan,
    FileRef,
    ImagesPlan,
    PartsPlan,
    TablePlan,
)
from engine.rendering.rows import MOST_DRAWN, drawn_rows
from engine.rendering.safety import chart_danger
from engine.rendering.titles import table_title
from engine.tools.file_tables import TableSource
from engine.views.placement import Result
from engine.views.reports.report import CodePart, FigurePart, NotePart, Part, PicturePart, TablePart, TextPart
from engine.views.results import ResultReads
from events.json_value import JSON, JSONObject

__all__ = ["MOST_ROWS", "Cards"]

MOST_ROWS = 500
"""The maximum number of a table's rows that a report shows."""
_MOST_CSV = 2 << 20
"""The maximum size, in bytes of CSV, of a whole table that a report embeds."""
_MOST_CSV_CELLS = 400_000
_MOST_TEXT = 1 << 20
"""The maximum size, in bytes, of a text file that a report shows."""


class Cards:
    """Converts results to parts. A result that cannot be shown becomes a note with the reason."""

    def __init__(self, results: ResultReads, workspaces: Workspaces, charts: ChartRenderer) -> None:
        self._results, self._workspaces, self._charts = results, workspaces, charts

    def parts_of(self, chat_id: str, result: Result) -> Iterator[Part]:
        """Yield the parts of a result."""
        try:
            yield from self._shown(chat_id, result)
        except (AnabranchError, ChartFailed, NoRenderer) as error:
            yield NotePart(f"“{_title(result)}” is not in this report: {error}")

    def _shown(self, chat_id: str, result: Result) -> Iterator[Part]:
        plan, call_id = result.plan, result.call.call_id
        match plan:
            case TablePlan():
                yield self._table(chat_id, plan, call_id)
            case ChartPlan():
                yield self._figure(chat_id, plan, _title(result), call_id)
            case ImagesPlan():
                for image in plan.images:
                    title = image.caption or plan.caption or _title(result)
                    data = self._workspaces.blobs(chat_id).read(image.file.sha256)
                    yield PicturePart(title, image.file.media_type, data, call_id)
            case DocumentPlan():
                yield TextPart(self._text(chat_id, plan.file, plan.content))
            case CodePlan():
                text = self._text(chat_id, plan.file, plan.content)
                yield CodePart(_title(result), plan.language, text, call_id)
            case PartsPlan() if plan.output:
                yield CodePart("Output", "text", plan.output, call_id)
            case PartsPlan():
                pass
            case _:
                yield NotePart(
                    f"“{_title(result)}” is an interactive page or other content that only Anabranch can show. Open "
                    "the chat to see it."
                )

    def _table(self, chat_id: str, plan: TablePlan, call_id: str) -> TablePart:
        if plan.file is None:
            rows = plan.rows or ()
            columns = tuple((name, "") for name in plan.columns or ())
            title = table_title(plan.title, plan.name, plan.sql, columns)
            return TablePart(title, columns, rows[:MOST_ROWS], len(rows), None, plan.notes, call_id)
        source = TableSource(chat_id, plan.file.sha256, plan.file.path)
        page = self._results.page(source, MOST_ROWS)
        title = table_title(plan.title, plan.name, plan.sql, page.columns)
        whole = None
        if page.total * len(page.columns) <= _MOST_CSV_CELLS:
            written = self._results.written(source, "csv")
            whole = written if len(written) <= _MOST_CSV else None
        return TablePart(title, page.columns, page.rows, page.total, whole, plan.notes, call_id)

    def _figure(self, chat_id: str, plan: ChartPlan, title: str, call_id: str) -> FigurePart:
        rows, notes = self._rows_of_chart(chat_id, plan)
        danger = chart_danger(plan.spec, rows)  # type: ignore[arg-type] # a list of objects is JSON
        if danger:
            raise NotFound("chart_unsafe", f"it would load data from outside: {danger}.")
        spec: dict[str, Any] = {key: value for key, value in plan.spec.items() if key != "title"}
        drawn: Callable[..., Any] = self._charts.render
        svg = drawn(spec, rows, theme="light", kind="svg")
        png = drawn(spec, rows, theme="light", kind="png", scale=2.0)
        return FigurePart(title, svg.data, png.data, tuple(rows or ()), (*plan.notes, *notes), call_id)

    def _rows_of_chart(self, chat_id: str, plan: ChartPlan) -> tuple[list[JSONObject] | None, list[str]]:
        """Return the rows that a chart draws, and remarks on them."""
        if plan.file is None:
            given = plan.spec.get("data")
            values: JSON = given.get("values") if isinstance(given, dict) else None
            if plan.data is not None:
                return list(plan.data), []
            return (
                [row for row in values if isinstance(row, dict)] if isinstance(values, list) else None
            ), []
        page = self._results.page(TableSource(chat_id, plan.file.sha256, plan.file.path), MOST_DRAWN)
        rows = drawn_rows([name for name, _ in page.columns], page.rows)
        left = (
            [f"The first {len(rows):,} of {page.total:,} rows are drawn."] if len(rows) < page.total else []
        )
        return rows, left

    def _text(self, chat_id: str, file: FileRef | None, content: str | None) -> str:
        if file is None:
            return content or ""
        if file.size > _MOST_TEXT:
            raise NotFound(
                "text_too_large", f"{file.path} has {file.size:,} bytes, which is too large for a report."
            )
        return self._workspaces.blobs(chat_id).read(file.sha256).decode("utf-8", "replace")


def _title(result: Result) -> str:
    plan = result.plan
    name = (plan.name or "").replace("_", " ").capitalize()
    tool = result.call.tool_id.rpartition(":")[2].replace("_", " ").capitalize()
    return plan.title or name or tool
