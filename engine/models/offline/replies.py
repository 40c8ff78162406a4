"""The analyst's replies if nothing is computed: reasons, possible readings, and suggested questions."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.models.offline.form import Form
from engine.models.offline.nearest import Nearest, nearest
from engine.models.offline.plain_speech import order_in
from engine.models.offline.suggest import opening_questions
from engine.models.offline.understand import Reading, understand
from engine.models.offline.wording import sentence
from engine.models.offline.words import tokens_of
from engine.workspace.table_facts import TableProfile

__all__ = [
    "choices",
    "decline",
    "describe_table",
    "no_tables",
    "not_offered",
    "not_readable",
    "offered_instead",
    "read_again",
    "read_first",
    "without_offer",
]

_OFFER = "You could ask:"
_OFFERED = 3
"""The number of questions that are offered."""
_SELF = (
    "I am the offline analyst that ships with Anabranch: a program with fixed rules, not a language model. "
    "I read questions about the tables in this chat and turn them into SQL. I never guess: "
    "if I cannot read a word, I say so."
)


def _offer(tables: Sequence[TableProfile], near: Sequence[Nearest] = ()) -> str:
    """List the nearest questions, and other questions that work."""
    known = [(one.form,) for one in near]
    others = opening_questions(tables, _OFFERED + len(near))
    others = tuple(one for one in others if not near or understand(one, tables).forms not in known)
    questions = [*(_asked(one.form, tables) for one in near), *others][:_OFFERED]
    return "\n".join([_OFFER, *(f"- {question}" for question in questions)]) if questions else ""


def without_offer(text: str) -> tuple[str, tuple[str, ...]]:
    """Split an answer into its text and the questions at its end, which a page shows as buttons."""
    said, offered, listed = text.rpartition(_OFFER + "\n")
    lines = listed.strip().split("\n")
    if not offered or not all(line.startswith("- ") for line in lines):
        return text, ()
    return said.rstrip(), tuple(line.removeprefix("- ").strip() for line in lines)


def decline(question: str, reading: Reading, tables: Sequence[TableProfile]) -> str:
    """Say which part of a question was not understood, and suggest three questions that work."""
    near: tuple[Nearest, ...] = ()
    if reading.apart:
        lines = "\n".join(f"- {_capital(part)}?" for part in reading.apart)
        return f"I can only answer one question at a time.\n\n{_OFFER}\n{lines}"
    if order_in(tokens_of(question)) is not None:
        lead = "I can't change data: I only read it. Your files are as they were."
    elif re.fullmatch(
        r"\W*(hi|hello|hey|thanks|thank you|who are you|what can you do|help)\W*", question, re.I
    ):
        lead = _SELF
    else:
        near = nearest(question, reading, tables)
        lead = f"I can't answer that: {_why(reading)}{_without(near)}"
        own = [table for table in tables if table.name == reading.table] or list(tables)[:1]
        if len(own) == 1 and len(tables) <= 3:
            lead += f" The columns of `{own[0].name}` are {', '.join(column.name for column in own[0].columns[:30])}."
    return f"{lead}\n\n{_offer(tables, near)}"


def _asked(form: Form, tables: Sequence[TableProfile]) -> str:
    return f"{_capital(sentence(form))}{f' in {form.table}' if len(tables) > 1 else ''}"


def _without(near: Sequence[Nearest]) -> str:
    """Say which words the nearest questions leave out."""
    if not near:
        return ""
    said = f" Without “{near[0].left_out}”, I can answer the first question below"
    return f"{said}, and without “{near[1].left_out}” the second." if len(near) > 1 else f"{said}."


def _why(reading: Reading) -> str:
    if reading.unread and reading.unread[0].endswith(" words"):
        return f"it has {reading.unread[0]}, and I only read questions of up to 60 words. Ask one question at a time."
    if reading.reason:
        return reading.reason
    if not reading.unread:
        return "I found no question in it."
    if reading.known:
        return (
            f"I know its words, but not what they mean together. I understood it up to “{reading.unread[0]}”."
        )
    words = ", ".join(f"“{word}”" for word in dict.fromkeys(reading.unread))
    return f"I could not read {words}."


def choices(forms: Sequence[Form], _tables: Sequence[TableProfile]) -> str:
    """Say that a question has several readings, and list an unambiguous question for each reading."""
    several = len({form.table for form in forms}) > 1
    lines = [f"- {_capital(sentence(form))}{f' in {form.table}' if several else ''}" for form in forms]
    many = {2: "two", 3: "three", 4: "four"}[len(forms)]
    return f"This question can be read in {many} ways. Choose one.\n\n{_OFFER}\n" + "\n".join(lines)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def offered_instead(lead: str, tables: Sequence[TableProfile]) -> str:
    """Return a reason, and questions that work instead."""
    return f"{lead}\n\n{_offer(tables)}" if tables else lead


def read_first(table: str) -> str:
    """Explain how to ask about a source's table if only its columns are known."""
    return (
        f"I have not read `{table}` yet, so I do not know its values. Open it in the Files panel and press "
        "“Prepare for questions”, which reads up to 100,000 rows, once. Then ask again."
    )


def read_again(table: str) -> str:
    """Say what to do if the columns of a table at a source have changed since they were read."""
    return (
        f" If the columns of `{table}` have changed, refresh the source's tables, and then open it in the Files panel "
        "and press “Prepare for questions” again."
    )


def no_tables(unread: Mapping[str, str] = MappingProxyType({}), sources: Sequence[str] = ()) -> str:
    """Say that there is nothing to ask about yet; `unread`: path → the reason why the file contains no table."""
    if sources and not unread:
        named = ", ".join(f"`{source}`" for source in sources[:5])
        return (
            f"There is no table in this chat that I have read. To ask about one of {named}, open it in the Files panel "
            "and press “Prepare for questions”, which reads up to 100,000 rows, once. Or add a file."
        )
    if unread:
        said = "; ".join(f"`{path}`: {why.rstrip('. ')}" for path, why in unread.items())
        return f"No file in this chat contains a table that I can read. {said[0].upper()}{said[1:]}."
    return (
        "I am the offline analyst. There is no table in this chat yet: add a CSV, TSV, Parquet, JSON or Excel file, "
        "and ask about it in plain words. I can count, add up, average, compare, rank, filter, group and draw charts."
    )


def not_readable(unread: Mapping[str, str], results: Sequence[str]) -> str:
    """Say which files cannot be read, if only the tables `results` of earlier answers are left to ask."""
    said = " ".join(f"`{path}` cannot be read: {why.rstrip('. ')}." for path, why in unread.items())
    names = ", ".join(f"`{name}`" for name in results[:5])
    more = f" and {len(results) - 5} more" if len(results) > 5 else ""
    return (
        f"{said} Only tables of earlier answers are left: {names}{more}. "
        f"To ask about one of them, name it: “how many rows are in {results[0]}?”"
    )


def not_offered(tool: str) -> str:
    """Say which tool must be selected in the chat."""
    return (
        f"I can't compute that without the tool `{tool}`: select the toolset “Data analyst” (data-analyst) "
        "in the tools of this chat, and ask again."
    )


def describe_table(table: TableProfile) -> str:
    """Return a description of a table."""
    lines = [f"`{table.name}` ({table.path}) has {table.rows_text} and {len(table.columns)} columns:", ""]
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
