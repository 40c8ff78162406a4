"""Finds words for joining, leaving and being born in a question, and the dates that they name."""

from collections.abc import Iterator

from engine.models.offline.items import Item
from engine.models.offline.people import births, hiring_dates, leaving_date, of_people
from engine.models.offline.periods import periods_at
from engine.models.offline.row_nouns import is_row_noun
from engine.models.offline.schema import Table
from engine.models.offline.value_index import Value
from engine.models.offline.vocabulary import PEOPLE
from engine.models.offline.words import Token, base_forms, past

__all__ = ["born_somewhere", "done_by", "stays_at"]

_FEW = 50

_JOIN = frozenset({"joined", "hired", "recruited", "hire", "join", "recruit"})
_BEGIN = frozenset({"started", "start"})
_LEAVE = frozenset({"left", "quit", "departed", "gone", "leave", "leaves", "leaving", "quitting"})
_FIRMS = frozenset({"company", "firm", "organisation", "organization", "business", "team"})
_BETWEEN = frozenset(
    {"in", "on", "after", "before", "since", "between", "the", "during", "until", "by", "from", "or"}
)


def stays_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the date columns to which “joined”, “left the company” and “born” refer. An item includes words for the
    firm."""
    word = tokens[start].word
    if word in _LEAVE and (left := leaving_date(table)) is not None and of_people(table):
        yield Item(_after_firm(tokens, start + 1), "event", left)
    if word in _JOIN | _BEGIN:
        hired = hiring_dates(table)
        if len(hired) == 1 and (word in _JOIN or _starts_here(tokens, start)):
            yield Item(_after_firm(tokens, start + 1), "event", hired[0])
    if word == "born" and len(born := births(table)) == 1 and _before_a_time(tokens, start + 1):
        yield Item(start + 1, "event", born[0])


def _after_firm(tokens: list[Token], start: int) -> int:
    """Return the end of words for the firm, such as “the company” or “us”; `start` if there are none."""
    said = [token.word for token in tokens[start : start + 3]]
    at = 1 if said[:1] and said[0] in ("at", "with", "from") else 0
    if said[at : at + 1] and said[at] in ("us", "here"):
        return start + at + 1
    if len(said) > at + 1 and said[at] in ("the", "our") and said[at + 1] in _FIRMS:
        return start + at + 2
    return start


def _starts_here(tokens: list[Token], start: int) -> bool:
    """Whether “started” means that somebody joined: “started here”, “started in 2020”, but not “started a course”."""
    return _after_firm(tokens, start + 1) > start + 1 or _before_a_time(tokens, start + 1)


def _before_a_time(tokens: list[Token], start: int) -> bool:
    while start < len(tokens) and tokens[start].word in _BETWEEN:
        start += 1
    return start < len(tokens) and any(True for _ in periods_at(tokens, start))


def born_somewhere(tokens: list[Token], start: int, table: Table) -> bool:
    """Return whether “born” begins words for a place, as in “born in Germany”. In a list of births, it does not."""
    if "birth" in table.nouns:
        return False
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    placed = tokens[start].word == "born" and after in ("in", "at", "near") and bool(births(table))
    return placed and not _before_a_time(tokens, start + 1)


def done_by(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the column values that express what a person did, such as `Finished` for “the oldest person to finish”."""
    before = [token.word for token in tokens[max(start - 2, 0) : start]]
    if len(before) < 2 or before[1] != "to" or not _is_somebody(before[0], table):
        return
    for column in table.columns:
        few = column.role == "text" and column.profile.values_complete and column.profile.distinct <= _FEW
        for value in column.profile.values if few else ():
            if past(value.lower()) and tokens[start].word in base_forms(value.lower()):
                yield Item(start + 1, "did", Value(column, value))


def _is_somebody(word: str, table: Table) -> bool:
    return bool(base_forms(word) & PEOPLE) or (of_people(table) and is_row_noun(word, table))
