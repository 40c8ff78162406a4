"""A report as a file of the workspace: Markdown that places results by name, so that it can be built again. Pure.

# Revenue in Q3 2026, by region
*For the board meeting on 1 December*

**East lost most.** …

![One region explains the fall](result:change_by_region)
"""

import re

from events.late_dataclass import dataclass

__all__ = ["Block", "ReportFile", "read_report", "report_blocks", "report_text", "written_report"]

_TITLE = re.compile(r"\A\s*#[ \t]+([^\n]*?)[ \t#]*(?:\n|\Z)")
_SUBTITLE = re.compile(r"\A\s*\*([^*\n]+)\*[ \t]*(?:\n|\Z)")
_PLACED = re.compile(r"^!\[([^\]\n]{0,500})\]\(result:([^)\s]{1,200})\)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report file, with title, subtitle and body in Markdown."""

    title: str
    subtitle: str
    body: str


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a body: text, or a result with its caption."""

    text: str = ""
    result: str = ""
    """The name of the result; "" for a text."""


def read_report(text: str) -> ReportFile:
    """Return a report file from its Markdown; any Markdown is valid."""
    text = text.replace("\r\n", "\n")
    title = subtitle = ""
    if found := _TITLE.match(text):
        title, text = found[1].strip(), text[found.end() :]
        if found := _SUBTITLE.match(text):
            subtitle, text = found[1].strip(), text[found.end() :]
    return ReportFile(title, subtitle, text.strip("\n"))


def report_blocks(body: str) -> list[Block]:
    """Return a body as blocks: the placed results, and the texts between them."""
    blocks, at = [], 0
    for found in _PLACED.finditer(body):
        if text := body[at : found.start()].strip():
            blocks.append(Block(text))
        blocks.append(Block(found[1], found[2]))
        at = found.end()
    if text := body[at:].strip():
        blocks.append(Block(text))
    return blocks


def report_text(blocks: list[Block]) -> str:
    """Return the body that consists of these blocks."""
    return "\n\n".join(
        f"![{_caption(block.text)}](result:{block.result})" if block.result else block.text.strip()
        for block in blocks
        if block.result or block.text.strip()
    )


def written_report(file: ReportFile) -> str:
    """Return a report file as Markdown."""
    head = [f"# {' '.join(file.title.split()) or 'Report'}"]
    if file.subtitle.strip():
        head.append(f"*{' '.join(file.subtitle.replace('*', '').split())}*")
    return "\n".join(head) + f"\n\n{file.body.strip()}\n"


def _caption(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())[:500]
