"""Finds the sentence, clause or table cell that contains each number in a text."""

from collections.abc import Sequence
from dataclasses import replace

from engine.numbers.digits import Reading
from engine.numbers.mention import Mention
from engine.numbers.passages import Passage, passages
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.shared_units import in_scale_of
from engine.numbers.words import forms, text_words

__all__ = ["places_of"]


def places_of(text: Text, mentions: Sequence[Mention]) -> list[Place]:
    """Return the numbers in a text in their order, each with its passage."""
    spans = passages(text.text)
    by_passage: dict[int, list[Mention]] = {}
    at = 0
    for mention in mentions:
        while at < len(spans) - 1 and spans[at].end <= mention.start:
            at += 1
        by_passage.setdefault(at, []).append(mention)
    return [place for at, here in by_passage.items() for place in _of_passage(text, spans[at], here)]


def _of_passage(text: Text, passage: Passage, here: Sequence[Mention]) -> list[Place]:
    labels = " | ".join(text.text[start:end] for start, end in passage.cells)
    here = [_as_loss(labels, in_scale_of(labels, one)) for one in here] if labels else here
    quantities = tuple(one for one in here if one.kind != "plain")
    at = {id(one): place for place, one in enumerate(quantities)}
    around = passage.cells or ((passage.start, passage.end),)
    words = text.words_in(around)
    return [
        Place(
            one,
            passage,
            at.get(id(one), 0),
            quantities or (one,),
            words,
            words if passage.cells else text.words_in([passage.clause(one.start)]),
            words if passage.cells else _clause_words(text, passage, one),
        )
        for one in here
    ]


def _as_loss(labels: str, one: Mention) -> Mention:
    """Allow a negative number in a Markdown table to match a positive cell if its labels name a loss: "Churn | −5,210"
    for a cell with 5,210.
    """
    said = {word.form for word in text_words(labels)}
    if not one.signed or one.value >= 0 or one.kind != "number" or not said & _LOSSES or said & _CHANGES:
        return one
    return replace(
        one, signed=False, bracketed=True, readings=tuple(Reading(abs(r.value), r.step) for r in one.readings)
    )


_CHANGES = forms("change growth difference vs versus return delta gain")
_LOSSES = forms(
    "churn churned lost loss lose cost expense outflow refund refunded discount deduction reduction fee"
    " tax contraction withdrawal withdrawn cancelled cancellation leaver"
)


def _clause_words(text: Text, passage: Passage, mention: Mention) -> frozenset[str]:
    clause = passage.clause(mention.start)
    at = passage.clauses.index(clause)
    spans = passage.nearest(mention.start)
    if mention.bracketed:  # "the fastest (226.3) beat the average": what is said before it
        spans = [(start, min(end, mention.end)) for start, end in spans if start < mention.end]
    words = text.words_in(spans)
    if at and sum(word.isalpha() and len(word) > 1 for word in words) < 4:
        words |= text.words_in([passage.clauses[at - 1]])
    return words
