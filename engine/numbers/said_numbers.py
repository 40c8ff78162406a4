"""The numbers that the user wrote in questions. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from engine.numbers.fitting import fits
from engine.numbers.mention import Mention
from engine.numbers.mentions import find_mentions

__all__ = ["said_numbers", "was_said"]

_MOST_QUESTIONS = 50


def said_numbers(questions: Sequence[str]) -> list[Mention]:
    """Return the numbers in the last questions."""
    return [one for question in questions[-_MOST_QUESTIONS:] for one in _mentions_of(question)]


def was_said(mention: Mention, said: Sequence[Mention]) -> bool:
    """Return whether a number of an answer is a number that the user wrote."""
    return any(
        one.kind == mention.kind or {one.kind, mention.kind} <= {"number", "count", "plain"}
        for one in said
        if any(fits(reading.value, replace(mention, hedge="")) for reading in one.readings)
    )


@lru_cache(maxsize=256)
def _mentions_of(question: str) -> list[Mention]:
    return find_mentions(question)
