"""Finds readings that do not use a column that their question mentions. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from engine.models.offline.columns import Column
from engine.models.offline.form import Form, refs_of
from engine.models.offline.items import Item
from engine.models.offline.row_nouns import is_row_noun
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import GENERIC_NOUNS, ROW_NOUNS
from engine.models.offline.words import Token, alike, base_forms

__all__ = ["leaves_out_a_name"]

_Items: TypeAlias = Mapping[int, Sequence[Item]]
_NUMBERS = frozenset({"number", "no", "count"})
"""Words that can be in a column's name and can also begin a count: “number of invoices” is not the `Invoice No`."""


def leaves_out_a_name(form: Form, table: Table, tokens: Sequence[Token], items: _Items) -> bool:
    """Return whether the question contains the name of a column, but the form does not use the column: “customer
    ratings” are not customers.

    Names of one word count only if they are names of columns with texts, and if the form does not list all columns.
    """
    used = {name for ref in refs_of(form) for name in (ref.column, ref.until)}
    keys = {c.words[:-1] for c in table.columns if c.key and c.name in used and len(c.words) > 1}
    used |= {
        c.name for c in table.columns if c.words[:-1] in keys
    }  # people with the same name have different ids
    listed = form.show == "rows" and not form.columns
    named = [*_long_names(tokens, items), *([] if listed else _short_names(table, tokens, items))]
    spans: dict[tuple[int, int], set[str]] = {}
    for start, end, name in named:
        spans.setdefault((start, end), set()).add(name)
    known = [
        (start, item.end)
        for start, found in items.items()
        for item in found
        if item.kind == "val" or (_is_long(start, item) and getattr(item.meaning, "name", "") in used)
    ]
    free = [(start, end) for start, end in spans if not any(a < end and start < b for a, b in known)]
    return any(spans[span].isdisjoint(used) for span in free)


def _is_long(start: int, item: Item) -> bool:
    return item.kind == "col" and item.end > start + 1


def _long_names(tokens: Sequence[Token], items: _Items) -> Iterator[tuple[int, int, str]]:
    """Yield the names of two or more words, with their places."""
    for start, found in items.items():
        for item in found:
            said = [token.word for token in tokens[start : item.end]]
            if not _is_long(start, item) or not isinstance(item.meaning, Column):
                continue
            whole = len(said) == len(item.meaning.words) and all(map(alike, said, item.meaning.words))
            if whole and _NUMBERS.isdisjoint(said):
                yield start, item.end, item.meaning.name


def _short_names(table: Table, tokens: Sequence[Token], items: _Items) -> Iterator[tuple[int, int, str]]:
    """Yield the names of one word, with their places."""
    for start, found in items.items():
        every = "all" in [token.word for token in tokens[max(start - 2, 0) : start]]  # “over all the clubs”
        if every or any(item.kind == "rows" for item in found):
            continue
        for item in found:
            exact = item.kind == "col" and item.cost == 0 and item.end == start + 1
            if (
                exact
                and isinstance(item.meaning, Column)
                and _is_text(tokens[start].word, item.meaning, table)
            ):
                yield start, start + 1, item.meaning.name


def _is_text(word: str, column: Column, table: Table) -> bool:
    """Return whether a word is the name of a column of texts, and neither a noun for rows nor a general word."""
    general = base_forms(word) & (GENERIC_NOUNS | ROW_NOUNS | table.nouns | table.kinds)
    return column.role == "text" and not column.key and not general and not is_row_noun(word, table)
