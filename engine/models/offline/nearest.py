"""Finds readings of an unanswerable question that ignore a few of its words. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence

from engine.models.offline.form import Form
from engine.models.offline.understand import Reading, names_something, understand
from engine.models.offline.vocabulary import words
from engine.models.offline.words import tokens_of
from engine.workspace.table_facts import TableProfile
from events.late_dataclass import dataclass

__all__ = ["Nearest", "nearest"]

_LONGEST = 4
"""The maximum number of neighbouring words that are left out."""
_MOST_TRIED = 40
"""The maximum number of shorter questions that are read."""
_KEPT = words("conditions") | words("computing words") | words("not left out") | words("verbs of ends")
"""Words that are not left out, because without them the question would say the opposite or ask for another number."""
_BEFORE = frozenset(
    {"in", "at", "on", "of", "to", "by", "for", "from", "with", "the", "a", "an", "and", "that"}
)
"""Words that are left out together with the word after them."""
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class Nearest:
    """The form of a question that can be answered, and the words that it leaves out."""

    form: Form
    left_out: str
    """The words as they were written."""


def nearest(
    question: str, reading: Reading, tables: Sequence[TableProfile], most: int = 2
) -> tuple[Nearest, ...]:
    """Return up to `most` answerable questions that lack a few words of a declined question, the nearest first.

    Numbers, negations, comparisons and words that compute are never left out. Words that name something in a table are
    left out only if nothing else helps.
    """
    said = question.split()
    if not 3 <= len(said) <= 60 or reading.reason:
        return ()
    scope = (
        list(tables)
        if len(tables) <= 2
        else [t for t in tables if t.name == reading.table] or list(tables)[:1]
    )
    unread = () if reading.known else tuple(word.lower() for word in reading.unread)
    found: dict[Form, str] = {}
    for left_out, rest, names in _shorter(said, unread, lambda word: names_something(word, scope)):
        if names and found:
            break
        forms = understand(rest, scope).forms
        if len(forms) == 1 and forms[0].show not in ("columns", "missing"):
            found.setdefault(forms[0], left_out)
        if len(found) == most:
            break
    return tuple(Nearest(form, left_out) for form, left_out in found.items())


def _shorter(
    said: Sequence[str], unread: Sequence[str], names: Callable[[str], bool]
) -> Iterator[tuple[str, str, bool]]:
    """Yield the omitted words, the remaining words, and whether the omitted ones name something; the likeliest
    first.
    """
    plain = [_bare(word) for word in said]
    named = [names(word) for word in plain]
    kept = [bool(re.search(r"\d", word)) or bool({t.word for t in tokens_of(word)} & _KEPT) for word in plain]
    needed = {n for n, word in enumerate(plain) if any(one in word for one in unread)}
    tried = [frozenset(range(start, start + size))
             for size in range(1, _LONGEST + 1) for start in range(len(said) - size + 1)]  # fmt: skip
    grown = frozenset(n for at in needed for n in _with_words_before(at, plain))
    if needed:
        tried = [frozenset(needed), grown, *(one for one in tried if needed <= one)]
    able = [
        one for one in dict.fromkeys(tried) if not any(kept[n] for n in one) and 2 * len(one) <= len(said)
    ]
    able.sort(
        key=lambda one: (any(named[n] for n in one), one != grown, len(one) + 2 * sum(named[n] for n in one))
    )
    for one in able[:_MOST_TRIED]:
        left_out = " … ".join(_runs(sorted(one), said))
        rest = " ".join(word for n, word in enumerate(said) if n not in one)
        yield left_out, rest, any(named[n] for n in one)


def _bare(word: str) -> str:
    return word.lower().strip("?!.,;:()“”\"'")


def _with_words_before(at: int, plain: Sequence[str]) -> list[int]:
    """Return the positions of a word, of the preposition before it, and of the words between these two."""
    start = at
    while start > 0 and plain[start - 1] in _BEFORE:
        start -= 1
    while start < at and plain[start] in _ARTICLES:
        start += 1
    return list(range(start, at + 1))


def _runs(places: Sequence[int], said: Sequence[str]) -> Iterator[str]:
    """Yield each run of neighbouring words in `places` as it was written, without punctuation at its ends."""
    run: list[str] = []
    for n, place in enumerate(places):
        run.append(said[place])
        if n + 1 == len(places) or places[n + 1] != place + 1:
            yield " ".join(run).strip("?!.,;:")
            run = []
