"""Writes one part of a report as HTML. Pure."""

import base64
from collections.abc import Iterable, Sequence
from html import escape

from engine.rendering.column_codes import is_code
from engine.views.reports.markdown_html import markdown_html
from engine.views.reports.marks import marks_replaced
from engine.views.reports.report import (
    CodePart,
    FigurePart,
    HeadingPart,
    MarkedNumber,
    NotePart,
    Part,
    PicturePart,
    TablePart,
    TextPart,
    cell_text,
)
from events.json_value import JSON, JSONObject

__all__ = ["details", "number_id", "part_html", "preformatted", "rows_html"]

_MOST_DATA = 500
"""The maximum number of rows of a chart's data that are written out."""
_NUMERIC = ("DECIMAL", "HUGEINT", "DOUBLE", "FLOAT", "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "U")


def part_html(part: Part, name: str, first_number: int) -> str:
    """Return a part; `first_number` is the index of its first marked number, counted over the whole report."""
    match part:
        case HeadingPart():
            return f"<h2>{escape(part.text)}</h2>"
        case TextPart():
            return _text(part, first_number)
        case TablePart():
            return _table(part, name)
        case FigurePart():
            return _figure(part, name)
        case PicturePart():
            source = _address(part.media_type, part.data)
            return f'<figure>{_caption(name, part.title)}<img src="{source}" alt="{escape(part.title)}"></figure>'
        case CodePart():
            return _caption(name, part.title) + preformatted(part.text)
        case NotePart():
            return f'<p class="note">{escape(part.text)}</p>'


def number_id(number: int) -> str:
    """Return the id of the line with the origin of a number."""
    return f"number-{number}"


def preformatted(text: str) -> str:
    """Return a program or data as preformatted text."""
    lines = text.replace("\r\n", "\n").strip("\n")
    return f"<pre>{escape(lines)}</pre>"


def details(summary: str, inner: str) -> str:
    """Return HTML that opens after a click on `summary`, which is HTML too."""
    return f"<details><summary>{summary}</summary>{inner}</details>"


def _text(part: TextPart, first_number: int) -> str:
    def link(index: int, words: str) -> str:
        one: MarkedNumber = part.numbers[index]
        target = number_id(first_number + index)
        return f'<a class="{one.status}" href="#{target}" title="{escape(one.source)}">{words}</a>'

    return marks_replaced(markdown_html(part.markdown), link)


def _caption(name: str, title: str) -> str:
    return f'<p class="caption"><b>{escape(name)}.</b> {escape(title)}</p>'


def _table(part: TablePart, name: str) -> str:
    shown = rows_html(part.columns, part.rows)
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in part.notes)
    return _caption(name, part.title) + shown + notes + _whole(part)


def _whole(part: TablePart) -> str:
    """Return a note on the part of a table that is not shown, and the whole table as a download."""
    told = ""
    if part.total > len(part.rows):
        where = (
            "" if part.csv is not None else " The whole table is too large for this page; it is in the chat."
        )
        told = f'<p class="left">The first {len(part.rows):,} of {part.total:,} rows.{where}</p>'
    if part.csv is None:
        return told
    file = "".join(sign if sign.isalnum() else "-" for sign in part.title.lower()).strip("-")[:60] or "table"
    address = _address("text/csv", part.csv)
    return f'{told}<p class="download"><a download="{file}.csv" href="{address}">Download as CSV</a></p>'


def _figure(part: FigurePart, name: str) -> str:
    notes = "".join(f'<p class="left">{escape(note)}</p>' for note in part.notes)
    picture = f'<img src="{_address("image/svg+xml", part.svg)}" alt="{escape(part.title)}">'
    return f"<figure>{_caption(name, part.title)}{picture}</figure>{notes}{_data(part.rows)}"


def _data(rows: Sequence[JSONObject]) -> str:
    if not rows:
        return ""
    names = list(dict.fromkeys(key for row in rows for key in row))
    cells = [tuple(row.get(name) for name in names) for row in rows[:_MOST_DATA]]
    left = f" (the first {len(cells):,})" if len(rows) > len(cells) else ""
    plural = "" if len(rows) == 1 else "s"
    return details(f"Data: {len(rows):,} row{plural}{left}", rows_html([(name, "") for name in names], cells))


def rows_html(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[JSON]]) -> str:
    """Return rows as a table; `columns` contains names and DuckDB types."""
    listed = list(rows)
    numeric = [
        not is_code(name) and _is_numeric(kind, [row[at] for row in listed])
        for at, (name, kind) in enumerate(columns)
    ]
    head = "".join(
        f"<th{_class(right)}>{escape(name)}</th>" for (name, _), right in zip(columns, numeric, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_class(right)}>{escape(cell_text(value, *column))}</td>"
            for value, right, column in zip(row, numeric, columns, strict=True)
        )
        + "</tr>"
        for row in listed
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _is_numeric(kind: str, values: Iterable[JSON]) -> bool:
    if kind:
        return kind.startswith(_NUMERIC) and not kind.endswith("[]")
    present = [value for value in values if value is not None]
    return bool(present) and all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in present
    )


def _class(right: bool) -> str:
    return ' class="n"' if right else ""


def _address(media_type: str, data: bytes) -> str:
    return f"data:{escape(media_type)};base64,{base64.b64encode(data).decode()}"
