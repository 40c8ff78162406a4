"""The renderer `file`: shows a file of the workspace according to its type."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from engine.rendering.data_renderers import make_table
from engine.rendering.media import IMAGE_TYPES, media_type_of
from engine.rendering.page_renderers import make_html, make_images
from engine.rendering.plans import RenderPlan
from engine.rendering.renderer import TABLE_FILES, Found, RenderContext, Renderer
from engine.rendering.renderer_values import logical
from engine.rendering.rows import CannotShow
from engine.rendering.text_renderers import make_code, make_document
from events.json_value import JSON, JSONObject

__all__ = ["FILE"]


def _any_file(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Shows a file of the workspace according to its type: as a page, a picture, a table, a document, or else as
    text."""
    path = values.get("file")
    if not isinstance(path, str):
        raise CannotShow("file must be a path in the workspace", keys=sorted(around.files))
    kind = PurePosixPath(path).suffix.lower().removeprefix(".")
    if kind in ("html", "htm"):
        return make_html({**values, "artifact": f"$workspace/{logical(path, '$workspace/')}"}, around)
    if media_type_of(path) in IMAGE_TYPES:
        return make_images({"files": [path], "title": values.get("title")}, around)
    if kind in TABLE_FILES:
        return make_table(values, around)
    return make_document(values, around) if kind == "md" else make_code(values, around)


def _as_file(found: Found) -> Mapping[str, JSON] | None:
    return {"file": found.file} if found.file and not found.is_table and not found.is_picture else None


FILE = Renderer(
    name="file",
    title="File, by type",
    results_as="as files, in the way that suits each kind",
    sign=("preview", "Shows a file"),
    make=_any_file,
    keys=frozenset({"file", "data", "height", "editable"}),
    needs=("file",),
    fitting=_as_file,
    shows_text=True,
)
