"""Finds words for where rows start and end in a question: routes, destinations, origins."""

from collections.abc import Iterator

from engine.models.offline.ends import end_pairs
from engine.models.offline.items import Item
from engine.models.offline.schema import Table
from engine.models.offline.words import Token, base_forms

__all__ = ["ends_at"]

_ROUTES = frozenset({"route", "connection"})
_ORIGINS = ({"origin", "startpoint"}, {"destination", "endpoint"})
"""Words for where rows start, and for where they end."""


def ends_at(token: Token, start: int, table: Table) -> Iterator[Item]:
    """Yield the columns of both ends for “route”, and the column of one end for “origin” and “destination”."""
    forms = base_forms(token.word)
    places = [place for place, words in enumerate(_ORIGINS) if forms & words]
    if not places and not forms & _ROUTES:
        return
    pairs = [] if any(forms & set(c.words) for c in table.columns) else end_pairs(table)
    if forms & _ROUTES:
        yield from (Item(start + 1, "route", pair, len(pair[0].words) - 1) for pair in pairs)
    elif len(pairs) == 1:
        yield from (
            Item(start + 1, kind, pairs[0][place], 2) for place in places for kind in ("col", "thing")
        )
