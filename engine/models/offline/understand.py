"""From a question, the tables and the questions before it to one reading: which table, or how it goes on."""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.models.offline.asks import Reading, read
from engine.models.offline.files import tables_named
from engine.models.offline.followups import complete, follow, goes_on, may_go_on
from engine.models.offline.indexing import index_table
from engine.models.offline.intent import Intent
from engine.models.offline.joins import joined_tables
from engine.models.offline.reader import open_reader
from engine.models.offline.schema import Table, split_name
from engine.models.offline.words import stem
from engine.tables import TableProfile

__all__ = ["RESULTS", "main_part", "tables_of", "understand"]

RESULTS = "results/"
"""The folder of tables that tools wrote: asked about only where they are named."""
_PREAMBLE = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|ok|okay|great|i'?m|i am|i have|i've|we|we're"
    r"|my|our|i need"
    r"|i want|i was|i would|i'd|this is|for (?:a|my|our)|so|well|sorry|please note)\b",
    re.IGNORECASE,
)

_POINTS_BACK = re.compile(
    r"^(?:and|but)\b.*\b(?:there|them|those|that|it|that in|it in)\W*$"
    r"|\b(?:of|among) (?:them|those|these)\b(?! \w+s\b)",
    re.IGNORECASE,
)


def tables_of(profiles: Sequence[TableProfile], question: str = "") -> list[Table]:
    """The tables that a question may be about: those of the user, and results that it names."""
    said = question.lower()
    own = [
        p for p in profiles if not p.path.startswith(RESULTS) or ("_" in p.name and p.name.lower() in said)
    ]
    return [index_table(profile) for profile in own or profiles]


def main_part(question: str) -> str:
    """The question without sentences that only lead up to it."""
    sentences = [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'])", question.strip()) if s.strip()]
    if len(sentences) < 2:
        return question
    kept = [s for s in sentences if s.endswith("?") or not _PREAMBLE.match(s)]
    kept = [s for s in kept if not re.fullmatch(r"(?i)(?:thanks|thank you|please|cheers)[ .!a-z]{0,20}", s)]
    return " ".join(kept) if kept else sentences[-1]


def understand(question: str, profiles: Sequence[TableProfile], previous: Intent | None = None) -> Reading:
    """Read `question`; `profiles` is not empty.

    What is complete in itself is read alone: it inherits nothing of `previous`, but where several tables would do,
    the one that was spoken of.
    """
    asked, meant = tables_named(main_part(question), profiles, tables_of(profiles, question))
    tables = tables_of(meant, asked)
    going_on = None
    another = previous is not None and _names_another(asked, tables, previous)
    if previous is not None and goes_on(asked) and not another:
        going_on = follow(asked, previous)
        if going_on is not None and going_on.intent is not None:
            return going_on
    if going_on is None and not another and _POINTS_BACK.search(asked):
        table = tables[0]
        return Reading(table, open_reader(asked, table), problem="it is not clear what that points back to")
    best = _alone(asked, tables, previous)
    whole = complete(best.reader)
    failed = best.intent is None and best.refused is None and not whole
    may = may_go_on(asked) and not (whole and best.intent is not None)
    if previous is not None and (failed or may) and not another:
        later = follow(asked, previous)
        if later is not None and later.intent is not None:
            return later
    return best


def _alone(asked: str, tables: list[Table], previous: Intent | None) -> Reading:
    """The question read as if it were the first, over one table or over two that are joined."""
    best = _best([read(asked, table) for table in tables], asked, previous)
    if best.intent is None and best.refused is None and len(tables) > 1:
        joins = [read(asked, table) for table in joined_tables(tables)]
        if any(reading.intent is not None for reading in joins):
            best = _best([reading for reading in joins if reading.intent is not None], asked, previous)
    return best


def _names_another(asked: str, tables: list[Table], previous: Intent) -> bool:
    """Whether the question names a table other than the one that was spoken of: `and how many returns?`."""
    if all(table.name != previous.table.name for table in tables):
        return True
    said = _stems(asked)
    known = previous.table.nouns.union(*(column.words for column in previous.table.columns))
    return any(
        said & set(split_name(table.name)) - known for table in tables if table.name != previous.table.name
    )


def _stems(question: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z]+", question.lower())}


def _best(readings: list[Reading], question: str, previous: Intent | None = None) -> Reading:
    """The reading that explains most; of several tables that explain as much, the one that is named or spoken of."""
    said = _stems(question)

    def rank(reading: Reading) -> tuple[bool, int, int, int, bool, int]:
        words = set(re.findall(r"[a-z]+", question.lower()))
        named = sum(any(word.startswith(noun) for word in words) for noun in reading.table.nouns)
        unknown = sum(item.kind == "unknown" and not item.used for item in reading.reader.items)
        own = len(said & set(split_name(reading.table.name)))
        spoken_of = previous is not None and reading.table.name == previous.table.name
        explained = reading.explained + 2 * named
        return reading.intent is not None, -unknown, explained, own, spoken_of, -reading.table.rows

    ranked = sorted(readings, key=rank, reverse=True)
    best = ranked[0]
    if best.intent is not None and len(ranked) > 1 and rank(ranked[1])[:5] == rank(best)[:5]:
        names = " or ".join(f"“{reading.table.name}”" for reading in ranked[:2])
        return replace(best, intent=None, problem=f"it is not clear whether the table {names} is meant")
    return best
