"""Finds the columns to which spans of a question may refer."""

from collections.abc import Iterator

from engine.models.offline.businesses import business_meant
from engine.models.offline.column_naming import is_thing, name_cost, says_another, sorts_only, things_first
from engine.models.offline.columns import Column
from engine.models.offline.items import Item
from engine.models.offline.row_nouns import belongs_to_lines, numbers_rows
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words
from engine.models.offline.words import Token, alike, base_forms, same_family

__all__ = ["columns_at", "in_units"]

_MASSES = words("masses of money")
_AMOUNTS = frozenset({"amount", "amt", "value", "cost", "price", "fee"})
_AUXILIARIES = frozenset({"did", "do", "does", "have", "has"})
_PERSONS = frozenset({"we", "they", "you", "i", "it"})
_PER = {
    "nightly": "night", "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year",
    "annual": "year"
}  # fmt: skip
_NUMBER = frozenset({"number", "no", "total", "count", "all", "num"})
_SOLD = frozenset({"product", "item", "article"})
_LONGEST_NAME = 6


def in_units(word: str, column: Column) -> bool:
    """Whether a plural means things rather than a column with that word in its name: “crossings” is not `crossing_min`,
    and “fines” is not `fine_amount`.
    """
    amount = bool(column.unit) or (len(column.words) > 1 and column.words[-1] in _AMOUNTS)
    return amount and word.endswith("s") and word not in column.words


def _leaves(span: list[str], column: Column) -> bool:
    """Whether a verb would be read as an amount that remains: “who left” does not ask for `days_left`."""
    said = len(span) == 1 and span[0] in ("left", "leave", "leaves", "leaving")
    return (
        said
        and column.measure
        and len(column.words) > 1
        and (span[0] == "left" or "leave" not in column.words)
    )


def _says(span: list[str], column: Column) -> bool:
    """Whether a column's name contains forms of all these words."""
    return all(any(alike(word, other) for other in column.all_words) for word in span)


def _of_family(span: list[str], column: Column) -> bool:
    """Whether a column's name contains only a related word and not the word itself: “inspector” is related to
    `inspection_id`, but names `inspector_initials`.
    """
    return not _says(span, column) and any(
        same_family(word, other) for word in span for other in column.all_words
    )


def _sold_by_us(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Read “tickets did we sell” as `tickets_sold`."""
    said = [token.word for token in tokens[start : start + 4]]
    if len(said) < 4 or said[1] not in _AUXILIARIES or said[2] not in _PERSONS:
        return
    for column in table.columns:
        if column.measure and (cost := name_cost((said[0], said[3]), column)) is not None:
            yield from (Item(start + 4, kind, column, cost + 1) for kind in ("col", "thing"))


def _to_be_done(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Read “close”, in “take to close”, as the date `closed`."""
    if start == 0 or tokens[start - 1].word != "to" or tokens[start].quoted:
        return
    word = tokens[start].word
    dates = [c for c in table.dates if len(c.words) == 1 and word != c.words[0] and alike(word, c.words[0])]
    yield from (Item(start + 1, "col", column) for column in dates)


def _among_others(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Read words whose meaning depends on several columns: “products” (descriptions of goods sold), “nightly rate”,
    “model year”.
    """
    word, after = tokens[start].word, tokens[start + 1].word if start + 1 < len(tokens) else ""
    named = {word for column in table.columns for word in column.words}
    if base_forms(word) & _SOLD and named & {"quantity", "qty"} and not named & _SOLD:
        for column in (c for c in table.columns if c.words == ("description",)):
            yield from (Item(start + 1, kind, column, 1) for kind in ("col", "thing"))
    for column in table.columns:
        per = _PER.get(word) is not None and column.words[-2:] == ("per", _PER[word])
        if per and after and alike(after, column.words[0]):
            yield Item(start + 2, "col", column)  # “nightly rate”, for `rate_per_night`
    for column in table.dates:
        if len(column.words) == 2 and (word, after) == (column.words[0], f"{column.words[1]}s"):
            yield Item(start + 2, "happenings", column, 1)  # “check-ins”
    if word == "model" and after in ("year", "years") and ("model" in named):
        yield from (Item(start + 2, "col", c) for c in table.columns if c.year and c.words == ("year",))


def _cost(span: tuple[str, ...], column: Column, table: Table) -> int | None:
    """Return how far a span is from a column's name. A noun for the rows may be left out at the end: `preterm_births`,
    in a table of births.
    """
    cost = name_cost(span, column)
    counts = column.measure and column.whole and len(column.words) == len(span) + 1 and column.adds is True
    if cost is not None or not counts or column.words[-1] not in table.nouns or column.words[0] in _NUMBER:
        return cost
    return 2 if all(map(alike, span, column.words)) else None


def _without_hyphens(span: list[str]) -> list[str]:
    """Return the words of “C-sections” without the hyphen, which names of columns do not contain."""
    return [word for word in span if word != "-"] if "-" in span[1:-1] else span


def columns_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the columns that spans from `start` on may name: as columns, and as names of things to count."""
    yield from _sold_by_us(tokens, start, table)
    yield from _to_be_done(tokens, start, table)
    if not tokens[start].quoted and (business := business_meant(tokens[start].word, table)) is not None:
        yield from (Item(start + 1, kind, business, 2) for kind in ("col", "thing"))
    yield from _among_others(tokens, start, table)
    for end in range(start + 1, min(len(tokens), start + _LONGEST_NAME) + 1):
        span = _without_hyphens([token.word for token in tokens[start:end]])
        if any(token.quoted for token in tokens[start:end]):
            quoted = [c for c in table.columns if len(span) == 1 and c.name.lower() == span[0]]
            yield from (Item(end, "col", column) for column in quoted)
            continue
        after = tokens[end].word if end < len(tokens) else ""
        forms = base_forms(span[0]) if len(span) == 1 else set()
        rows = bool(forms & (table.nouns | table.kinds))  # “claims” are rows, not an amount claimed
        matched = [
            (cost, column)
            for column in table.columns
            if (cost := _cost(tuple(span), column, table)) is not None
            and not says_another(tuple(span), after, column)
            and not (forms & _MASSES and not column.measure and not forms & set(column.words))
            and not _leaves(span, column)
            and not (
                (rows and numbers_rows(column)) or (forms & {"line"} and belongs_to_lines(column, table))
            )
            and not (rows and column.measure and (not forms & set(column.words) or in_units(span[0], column)))
        ]
        if any(_says(span, column) for _, column in matched):
            matched = [one for one in matched if not _of_family(span, one[1])]
        before = tokens[start - 1].word if start else ""
        matched = [one for one in matched if not (forms and sorts_only(span[0], before, one[1]))]
        matched = things_first(tuple(span), matched)
        least = min((cost for cost, _ in matched), default=0)
        for cost, column in matched:
            if cost == least:
                yield Item(end, "col", column, cost)
        things = [(cost, column) for cost, column in matched if is_thing(tuple(span), column)]
        least = min((cost for cost, _ in things), default=0)
        yield from (Item(end, "thing", column, cost) for cost, column in things if cost == least)
