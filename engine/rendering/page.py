"""An html artifact with its call's data inside: `window.__TOOL_DATA__`, which no data can break out of.

What the page may then do is not decided here but by the frame and the policy under which it is served.
"""

import json
from html import escape
from html.parser import HTMLParser

from events.canonical import JSON

__all__ = ["nested_page", "page_with_data"]

_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


_TELLS_HEIGHT = """;(()=>{if(parent===window)return;let told;const tell=()=>{const e=document.documentElement,
r=Math.ceil(e.getBoundingClientRect().height),h=e.scrollHeight>e.clientHeight?e.scrollHeight:r;
if(h!==told){told=h;parent.postMessage({anabranch:"height",height:h},"*")}};
addEventListener("load",tell);addEventListener("DOMContentLoaded",()=>{const o=new ResizeObserver(tell);
o.observe(document.documentElement);if(document.body)o.observe(document.body);tell()})})()"""
"""Tells the frame's owner how tall the page is, whenever that changes."""

_NESTED_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; worker-src 'none'; "
    "frame-src 'none'; object-src 'none'; form-action 'none'"
)
_METAS = (
    f'<meta http-equiv="Content-Security-Policy" content="{_NESTED_POLICY}">'
    '<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">'
)
_OWN_BASE = '<base href="about:srcdoc">'
"""Links within the page stay in it; without this they would lead to the app's address."""
_WITHOUT_RTC = """<script>for(const n of ["RTCPeerConnection","webkitRTCPeerConnection","WebTransport"])
Object.defineProperty(window,n,{value:undefined})</script>"""
_OUTER = """<!doctype html>%s<style>html,body,iframe{margin:0;border:0;width:100%%;height:100%%;display:block;
background:#fff;overflow:hidden}</style><script>addEventListener("message",e=>{const f=document.querySelector("iframe");
if(f&&e.source===f.contentWindow)parent.postMessage(e.data,"*")})</script>
<iframe sandbox="allow-scripts" srcdoc="%s"></iframe>"""


def nested_page(page: str) -> str:
    """Return a document for `srcdoc` that holds `page` in a frame of its own, for where no route can serve it.

    Two frames, each with the same policy: the outer one's also rules where the inner may navigate, which is nowhere.
    What only a header can close stays open: see docs/security.md.
    """
    return _OUTER % (_METAS, escape(_METAS + _OWN_BASE + _WITHOUT_RTC + page))


def page_with_data(page: str, data: JSON, *, framed: bool = False) -> str:
    """Return `page` with a script that sets `window.__TOOL_DATA__`; a `framed` one also tells how tall it is.

    It stands before `</head>`, else at the start of the body, else before everything but the doctype. Numbers that
    JSON does not know (NaN) become null.
    """
    text = json.dumps(_finite(data), separators=(",", ":")).translate(_ESCAPES)
    script = f"<script>window.__TOOL_DATA__={text}{_TELLS_HEIGHT if framed else ''}</script>"
    place = _place(page)
    return page[:place] + script + page[place:]


def _finite(data: JSON) -> JSON:
    """Read `data` again with what is no JSON number as null."""
    plain: JSON = json.loads(json.dumps(data), parse_constant=lambda _: None)
    return plain


def _place(page: str) -> int:
    finder = _Finder(page)
    finder.feed(page)
    finder.close()
    found = (finder.head_end, finder.body_start, finder.doctype_end)
    return next((place for place in found if place is not None), 0)


class _Finder(HTMLParser):
    """Finds the tags themselves, not their likes in comments, scripts or attributes."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self._line_starts = [0]
        for line in page.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self.head_end: int | None = None
        self.body_start: int | None = None
        self.doctype_end: int | None = None

    def _here(self) -> int:
        line, column = self.getpos()
        return self._line_starts[line - 1] + column

    def handle_endtag(self, tag: str) -> None:
        """Note where the head ends."""
        if tag == "head" and self.head_end is None and self.body_start is None:
            self.head_end = self._here()

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        """Note where the body's content begins."""
        if tag == "body" and self.body_start is None:
            self.body_start = self._here() + len(self.get_starttag_text() or "")

    def handle_decl(self, decl: str) -> None:
        """Note where the doctype ends."""
        if self.doctype_end is None:
            self.doctype_end = self._here() + len(decl) + len("<!>")
