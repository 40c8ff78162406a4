"""Embeds a call's data in an html artifact as `window.__TOOL_DATA__`; the data cannot break out of the script.

The frame and the policy of the response decide what the page may do.
"""

import json
import re
from html import escape

from events.json_value import JSON

__all__ = ["nested_page", "page_with_data"]

_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


_TELLS_HEIGHT = """;(()=>{if(parent===window)return;let told;const tell=()=>{const e=document.documentElement,
r=Math.ceil(e.getBoundingClientRect().height),h=e.scrollHeight>e.clientHeight?e.scrollHeight:r;
if(h!==told){told=h;parent.postMessage({anabranch:"height",height:h},"*")}};
addEventListener("load",tell);addEventListener("DOMContentLoaded",()=>{const o=new ResizeObserver(tell);
o.observe(document.documentElement);if(document.body)o.observe(document.body);tell()})})()"""
"""A script that tells the page around the frame how tall the framed page is, whenever that changes."""

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
"""Makes links such as `#part` lead to a place in the page. Without this element they would lead to the app's address.
"""
_WITHOUT_RTC = """<script>for(const n of ["RTCPeerConnection","webkitRTCPeerConnection","WebTransport"])
Object.defineProperty(window,n,{value:undefined})</script>"""
_OUTER = """<!doctype html>%s<style>html,body,iframe{margin:0;border:0;width:100%%;height:100%%;display:block;
background:#fff;overflow:hidden}</style><script>addEventListener("message",e=>{const f=document.querySelector("iframe");
if(f&&e.source===f.contentWindow)parent.postMessage(e.data,"*")})</script>
<iframe sandbox="allow-scripts" srcdoc="%s"></iframe>"""


def nested_page(page: str) -> str:
    """Return a document for `srcdoc` with `page` in its own frame. A demo uses it, because it has no route for pages.

    There are two nested frames with the same policy; the outer frame's policy also forbids the inner frame to navigate.
    Some things can be blocked only by a header, so they stay possible: see docs/security.md.
    """
    return _OUTER % (_METAS, escape(_METAS + _OWN_BASE + _WITHOUT_RTC + page))


def page_with_data(page: str, data: JSON, *, framed: bool = False) -> str:
    """Return `page` with a script that sets `window.__TOOL_DATA__`; with `framed`, the page also reports its height.

    The script is placed before `</head>`, else at the start of the body, else before everything except the doctype.
    Numbers that JSON cannot express (NaN) become null.
    """
    text = json.dumps(_finite(data), separators=(",", ":")).translate(_ESCAPES)
    script = f"<script>window.__TOOL_DATA__={text}{_TELLS_HEIGHT if framed else ''}</script>"
    place = _place(page)
    return page[:place] + script + page[place:]


def _finite(data: JSON) -> JSON:
    """Return a copy of `data` with null in place of numbers that JSON cannot express."""
    plain: JSON = json.loads(json.dumps(data), parse_constant=lambda _: None)
    return plain


def _place(page: str) -> int:
    """Return the index at which to insert the script. Since the page is untrusted, it is scanned once, up to a limited
    number of tags."""
    doctype_end, at = None, 0
    for _ in range(_MOST_TAGS):
        opening = _OPENING.search(page, at)
        if opening is None:
            break
        kind, name = opening.lastgroup or "", opening[0].lower().lstrip("</!")
        rest = _RESTS[kind].match(page, opening.end())
        if rest is None:
            break  # the markup is not closed, so no tag can follow
        if (kind, name) == ("end", "head"):
            return opening.start()
        if (kind, name) == ("tag", "body"):
            return rest.end()
        if (kind, name) == ("other", "doctype") and doctype_end is None:
            doctype_end = rest.end()
        at = rest.end()
        if kind == "tag" and name in _RAW_ENDS:
            end = _RAW_ENDS[name].search(page, at)
            if end is None:
                break
            at = end.start()
    return doctype_end or 0


_MOST_TAGS = 20_000
_OPENING = re.compile(
    r"(?P<comment><!--)|(?P<tag><[a-z][^\s/>]*+)|(?P<end></[a-z][^\s/>]*+)|(?P<other><!doctype|<[!?/])",
    re.IGNORECASE,
)
"""The beginning of a comment, a tag, or other markup. Similar text inside comments, scripts and attributes does not
count.
"""
_TAG = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|(?=>)))*+>""")
"""The rest of a tag. Matching never backtracks, so its time is proportional to the length of the tag."""
_RESTS = {
    "comment": re.compile(r"-?>|(?s:.*?)--!?>"),
    "tag": _TAG,
    "end": _TAG,
    "other": re.compile(r"[^>]*+>"),
}
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "noscript", "iframe", "xmp", "noembed", "noframes")
}
"""Elements that contain only text. Inside such an element, only its own end tag is markup."""
