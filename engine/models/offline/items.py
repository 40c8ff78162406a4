"""A span of a question with one meaning, and others that it could have."""

from dataclasses import dataclass

from engine.models.offline.schema import Column, ValueEntry
from engine.models.offline.times import When
from engine.models.offline.words import Token

__all__ = ["Item", "span_text"]


@dataclass(slots=True, eq=False)
class Item:
    """A span of the question with one meaning, and others that it could have."""

    kind: str
    start: int
    end: int
    text: str
    value: str = ""
    """What a grammar word does: see the lexicon."""
    number: float | None = None
    columns: tuple[Column, ...] = ()
    """Columns that it may name, equally likely."""
    entries: tuple[ValueEntry, ...] = ()
    """Values that it may name, one for each column."""
    when: When | None = None
    direction: int = 0
    concepts: tuple[str, ...] = ()
    part: bool = False
    """Whether only a part of the values was named: a match by containing."""
    exact: bool = False
    """Whether a column's whole name was said."""
    percent: bool = False
    money: bool = False
    used: bool = False


def span_text(tokens: list[Token], start: int, end: int) -> str:
    """The words from `start` up to `end` as they were written."""
    return " ".join(token.text for token in tokens[start:end])
