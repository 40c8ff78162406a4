"""One function per renderer: resolved configuration and files → a plan, or `CannotShow` with the reason."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.rendering.media import IMAGE_TYPES, language_of, media_type_of
from engine.rendering.parts import make_part
from engine.rendering.plans import (
    ChartPlan,
    CodePlan,
    DocumentPlan,
    FileRef,
    FramePlan,
    HtmlPlan,
    Image,
    ImagesPlan,
    JsonPlan,
    PartsPlan,
    RenderPlan,
    TablePlan,
)
from engine.rendering.rows import CannotShow, table_rows
from engine.rendering.safety import chart_danger, frame_danger
from engine.system.input_limits import nearest
from engine.workspace.manifest import FileEntry, Files
from events.canonical import JSON, JSONObject, canonical_json

__all__ = ["MAKERS", "CannotShow", "RenderContext"]


@dataclass(frozen=True, slots=True)
class RenderContext:
    """Where files are looked for."""

    files: Files
    artifacts: Mapping[str, FileEntry]


def _table(values: JSONObject, around: RenderContext) -> RenderPlan:
    file = _optional_file(values, around)
    columns, rows = table_rows(values.get("rows"), values.get("columns"))
    if file is None and rows is None:
        raise CannotShow("a table needs a file or rows, and both are empty", keys=sorted(around.files))
    return TablePlan(
        title=_words(values, "title"),
        file=file,
        columns=columns,
        rows=rows if file is None else None,
        sql=_words(values, "sql"),
        shown_to_model=values.get("shown_to_model"),
    )


def _chart(values: JSONObject, around: RenderContext) -> RenderPlan:
    spec = _decoded(values.get("spec"))
    if not isinstance(spec, dict):
        raise CannotShow("the chart's spec must be an object: a Vega-Lite specification")
    data, file = values.get("data"), None
    if isinstance(data, str):
        file = _file_ref(data, around)
    elif values.get("file") is not None:
        file = _optional_file(values, around)
    rows: tuple[JSONObject, ...] | None = None
    if data is not None and not isinstance(data, str):
        columns, found = table_rows(data, None)
        rows = tuple(dict(zip(columns or (), row, strict=True)) for row in found or ())
    danger = chart_danger(spec, list(rows) if rows else None)
    if danger:
        raise CannotShow(danger)
    row_count = values.get("row_count")
    return ChartPlan(
        title=_words(values, "title"),
        spec=spec,
        data=rows,
        file=file,
        sql=_words(values, "sql"),
        row_count=row_count if isinstance(row_count, int) and not isinstance(row_count, bool) else None,
    )


def _code(values: JSONObject, around: RenderContext) -> RenderPlan:
    file, content = _file_or_content(values, around)
    language = _words(values, "language") or "auto"
    if language == "auto":
        language = language_of(file.path) if file else "text"
    return CodePlan(
        title=_words(values, "title"),
        file=file,
        content=content,
        language=language,
        editable=_flag(values, "editable", file is not None),
    )


def _document(values: JSONObject, around: RenderContext) -> RenderPlan:
    file, content = _file_or_content(values, around)
    return DocumentPlan(
        title=_words(values, "title"),
        file=file,
        content=content,
        editable=_flag(values, "editable", file is not None),
    )


def _html(values: JSONObject, around: RenderContext) -> RenderPlan:
    path = values.get("artifact")
    if not isinstance(path, str) or not path:
        raise CannotShow(
            "an html page needs an artifact, such as artifacts/page.html", keys=sorted(around.artifacts)
        )
    if path.startswith("$workspace/"):
        artifact = _file_ref(path, around)
    else:
        plain = _logical(path, "$toolset/")
        found = next((name for name in (plain, f"artifacts/{plain}") if name in around.artifacts), None)
        if found is None:
            raise CannotShow(f"the toolset has no artifact {path}", keys=sorted(around.artifacts))
        artifact = _reference(found, around.artifacts[found], "toolset")
    return HtmlPlan(
        title=_words(values, "title"), artifact=artifact, data=values.get("data"), height=_pixels(values)
    )


def _frame(values: JSONObject, _around: RenderContext) -> RenderPlan:
    url = _words(values, "url")
    danger = frame_danger(url) if url else "a frame needs a url"
    if url is None or danger:
        raise CannotShow(danger or "a frame needs a url")
    return FramePlan(title=_words(values, "title"), url=url, height=_pixels(values))


def _images(values: JSONObject, around: RenderContext) -> RenderPlan:
    listed = values.get("files")
    items = listed if isinstance(listed, list) else [listed]
    images = []
    for item in items:
        path = item if not isinstance(item, dict) else item.get("file", item.get("path"))
        caption = item.get("caption") if isinstance(item, dict) else None
        if not isinstance(path, str):
            raise CannotShow("files must be a list of paths in the workspace", keys=sorted(around.files))
        file = _file_ref(path, around)
        if file.media_type not in IMAGE_TYPES:
            raise CannotShow(f"{file.path} is not a picture that can be shown; save it as PNG, JPEG or WebP")
        images.append(Image(file=file, caption=caption if isinstance(caption, str) else None))
    if not images:
        raise CannotShow("there is no picture: files is empty")
    return ImagesPlan(title=_words(values, "title"), images=tuple(images), caption=_words(values, "caption"))


def _json(values: JSONObject, _around: RenderContext) -> RenderPlan:
    title = _words(values, "title")
    return (
        JsonPlan(title=title, source="value", value=values["value"])
        if "value" in values
        else JsonPlan(title=title)
    )


_TABLES = frozenset({"csv", "tsv", "parquet", "json", "jsonl", "ndjson", "xlsx"})


def _any_file(values: JSONObject, around: RenderContext) -> RenderPlan:
    """A file of the workspace as its kind is shown: a page, a picture, a table, a document, or else its text."""
    path = values.get("file")
    if not isinstance(path, str):
        raise CannotShow("file must be a path in the workspace", keys=sorted(around.files))
    kind = PurePosixPath(path).suffix.lower().removeprefix(".")
    if kind in ("html", "htm"):
        return _html({**values, "artifact": f"$workspace/{_logical(path, '$workspace/')}"}, around)
    if media_type_of(path) in IMAGE_TYPES:
        return _images({"files": [path], "title": values.get("title")}, around)
    if kind in _TABLES:
        return _table(values, around)
    return _document(values, around) if kind == "md" else _code(values, around)


def _parts(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Several results of one call, each by the renderer that it names."""
    listed = values.get("parts")
    if listed is not None and not isinstance(listed, list):
        raise CannotShow("parts must be a list of objects, each with a renderer and its configuration")
    return PartsPlan(
        title=_words(values, "title"),
        code=_words(values, "code"),
        language=_words(values, "language") or "python",
        output=_words(values, "output") or None,
        parts=tuple(make_part(item, lambda name, own: MAKERS[name](own, around)) for item in listed or ()),
    )


MAKERS: Mapping[str, Callable[[JSONObject, RenderContext], RenderPlan]] = {
    "table": _table,
    "chart": _chart,
    "code": _code,
    "document": _document,
    "html": _html,
    "frame": _frame,
    "images": _images,
    "json": _json,
    "file": _any_file,
    "parts": _parts,
}


def _words(values: JSONObject, key: str) -> str | None:
    value = values.get(key)
    if value is None or isinstance(value, str):
        return value
    return canonical_json(value)


def _flag(values: JSONObject, key: str, default: bool) -> bool:
    value = values.get(key)
    return default if value is None else value is True


def _pixels(values: JSONObject) -> int | None:
    height = values.get("height")
    fits = isinstance(height, int | float) and not isinstance(height, bool) and 40 <= height <= 4000
    return int(height) if fits and isinstance(height, int | float) else None


def _decoded(value: JSON) -> JSON:
    """Return a specification that a tool returned as text, decoded."""
    if not isinstance(value, str):
        return value
    try:
        decoded: JSON = json.loads(value)
    except ValueError as error:
        raise CannotShow(f"the chart's spec is text and not JSON: {error}") from None
    return decoded


def _file_or_content(values: JSONObject, around: RenderContext) -> tuple[FileRef | None, str | None]:
    file = _optional_file(values, around)
    content = None if file else values.get("content")
    if file is None and content is None:
        raise CannotShow("it needs a file or content, and both are empty", keys=sorted(around.files))
    if content is not None and not isinstance(content, str):
        content = json.dumps(content, indent=2, ensure_ascii=False)
    return file, content


def _optional_file(values: JSONObject, around: RenderContext) -> FileRef | None:
    path = values.get("file")
    if path is None:
        return None
    if not isinstance(path, str):
        raise CannotShow("file must be a path in the workspace", keys=sorted(around.files))
    return _file_ref(path, around)


def _file_ref(path: str, around: RenderContext) -> FileRef:
    plain = _logical(path, "$workspace/")
    entry = around.files.get(plain)
    if entry is None:
        near = nearest(plain, around.files, 3)
        raise CannotShow(
            f"the workspace has no file {plain} after this call", keys=near or sorted(around.files)
        )
    return _reference(plain, entry, "workspace")


def _reference(path: str, entry: FileEntry, origin: str) -> FileRef:
    return FileRef.model_validate(
        {
            "path": path,
            "sha256": entry.sha256,
            "size": entry.size,
            "media_type": media_type_of(path),
            "origin": origin,
        }
    )


def _logical(path: str, root: str) -> str:
    """Return a path from its root, without the root's name; an absolute one or one that leads out is refused."""
    plain = path.removeprefix(root)
    pure = PurePosixPath(plain)
    if pure.is_absolute() or ".." in pure.parts or "\\" in plain:
        raise CannotShow(f"a path must stay below {root} and be relative to it")
    return pure.as_posix()
