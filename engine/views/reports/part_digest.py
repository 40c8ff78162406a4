"""The hash of the visible content of a page part, computed in the same way here and by `report.js` in a browser.
Pure."""

import hashlib
import re
from html.parser import HTMLParser

__all__ = ["part_digest"]

_SPACE = re.compile(r"[ \t\n\r\f]+")


class _Seen(HTMLParser):
    """Gathers text, and the addresses of pictures and links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = {"img": ("src", "alt"), "a": ("href",)}.get(tag, ())
        given = dict(attrs)
        self.addresses += [given[name] or "" for name in wanted if name in given]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def part_digest(html: str) -> str:
    """Return the SHA-256, in hexadecimal, of a part: its text with white space collapsed, then a line for each picture
    (address and alternative text) and each link (address), in the order of the page."""
    seen = _Seen()
    seen.feed(html)
    seen.close()
    text = _SPACE.sub(" ", "".join(seen.texts)).strip(" ")
    return hashlib.sha256("\n".join([text, *seen.addresses]).encode()).hexdigest()
