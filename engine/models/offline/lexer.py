"""The lexer: finds the spans of a question that may name something, and their possible meanings with costs."""

from collections.abc import Iterator
from dataclasses import replace

from engine.models.offline.adjectives import adjectives_at
from engine.models.offline.amounts import are_metres
from engine.models.offline.clock import clocks_at
from engine.models.offline.column_naming import DATE_TAIL, name_cost
from engine.models.offline.columns import Column
from engine.models.offline.items import Item, Rows
from engine.models.offline.lexing_columns import columns_at, in_units
from engine.models.offline.lexing_ends import ends_at
from engine.models.offline.lexing_numbers import numbers_at, spans_at
from engine.models.offline.lexing_people import born_somewhere, done_by, stays_at
from engine.models.offline.lexing_states import states_at
from engine.models.offline.meanings import same_unit
from engine.models.offline.money import MONEY, is_money, main_amount, only_money, takings
from engine.models.offline.patterns import ARTICLES
from engine.models.offline.periods import periods_at
from engine.models.offline.row_nouns import (
    ANY_ROW,
    counts_rows,
    holds_for_some,
    is_act,
    is_counted,
    is_dated_creation,
    is_object,
    is_own_noun,
    is_row_noun,
    said_by,
    says_it_happened,
)
from engine.models.offline.schema import Table
from engine.models.offline.value_index import Value, acted, value_index, values_at
from engine.models.offline.vocabulary import (
    AGAIN,
    FAILED,
    FILLERS,
    GENERIC_NOUNS,
    GRAIN_ADJECTIVES,
    GRAINS,
    ORDINALS,
    PEOPLE,
    SUCCEEDED,
    UNITS,
    VERBS,
    words,
)
from engine.models.offline.words import Token, alike, base_forms, name_words, past, related, same_family

__all__ = ["items_of"]

_SORTS = frozenset({"type", "kind", "category", "class", "group", "species", "status"})
_CROWD = words("crowd")
_HAVE = frozenset({"have", "has", "had"})
"""After “how many”, these words ask for rows that have something."""
_SHORT_UNITS = frozenset({"km", "kg", "lb", "mi", "cm", "mm", "ft"})
"""Abbreviated units. Each may refer to the only column that is measured in it."""
_NAMING = frozenset({"col", "val", "notcol", "event"})
"""Kinds of items. A word that can also be an item of one of these kinds is not a filler."""


def items_of(tokens: list[Token], table: Table) -> dict[int, list[Item]]:
    """Return the items of a question, by the place where each begins."""
    found: dict[int, list[Item]] = {}
    values = value_index(table)
    for start in range(len(tokens)):
        items = [*columns_at(tokens, start, table), *_small_items(tokens, start, table)]
        named = any(item.kind == "col" and item.cost < 2 for item in items)
        items += [
            Item(
                end,
                "val",
                value,
                cost + (end == start + 1 and _less_likely(tokens, start, value, table, named=named)),
            )
            for end, value, cost in values_at(tokens, start, values)
        ]
        if is_dated_creation(tokens, start, table):
            items = [
                item
                for item in items
                if not isinstance(item.meaning, Value) or past(item.meaning.text.lower())
            ]
        items += [*spans_at(tokens, start, table), *states_at(tokens, start, table)]
        items += [*stays_at(tokens, start, table), *done_by(tokens, start, table)]
        items += [Item(end, "period", period) for end, period in periods_at(tokens, start)]
        items += [Item(end, "clock", clock) for end, clock in clocks_at(tokens, start)]
        items += [Item(end, one.degree, one) for end, one in adjectives_at(tokens, start, table)]
        has = tokens[start].word in _HAVE and start > 0 and tokens[start - 1].word == "many"
        filler = (tokens[start].word in FILLERS and not has) or says_it_happened(tokens, start, table)
        kind = "filler" if filler else "again" if tokens[start].word in AGAIN else ""
        here = [item for item in items if item.end == start + 1 and item.kind in _NAMING]
        exact = any(item.cost < (1 if item.kind == "col" else 3) for item in here)
        if kind and not tokens[start].quoted and not exact:
            named = any(item.cost < 3 for item in here)
            items.append(Item(start + 1, kind, tokens[start].word, 4 if named else 1))
        if born_somewhere(tokens, start, table):
            items = [item for item in items if item.kind == "word"]
        found[start] = [_beside_a_value(item, items) for item in items]
    return found


def _less_likely(tokens: list[Token], start: int, value: Value, table: Table, *, named: bool) -> int:
    """Return an extra cost for reading a word as a value if it may be another name: “by carrier” is a group even if a
    column has the value `Carrier`; “which dog” asks for a row of a table of dogs even if `dog` is a sex.
    """
    token, before = tokens[start], tokens[start - 1].word if start else ""
    grouped = 4 if named and before in ("by", "per") and token.word[-1:] != "s" else 0  # “by members” is not
    written = token.text[:1].isupper() and value.text[:1].isupper()  # “Rome”, in a file called rome.csv
    sorts = value.column.words[-1] in _SORTS  # in a file of houses, the type `house` is one of several
    if written or sorts or base_forms(token.word).isdisjoint(table.nouns):
        return grouped
    return grouped + (6 if before in ("which", "what", "each", "every") else 2)


def _beside_a_value(item: Item, items: list[Item]) -> Item:
    """Raise the cost of a noun for rows to the cost of the same word read as a value: “houses”, if homes can have the
    type `house`.
    """
    if item.kind != "rows":
        return item
    costs = [one.cost for one in items if one.kind == "val" and one.end == item.end and one.cost < 4]
    return replace(item, cost=max(item.cost, *costs)) if costs else item


_MADE = ("built", "made", "produced", "released", "born", "founded", "manufactured", "published", "printed")


def _small_items(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    token = tokens[start]
    yield from numbers_at(tokens, start, table)
    if token.number is not None and are_metres(token, table):
        return
    if token.word in ORDINALS:
        yield Item(start + 1, "ordinal", ORDINALS[token.word])
    grain = next((GRAINS[form] for form in base_forms(token.word) if form in GRAINS), None)
    if grain is not None:
        yield Item(start + 1, "grainly" if token.word in GRAIN_ADJECTIVES else "grain", grain)
        if token.word in GRAIN_ADJECTIVES:
            yield Item(start + 1, "_grainly", grain)
        yield Item(start + 1, "_grain", grain)
    if token.word == "new" and not table.tells_new:
        yield Item(start + 1, "_new", token.word)
    years = [c for c in table.columns if c.year]
    if len(years) == 1 and token.word in _MADE:
        yield Item(start + 1, "made", years[0], 1)
        if table.times == tuple(years):
            yield Item(start + 1, "_made", token.word)
    if token.word == "top" and start + 1 < len(tokens) and tokens[start + 1].word.endswith("s"):
        yield Item(start + 1, "_tops", token.word)
    yield from ends_at(token, start, table)
    if table.everybody is not None and base_forms(token.word) & _CROWD - table.nouns:
        yield Item(start + 1, "col", table.everybody, 2)
        yield Item(start + 1, "thing", table.everybody, 2)
    main = only_money(table) if token.word == "money" else None
    main = main_amount(table) if token.word in ("total", "totals") else main
    if main is not None:
        yield Item(start + 1, "takings", main, 2)
    counted = counts_rows(tokens, start, table)
    if not (
        token.word == "last" and start and tokens[start - 1].word in ARTICLES
    ):  # not a verb in “the last one”
        yield from _verbs_at(token, start, table, counted=counted)
    yield from _nouns_at(tokens, start, table)


def _verbs_at(token: Token, start: int, table: Table, *, counted: bool) -> Iterator[Item]:
    """Yield the columns that a verb or an event names: “weigh”, “cancelled”, “signups”, “who tasted”."""
    yield from _verb_columns(token, start, table, counted)
    if base_forms(token.word) & MONEY and not (counted and is_row_noun(token.word, table)):
        yield from (Item(start + 1, "col", column, 3) for column in takings(table, token.word))
    if is_act(token.word, table):
        yield Item(start + 1, "_done", token.word)
    if past(token.word):
        named = [
            c for c in table.dates if set(c.words[1:]) <= DATE_TAIL and related(token.word, c.words[0]) == 0
        ]
        yield from (Item(start + 1, "event", column, 1) for column in named if column.profile.missing)
        made = [
            c for c in table.columns if c.year and len(c.words) == 2 and related(token.word, c.words[1]) == 0
        ]
        yield from (Item(start + 1, "event", column) for column in made if column.profile.missing)
        noun = any(len(noun) > 6 and noun[:5] == token.word[:5] for noun in table.nouns)
        sorts = any(
            c.role in ("text", "number") and not c.measure and not c.profile.missing
            and any(same_family(token.word, word) and not past(word) for word in c.words)
            for c in table.columns
        )  # fmt: skip
        timed = any(not column.profile.missing and column in table.times for column in named)
        own = noun or sorts or base_forms(token.word) & table.nouns
        if timed or (own and not holds_for_some(token.word, table)):
            yield Item(start + 1, "_done", token.word)
    if token.word.endswith("s"):
        kept = [c for c in table.dates if len(c.words) == 2 and c.words[1] in DATE_TAIL]
        kept = [c for c in kept if related(token.word, c.words[0]) == 0]
        yield from (Item(start + 1, "happenings", column, 1) for column in kept)
        flags = [c for c in table.columns if c.role == "flag" and len(c.words) == 1 and past(c.words[0])]
        yield from (Item(start + 1, "acts", c, 1) for c in flags if same_family(token.word, c.words[0]))
    following = table.columns if token.word.endswith(("al", "ment", "ation", "ion", "ure")) else ()
    yield from (Item(start + 1, "acted", value) for value in acted(token.word, following))
    agents = {form.removesuffix("e") + ending for form in base_forms(token.word) for ending in ("er", "or")}
    done = [c for c in table.columns if c.words[-1:] == ("by",) and related(token.word, c.words[0]) == 0]
    named = [c for c in table.columns if c.role == "text" and agents & set(c.words)]
    yield from (Item(start + 1, "agent", c) for c in (*named, *done))


def _row_nouns_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    token = tokens[start]
    money = is_money(token.word, table) and not counts_rows(tokens, start, table)
    if not past(token.word) and is_row_noun(token.word, table) and not money:
        named = any(said_by(token.word, c) and not in_units(token.word, c) for c in table.columns)
        own = is_own_noun(token.word, table)
        yield Item(
            start + 1, "rows", Rows(token.word), 3 if own and named else 0 if own else 4 if named else 1
        )
        if not named:
            yield Item(start + 1, "_rows", token.word)
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    whole = name_words(table.name)
    spelled = [other.word for other in tokens[start : start + len(whole)]]
    if len(whole) > 1 and len(spelled) == len(whole) and all(map(alike, spelled, whole)):
        yield Item(start + len(whole), "rows", Rows(ANY_ROW))
    if after and not base_forms(token.word + after).isdisjoint(table.nouns):
        yield Item(start + 2, "rows", Rows(token.word + after))


def _nouns_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield a word as a noun for rows, people or units, as the name of a flag, or as any other word."""
    token = tokens[start]
    if token.word.startswith(("un", "non")) and len(token.word) > 4:
        said = token.word.removeprefix("un").removeprefix("non")
        yield from (
            Item(start + 1, "notcol", c) for c in table.columns if c.role == "flag" and c.words == (said,)
        )
    if token.word in FAILED:
        succeeded = [
            c for c in table.columns if c.role == "flag" and len(c.words) == 1 and c.words[0] in SUCCEEDED
        ]
        yield from (Item(start + 1, "notcol", c) for c in succeeded)
    if any(
        len(c.words) > 1 and any(related(token.word, word) == 0 for word in c.words)
        for c in table.columns
        if c.measure
    ):
        if not is_counted(token.word, table):
            yield Item(start + 1, "part", token.word)
        yield Item(start + 1, "_part", token.word)
    yield from _row_nouns_at(tokens, start, table)
    if is_object(tokens, start, table):
        yield Item(start + 1, "rows", Rows(ANY_ROW))
    before = tokens[start - 1].word if start else ""
    whole = any(name_cost((before, token.word), c) in (0, 1, 2) for c in table.columns if len(c.words) > 1)
    if base_forms(token.word) & GENERIC_NOUNS and not whole:  # “customer ratings” are not customers
        yield Item(start + 1, "generic", token.word, 1)
        yield Item(start + 1, "_generic", token.word, 1)
    aged = any("age" in c.words and base_forms(token.word) & (set(c.words) - {"age"}) for c in table.columns)
    if aged or base_forms(token.word) & PEOPLE or token.word.rstrip("s").removesuffix("r") in table.nouns:
        yield Item(start + 1, "people", token.word)
        yield Item(start + 1, "_people", token.word)
    measured = _of_only_unit(token.word, table)
    if (len(token.word) > 2 or token.word in _SHORT_UNITS) and len(measured) == 1 and token.number is None:
        yield Item(start + 1, "unitcol", measured[0], 5)
    if token.word in UNITS and any(_of_unit(token.word, column) for column in table.columns):
        yield Item(start + 1, "unit", token.word)
    if token.quoted or (token.number is None and token.text[:1].isalnum()):
        yield Item(start + 1, "word", token.text)


def _of_only_unit(word: str, table: Table) -> list[Column]:
    """Return the columns that are measured in the unit that a word names; none if a column has that word as its name,
    such as `Year`.
    """
    named = any(c.words == (word,) for c in table.columns)
    return [c for c in table.columns if c.measure and c.unit and same_unit(word, c) and not named]


def _of_unit(word: str, column: Column) -> bool:
    return bool(column.unit) and same_unit(word, column)


def _verb_columns(token: Token, start: int, table: Table, counted: bool) -> Iterator[Item]:
    """Read “weigh” as a weight. A verb has several concepts; yield the columns of the first concept for which the table
    has columns."""
    if any(column.words == (token.word,) for column in table.columns):
        return  # “paid” is that flag, not a price
    concepts = next((VERBS[form] for form in base_forms(token.word) if form in VERBS), [])
    for concept in concepts:
        found = [
            c
            for c in table.columns
            if c.measure and any(related(concept, word) == 0 for word in (*c.words, *c.spelled))
        ]
        if counted and any(same_unit("$", c) for c in found):
            return  # “how many gave” does not ask for money
        if found:
            yield from (Item(start + 1, "col", column, 3 if past(token.word) else 1) for column in found)
            return
