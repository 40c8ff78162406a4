"""Converts an answer's Markdown to inert HTML: no raw HTML and no external pictures. Pure."""

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from engine.system.lazy_module import LazyModule

if TYPE_CHECKING:
    import markdown_it
    from markdown_it.token import Token
else:
    markdown_it = LazyModule("markdown_it")

__all__ = ["markdown_html", "markdown_reader"]

_HEADINGS = {"h1": "h3", "h2": "h3", "h3": "h4", "h4": "h4"}


def markdown_html(text: str) -> str:
    """Return the text as HTML; its headings are at lower levels than the page's headings."""
    rendered: str = markdown_reader().render(text)
    return rendered


@cache
def markdown_reader() -> "markdown_it.MarkdownIt":
    """Return the parser for answers' Markdown."""
    reader = markdown_it.MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.add_render_rule("image", _picture)
    for kind in ("heading_open", "heading_close"):
        reader.add_render_rule(kind, _heading)
    reader.add_render_rule("link_open", _link)
    return reader


def _picture(self: Any, tokens: "Sequence[Token]", at: int, options: Any, env: Any) -> str:  # noqa: ARG001
    """Return a picture as HTML. A picture at another address is named but not fetched."""
    token = tokens[at]
    words = token.content or "Picture"
    return f"<span>[{escape(words)}: {escape(str(token.attrGet('src') or ''))}]</span>"


def _heading(self: Any, tokens: "Sequence[Token]", at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    token.tag = _HEADINGS.get(token.tag, token.tag)
    made: str = self.renderToken(tokens, at, options, env)
    return made


def _link(self: Any, tokens: "Sequence[Token]", at: int, options: Any, env: Any) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    made: str = self.renderToken(tokens, at, options, env)
    return made
