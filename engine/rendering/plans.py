"""Render plans as they are stored: how to show a call, with files by hash and no paths on this computer.

There is one frozen model per renderer, distinguished by `renderer`; a renderer's own module may declare it too. Plans
are stored in events forever, so fields are only added, each with a default. An unknown plan from a newer release is
shown as JSON.
"""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from events.json_value import JSON, JSONObject

__all__ = [
    "ChartPlan",
    "CodePlan",
    "DocumentPlan",
    "ErrorPlan",
    "FileRef",
    "FramePlan",
    "HtmlPlan",
    "Image",
    "ImagesPlan",
    "JsonPlan",
    "PartsPlan",
    "RenderPlan",
    "TablePlan",
    "plan_files",
    "plan_to_json",
]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class FileRef(_Value):
    """A file as it was after the call. Its bytes are fetched by hash, never by path."""

    path: str
    """The logical path from the workspace's or the toolset's root, with `/`."""
    sha256: str
    size: int
    """The size in bytes."""
    media_type: str
    origin: Literal["workspace", "toolset", "call"] = "workspace"
    """The file's origin. `call`: the file was made for this result, and is in no folder."""


class RenderPlan(_Value):
    """The fields of every plan."""

    placed: ClassVar[Literal["always", "last", "never"]] = "last"
    """Whether the result is shown below the answer if the answer's text does not place it. `last`: only if it belongs
    to the last step that has results.
    """
    renderer: str
    title: str | None = None
    name: str | None = None
    """The result's name. An answer places the result with `![](result:NAME)`. If the result is a table, later SQL
    can use its name.
    """
    notes: tuple[str, ...] = ()
    """Sentences for the card about what was left out, sampled or assumed."""


class TablePlan(RenderPlan):
    """A table whose rows are in a file or in the plan."""

    renderer: Literal["table"] = "table"
    file: FileRef | None = None
    columns: tuple[str, ...] | None = None
    """The column names in order; None if the file defines them."""
    rows: tuple[tuple[JSON, ...], ...] | None = None
    """The rows, if there are few; otherwise they are in the file."""
    sql: str | None = None
    shown_to_model: JSON = None
    """What the model saw: either how many rows were sent, or the rows that were sent."""


class ChartPlan(RenderPlan):
    """A Vega-Lite specification that loads no external data."""

    placed = "always"
    renderer: Literal["chart"] = "chart"
    spec: JSONObject
    """The chart as Vega-Lite."""
    data: tuple[JSONObject, ...] | None = None
    """The rows, if the specification does not contain them."""
    file: FileRef | None = None
    sql: str | None = None
    row_count: int | None = None
    """The number of rows behind the chart. If it is set, a note says how many marks were drawn from this many rows."""


class CodePlan(RenderPlan):
    """The text of a program or a configuration."""

    renderer: Literal["code"] = "code"
    file: FileRef | None = None
    content: str | None = None
    language: str = "text"
    editable: bool = True
    """Whether the file can be saved; content without a file can only be copied."""


class DocumentPlan(RenderPlan):
    """A Markdown document."""

    renderer: Literal["document"] = "document"
    file: FileRef | None = None
    content: str | None = None
    editable: bool = True
    """Whether the user may edit it."""


class HtmlPlan(RenderPlan):
    """A page with data, in a frame with an opaque origin."""

    renderer: Literal["html"] = "html"
    artifact: FileRef
    """The page, stored as a blob."""
    data: JSON = None
    """The value of `window.__TOOL_DATA__`."""
    height: int | None = None
    """The height in pixels; None: the height that the page requests."""


class FramePlan(RenderPlan):
    """A page at another address; nothing is fetched before a click."""

    renderer: Literal["frame"] = "frame"
    url: str
    height: int | None = None
    """The height in pixels; None: 480 pixels, because a page at another address cannot report its height."""


class Image(_Value):
    """One picture."""

    file: FileRef
    caption: str | None = None


class ImagesPlan(RenderPlan):
    """One or more pictures."""

    placed = "always"
    renderer: Literal["images"] = "images"
    images: tuple[Image, ...]
    """The pictures, in their order."""
    caption: str | None = None
    """The text below the pictures."""


class JsonPlan(RenderPlan):
    """Formatted JSON, used if nothing else fits."""

    placed = "never"
    renderer: Literal["json"] = "json"
    source: Literal["result", "value"] = "result"
    """Where the JSON comes from. `result`: it is the call's own result, which is not stored a second time; `value`: it
    is in `value`.
    """
    value: JSON = None
    note: str | None = None
    """The reason why the result is shown as JSON, if another renderer was requested."""


class ErrorPlan(RenderPlan):
    """The configured view cannot be shown; the call's result is shown below as JSON."""

    placed = "never"
    renderer: Literal["error"] = "error"
    wanted: str
    """The renderer that was requested."""
    message: str
    expression: str | None = None
    """The part of the configuration that failed."""
    keys: tuple[str, ...] = ()
    """The names to which this part of the configuration may refer."""


class PartsPlan(RenderPlan):
    """Several parts that one call showed, with its code and its printed output."""

    renderer: Literal["parts"] = "parts"
    code: str | None = None
    """The code that ran."""
    language: str = "python"
    output: str | None = None
    """The printed output of the code."""
    parts: tuple[SerializeAsAny[RenderPlan], ...] = ()
    """The parts, in the order in which they were shown."""


def plan_to_json(plan: RenderPlan) -> JSONObject:
    """Return a plan as the JSON object that an event stores; absent fields are left out."""
    return {key: value for key, value in plan.model_dump(mode="json").items() if value is not None}


def plan_files(plan: BaseModel) -> tuple[FileRef, ...]:
    """Return every file that a plan shows, in the order of its fields; the chat's store must contain them."""
    return tuple(file for name in type(plan).model_fields for file in _files_in(getattr(plan, name)))


def _files_in(held: object) -> Iterator[FileRef]:
    if isinstance(held, FileRef):
        yield held
    elif isinstance(held, BaseModel):
        yield from plan_files(held)
    elif isinstance(held, tuple):
        for one in held:
            yield from _files_in(one)
