"""Reads a model's review of the numbers of an answer (TIM-11). Pure."""

import re
from collections.abc import Sequence
from typing import get_args

from engine.numbers.reviewed_number import ReviewedNumber, Verdict
from engine.numbers.traced_number import TracedNumber

__all__ = ["read_review"]

_LINE = re.compile(
    r"\s*(?:[-*•]\s*)?\[?(?P<index>\d{1,4})\]?\s*(?:[.:)]\s*)?[*_`]*(?P<verdict>right|label|wrong|unknown)\b[*_`]*"
    r"\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_LONGEST, _LONGEST_LINE, _MOST_LINES = 2_000, 2_500, 2_000
_VERDICTS: dict[str, Verdict] = {one: one for one in get_args(Verdict)}


def read_review(reply: str, traced: Sequence[TracedNumber]) -> tuple[ReviewedNumber, ...]:
    """Return the verdicts in a model's reply, in the order of the numbers. `traced` are the numbers of the request.

    Lines that name no number or give no verdict are left out. If the reply has several lines for one number, the last
    one counts.
    """
    found: dict[int, ReviewedNumber] = {}
    for line in reply.splitlines()[:_MOST_LINES]:
        read = _LINE.match(line[:_LONGEST_LINE])
        if read is None or not 1 <= int(read["index"]) <= len(traced):
            continue
        mention = traced[int(read["index"]) - 1].mention
        verdict, rest = _VERDICTS[read["verdict"].lower()], read["rest"].strip()
        source = rest.lstrip("= ")[:_LONGEST] if verdict == "right" and rest.startswith("=") else ""
        reason = rest.lstrip(":–—-, ")[:_LONGEST] if verdict == "wrong" else ""
        found[mention.start] = ReviewedNumber(mention.start, mention.text, verdict, source, reason)
    return tuple(found[at] for at in sorted(found))
