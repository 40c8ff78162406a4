"""Writes a report as Markdown, as one file that is easy to print, paste and compare. Pure."""

import base64
import re
from collections.abc import Iterator

from engine.views.reports.marks import without_marks
from engine.views.reports.report import (
    CallFact,
    CodePart,
    FigurePart,
    HeadingPart,
    NotePart,
    Part,
    PicturePart,
    Report,
    TablePart,
    TextPart,
    cell_text,
)

__all__ = ["markdown_report"]

_HEADING = re.compile(r"^(#{1,4})(?=\s)", re.MULTILINE)


def markdown_report(report: Report) -> str:
    """Return the report. Pictures are data addresses inside it, so that the file is complete."""
    blocks = [f"# {_line(report.title)}", f"*{_line(report.subtitle)}*"]
    for part in report.parts:
        blocks += _part(part)
    blocks += ["## Where the numbers come from", *_sources(report)]
    return "\n\n".join(blocks) + "\n"


def _part(part: Part) -> Iterator[str]:
    match part:
        case HeadingPart():
            yield f"## {_line(part.text)}"
        case TextPart():
            yield _HEADING.sub(r"##\1", without_marks(part.markdown)).strip()
        case TablePart():
            yield f"**{_line(part.title)}**"
            yield _table(part)
            yield from (f"*{_line(note)}*" for note in part.notes)
        case FigurePart():
            yield f"**{_line(part.title)}**"
            yield f"![{_line(part.title)}](data:image/png;base64,{base64.b64encode(part.png).decode()})"
            yield from (f"*{_line(note)}*" for note in part.notes)
        case PicturePart():
            data = base64.b64encode(part.data).decode()
            yield f"![{_line(part.title)}](data:{part.media_type};base64,{data})"
        case CodePart():
            yield f"**{_line(part.title)}**"
            yield _fenced(part.text, part.language)
        case NotePart():
            yield f"> {_line(part.text)}"


def _table(part: TablePart) -> str:
    lines = [_row([name for name, _ in part.columns]), _row(["---"] * len(part.columns))]
    lines += [
        _row([cell_text(value, *column) for value, column in zip(row, part.columns, strict=True)])
        for row in part.rows
    ]
    if part.total > len(part.rows):
        lines += ["", f"The first {len(part.rows):,} of {part.total:,} rows."]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(_line(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in cells) + " |"


def _sources(report: Report) -> Iterator[str]:
    if report.sources:
        lines = []
        for file in report.sources:
            rows = f", {file.rows:,} rows" if file.rows is not None else ""
            lines.append(f"- `{file.path}`{rows}, SHA-256 `{file.sha256}`")
        yield "\n".join(lines)
    for number, call in enumerate(report.calls, 1):
        yield _call(number, call)
    yield f"Event {report.position:,} of the log, chain hash `{report.chain_hash}`."


def _call(number: int, call: CallFact) -> str:
    facts = [f"{number}. `{call.tool}` ({call.version})", f"event {call.position:,}"]
    if call.inputs:
        facts.append("reads " + ", ".join(f"`{path}`" for path in call.inputs))
    if call.verdict:
        facts.append(call.verdict)
    shown = (call.program, call.language) if call.program else (call.arguments, "json")
    return f"{', '.join(facts)}\n\n{_fenced(*shown)}"


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())
