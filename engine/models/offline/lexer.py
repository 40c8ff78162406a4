"""The lexer: every span of a question that may name something, with what it may name and how sure that is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from rapidfuzz import process
from rapidfuzz.distance import OSA

from engine.models.offline.adjectives import Adjective, adjectives_at
from engine.models.offline.calendar_words import GRAINS
from engine.models.offline.column_naming import DATE_TAIL, is_thing, name_cost
from engine.models.offline.columns import Column
from engine.models.offline.meanings import same_unit
from engine.models.offline.periods import Period, periods_at
from engine.models.offline.schema import Table
from engine.models.offline.value_index import Value, value_index, values_at
from engine.models.offline.vocabulary import (
    ADJECTIVES,
    BUSIEST,
    GENERIC_NOUNS,
    PEOPLE,
    ROW_NOUNS,
    SYNONYMS,
    UNITS,
    VERBS,
)
from engine.models.offline.words import Token, alike, base_forms, related

__all__ = ["Item", "Meaning", "Number", "Rows", "correct", "items_of"]

_LONGEST_NAME = 6
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_MONEY = frozenset({"revenue", "turnover", "sale", "takings"})
"""Words for the money that sales bring in."""
_COMMON = ("the", "many", "what", "show", "for", "per", "and", "from", "with")
"""Words of three or four letters that are corrected to."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a question, with the unit behind it."""

    value: float
    percent: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """A noun for the rows of the table, or for what a column of them counts or names."""

    word: str


Meaning: TypeAlias = "Column | Value | Number | Period | Adjective | Rows | str"


@dataclass(frozen=True, slots=True)
class Item:
    """What the tokens from one place up to `end` may mean. `cost` is 0 if they say just that."""

    end: int
    kind: str
    meaning: Meaning
    cost: int = 0


def items_of(tokens: list[Token], table: Table) -> dict[int, list[Item]]:
    """Return the items of a question by the place where they begin."""
    found: dict[int, list[Item]] = {}
    values = value_index(table)
    for start in range(len(tokens)):
        items = [*_columns_at(tokens, start, table), *_small_items(tokens, start, table)]
        items += [Item(end, "val", value, cost) for end, value, cost in values_at(tokens, start, values)]
        items += [Item(end, "period", period) for end, period in periods_at(tokens, start)]
        items += [Item(end, one.degree, one) for end, one in adjectives_at(tokens, start, table)]
        found[start] = items
    return found


def _small_items(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    token = tokens[start]
    if token.number is not None and not token.quoted:
        yield Item(
            start + 1, "n", Number(token.number, token.percent, "$" if token.text[:1] in "$€£" else "")
        )
        after = tokens[start + 1].word if start + 1 < len(tokens) else ""
        if after in UNITS or any(alike(after, column.unit) for column in table.columns if column.unit):
            yield Item(start + 2, "n", Number(token.number, token.percent, after))
        elif after in ("percent", "pct"):
            yield Item(start + 2, "n", Number(token.number, True))
        elif after in _SCALES:
            yield from _scaled(tokens, start + 1, token.number, table)
    if token.word in _SCALES and start and tokens[start - 1].number is None:
        yield from _scaled(tokens, start, 1.0, table)
    grain = next((GRAINS[form] for form in base_forms(token.word) if form in GRAINS), None)
    if grain is not None:
        yield Item(start + 1, "grain", grain)
    if grain is not None:
        yield Item(start + 1, "_grain", grain)
    only_year = len(table.times) == 1 and table.times[0].year
    if only_year and token.word in (
        "built",
        "made",
        "produced",
        "released",
        "born",
        "founded",
        "manufactured",
    ):
        yield Item(start + 1, "_made", token.word)
    if token.word == "top" and start + 1 < len(tokens) and tokens[start + 1].word.endswith("s"):
        yield Item(start + 1, "_tops", token.word)
    yield from _verbs_at(token, start, table)
    yield from _nouns_at(token, start, table)


def _verbs_at(token: Token, start: int, table: Table) -> Iterator[Item]:
    """Words that name columns by what happens: “weigh”, “cancelled”, “signups”, “who tasted”."""
    yield from _verb_columns(token, start, table)
    if base_forms(token.word) & _MONEY:
        yield from (Item(start + 1, "col", column, 3) for column in _takings(table))
    if token.word.endswith("ed"):
        named = [c for c in table.dates if len(c.words) == 2 and related(token.word, c.words[0]) == 0]
        yield from (Item(start + 1, "event", column) for column in named if column.profile.missing)
        if base_forms(token.word) & table.nouns or any(not column.profile.missing for column in named):
            yield Item(start + 1, "_done", token.word)
    if token.word.endswith("s"):
        kept = [c for c in table.dates if len(c.words) == 2 and c.words[1] in DATE_TAIL]
        kept = [c for c in kept if related(token.word, c.words[0]) == 0]
        yield from (Item(start + 1, "happenings", column, 1) for column in kept)
    agents = {form.removesuffix("e") + ending for form in base_forms(token.word) for ending in ("er", "or")}
    yield from (
        Item(start + 1, "agent", c) for c in table.columns if c.role == "text" and agents & set(c.words)
    )


def _nouns_at(token: Token, start: int, table: Table) -> Iterator[Item]:
    """Nouns for rows, people and units, words of flags, and any other word."""
    if token.word.startswith(("un", "non")) and len(token.word) > 4:
        said = token.word.removeprefix("un").removeprefix("non")
        yield from (
            Item(start + 1, "notcol", c) for c in table.columns if c.role == "flag" and c.words == (said,)
        )
    if any(
        len(c.words) > 1 and any(related(token.word, word) == 0 for word in c.words)
        for c in table.columns
        if c.measure
    ):
        yield Item(start + 1, "part", token.word)
    if is_row_noun(token.word, table):
        named = any(c.measure and base_forms(token.word) & set(c.words) for c in table.columns)
        own = bool(base_forms(token.word) & (ROW_NOUNS | table.nouns | table.kinds))
        yield Item(start + 1, "rows", Rows(token.word), 0 if own else 4 if named else 1)
        yield Item(start + 1, "_rows", token.word)
    if base_forms(token.word) & GENERIC_NOUNS:
        yield Item(start + 1, "generic", token.word, 1)
        yield Item(start + 1, "_generic", token.word, 1)
    if base_forms(token.word) & PEOPLE or token.word.rstrip("s").removesuffix("r") in table.nouns:
        yield Item(start + 1, "people", token.word)
        yield Item(start + 1, "_people", token.word)
    if token.word in UNITS and any(_of_unit(token.word, column) for column in table.columns):
        yield Item(start + 1, "_unit", token.word)
    if token.quoted or (token.number is None and token.text[:1].isalnum()):
        yield Item(start + 1, "word", token.text)


def _scaled(tokens: list[Token], start: int, number: float, table: Table) -> Iterator[Item]:
    """“1.5 million”, “a million dollars”."""
    value = number * _SCALES[tokens[start].word]
    yield Item(start + 1, "n", Number(value))
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if after in UNITS:
        yield Item(start + 2, "n", Number(value, unit=after if any(c.unit for c in table.columns) else ""))


def _of_unit(word: str, column: Column) -> bool:
    return bool(column.unit) and same_unit(word, column)


def _takings(table: Table) -> list[Column]:
    """The one total, in money, of each sale; none if a column is called revenue or sales."""
    words = {word for column in table.columns for word in column.all_words}
    if words & _MONEY or not words & {"qty", "quantity", "units"}:
        return []
    found = [
        c for c in table.columns if c.measure and {"total", "amount"} & set(c.words) and same_unit("$", c)
    ]
    found = found or [c for c in table.columns if c.measure and {"total", "amount"} & set(c.words)]
    return found if len(found) == 1 else []


def _verb_columns(token: Token, start: int, table: Table) -> Iterator[Item]:
    """“weigh” means a weight: the columns of the first concept that the verb has."""
    concepts = next((VERBS[form].split() for form in base_forms(token.word) if form in VERBS), [])
    for concept in concepts:
        found = [
            c for c in table.columns if c.measure and any(related(concept, word) == 0 for word in c.words)
        ]
        if found:
            yield from (Item(start + 1, "col", column, 1) for column in found)
            return


def is_row_noun(word: str, table: Table) -> bool:
    """Return whether a word is a noun for the rows of `table`."""
    forms = base_forms(word)
    if forms & table.kinds:
        return True
    if forms & (ROW_NOUNS | table.nouns):
        return True
    if any(forms & group and table.nouns & group for group in SYNONYMS):
        return True
    if any(
        c.role == "text" and len(c.words) == 1 and c.words[0] in forms and c.profile.distinct * 5 > c.rows
        for c in table.columns
    ):
        return True
    titles = [c for c in table.columns if c.naming and c.words[-1:] and c.words[-1] in ("name", "title")]
    titles += [
        c for c in table.columns if len(c.words) == 2 and c.words[1] in ("outcome", "status", "result")
    ]
    titles += [c for c in table.times if len(c.words) == 2 and c.words[1] == "date" and len(table.dates) == 1]
    titles += [c for c in table.columns if c.key and len(c.words) == 2 and c.profile.distinct == c.rows]
    return any(form in column.words[:-1] for column in titles for form in forms)


def _columns_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    for end in range(start + 1, min(len(tokens), start + _LONGEST_NAME) + 1):
        span = [token.word for token in tokens[start:end]]
        if any(token.quoted for token in tokens[start:end]):
            quoted = [c for c in table.columns if len(span) == 1 and c.name.lower() == span[0]]
            yield from (Item(end, "col", column) for column in quoted)
            continue
        matched = [
            (cost, column) for column in table.columns if (cost := name_cost(tuple(span), column)) is not None
        ]
        least = min((cost for cost, _ in matched), default=0)
        for cost, column in matched:
            if cost == least:
                yield Item(end, "col", column, cost)
        things = [(cost, column) for cost, column in matched if is_thing(tuple(span), column)]
        least = min((cost for cost, _ in things), default=0)
        yield from (Item(end, "thing", column, cost) for cost, column in things if cost == least)


def correct(
    tokens: list[Token], table: Table, known: frozenset[str]
) -> tuple[list[Token], tuple[tuple[str, str], ...]]:
    """Replace unknown words that are one slip away from a known one; return the tokens, and what was read as what.

    `known` are the words of the grammar.
    """
    names = {word for column in table.columns for word in column.all_words if len(word) > 3}
    names |= {word for word in (*BUSIEST, *(word for pair in ADJECTIVES for word in pair)) if len(word) > 4}
    names |= {word for word in value_index(table) if len(word) > 3} | {
        noun for noun in table.nouns if len(noun) > 3
    }
    candidates = sorted(names | {word for word in known if len(word) > 4})
    found, changed = [], []
    for place, token in enumerate(tokens):
        word = token.word
        here = items_of(tokens[place : place + 1], table)[0]
        unknown = token.number is None and not token.quoted and word.isalpha() and len(word) >= 3
        if not unknown or base_forms(word) & known or any(item.kind != "word" for item in here):
            found.append(token)
            continue
        near = process.extractOne(
            word,
            candidates if len(word) >= 5 else _COMMON,
            scorer=OSA.distance,
            score_cutoff=1 if len(word) < 8 else 2,
        )
        if near is None or near[0][0] != word[0]:
            found.append(token)
            continue
        changed.append((token.text, near[0]))
        found.append(replace(token, text=near[0], word=near[0]))
    return found, tuple(changed)
