"""Finds ranks in words ("the third most important"), which need no source but may be wrong. Pure."""

import re
from collections.abc import Sequence

from engine.numbers.digits import Reading
from engine.numbers.mention import Mention
from engine.numbers.traced_number import TracedNumber

__all__ = ["with_ranks"]

_WORDS = "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_RANKS = {word: rank for rank, word in enumerate(_WORDS.split(), 2)}
_RANK = re.compile(
    rf"(?<!\ba )(?<!\bper )(?<!every )(?<!each )(?<!other )(?<!/)\b(?:{'|'.join(_RANKS)})\b(?!,)",
    re.IGNORECASE,
)
"""Does not match "a second shop" and "per second"."""


def with_ranks(answer: str, traced: Sequence[TracedNumber]) -> list[TracedNumber]:
    """Return the numbers of an answer and the ranks between them, in text order. Ranks are `plain`."""
    taken = [(one.mention.start, one.mention.end) for one in traced]
    ranks = [
        TracedNumber(_mention(found), "plain")
        for found in _RANK.finditer(answer)
        if not any(start < found.end() and found.start() < end for start, end in taken)
    ]
    return sorted([*traced, *ranks], key=lambda one: one.mention.start)


def _mention(found: re.Match[str]) -> Mention:
    rank = float(_RANKS[found[0].lower()])
    return Mention(found.start(), found.end(), found[0], "plain", (Reading(rank, 0.0),))
