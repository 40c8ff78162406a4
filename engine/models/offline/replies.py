"""What the analyst says where it computes nothing: who it is, what it cannot tell, what could be asked instead."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.models.offline.asks import Reading
from engine.models.offline.suggest import opening_questions
from engine.tables import TableProfile

__all__ = ["decline", "describe_table", "no_tables", "not_offered", "offered_instead", "without_offer"]

_OFFER = "You could ask:"

_REFUSED = {
    "cause": "I can't tell why: these tables say what is, not what causes it.",
    "future": "I can't predict: these tables say what was, not what will be.",
    "advice": "I can't give advice: I only read what stands in these tables.",
    "mutate": "I can't change data: I only read it. Your files are as they were.",
    "vague": "I did not find a question in that.",
}
_SELF = (
    "I am the offline analyst that ships with Anabranch: a program with fixed rules, not a language model. "
    "I read questions about the tables in this chat, turn them into SQL and tell the result. I never guess: "
    "what I can't read, I say."
)


def _offer(tables: Sequence[TableProfile]) -> str:
    questions = opening_questions(tables)
    return "\n".join([_OFFER, *(f"- {question}" for question in questions)]) if questions else ""


def without_offer(text: str) -> tuple[str, tuple[str, ...]]:
    """An answer in two: what it says, and the questions that it offers at its end, for a page to be clicked on."""
    said, offered, listed = text.rpartition(_OFFER + "\n")
    lines = listed.strip().split("\n")
    if not offered or not all(line.startswith("- ") for line in lines):
        return text, ()
    return said.rstrip(), tuple(line.removeprefix("- ").strip() for line in lines)


def decline(reading: Reading | None, tables: Sequence[TableProfile]) -> str:
    """Say what was not understood, and three questions that work."""
    refused = reading.refused if reading is not None else None
    if refused in ("self", "greet"):
        lead = _SELF if refused == "self" else "Hello. " + _SELF
    elif refused is not None:
        lead = _REFUSED[refused]
    else:
        problem = reading.problem if reading is not None else None
        lead = f"I can't answer that: {problem or 'it is not clear what to compute'}."
        if reading is not None and problem and "nothing in the table" in problem:
            names = ", ".join(column.name for column in reading.table.columns[:30])
            lead += f" The columns of `{reading.table.name}` are {names}."
    return f"{lead}\n\n{_offer(tables)}"


def offered_instead(lead: str, tables: Sequence[TableProfile]) -> str:
    """A reason, and what works instead."""
    return f"{lead}\n\n{_offer(tables)}" if tables else lead


def no_tables(unread: Mapping[str, str] = MappingProxyType({})) -> str:
    """There is nothing to ask about yet; `unread` says why files hold no table, by path."""
    if unread:
        told = "; ".join(f"`{path}`: {why.rstrip('. ')}" for path, why in unread.items())
        return f"No file in this chat holds a table that I can read. {told[0].upper()}{told[1:]}."
    return (
        "I am the offline analyst. There is no table in this chat yet: add a CSV, TSV, Parquet, JSON or Excel file, "
        "and ask about it in plain words. I can count, sum up, average, compare, rank, filter, group and draw."
    )


def not_offered(tool: str) -> str:
    """The tool that would be needed is not ticked."""
    return (
        f"I can't compute that without the tool `{tool}`: tick the toolset “Data analyst” (data-analyst) "
        "in the tools of this chat, and ask again."
    )


def describe_table(table: TableProfile) -> str:
    """A table in words."""
    lines = [f"`{table.name}` ({table.path}) has {table.rows:,} rows and {len(table.columns)} columns:", ""]
    for column in table.columns:
        told = f"- **{column.name}** ({column.type.lower()})"
        if column.minimum is not None and column.type not in ("VARCHAR", "BOOLEAN"):
            told += f": {column.minimum} to {column.maximum}"
        elif column.values:
            shown = ", ".join(column.values[:5])
            told += (
                f": {column.distinct:,} different, such as {shown}" if column.distinct > 5 else f": {shown}"
            )
        if column.missing:
            told += f"; {column.missing:,} missing"
        lines.append(told)
    return "\n".join([*lines, *(["", table.note] if table.note else [])])
