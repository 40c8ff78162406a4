"""Explains why a question could not be read: unknown words, or numbers and dates that are stored as text."""

from collections.abc import Mapping, Sequence

from engine.models.offline.columns import Column
from engine.models.offline.items import Item
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words
from engine.models.offline.words import Token, base_forms

__all__ = ["kept_as_text", "unknown_words"]

_COMPUTED = words("computing words")
"""Words which show that a question computes with a number."""


def unknown_words(
    tokens: Sequence[Token], items: Mapping[int, Sequence[Item]], known: frozenset[str]
) -> tuple[str, ...]:
    """Return the words that have no meaning here, as they are written; `known` contains the words of the grammar."""
    covered = {
        place
        for start, found in items.items()
        for item in found
        if item.kind != "word"
        for place in range(start, item.end)
    }
    return tuple(
        token.text
        for place, token in enumerate(tokens)
        if place not in covered and token.word[:1].isalnum() and not base_forms(token.word) & known
    )


def kept_as_text(tokens: Sequence[Token], items: Mapping[int, Sequence[Item]], table: Table) -> str:
    """Return a sentence about why a question cannot be answered: why the column that it computes with is text, or that
    the table has no dates. Empty if there is another reason.
    """
    kinds = {item.kind for found in items.values() for item in found}
    if not {token.word for token in tokens} & _COMPUTED and not kinds & {"sup", "cmp", "n"}:
        named: list[Column] = []
    else:
        named = [
            item.meaning
            for found in items.values()
            for item in found
            if item.kind == "col" and isinstance(item.meaning, Column) and item.meaning.stuck == "numbers"
        ]
    if not named and kinds & {"grain", "grainly", "period"} and not table.times:
        named = [column for column in table.columns if column.stuck == "dates"]
    if not named and "period" in kinds and not table.times:
        return f"`{table.name}` has no column of dates."
    return _said(named[0]) if named else ""


def _said(column: Column) -> str:
    others = ", ".join(f"“{value}”" for value in column.others[:3])
    what = "not numbers" if column.stuck == "numbers" else "not dates"
    return (
        f"the column `{column.name}` is text, because some of its values are {what}, such as {others}. "
        "Correct these values in the file, or make them empty, and ask again."
    )
