"""Numbers written as words: "three", "a third", "twice", "none"."""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

__all__ = ["CARDINALS", "word_numbers"]

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
CARDINALS: Mapping[str, int] = {word: value for value, word in enumerate(_UNITS.split())} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_PARTS: Mapping[str, int] = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "tenth": 10,
}  # fmt: skip
_TIMES: Mapping[str, float] = {
    "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "doubling": 2, "thrice": 3, "triple": 3, "tripled": 3,
    "triples": 3, "quadruple": 4, "quadrupled": 4, "twofold": 2, "threefold": 3, "fourfold": 4, "fivefold": 5,
    "tenfold": 10, "halved": 0.5, "halving": 0.5, "halves": 0.5,
}  # fmt: skip

Kind = Literal["count", "part", "times", "none", "percent", "points"]


class WordNumber(NamedTuple):
    """A number in words, with its position and kind: a count, a part of something, a multiple, or none."""

    start: int
    end: int
    value: float
    kind: Kind


_CARDINAL = "|".join(CARDINALS)
_PART = "|".join(_PARTS)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_FOUND = re.compile(
    rf"""\b(?:
      (?P<whole>{_CARDINAL})\sand\sa\s(?P<plus>half|quarter|third)\b
     |(?P<few>{_CARDINAL})\s(?:in|out\sof)\s(?:every\s)?(?P<many>{_CARDINAL})\b
     |(?P<over>(?:{_CARDINAL}|an?|one))[-\s](?P<part>{_PART})s?\b(?!\s+(?:quarter|row|place|largest|highest|lowest|
        of\s+(?:january|february|march|april|may|june|july|august|september|october|november|december)))
     |(?P<again>half\s(?:as\smuch\s|as\smany\s)?again)\b
     |half\s(?:an?|of\sa)\s(?:percentage\s)?(?P<small>percent|per\scent|point)\b
     |(?<!first\s)(?<!second\s)(?<!latter\s)(?P<half>half)\b(?![-\s]+(?:years?|yearly|hours?|time|of\s+the\s+year)\b)
     |(?!twice[,.;])(?<!first\s)(?<!second\s)(?<!both\s)(?P<times>{"|".join(_TIMES)})\b
     |(?P<tens>{_TENS})-(?P<ones>one|two|three|four|five|six|seven|eight|nine)\b
     |(?P<count>{_CARDINAL})(?:\s+(?P<scale>hundred|thousand|million|billion))?\b
     |(?:an?)\s+(?P<lone>hundred|thousand|million|billion|dozen)\b
     |(?P<none>none|neither|nobody)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SCALE = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}


def word_numbers(text: str) -> list[WordNumber]:
    """Return the numbers in words in text order. Ordinals ("the third quarter") do not count."""
    found = []
    for match in _FOUND.finditer(text):
        groups = {name: given.lower() for name, given in match.groupdict().items() if given}
        if number := _read(groups):
            found.append(WordNumber(match.start(), match.end(), *number))
    return found


def _read(groups: Mapping[str, str]) -> tuple[float, Kind] | None:
    if whole := groups.get("whole"):
        return CARDINALS[whole] + 1 / _PARTS[groups["plus"]], "count"
    if few := groups.get("few"):
        some, of = CARDINALS[few], CARDINALS[groups["many"]]
        return (some / of, "part") if 0 < some < of else None
    if part := groups.get("part"):
        over = CARDINALS.get(groups["over"], 1)
        if part == "quarter" and over not in (1, 3):  # "two quarters" are half a year
            return None
        return (over / _PARTS[part], "part") if over < _PARTS[part] else None
    if "half" in groups:
        return 0.5, "part"
    if "again" in groups:
        return 1.5, "times"
    if small := groups.get("small"):
        return 0.5, "points" if small == "point" else "percent"
    if times := groups.get("times"):
        return float(_TIMES[times]), "times"
    if tens := groups.get("tens"):
        return float(CARDINALS[tens] + CARDINALS[groups["ones"]]), "count"
    if lone := groups.get("lone"):
        return _SCALE[lone], "count"
    if "none" in groups:
        return 0.0, "none"
    return CARDINALS[groups["count"]] * _SCALE.get(groups.get("scale", ""), 1.0), "count"
