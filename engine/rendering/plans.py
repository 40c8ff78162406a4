"""Render plans as they are stored: what to show for a call, with files by hash and no path of this machine.

One frozen model per renderer, told apart by `renderer`. Plans live in events for ever: fields are only added, each
with a default; a plan of a newer release that this one does not know is shown as JSON.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from events.canonical import JSON, JSONObject

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
    "PartPlan",
    "PartsPlan",
    "RenderPlan",
    "TablePlan",
    "plan_files",
    "plan_from_json",
    "plan_to_json",
]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class FileRef(_Value):
    """One file as it was after the call: bytes are fetched by hash, never by path."""

    path: str
    """Logical: from the workspace's or the toolset's root, with `/`."""
    sha256: str
    size: int
    """Bytes."""
    media_type: str
    origin: Literal["workspace", "toolset", "call"] = "workspace"
    """`call`: made for this result, and in no folder."""


class _Plan(_Value):
    title: str | None = None
    name: str | None = None
    """The result's own name: what an answer places with `![](result:NAME)`, and later SQL can use."""
    notes: tuple[str, ...] = ()
    """Sentences for the card: what was left out, sampled or assumed."""


class TablePlan(_Plan):
    """Rows to page through: from a file, or here."""

    renderer: Literal["table"] = "table"
    file: FileRef | None = None
    columns: tuple[str, ...] | None = None
    """Names in order; None where the file says."""
    rows: tuple[tuple[JSON, ...], ...] | None = None
    sql: str | None = None
    shown_to_model: JSON = None
    """What the model saw of it: a number of rows, or the sample itself."""


class ChartPlan(_Plan):
    """A Vega-Lite specification that fetches nothing."""

    renderer: Literal["chart"] = "chart"
    spec: JSONObject
    data: tuple[JSONObject, ...] | None = None
    """Rows for a specification that has none of its own."""
    file: FileRef | None = None
    sql: str | None = None
    row_count: int | None = None
    """Rows of the result that it draws; given if a note is to say how many marks were drawn of how many rows."""


class CodePlan(_Plan):
    """A program's or a configuration's text."""

    renderer: Literal["code"] = "code"
    file: FileRef | None = None
    content: str | None = None
    language: str = "text"
    editable: bool = True
    """Only a file can be saved; content alone is copied."""


class DocumentPlan(_Plan):
    """Markdown."""

    renderer: Literal["document"] = "document"
    file: FileRef | None = None
    content: str | None = None
    editable: bool = True


class HtmlPlan(_Plan):
    """A page in a frame of opaque origin, with data."""

    renderer: Literal["html"] = "html"
    artifact: FileRef
    data: JSON = None
    """`window.__TOOL_DATA__`."""
    height: int | None = None
    """Pixels; None: as tall as the page asks."""


class FramePlan(_Plan):
    """A page elsewhere; nothing is fetched before a click."""

    renderer: Literal["frame"] = "frame"
    url: str
    height: int | None = None


class Image(_Value):
    """One picture."""

    file: FileRef
    caption: str | None = None


class ImagesPlan(_Plan):
    """One or several pictures."""

    renderer: Literal["images"] = "images"
    images: tuple[Image, ...]
    caption: str | None = None


class JsonPlan(_Plan):
    """Formatted JSON: the fallback."""

    renderer: Literal["json"] = "json"
    source: Literal["result", "value"] = "result"
    """`result`: the call's own result, which is not stored twice."""
    value: JSON = None
    note: str | None = None
    """Why it is shown this way, where another was asked for."""


class ErrorPlan(_Plan):
    """What was asked for cannot be shown; the call's result stands below as JSON."""

    renderer: Literal["error"] = "error"
    wanted: str
    """The renderer that was asked for."""
    message: str
    expression: str | None = None
    keys: tuple[str, ...] = ()
    """What could have been named there."""


PartPlan: TypeAlias = (
    TablePlan | ChartPlan | CodePlan | DocumentPlan | HtmlPlan | FramePlan | ImagesPlan | JsonPlan | ErrorPlan
)
"""A plan that shows one thing."""


class PartsPlan(_Plan):
    """Several things that one call showed, with the code that made them and what it printed."""

    renderer: Literal["parts"] = "parts"
    code: str | None = None
    language: str = "python"
    output: str | None = None
    parts: tuple[Annotated[PartPlan, Field(discriminator="renderer")], ...] = ()
    """In the order in which they were shown."""


RenderPlan: TypeAlias = PartPlan | PartsPlan

_ADAPTER: TypeAdapter[RenderPlan] = TypeAdapter(Annotated[RenderPlan, Field(discriminator="renderer")])


def plan_to_json(plan: RenderPlan) -> JSONObject:
    """Return a plan as the JSON object that an event holds; what is absent is left out."""
    return {key: value for key, value in plan.model_dump(mode="json").items() if value is not None}


def plan_from_json(value: JSON) -> RenderPlan:
    """Return the plan that `plan_to_json` gave; one that this release does not know shows the result as JSON."""
    try:
        return _ADAPTER.validate_python(value)
    except (ValidationError, RecursionError):
        wanted = value.get("renderer") if isinstance(value, dict) else None
        known = f"the renderer {wanted}" if isinstance(wanted, str) else "this plan"
        return JsonPlan(note=f"{known} is not known to this release")


def plan_files(plan: RenderPlan) -> tuple[FileRef, ...]:
    """Return every file that a plan shows: what the chat's store must hold for it."""
    if isinstance(plan, PartsPlan):
        return tuple(file for part in plan.parts for file in plan_files(part))
    if isinstance(plan, ImagesPlan):
        return tuple(image.file for image in plan.images)
    if isinstance(plan, HtmlPlan):
        return (plan.artifact,)
    file = plan.file if isinstance(plan, TablePlan | ChartPlan | CodePlan | DocumentPlan) else None
    return (file,) if file else ()
