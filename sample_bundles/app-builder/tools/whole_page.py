"""Makes a self-contained page by inserting the styles, scripts and pictures that it loads from the workspace."""

import base64
import mimetypes
import posixpath
import re
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools.inside import inside, shown

__all__ = ["WholePage", "whole_page"]

_MEDIA = {"img", "source", "audio", "video", "embed", "track", "input"}
_URL = re.compile(r"""url\(\s*(['"]?)([^'")]+)\1\s*\)""")
_IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?(['"]?)([^'"();]+)\1\s*\)?\s*;""")
_DEEPEST = 5
"""The maximum depth of stylesheets that import other stylesheets."""


@dataclass
class WholePage:
    """The self-contained page, and lists of the files and addresses that it loads, without duplicates."""

    text: str = ""
    put_in: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    """Addresses outside the workspace, which a preview does not load."""


def whole_page(workspace: Path, file: Path, text: str, largest: int) -> WholePage:
    """Return the self-contained page for `text`, the content of `file`. The files that it loads may have `largest`
    bytes in total.

    Raises:
        ValueError: these files are larger in total.
    """
    taker = _Taker(workspace, posixpath.dirname(shown(workspace, file)), largest)
    taker.feed(text)
    taker.close()
    pieces, end = [], 0
    for start, stop, new in taker.changes:
        pieces += [text[end:start], new]
        end = stop
    whole = "".join(pieces) + text[end:]
    if taker.late:
        at = whole.lower().rfind("</body")
        at = len(whole) if at < 0 else at
        whole = whole[:at] + "".join(taker.late) + whole[at:]
    taker.page.text = whole
    return taker.page


class _Taker(HTMLParser):
    def __init__(self, workspace: Path, folder: str, largest: int) -> None:
        super().__init__(convert_charrefs=False)
        self.page = WholePage()
        self.changes: list[tuple[int, int, str]] = []
        """The replacements in order: start, end and new text."""
        self.late: list[str] = []
        """Scripts that run after the page has been parsed."""
        self._workspace, self._folder, self._left = workspace, folder, largest
        self._starts = [0]

    def feed(self, data: str) -> None:
        for line in data.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        super().feed(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "link" and "stylesheet" in given.get("rel", "").lower().split():
            self._style(given)
        elif tag == "script" and "src" in given:
            self._script(given)
        elif tag in _MEDIA and given.get("src"):
            found = self._take(given["src"], self._folder)
            if found is not None:
                rest = {name: value for name, value in attrs if name != "srcset"}
                self._replace(_tag(tag, rest | {"src": _data(given["src"], found)}))

    def _style(self, given: dict[str, str]) -> None:
        found = self._take(given.get("href", ""), self._folder)
        if found is not None:
            folder = posixpath.dirname(self._path(given["href"], self._folder) or "")
            css = self._css(found.decode("utf-8", "replace"), folder, 0).replace("</style", "<\\/style")
            self._replace(
                _tag("style", {"media": given["media"]} if given.get("media") else {}) + css + "</style>"
            )

    def _script(self, given: dict[str, str]) -> None:
        found = self._take(given["src"], self._folder)
        if found is None:
            return
        code = re.sub(r"<(?=/script|!--)", r"\\x3c", found.decode("utf-8", "replace"), flags=re.IGNORECASE)
        attributes = {
            name: value for name, value in given.items() if name not in ("src", "defer", "async", "integrity")
        }
        if given.keys() & {"defer", "async"} or given.get("type") == "module":
            self.late.append(_tag("script", attributes) + code + "</script>")
            self._replace("<script>")
        else:
            self._replace(_tag("script", attributes) + code)

    def _css(self, text: str, folder: str, depth: int) -> str:
        def imported(match: re.Match[str]) -> str:
            found = self._take(match[2], folder) if depth < _DEEPEST else None
            if found is None:
                return match[0]
            below = posixpath.dirname(self._path(match[2], folder) or "")
            return self._css(found.decode("utf-8", "replace"), below, depth + 1)

        def loaded(match: re.Match[str]) -> str:
            found = self._take(match[2], folder)
            return match[0] if found is None else f'url("{_data(match[2], found)}")'

        return _URL.sub(loaded, _IMPORT.sub(imported, text))

    def _take(self, address: str, folder: str) -> bytes | None:
        """Return the content of the workspace file at `address`, relative to `folder`; None if there is none, which is
        recorded in `page`.
        """
        address = address.strip()
        if not address or address.startswith(("data:", "blob:", "#")):
            return None
        path = self._path(address, folder)
        if path is None:
            _once(self.page.elsewhere, address[:300])
            return None
        try:
            file = inside(self._workspace, path)
            size = file.stat().st_size
            found = file.read_bytes() if size <= self._left else None
        except (OSError, ValueError):
            _once(self.page.missing, path[:300])
            return None
        if found is None:
            raise ValueError(
                f"the page loads more than can be shown: with {path} ({size:,} bytes), its files exceed the limit"
            )
        self._left -= size
        _once(self.page.put_in, path)
        return found

    def _path(self, address: str, folder: str) -> str | None:
        try:
            parts = urlsplit(address.strip())
        except ValueError:
            return None
        if parts.scheme or parts.netloc or not parts.path:
            return None
        path = unquote(parts.path)
        return posixpath.normpath(path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path))

    def _replace(self, new: str) -> None:
        line, column = self.getpos()
        start = self._starts[line - 1] + column
        self.changes.append((start, start + len(self.get_starttag_text() or ""), new))


def _tag(name: str, attributes: dict[str, str | None] | dict[str, str]) -> str:
    return (
        f"<{name}"
        + "".join(
            f" {key}" if value in (None, "") else f' {key}="{escape(str(value))}"'
            for key, value in attributes.items()
        )
        + ">"
    )


def _data(address: str, content: bytes) -> str:
    kind = mimetypes.guess_type(urlsplit(address).path)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _once(names: list[str], name: str) -> None:
    if name not in names and len(names) < 100:
        names.append(name)
