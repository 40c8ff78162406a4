"""Finds words for acts and states in a question: unresolved, escalation rate, from receiving to delivering, revenue."""

from collections.abc import Iterator

from engine.models.offline.columns import Column
from engine.models.offline.items import Item
from engine.models.offline.meanings import Expression, same_unit
from engine.models.offline.money import MONEY
from engine.models.offline.schema import Table
from engine.models.offline.words import Token, base_forms, past, related, same_family

__all__ = ["states_at"]

_RATES = frozenset({"rate", "rates", "percentage", "percent"})
_QUANTITIES = frozenset({"qty", "quantity", "units"})
_SOLD = frozenset({"sold", "sale", "sales", "ordered", "order"})
_LESS = frozenset({"discount", "rebate", "tax", "vat", "refund", "refunded", "return", "returned", "disc"})
"""Words of columns that make a price times a quantity no revenue."""


def states_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the items of one word that names an act, its absence, or the money that rows bring in."""
    word = tokens[start].word
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if word.startswith("un") and past(word.removeprefix("un")):
        done = word.removeprefix("un")
        yield from (
            Item(start + 1, "notevent", c, 1) for c in _gaps(table) if c.role != "flag" and _names(done, c)
        )
        flags = [c for c in table.columns if c.role == "flag" and len(c.words) > 1 and c.words[-1] == done]
        yield from (Item(start + 1, "notcol", c, 1) for c in flags)
    if past(word):
        yield from (
            Item(start + 1, "event", c, 2)
            for c in _gaps(table)
            if c.role in ("text", "number") and not c.year and _names(word, c)
        )
    if after in _RATES:
        acts = [c for c in table.columns if c.role == "flag" and same_family(word, c.words[-1])]
        yield from (Item(start + 1, "act", c, 1) for c in acts if c.words[-1] != word)
    if word.endswith("ing"):
        yield from (Item(start + 1, "doing", c) for c in table.dates if _names(word, c))
    if base_forms(word) & MONEY and (found := _revenue(table)) is not None:
        yield Item(start + 1, "earned", found, 2)


def _gaps(table: Table) -> list[Column]:
    return [c for c in table.columns if c.profile.missing and not c.table]


def _names(verb: str, column: Column) -> bool:
    return any(related(verb, word) == 0 or same_family(verb, word) for word in column.words)


def _revenue(table: Table) -> Expression | None:
    """Return the price times the quantity, if each row has just one of both and nothing is taken off."""
    named = {word for column in table.columns for word in column.all_words}
    if named & (MONEY | _LESS):
        return None
    measures = [c for c in table.columns if c.measure and not c.table]
    if any({"total", "amount", "subtotal"} & set(c.words) and same_unit("$", c) for c in measures):
        return None
    counts = [c for c in measures if _QUANTITIES & set(c.words)]
    counts = [c for c in counts if _SOLD & set(c.words)] or counts
    prices = [c for c in measures if "price" in c.words]
    if len(counts) != 1 or len(prices) != 1:
        return None
    return Expression(counts[0], "*", prices[0])
