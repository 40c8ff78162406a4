"""The unit of a column, from its name or the title of its result: `price_eur`, "Sales (thousand EUR)"."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from engine.numbers.units import SCALES, Unit, unit_word
from engine.numbers.words import name_pieces, written

__all__ = ["ColumnUnit", "per_unit", "unit_of_column", "unit_of_title"]


class ColumnUnit(NamedTuple):
    """The unit of a column: `cost_k_eur_kg` is in thousands of euros per kilogram."""

    unit: Unit | None = None
    scale: float = 1.0
    per: Unit | None = None


_NAME_SCALES: Mapping[str, float] = {
    "k": 1e3, "thousand": 1e3, "thousands": 1e3, "tsd": 1e3,
    "mn": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6,
    "bn": 1e9, "billion": 1e9, "billions": 1e9, "mrd": 1e9,
}  # fmt: skip
_LENGTHS = written(
    "length height width depth distance climb ascent altitude elevation radius diameter perimeter run dive level"
    " wave long high wide deep size step gap visibility area"
)
"""If a name contains one of these words, a later `_m` means metres, otherwise millions."""
_SPEEDS = written("wind gust speed velocity")
"""If a name contains one of these words, a later `_ms` means metres per second, otherwise milliseconds."""
_WARM = written(
    "temp temps temperature tmax tmin air water oven heat dew point outdoor indoor core deg degree body ambient room"
    " fridge freezer soil sea surface high low max min mean avg average feels day night peak target set reading"
)
"""If a name contains one of these words, `_c` and `_f` at its end mean degrees."""
_OF_PERIOD = re.compile(
    r"(?:19|20)\d\d|[qh][1-4]|fy\d{2,4}|prev|previous|last|prior|now|current|cur|ly|ty|py|cy"
)
_SCALED_MONEY = re.compile(r"(k|t|m|mn|mio|mm|b|bn)(usd|eur|gbp|chf|jpy|inr)")


@lru_cache(maxsize=5_000)
def unit_of_column(name: str) -> ColumnUnit:
    """Return the unit in the name of a column, or in the name of the column that a row describes."""
    pieces = name_pieces(name)
    while len(pieces) > 2 and _OF_PERIOD.fullmatch(pieces[-1]):
        pieces = pieces[:-1]  # `value_k_eur_2024`
    scale, found = 1.0, list[Unit]()
    if len(pieces) == 1 and len(pieces[0]) > 1:
        return ColumnUnit(_of_name(pieces[0]))
    for at in range(len(pieces) - 1, 0, -1):
        piece, last = pieces[at], at == len(pieces) - 1
        joined = _SCALED_MONEY.fullmatch(piece)
        if joined is not None:
            scale = 1e3 if joined[1] == "t" else SCALES[joined[1]]
            found.insert(0, unit_word(joined[2]) or ("money", 1.0))
        elif piece == "m" and not set(pieces[:at]) & _LENGTHS:
            scale = 1e6
        elif piece == "t":
            found.insert(0, ("mass", 1e6))
        elif piece == "ms" and set(pieces[:at]) & _SPEEDS:
            found.insert(0, ("speed", 3.6))
        elif piece == "k" and last and pieces[0].startswith("temp"):
            found.insert(0, ("temperature K", 1.0))
        elif piece in _NAME_SCALES:
            scale = _NAME_SCALES[piece]
        elif piece in ("c", "f") and last and not set(pieces[:at]) & _WARM:
            continue  # `team_c`
        elif pieces[at - 1] in ("of", "after", "off"):
            continue  # `out_of_hours`
        elif (unit := _of_name("°" + piece if last and piece in ("c", "f") else piece)) is not None:
            found.insert(0, unit)
        elif piece == "per" and found:
            rest = unit_of_column("_".join(pieces[:at]))
            return rest._replace(scale=scale * rest.scale, per=found[0])
        elif found and "per" in pieces[1:at]:
            continue  # `cent_per_grid_kwh`
        else:
            return _put_together(_with_money(pieces[:at], found), scale)
    return _put_together(found, scale)


_PERIODS = frozenset(["second", "minute", "hour", "day", "week", "year"])


def _of_name(piece: str) -> Unit | None:
    """Return the unit that a word of a name means. A single period, as in `this_week`, is not a unit."""
    return None if piece in _PERIODS else unit_word(piece)


def _with_money(before: tuple[str, ...], found: list[Unit]) -> list[Unit]:
    """Add currencies from anywhere in a name: `usd_revenue`, `revenue_eur_q1`."""
    named = [unit for piece in before[1:] if (unit := unit_word(piece)) and unit[0].startswith("money")]
    return [*named, *found]


def _put_together(found: list[Unit], scale: float) -> ColumnUnit:
    """Return the unit of a column: its currency or, if it has none, its first unit. Another unit divides it, as in
    euros per kilogram."""
    if not found:
        return ColumnUnit(None, scale)
    money = next((unit for unit in found if unit[0].startswith("money")), None)
    first = money or found[0]
    others = [unit for unit in found if unit is not first and unit[0] != first[0]]
    return ColumnUnit(first, scale, others[0] if others else None)


_TOLD = re.compile(
    r"\(([^()]{1,30})\)|,\s([^,()]{1,30})$"
    r"|\bin\s((?:thousands?|millions?|billions?)(?:\sof\s\w+|\s[A-Z€$£]{1,3})?)\b"
)
_SMALL = frozenset({"in", "of", "all", "figures", "values", "amounts"})


_RAISED = re.compile(r"(?:m|t)[23²³]$")
"""The end of a unit such as m³ or ft², which is not converted. The "m" of "m³" does not mean million."""


def unit_of_title(title: str) -> ColumnUnit:
    """Return the unit in brackets or at the end of a title; "Revenue, H1" has none. The unit applies to columns without
    a unit in their names.
    """
    for found in _TOLD.finditer(title):
        told = found[1] or found[2] or found[3]
        over, _, under = re.sub(r"\s+per\s+", "/", told.casefold()).partition("/")
        one, others = _unit_of_words(over)
        if others <= bool(_IN_THINGS.match(told)) and (one.unit or one.scale != 1.0):
            return one._replace(per=_unit_of_words(under)[0].unit)
    return ColumnUnit()


def _unit_of_words(told: str) -> tuple[ColumnUnit, int]:
    """Return the unit in some words, and the number of words that are not part of a unit."""
    unit, scale, others = None, 1.0, 0
    for word in re.findall(r"[^\W_]+|[€$£%°]", told):
        if word.isdecimal():
            continue
        if _of_name(word) is None and _RAISED.search(word):
            continue
        joined = _SCALED_MONEY.fullmatch(word)
        if joined is not None:
            unit, scale = unit_word(joined[2]), 1e3 if joined[1] == "t" else SCALES[joined[1]]
        elif word in _NAME_SCALES or word in SCALES:
            scale = SCALES[word]
        elif _of_name(word) is not None:
            unit = _of_name(word)
        elif word not in _SMALL:
            others += 1
    return ColumnUnit(unit, scale), others


_IN_THINGS = re.compile(r"\s*(?:in )?(?:thousand|million|billion)s?(?: of)? \w+\s*\Z", re.IGNORECASE)
"""A unit that counts things: "thousand trips"."""
_PER = re.compile(r"[*_`]*\s?(?:[A-Za-z°€$£]{1,12}\s?)?(?:/|\bper\s)\s?([A-Za-z]{1,12})\b")


def per_unit(text: str, end: int) -> Unit | None:
    """Return the unit that a number is divided by: kilograms in "€4 per kg". `end` is where the number ends."""
    found = _PER.match(text, end)
    unit = (("mass", 1e6) if found[1] == "t" else unit_word(found[1])) if found else None
    return unit if unit is not None and not unit[0].startswith("money") else None
