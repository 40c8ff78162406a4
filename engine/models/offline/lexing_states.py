"""Finds words for acts and states in a question, such as “unresolved”, “escalation rate” and “revenue”."""

from collections.abc import Iterator

from engine.models.offline.columns import Column
from engine.models.offline.items import Item
from engine.models.offline.meanings import Expression, same_unit
from engine.models.offline.money import MONEY
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words
from engine.models.offline.words import Token, base_forms, past, related, same_family

__all__ = ["states_at"]

_RATES = frozenset({"rate", "rates", "percentage", "percent"})
_PLANNED = words("planned dates")
_QUANTITIES = words("quantities")
_SOLD = frozenset({"sold", "sale", "sales"})
_SALES = frozenset({"sale", "order", "invoice", "transaction", "receipt", "bill"})
_NOT_SOLD = frozenset(
    {"purchase", "supplier", "cost", "stock", "inventory", "warehouse", "reorder", "return"}
)
"""Words in tables of purchases, stock or returns, where a price times a quantity is not revenue."""
_UNDONE = frozenset({"cancelled", "canceled", "refunded", "returned", "void", "refund", "return"})
"""Values of rows that bring in no money."""
_LESS = frozenset({"discount", "rebate", "tax", "vat", "refund", "refunded", "return", "returned", "disc"})
"""Words in the names of columns that reduce the money received. With such a column, price times quantity is not the
revenue.
"""


def states_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the meanings of a word as an act, the absence of an act, or the money that rows bring in."""
    word = tokens[start].word
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if word.startswith("un") and past(word.removeprefix("un")):
        done = word.removeprefix("un")
        yield from (Item(start + 1, "notevent", c, 1) for c in _happened(done, table))
        flags = [c for c in table.columns if c.role == "flag" and len(c.words) > 1 and c.words[-1] == done]
        yield from (Item(start + 1, "notcol", c, 1) for c in flags)
    if past(word):
        yield from (Item(start + 1, "event", c, 2) for c in _happened(word, table) if c.role == "number")
        tallies = (c for c in table.columns if c.measure and c.whole and c.low == 0 and c.adds is not False)
        yield from (Item(start + 1, "tally", c) for c in tallies if _is_of(word, c.words[-1]))
    if after in _RATES and not any(c.measure and "rate" in c.words for c in table.columns):
        acts = [c for c in table.columns if c.role == "flag" and same_family(word, c.words[-1])]
        acts = [c for c in acts if c.words[0] not in ("not", "no", "non")]
        yield from (Item(start + 1, "act", c, 1) for c in acts if c.words[-1] != word)
    if word.endswith("ing"):
        yield from (Item(start + 1, "doing", c) for c in table.dates if _names(word, c))
    if base_forms(word) & MONEY and (found := _revenue(table)) is not None:
        yield Item(start + 1, "earned", found, 2)


def _happened(verb: str, table: Table) -> list[Column]:
    """Return the columns that have a value only if something happened: dates that are not planned, and numbers such as
    a rating. Texts are left out, because they may be notes.
    """
    named = [c for c in table.columns if not c.table and _names(verb, c)]
    dates = [c for c in named if c.role == "date" and not _PLANNED & set(c.words)]
    numbers = [c for c in named if c.measure and _is_of(verb, c.words[-1]) and verb != "left"]  # `days_left`
    return [c for c in (*dates, *numbers) if c.profile.missing]


def _names(verb: str, column: Column) -> bool:
    return any(_is_of(verb, word) for word in column.words)


def _is_of(verb: str, word: str) -> bool:
    return related(verb, word) == 0 or same_family(verb, word)


def _revenue(table: Table) -> Expression | None:
    """Return price times quantity as revenue, if the table has one column of each and nothing reduces the amount; else
    None.
    """
    named = {word for column in table.columns for word in column.all_words}
    states = {value.lower() for column in table.columns for value in column.profile.values}
    if named & (MONEY | _LESS | _NOT_SOLD) or states & _UNDONE or table.nouns & _NOT_SOLD:
        return None
    measures = [c for c in table.columns if c.measure and not c.table]
    if any({"total", "amount", "subtotal"} & set(c.words) and same_unit("$", c) for c in measures):
        return None
    counts = [c for c in measures if _QUANTITIES & set(c.words)]
    counts = [c for c in counts if _SOLD & set(c.words)] or counts
    prices = [c for c in measures if "price" in c.words]
    sold = any(_SOLD & set(c.words) for c in counts) or table.nouns & _SALES
    if len(counts) != 1 or len(prices) != 1 or not sold:
        return None
    return Expression(counts[0], "*", prices[0])
