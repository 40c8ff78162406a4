"""Reads a question about tables: returns its possible forms, or the words that could not be read."""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from typing import Any

from engine.models.offline.assembling import Assembling, able_to_ask, able_to_follow
from engine.models.offline.choosing import chosen, leaves_something_out
from engine.models.offline.correcting import correct
from engine.models.offline.files import tables_asked, tables_named
from engine.models.offline.followups import followed
from engine.models.offline.form import Form
from engine.models.offline.grammar import GRAMMAR
from engine.models.offline.items import Item
from engine.models.offline.joining import joined_once, not_joined, scopes
from engine.models.offline.lexer import items_of
from engine.models.offline.meanings import Part
from engine.models.offline.parser import Parse, Values, sequences
from engine.models.offline.plain_speech import asks_whether, order_in, refers_back, sentences_of
from engine.models.offline.reasons import kept_as_text, unknown_words
from engine.models.offline.schema import Table
from engine.models.offline.two_parts import asks_twice, in_parts
from engine.models.offline.words import Token, tokens_of
from engine.workspace.table_facts import TableProfile
from events.late_dataclass import dataclass

__all__ = ["Reading", "names_something", "understand"]

_NEVER = 10_000
_SLIP = 1_000
"""The additional cost of a reading in which a word was corrected to another word."""
_FRAGMENT = 3
"""A later question with at most this many words may be about the same rows as the previous one: “per head?”"""
_LONGEST = 60
"""The maximum number of words in a question. A longer text may contain a question, but it is not read."""
_MOST_CHOICES = 4
_NOTHING = frozenset(
    {"word", "rows", "_rows", "generic", "_generic", "people", "_people", "filler", "again", "grain", "_grain",
     "grainly", "ordinal", "adj", "_unit", "_done", "_grainly"}
)  # fmt: skip
"""Kinds of items that do not name anything in a table."""
_AGAIN = frozenset(
    {"and", "also", "what about", "how about", "now", "only", "just", "same", "but", "then", "instead"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a question: one form, several forms for the user to choose from, or no form and the words
    that were not understood.
    """

    forms: tuple[Form, ...] = ()
    unread: tuple[str, ...] = ()
    """Words that have no meaning here, as they were written."""
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were corrected, each with its correction."""
    known: bool = False
    """Whether each word has a meaning here, but all words together have none."""
    reason: str = ""
    """The reason why the question has no answer; empty if the only reason is unknown words."""
    table: str = ""
    remarks: tuple[str, ...] = ()
    """Sentences without a question or condition, which were ignored."""
    apart: tuple[str, ...] = ()
    """The questions that the text contains, if they can only be answered one by one."""
    scores: tuple[int, ...] = field(default=(), repr=False)


def understand(
    question: str, profiles: Sequence[TableProfile], previous: Form | None = None, *, first: bool = True
) -> Reading:
    """Read a question; `previous` is the form of the previous question, for follow-ups.

    A question that begins like a follow-up and is not the `first` of a chat is not read without `previous`.
    """
    words = [token.word for token in tokens_of(question)[:2]]
    if previous is None and not first and words and (words[0] in _AGAIN or " ".join(words) in _AGAIN):
        return Reading(unread=(words[0],))
    asked, named = tables_named(question, profiles)
    if len(named) == len(profiles):  # results of earlier calls must be asked about by name
        before = {previous.table, *(join.table for join in previous.joins)} if previous is not None else ()
        named = tables_asked(question, profiles, before)
    tables = scopes(tuple(named))
    found = _among(asked, tables, previous)
    asking, remarks = sentences_of(asked, lambda token: any(_names(token, table) for table in tables))
    if not asking or (found.forms and not asks_twice(asking)):
        return found
    corrected: list[tuple[str, str]] = []

    def read(text: str, before: Form | None) -> Form | None:
        reading = _among(text, tables, before)
        corrected.extend(reading.corrected)
        return reading.forms[0] if len(reading.forms) == 1 else None

    form, apart = in_parts(asking, read, tables, previous)
    if form is not None:
        return Reading((form,), corrected=tuple(dict.fromkeys(corrected)), table=form.table, remarks=remarks)
    if apart:
        return Reading(apart=apart, table=found.table)
    again = _among(" ".join(asking), tables, previous) if remarks and not found.forms else found
    return replace(again, remarks=remarks) if again is not found and again.forms else found


def names_something(word: str, profiles: Sequence[TableProfile]) -> bool:
    """Return whether a word refers to something in one of the tables, or to a time."""
    tables = scopes(tuple(profiles))
    return any(_names(token, table) for token in tokens_of(word) for table in tables)


def _names(token: Token, table: Table) -> bool:
    """Return whether a word refers to something in a table, or to a time."""
    return any(item.kind not in _NOTHING for item in items_of([token], table)[0])


def _among(asked: str, tables: Sequence[Table], previous: Form | None) -> Reading:
    """Read a question over the tables that fit it best, single tables before joins. Return several forms if several
    tables fit equally well.
    """
    best: list[tuple[int, Form]] = []
    failed: Reading | None = None
    for joined in (False, True):
        for table in (one for one in tables if bool(one.joins) == joined):
            reading = _read(asked, table, _before(previous, table))
            best += list(zip(reading.scores, reading.forms, strict=True))
            if failed is None or _less_unread(reading, failed) or reading.forms:
                failed = reading
        if any(score < _SLIP for score, _ in best) and not joined:
            better = _better_joined(asked, tables, previous, best)
            if (
                not better
                and (word := _left_to_a_join(asked, tables, {form.table for _, form in best})) is not None
            ):
                return Reading(unread=(word,), known=True, table=best[0][1].table)
            best += better
            break
    if not best:
        return failed or Reading()
    least = min(score for score, _ in best)
    forms = joined_once(tuple(dict.fromkeys(form for score, form in best if score == least)))
    of = {table.name: table.profile for table in tables}
    refused = {form: why for form in forms if (why := not_joined(of[form.table], form.joins))}
    if len(refused) == len(forms):
        return Reading(reason=refused[forms[0]], table=forms[0].table)
    forms = tuple(form for form in forms if form not in refused)
    corrected = failed.corrected if failed is not None else ()
    return Reading(forms[:_MOST_CHOICES], corrected=corrected, table=forms[0].table)


def _before(previous: Form | None, table: Table) -> Form | None:
    """Return the previous question's form as a form over `table`, for a follow-up; None if it is about other tables."""
    if previous is None or previous.table != table.name or not set(previous.joins) <= set(table.joins):
        return None
    return replace(previous, joins=table.joins)


def _less_unread(reading: Reading, other: Reading) -> bool:
    """Return whether a table fits a question better than another one, although neither can answer it."""
    return (len(reading.unread) + 2 * (not reading.known and not reading.reason)) < (
        len(other.unread) + 2 * (not other.known and not other.reason)
    )


def _better_joined(
    asked: str, tables: Sequence[Table], previous: Form | None, best: list[tuple[int, Form]]
) -> list[tuple[int, Form]]:
    """Return the readings over joined tables that are cheaper than the best reading of a single table, such as “donor
    type” if the single table only has `donor_id`.
    """
    tokens = tokens_of(asked)
    single = {table.name: items_of(tokens, table) for table in tables if not table.joins}
    least = min(score for score, _ in best)
    found: list[tuple[int, Form]] = []
    for table in (one for one in tables if one.joins):
        if not _names_more(items_of(tokens, table), single[table.name]):
            continue
        reading = _read(asked, table, _before(previous, table))
        found += [pair for pair in zip(reading.scores, reading.forms, strict=True) if pair[0] < least]
    return found


def _left_to_a_join(asked: str, tables: Sequence[Table], read: Collection[str]) -> str | None:
    """Return a word that is the whole name of a column, but only of a related table: “name of the agent”, beside
    `agent_id`.

    The readings of the tables in `read` leave this word out.
    """
    tokens = tokens_of(asked)
    single = [items_of(tokens, table) for table in tables if not table.joins and table.name in read]
    for table in (one for one in tables if one.joins and one.name in read):
        for column in table.columns:
            for place, token in enumerate(tokens):
                known = any(item.kind not in _NOTHING for items in single for item in items.get(place, ()))
                if token.word == column.profile.name.casefold() and not known:
                    return token.text
    return None


def _names_more(joined: dict[int, list[Item]], single: dict[int, list[Item]]) -> bool:
    """Whether a joined table names words that the single table does not name, or names them better."""
    known: dict[tuple[int, int], int] = {}
    for start, items in single.items():
        for item in (one for one in items if one.kind in ("col", "val")):
            known[start, item.end] = min(item.cost, known.get((start, item.end), _NEVER))
    return any(
        item.kind in ("col", "val") and item.cost < known.get((start, item.end), _NEVER)
        for start, items in joined.items()
        for item in items
    )


def _read(question: str, table: Table, previous: Form | None) -> Reading:
    tokens = tokens_of(question)
    if not tokens or len(tokens) > _LONGEST:
        return Reading(unread=(f"{len(tokens)} words",) if tokens else (), table=table.name)
    reading = _parsed(tuple(tokens), table, previous)
    if reading.forms:
        return reading
    repaired, changed = correct(tokens, table, GRAMMAR.words)
    if changed:
        again = _parsed(tuple(repaired), table, previous)
        if again.forms:
            return replace(again, corrected=changed, scores=tuple(score + _SLIP for score in again.scores))
    return reading


@lru_cache(maxsize=512)
def _parsed(tokens: tuple[Token, ...], table: Table, previous: Form | None) -> Reading:
    items = items_of(list(tokens), table)
    assembling = Assembling(table)

    def call(name: str, values: Values) -> Hashable:
        if name.startswith("'"):
            return name[1:]
        if name.startswith("part:"):
            kind, _, value = name[5:].partition("=")
            return Part(kind.replace("_", " "), value or None)
        if name.startswith("parted:"):
            return Part(name[7:].replace("_", " "), values[0])
        binary = name.startswith("binary")
        function = partial(assembling.joined, name[6:]) if binary else getattr(assembling, f"_{name}")
        made: Hashable = function(*values)
        return made

    if (order := order_in(tokens)) is not None:
        return Reading(
            table=table.name, reason=f"“{order.text}” asks to change something, but I only read data."
        )
    parse = Parse(GRAMMAR, list(tokens), items, call)
    again = tokens[0].word in _AGAIN or (len(tokens) > 1 and f"{tokens[0].word} {tokens[1].word}" in _AGAIN)
    found: dict[Form, int] = {}
    if not (again and previous is not None) and not (previous is not None and refers_back(tokens)):
        whether = asks_whether(tokens)
        found = _cheapest(parse, len(tokens), lambda parts: assembling.forms(parts, whether), able_to_ask)
        found = {f: cost for f, cost in found.items() if not leaves_something_out(f, table, tokens, items)}
    fragment = bool(found) and previous is not None and len(tokens) <= _FRAGMENT and bool(previous.filters)
    if (not found or fragment) and previous is not None:
        made = _following(previous, parse, len(tokens), assembling)
        made = {f: cost for f, cost in made.items() if not leaves_something_out(f, table, tokens, items)}
        found = made | (found if fragment else {})
    least = min(found.values(), default=0)
    forms = chosen(tuple(form for form, cost in found.items() if cost == least), table, tokens, items)
    if not forms:
        return _refused(tokens, items, parse, table)
    return Reading(forms, table=table.name, scores=(least,) * len(forms))


def _following(previous: Form, parse: Parse, length: int, assembling: Assembling) -> dict[Form, int]:
    """Return the forms that change the previous form. If some of them keep its kind of measure, return only these."""
    made = _cheapest(parse, length, lambda parts: followed(previous, parts, assembling), able_to_follow)
    said = [measure.aggregate for measure in previous.measures[:1]]
    alike = {f: cost for f, cost in made.items() if said and [m.aggregate for m in f.measures[:1]] == said}
    return alike or made


_Made = Callable[[tuple[Part, ...]], list[tuple[Form, int]]]


def _cheapest(parse: Parse, length: int, made: _Made, able: Callable[[Any], bool]) -> dict[Form, int]:
    """Return the forms of the cheapest sequences of phrases that have a meaning."""
    found: dict[Form, int] = {}
    least = _NEVER
    for parts, cost in sequences(parse, "piece", length, able):
        if cost > least:
            break
        for form, more in made(parts):  # type: ignore[arg-type]
            found[form] = min(cost + more, found.get(form, _NEVER))
            least = min(least, cost + more)
    return found


def _refused(tokens: tuple[Token, ...], items: dict[int, list[Item]], parse: Parse, table: Table) -> Reading:
    """Return a reading with no form but the unknown words, a reason, or the word at which the grammar stopped."""
    if unknown := unknown_words(tokens, items, GRAMMAR.words):
        return Reading(unread=unknown, table=table.name)
    if reason := kept_as_text(tokens, items, table):
        return Reading(table=table.name, reason=reason)
    place = min(parse.farthest, len(tokens) - 1)
    return Reading(unread=(tokens[place].text,), table=table.name, known=True)
