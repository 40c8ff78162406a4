"""Numbers with the unit of the next number ("between 17.8 and 26.3 °C") or the scale of a header ("2023 (M)")."""

import re
from dataclasses import replace

from engine.numbers.digits import Reading
from engine.numbers.mention import Mention
from engine.numbers.units import SCALES

__all__ = ["in_scale_of", "with_shared_units"]


_JOINED = re.compile(r"[*_`]*(?:\s?(?:and|to|or|through|[–-])\s?|—)[*_`]*")
"""The text between two numbers that share a unit. A dash between spaces begins another clause: "on 27 — 10 points
behind".
"""


_MOST_PERCENT = 1_000
"""A number of at least this size does not share the percent sign of the next number: "by 13,835 or 7.9%"."""


def with_shared_units(text: str, found: list[Mention]) -> list[Mention]:
    """Apply the unit after the second of two numbers to both: "between 17.8 and 26.3 °C", "10–20%"."""
    for at in range(len(found) - 2, -1, -1):
        one, other = found[at], found[at + 1]
        if one.kind != "number" or one.unit or not _JOINED.fullmatch(text[one.end : other.start]):
            continue
        if (
            other.kind in ("percent", "points")
            and abs(one.value) < _MOST_PERCENT
            and (text[one.end : other.start].strip(" *_`") != "and" or _BETWEEN.search(text, 0, one.start))
        ):
            found[at] = replace(one, kind=other.kind)
        elif other.kind == "number" and other.unit:
            found[at] = replace(one, unit=other.unit, readings=(*one.readings, *_scaled_alike(one, other)))
    return found


def in_scale_of(label: str, one: Mention) -> Mention:
    """Add readings to a number of a Markdown table: the number in the scale that its header or row label states
    ("Revenue (€M)", "Users, in thousands"). The readings without the scale are kept.
    """
    scale = _SCALE_OF_LABEL.search(label)
    if scale is None or one.kind != "number" or len({reading.value for reading in one.readings}) > 1:
        return one
    by = SCALES[(scale["money"] or scale["short"] or scale["long"]).casefold().rstrip(".")]
    return replace(one, readings=(*one.readings, *(Reading(r.value * by, r.step * by) for r in one.readings)))


_SCALE_OF_LABEL = re.compile(
    r"""[(\[,]\s*(?:in\s)?(?:
        (?:[€$£¥₹]|[A-Z]{3}\b)\s?(?P<money>[km]|mn|bn)\b   # €m
        |(?:[€$£¥₹]|[A-Z]{3}\b)?\s?(?P<short>K|M|Mn|Mio|Bn|B)\b
        |(?:[€$£¥₹]|[A-Z]{3}\b)?\s?(?P<long>thousands?|millions?|billions?)\b
    )""",
    re.VERBOSE,
)


def _scaled_alike(one: Mention, other: Mention) -> list[Reading]:
    """Return the readings of a number in the scale of the next number: "from 88.0 to 119.9 thousand euros"."""
    scale = _SCALE_BEHIND.search(other.text)
    by = SCALES[scale[1].casefold()] if scale else 1.0
    return [] if by == 1.0 else [Reading(reading.value * by, reading.step * by) for reading in one.readings]


_SCALE_BEHIND = re.compile(r"\d\s?(thousand|million|billion|trillion|k|m|mn|bn)$", re.IGNORECASE)


_BETWEEN = re.compile(r"\bbetween\s[*_`]*$|\bfrom\s[*_`]*$")
