"""Writes a report as one HTML page that fetches nothing, prints well, and verifies its own parts. Pure.

Each part has a name and a SHA-256 hash of its visible content: its text with white space collapsed, and the addresses
of its pictures and links, in order (`part_digest`). The page's script computes the same hash in the reader's browser
and names every changed part. If someone changes both a part and the list of hashes, only the list's own hash, shown at
the end, reveals this: compare it with the sender's.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path

from engine.views.reports.html_parts import part_html
from engine.views.reports.html_sources import sources_html
from engine.views.reports.part_digest import part_digest
from engine.views.reports.report import (
    FigurePart,
    HeadingPart,
    NotePart,
    Part,
    PicturePart,
    Report,
    TablePart,
    TextPart,
)
from events.late_dataclass import dataclass

__all__ = ["html_report", "pasted_report"]

_CHECK = (
    '<div id="alarm" role="alert" hidden></div>\n<main>\n'
    '<aside id="check" role="status"><b>Not checked</b><span>Scripts are off in this reader.</span></aside>'
)
_FOLDER = Path(__file__).parent
_LINKS_OF_NUMBERS = re.compile(r'<a class="\w+" href="#number-\d+"[^>]*>([^<]*)</a>')


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    html: str
    digest: str


def html_report(report: Report, *, preview: bool = False) -> str:
    """Return the page; a `preview` does not verify itself."""
    sections = list(_sections(report))
    listed = [{"name": one.name, "sha256": one.digest} for one in sections]
    listing = json.dumps(listed, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    list_digest = hashlib.sha256(listing.encode()).hexdigest()
    body = "".join(
        f'<section class="part" data-name="{escape(one.name)}"><span class="seal" hidden></span>'
        f'<div class="seen">{one.html}</div></section>\n'
        for one in sections
    )
    script, style = _asset("report.js"), _asset("report.css")
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="Anabranch">\n'
        f"<title>{escape(report.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{'<main>' if preview else _CHECK}\n{body}"
        "<footer><span>This page works without a network.</span>"
        f'<span>List of parts <code id="list-digest">{list_digest}</code></span></footer>\n</main>\n'
        f"{'' if preview else _scripts(listing)}"
        "</body>\n</html>\n"
    )


def _scripts(listing: str) -> str:
    return f'<script type="application/json" id="parts">{listing}</script>\n<script>{_asset("report.js")}</script>\n'


def pasted_report(report: Report) -> str:
    """Return a report as HTML to paste into a document or a mail: no script, no style, charts as PNG."""
    parts = [f"<h1>{escape(report.title)}</h1><p>{escape(report.subtitle)}</p>"]
    parts += [part_html(_pasted(part), _kind(part), 1) for part in report.parts]
    return _LINKS_OF_NUMBERS.sub(r"\1", "".join(parts))


def _sections(report: Report) -> Iterator[_Section]:
    yield _section(
        "Title", f'<h1>{escape(report.title)}</h1><p class="subtitle">{escape(report.subtitle)}</p>'
    )
    counts: dict[str, int] = {}
    first_number = 1
    for part in report.parts:
        kind = _kind(part)
        counts[kind] = counts.get(kind, 0) + 1
        name = f"{kind} {counts[kind]}"
        yield _section(name, part_html(part, name, first_number))
        first_number += len(part.numbers) if isinstance(part, TextPart) else 0
    yield _section("Where the numbers come from", sources_html(report))


def _pasted(part: Part) -> Part:
    if isinstance(part, FigurePart):
        return PicturePart(part.title, "image/png", part.png, part.call_id)
    return replace(part, csv=None) if isinstance(part, TablePart) else part


def _section(name: str, html: str) -> _Section:
    return _Section(name, html, part_digest(html))


def _kind(part: Part) -> str:
    match part:
        case HeadingPart():
            return "Heading"
        case TextPart():
            return "Text"
        case TablePart():
            return "Table"
        case FigurePart():
            return "Figure"
        case PicturePart():
            return "Picture"
        case NotePart():
            return "Note"
        case _:
            return "Code"


@cache
def _asset(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")
