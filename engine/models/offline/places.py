"""States of the USA and their codes: tables mostly hold the one, questions the other."""

from collections.abc import Sequence
from typing import Final

__all__ = ["STATES", "is_states"]

_SOURCE: Final = """
AL alabama | AK alaska | AZ arizona | AR arkansas | CA california | CO colorado | CT connecticut | DE delaware
| FL florida | GA georgia | HI hawaii | ID idaho | IL illinois | IN indiana | IA iowa | KS kansas | KY kentucky
| LA louisiana | ME maine | MD maryland | MA massachusetts | MI michigan | MN minnesota | MS mississippi
| MO missouri | MT montana | NE nebraska | NV nevada | NH new hampshire | NJ new jersey | NM new mexico | NY new york
| NC north carolina | ND north dakota | OH ohio | OK oklahoma | OR oregon | PA pennsylvania | RI rhode island
| SC south carolina | SD south dakota | TN tennessee | TX texas | UT utah | VT vermont | VA virginia | WA washington
| WV west virginia | WI wisconsin | WY wyoming | DC district of columbia
"""
STATES: Final = {
    tuple(name.split()): code.lower()
    for code, name in (entry.strip().split(" ", 1) for entry in _SOURCE.replace("\n", " ").split("|"))
}
"""Words of a state's name → its code, in small letters."""
_CODES: Final = frozenset(code.upper() for code in STATES.values())
_FEWEST = 8


def is_states(values: Sequence[str]) -> bool:
    """Whether nearly all values are codes of states."""
    known = sum(value in _CODES for value in values)
    return known >= _FEWEST and known >= 0.85 * len(values)
