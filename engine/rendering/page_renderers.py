"""Renderers of pages and pictures: `html`, `frame` and `images`."""

from collections.abc import Mapping

from engine.rendering.media import IMAGE_TYPES
from engine.rendering.plans import FramePlan, HtmlPlan, Image, ImagesPlan, RenderPlan
from engine.rendering.renderer import Found, RenderContext, Renderer
from engine.rendering.renderer_values import file_ref, logical, pixels, reference, words
from engine.rendering.rows import CannotShow
from engine.rendering.safety import frame_danger
from events.json_value import JSON, JSONObject

__all__ = ["FRAME", "HTML", "IMAGES", "make_html", "make_images"]


def make_html(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Make the plan for showing an HTML page."""
    path = values.get("artifact")
    if not isinstance(path, str) or not path:
        raise CannotShow(
            "an html page needs an artifact, such as artifacts/page.html", keys=sorted(around.artifacts)
        )
    if path.startswith("$workspace/"):
        artifact = file_ref(path, around)
    else:
        plain = logical(path, "$toolset/")
        found = next((name for name in (plain, f"artifacts/{plain}") if name in around.artifacts), None)
        if found is None:
            raise CannotShow(f"the toolset has no artifact {path}", keys=sorted(around.artifacts))
        artifact = reference(found, around.artifacts[found], "toolset")
    return HtmlPlan(
        title=words(values, "title"), artifact=artifact, data=values.get("data"), height=pixels(values)
    )


HTML = Renderer(
    name="html",
    title="Page",
    results_as="as pages",
    sign=("web", "Shows a page"),
    plan=HtmlPlan,
    make=make_html,
    keys=frozenset({"artifact", "data", "height"}),
    needs=("artifact",),
)


def _frame(values: JSONObject, _around: RenderContext) -> RenderPlan:
    url = words(values, "url")
    danger = frame_danger(url) if url else "a frame needs a url"
    if url is None or danger:
        raise CannotShow(danger or "a frame needs a url")
    return FramePlan(title=words(values, "title"), url=url, height=pixels(values))


FRAME = Renderer(
    name="frame",
    title="External page",
    results_as="as external pages",
    sign=("web_asset", "Shows an external page"),
    plan=FramePlan,
    make=_frame,
    keys=frozenset({"url", "height"}),
    needs=("url",),
)


def make_images(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Make the plan for showing pictures."""
    listed = values.get("files")
    items = listed if isinstance(listed, list) else [listed]
    images = []
    for item in items:
        path = item if not isinstance(item, dict) else item.get("file", item.get("path"))
        caption = item.get("caption") if isinstance(item, dict) else None
        if not isinstance(path, str):
            raise CannotShow("`files` must be a list of paths in the workspace", keys=sorted(around.files))
        file = file_ref(path, around)
        if file.media_type not in IMAGE_TYPES:
            raise CannotShow(f"{file.path} is not a picture that can be shown; save it as PNG, JPEG or WebP")
        images.append(Image(file=file, caption=caption if isinstance(caption, str) else None))
    if not images:
        raise CannotShow("there is no picture: files is empty")
    return ImagesPlan(title=words(values, "title"), images=tuple(images), caption=words(values, "caption"))


def _as_images(found: Found) -> Mapping[str, JSON] | None:
    if found.pictures:
        return {"files": found.pictures}
    return {"files": [found.file]} if found.is_picture else None


IMAGES = Renderer(
    name="images",
    title="Pictures",
    results_as="as pictures",
    sign=("image", "Shows pictures"),
    plan=ImagesPlan,
    make=make_images,
    keys=frozenset({"files", "caption"}),
    needs=("files",),
    fitting=_as_images,
)
