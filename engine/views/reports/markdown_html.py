"""Markdown of answers as HTML that does nothing: no raw HTML and no picture from elsewhere. Pure."""

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["markdown_html"]

_HEADINGS = {"h1": "h3", "h2": "h3", "h3": "h4", "h4": "h4"}


def markdown_html(text: str) -> str:
    """Return the text as HTML; its headings are below those of the page."""
    rendered: str = _reader().render(text)
    return rendered


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.add_render_rule("image", _picture)
    for kind in ("heading_open", "heading_close"):
        reader.add_render_rule(kind, _heading)
    reader.add_render_rule("link_open", _link)
    return reader


def _picture(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:  # noqa: ARG001
    """A picture elsewhere is named, and not fetched."""
    token = tokens[at]
    words = token.content or "Picture"
    return f"<span>[{escape(words)}: {escape(str(token.attrGet('src') or ''))}]</span>"


def _heading(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    token.tag = _HEADINGS.get(token.tag, token.tag)
    made: str = self.renderToken(tokens, at, options, env)
    return made


def _link(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    made: str = self.renderToken(tokens, at, options, env)
    return made
