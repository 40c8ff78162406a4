"""Reads a question over tables: the forms that it can mean, or the words that could not be read."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from engine.models.offline.assembling import Assembling, able_to_ask, able_to_follow
from engine.models.offline.correcting import correct
from engine.models.offline.files import tables_named
from engine.models.offline.followups import followed
from engine.models.offline.form import Form
from engine.models.offline.grammar import GRAMMAR
from engine.models.offline.joining import scopes
from engine.models.offline.lexer import items_of
from engine.models.offline.meanings import Part
from engine.models.offline.one_time import of_one_time
from engine.models.offline.parser import Parse, Values, sequences
from engine.models.offline.plain_speech import asks_whether, order_in, refers_back, sentences_of
from engine.models.offline.schema import Table
from engine.models.offline.words import Token, base_forms, tokens_of
from engine.workspace.table_facts import TableProfile

__all__ = ["Reading", "understand"]

_RESULTS = "results/"
_NEVER = 10_000
_SLIP = 1_000
"""What a reading costs that took a word for another."""
_ASKED, _FOLLOWED = able_to_ask, able_to_follow
_FRAGMENT = 3
"""Words of a later question up to which it may be about the same rows as the question before: “per head?”"""
_LONGEST = 60
"""Words of a question. Longer ones are texts with a question in them, which are not read."""
_MOST_CHOICES = 4
_NOTHING = frozenset(
    {"word", "rows", "_rows", "generic", "_generic", "people", "_people", "filler", "again", "grain", "_grain",
     "grainly", "ordinal", "adj", "_unit", "_done"}
)  # fmt: skip
"""Kinds of items that name nothing in particular."""
_AGAIN = frozenset(
    {"and", "also", "what about", "how about", "now", "only", "just", "same", "but", "then", "instead"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question means: one form; or several of which the user must choose; or none, with the words at fault."""

    forms: tuple[Form, ...] = ()
    unread: tuple[str, ...] = ()
    """Words that have no meaning here, as they were written."""
    corrected: tuple[tuple[str, str], ...] = ()
    """Words that were read as others."""
    table: str = ""
    remarks: tuple[str, ...] = ()
    """Sentences that ask nothing and set no condition, which were left out."""
    scores: tuple[int, ...] = field(default=(), repr=False)


def understand(
    question: str, profiles: Sequence[TableProfile], previous: Form | None = None, *, first: bool = True
) -> Reading:
    """Read a question; `previous` is the form of the question before, for follow-ups.

    A question that is not the `first` one of a chat and begins as a follow-up is not read without `previous`.
    """
    words = [token.word for token in tokens_of(question)[:2]]
    if previous is None and not first and words and (words[0] in _AGAIN or " ".join(words) in _AGAIN):
        return Reading(unread=(words[0],))
    asked, named = tables_named(question, profiles)
    if len(named) == len(profiles):  # the results of earlier calls are asked only by their names
        named = [profile for profile in profiles if not profile.path.startswith(_RESULTS)] or list(profiles)
    tables = scopes(tuple(named))
    found = _among(asked, tables, previous)
    if found.forms:
        return found
    asking, remarks = sentences_of(asked, lambda token: any(_names(token, table) for table in tables))
    if not remarks or not asking:
        return found
    again = _among(" ".join(asking), tables, previous)
    return replace(again, remarks=remarks) if again.forms else found


def _names(token: Token, table: Table) -> bool:
    """Return whether a word names something in a table, or a time."""
    return any(item.kind not in _NOTHING for item in items_of([token], table)[0])


def _among(asked: str, tables: Sequence[Table], previous: Form | None) -> Reading:
    """Read a question over the first of `tables` and joins that it fits; several if it fits as well."""
    best: list[tuple[int, Form]] = []
    failed: Reading | None = None
    for joined in (False, True):
        for table in (one for one in tables if bool(one.joins) == joined):
            reading = _read(asked, table, previous if previous and previous.table == table.name else None)
            best += list(zip(reading.scores, reading.forms, strict=True))
            if failed is None or len(reading.unread) < len(failed.unread) or reading.forms:
                failed = reading
        if any(score < _SLIP for score, _ in best):
            break
    if not best:
        return failed or Reading()
    least = min(score for score, _ in best)
    forms = _joined_once(tuple(dict.fromkeys(form for score, form in best if score == least)))
    corrected = failed.corrected if failed is not None else ()
    return Reading(forms[:_MOST_CHOICES], (), corrected, forms[0].table)


def _joined_once(forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """Of the same tables joined in both directions, keep the one whose own columns are measured."""
    kept: dict[object, Form] = {}
    for form in forms:
        if not form.joins:
            kept[form] = form
            continue
        tables = frozenset((form.table, *(join.table for join in form.joins)))
        own = [measure.of is not None and not measure.of.table for measure in form.measures]
        if tables not in kept or all(own):
            kept[tables] = form
    return tuple(kept.values())


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
        if name.startswith("chart:"):
            return Part("chart", name[6:])
        function = getattr(assembling, f"_{name}")
        made: Hashable = function(*values)
        return made

    if (order := order_in(tokens)) is not None:
        return Reading(unread=(order.text,), table=table.name)
    parse = Parse(GRAMMAR, list(tokens), items, call)
    again = tokens[0].word in _AGAIN or (len(tokens) > 1 and f"{tokens[0].word} {tokens[1].word}" in _AGAIN)
    found: dict[Form, int] = {}
    if not (again and previous is not None) and not (previous is not None and refers_back(tokens)):
        whether = asks_whether(tokens)
        found = _cheapest(parse, len(tokens), lambda parts: assembling.forms(parts, whether), _ASKED)
    fragment = bool(found) and previous is not None and len(tokens) <= _FRAGMENT and bool(previous.filters)
    if (not found or fragment) and previous is not None:
        whole = found if fragment else {}
        made = _cheapest(parse, len(tokens), lambda parts: followed(previous, parts, assembling), _FOLLOWED)
        said = [measure.aggregate for measure in previous.measures[:1]]
        alike = {
            f: cost for f, cost in made.items() if said and [m.aggregate for m in f.measures[:1]] == said
        }
        found = {**(alike or made), **whole}
    if not found:
        return Reading(unread=_unread(tokens, items, parse), table=table.name)
    least = min(found.values())
    forms = of_one_time(tuple(form for form, cost in found.items() if cost == least), table)
    return Reading(forms, table=table.name, scores=(least,) * len(forms))


_Made = Callable[[tuple[Part, ...]], list[tuple[Form, int]]]


def _cheapest(parse: Parse, length: int, made: _Made, able: Callable[[Any], bool]) -> dict[Form, int]:
    """Return the forms of the cheapest sequences of phrases that mean anything."""
    found: dict[Form, int] = {}
    least = _NEVER
    for parts, cost in sequences(parse, "piece", length, able):
        if cost > least:
            break
        for form, more in made(parts):  # type: ignore[arg-type]
            found[form] = min(cost + more, found.get(form, _NEVER))
            least = min(least, cost + more)
    return found


def _unread(tokens: tuple[Token, ...], items: object, parse: Parse) -> tuple[str, ...]:
    """The words that mean nothing here; if all mean something, the one where reading stopped."""
    assert isinstance(items, dict)
    covered = set()
    for start, found in items.items():
        for item in found:
            if item.kind != "word":
                covered |= set(range(start, item.end))
    unknown = [
        token.text for place, token in enumerate(tokens)
        if place not in covered and token.word[:1].isalnum() and not base_forms(token.word) & GRAMMAR.words
    ]  # fmt: skip
    if unknown:
        return tuple(unknown)
    place = min(parse.farthest, len(tokens) - 1)
    return (tokens[place].text,)
