"""What the analyst says if it computes nothing: why not, which readings there are, and what could be asked instead."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.models.offline.form import Form
from engine.models.offline.suggest import opening_questions
from engine.models.offline.understand import Reading
from engine.models.offline.wording import sentence
from engine.workspace.table_facts import TableProfile

__all__ = [
    "choices",
    "decline",
    "describe_table",
    "no_tables",
    "not_offered",
    "offered_instead",
    "without_offer",
]

_OFFER = "You could ask:"
_CHANGES = re.compile(
    r"^\W*(please\s+|can you\s+|could you\s+)*"
    r"(delete|drop|remove|update|insert|rename|truncate|erase|overwrite|fix|set|cancel|refund|send|approve|assign|book|buy)\b",
    re.I,
)
_SELF = (
    "I am the offline analyst that ships with Anabranch: a program with fixed rules, not a language model. "
    "I read questions about the tables in this chat and turn them into SQL. I never guess: "
    "if I cannot read a word, I say so."
)


def _offer(tables: Sequence[TableProfile]) -> str:
    questions = opening_questions(tables)
    return "\n".join([_OFFER, *(f"- {question}" for question in questions)]) if questions else ""


def without_offer(text: str) -> tuple[str, tuple[str, ...]]:
    """Split an answer into what it says and the questions that it offers at its end, for a page to show as buttons."""
    said, offered, listed = text.rpartition(_OFFER + "\n")
    lines = listed.strip().split("\n")
    if not offered or not all(line.startswith("- ") for line in lines):
        return text, ()
    return said.rstrip(), tuple(line.removeprefix("- ").strip() for line in lines)


def decline(question: str, reading: Reading, tables: Sequence[TableProfile]) -> str:
    """Say what was not understood, and offer three questions that work."""
    if _CHANGES.search(question):
        lead = "I can't change data: I only read it. Your files are as they were."
    elif re.fullmatch(
        r"\W*(hi|hello|hey|thanks|thank you|who are you|what can you do|help)\W*", question, re.I
    ):
        lead = _SELF
    else:
        lead = f"I can't answer that: {_why(reading)}"
        own = [table for table in tables if table.name == reading.table] or list(tables)[:1]
        if len(own) == 1 and len(tables) <= 3:
            lead += f" The columns of `{own[0].name}` are {', '.join(column.name for column in own[0].columns[:30])}."
    return f"{lead}\n\n{_offer(tables)}"


def _why(reading: Reading) -> str:
    if reading.unread and reading.unread[0].endswith(" words"):
        return f"it has {reading.unread[0]}, and I read questions of up to 60. Ask one question at a time."
    if not reading.unread:
        return "I found no question in it."
    words = ", ".join(f"“{word}”" for word in dict.fromkeys(reading.unread))
    return f"I could not read {words}."


def choices(forms: Sequence[Form], _tables: Sequence[TableProfile]) -> str:
    """Say that a question has several readings, and list them as questions that have one."""
    several = len({form.table for form in forms}) > 1
    lines = [f"- {_capital(sentence(form))}{f' in {form.table}' if several else ''}" for form in forms]
    many = {2: "two", 3: "three", 4: "four"}[len(forms)]
    return f"This question can be read in {many} ways. Choose one.\n\n{_OFFER}\n" + "\n".join(lines)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def offered_instead(lead: str, tables: Sequence[TableProfile]) -> str:
    """Return a reason, and what works instead."""
    return f"{lead}\n\n{_offer(tables)}" if tables else lead


def no_tables(unread: Mapping[str, str] = MappingProxyType({})) -> str:
    """Say that there is nothing to ask about yet; `unread` says why files contain no table, by path."""
    if unread:
        said = "; ".join(f"`{path}`: {why.rstrip('. ')}" for path, why in unread.items())
        return f"No file in this chat contains a table that I can read. {said[0].upper()}{said[1:]}."
    return (
        "I am the offline analyst. There is no table in this chat yet: add a CSV, TSV, Parquet, JSON or Excel file, "
        "and ask about it in plain words. I can count, sum up, average, compare, rank, filter, group and draw."
    )


def not_offered(tool: str) -> str:
    """Say which tool must be selected."""
    return (
        f"I can't compute that without the tool `{tool}`: select the toolset “Data analyst” (data-analyst) "
        "in the tools of this chat, and ask again."
    )


def describe_table(table: TableProfile) -> str:
    """Return a table in words."""
    lines = [f"`{table.name}` ({table.path}) has {table.rows:,} rows and {len(table.columns)} columns:", ""]
    for column in table.columns:
        said = f"- **{column.name}** ({column.type.lower()})"
        if column.minimum is not None and column.type not in ("VARCHAR", "BOOLEAN"):
            said += f": {column.minimum} to {column.maximum}"
        elif column.values:
            shown = ", ".join(column.values[:5])
            said += (
                f": {column.distinct:,} different, such as {shown}" if column.distinct > 5 else f": {shown}"
            )
        if column.missing:
            said += f"; {column.missing:,} missing"
        lines.append(said)
    return "\n".join([*lines, *(["", " ".join(table.all_notes)] if table.all_notes else [])])
