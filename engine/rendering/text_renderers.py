"""Renderers of text: `code` and `document`."""

from collections.abc import Mapping

from engine.rendering.media import language_of
from engine.rendering.plans import CodePlan, DocumentPlan, RenderPlan
from engine.rendering.renderer import Found, RenderContext, Renderer
from engine.rendering.renderer_values import file_or_content, flag, words
from events.json_value import JSON, JSONObject

__all__ = ["CODE", "DOCUMENT", "make_code", "make_document"]


def make_code(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Make the plan for showing source code."""
    file, content = file_or_content(values, around)
    language = words(values, "language") or "auto"
    if language == "auto":
        language = language_of(file.path) if file else "text"
    return CodePlan(
        title=words(values, "title"),
        file=file,
        content=content,
        language=language,
        editable=flag(values, "editable", False),
    )


def _text(found: Found) -> Mapping[str, JSON] | None:
    if found.is_text_file:
        return {"file": found.file}
    return {"content": found.text} if found.text else None


CODE = Renderer(
    name="code",
    title="Code",
    results_as="as code",
    sign=("code", "Shows code"),
    plan=CodePlan,
    make=make_code,
    keys=frozenset({"file", "content", "language", "editable"}),
    needs=("file", "content"),
    fitting=lambda found: _text(found) or {"content": "$return", "language": "json"},
    shows_text=True,
)


def make_document(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Make the plan for showing a document."""
    file, content = file_or_content(values, around)
    return DocumentPlan(
        title=words(values, "title"),
        file=file,
        content=content,
        editable=flag(values, "editable", False),
    )


DOCUMENT = Renderer(
    name="document",
    title="Document",
    results_as="as documents",
    sign=("article", "Shows a document"),
    plan=DocumentPlan,
    make=make_document,
    keys=frozenset({"file", "content", "editable"}),
    needs=("file", "content"),
    fitting=_text,
    shows_text=True,
)
