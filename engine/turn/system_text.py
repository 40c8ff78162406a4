"""The leading text of every request: the date, the workspace's tables, how tools are meant, the user's own words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from engine.models.model import ToolBrief
from engine.tables import ColumnProfile, TableProfile

__all__ = ["system_text"]

_NO_TABLES = "The workspace holds no tables yet."
_TABLES = 30
_COLUMNS = 60
_VALUES = 6
_VALUE = 40
_MOST_SKILLS = 40
_SKILL = 400

_HOW = """\
You are the analyst of Anabranch, a chat about the user's own files.
Answer from the files, with tools: compute numbers with SQL instead of estimating them, and say what you counted.
Say in one short sentence what you are about to do before you call a tool. If the files cannot answer, say so."""

_PLAIN = """\
You are the analyst of Anabranch, a chat about the user's own files.
You have no tools here: answer from what you are told below and from the conversation, and say what you cannot know."""

_PICK = """\
More tools, each with what it does. To get the full specification of one, call pick_tools with its name;
it comes with the next request of this same turn, so then call the tool itself."""

_SKILLS = """\
Skills, each with what it is for: instructions by other authors, for you to follow where they serve the user's question.
When one fits, call read_skill with its name before you begin."""

_LIMIT = """\
The limit of tool steps for this turn is reached. Answer now from what you have,
say what is missing, and call no tool."""


def system_text(
    *,
    now: datetime,
    tables: Sequence[TableProfile],
    unread: Mapping[str, str] = MappingProxyType({}),
    instructions: str = "",
    briefs: Sequence[ToolBrief] = (),
    skills: Sequence[tuple[str, str]] = (),
    tools: bool = True,
    limit_reached: bool = False,
) -> str:
    """Return the text; the same facts give the same text.

    `unread` says why a file is no table, by path; `briefs` are the tools whose specifications are sent when picked;
    `skills` are names and descriptions of what `read_skill` reads; without `tools` the chat is a plain one.
    """
    parts = [_HOW if tools else _PLAIN, f"Today is {now:%A, %d %B %Y}.", _described(tables, unread)]
    if briefs:
        parts.append("\n".join([_PICK, *(f"- {brief.name}: {brief.line}" for brief in briefs)]))
    if skills:
        told = [f"- {name}: {_cut(description, _SKILL)}" for name, description in skills[:_MOST_SKILLS]]
        more = [f"- and {len(skills) - _MOST_SKILLS} more"] if len(skills) > _MOST_SKILLS else []
        parts.append("\n".join([_SKILLS, *told, *more]))
    if instructions.strip():
        parts.append(f"The user's own instructions:\n{instructions.strip()}")
    if limit_reached:
        parts.append(_LIMIT)
    return "\n\n".join(parts)


def _described(tables: Sequence[TableProfile], unread: Mapping[str, str]) -> str:
    lines = ["Tables of the workspace (DuckDB SQL; a few values of each column):"]
    if not tables:
        lines = ["The workspace holds no tables that could be read." if unread else _NO_TABLES]
    for table in tables[:_TABLES]:
        sheet = f", sheet {table.sheet}" if table.sheet else ""
        lines.append(f"- {table.name} ({table.rows:,} rows, from {table.path}{sheet})")
        lines += [f"  - {_column(column)}" for column in table.columns[:_COLUMNS]]
        if len(table.columns) > _COLUMNS:
            lines.append(f"  - and {len(table.columns) - _COLUMNS} more columns")
    if len(tables) > _TABLES:
        lines.append(f"- and {len(tables) - _TABLES} more tables")
    if unread:
        lines.append("Files that could not be read as tables:")
        lines += [
            f"- {path}: {' '.join(why.split())[:300]}" for path, why in sorted(unread.items())[:_TABLES]
        ]
    return "\n".join(lines)


def _column(column: ColumnProfile) -> str:
    facts = [column.type]
    if column.values:
        facts.append(", ".join(_cut(value) for value in column.values[:_VALUES]))
        if column.distinct > _VALUES:
            facts.append(f"{column.distinct:,} different")
    elif column.minimum is not None:
        facts.append(f"{_cut(column.minimum)} to {_cut(column.maximum or '')}")
    if column.missing:
        facts.append(f"{column.missing:,} missing")
    return f"{column.name}: {'; '.join(facts)}"


def _cut(value: str, longest: int = _VALUE) -> str:
    flat = " ".join(value.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
