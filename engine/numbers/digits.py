"""Parses numbers. Points and commas can mark decimals or thousands, depending on the language."""

import re

from events.late_dataclass import dataclass

__all__ = ["Reading", "readings_of", "significant_digits"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the digits."""

    value: float
    step: float
    """The value of one unit in the last digit that is written: 0.1 for 12.5, 100 million for 1.2bn."""


def readings_of(digits: str) -> tuple[Reading, ...]:
    """Return the numbers that these digits can mean, the most likely first."""
    plain = re.sub(r"[’'\u00a0\u202f\u2009 ]", "", digits)
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return (_reading(plain, ""),)
    last = plain.rindex(marks[-1])
    whole, rest = re.sub(r"[.,]", "", plain[:last]), plain[last + 1 :]
    if len(set(marks)) == 2:  # "1.234,5": the last mark is the decimal mark
        return (_reading(whole, rest),)
    if len(marks) > 1:
        return (_reading(whole + rest, ""),)
    grouped = len(rest) == 3 and 0 < len(whole) <= 3 and whole.lstrip("0") != "" and plain == digits
    if not grouped:
        return (_reading(whole or "0", rest),)
    both = (_reading(whole + rest, ""), _reading(whole, rest))
    return both if marks[0] == "," else both[::-1]


def _reading(whole: str, rest: str) -> Reading:
    return Reading(float(f"{whole or 0}.{rest or 0}"), 10.0 ** -len(rest))


def significant_digits(digits: str) -> int:
    """Return the number of significant digits, without leading zeros and without trailing zeros of an integer."""
    bare = re.sub(r"\D", "", digits).lstrip("0")
    return len(bare if re.search(r"[.,]\d{1,2}$", digits) else bare.rstrip("0"))
