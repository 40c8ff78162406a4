"""Whether a value can be what a number in a text says: after rounding, in its unit, with its sign."""

import re
from math import isfinite

from engine.numbers.digits import Reading
from engine.numbers.evidence import ResultTable
from engine.numbers.labels import TableNames
from engine.numbers.mentions import Mention
from engine.numbers.places import Place
from engine.numbers.units import Unit, conversion
from engine.numbers.words import forms

__all__ = ["DOWN", "PERCENTISH", "UP", "factors_of", "fits", "rounded_to", "sign_fits"]

DOWN = forms(
    "fell fall falling drop dropped dropping decline declined declining down decrease decreased lost lose loss lower"
    " less fewer below deficit negative shrank shrunk shrink under worse cut reduced reduction behind trail"
    " trailing trailed short shortfall slipped slid dip dipped plunged contracted worst sank subtract inverse setback"
)
UP = forms(
    "rose rise rising grew grow growing growth gain gained gaining up increase increased increasing climbed climb"
    " higher more above exceed exceeded improved improvement jump jumped added ahead expanded surged positive"
)
PERCENTISH = forms(
    "share rate change margin discount humidity utilization utilisation conversion churn retention occupancy yield"
    " return ratio coverage vat tax completeness missing pc % growth uplift accuracy precision recall probability"
    " confidence score efficiency uptime availability penetration turnout satisfaction r2 accuracy interest inflation"
    " unemployment pct defect bounce ctr attrition gross cagr yoy mom qoq error variance p"
)
_COUNTING = forms(
    "count order customer user item row record unit visit session ticket invoice n quantity signup click visit"
    " employee respondent response sample"
)
_PERCENT_NAME = re.compile(r"pct|percent|%", re.IGNORECASE)
_MONEY = forms("value price revenue amount cost spend budget salary fee profit per mean income")
_PART_TOLERANCE = 0.035
"""How far a share may be from "a third" and still be called so."""


def rounded_to(value: float, reading: Reading, hedge: str) -> bool:
    """Return whether `value`, rounded as the text is, gives what it says."""
    step = reading.step
    if not isfinite(reading.value) or not isfinite(step):
        return False
    slack = max(abs(value), abs(reading.value)) * 1e-9
    if abs(value - reading.value) <= step / 2 + slack:
        return True
    if not hedge:
        return False
    coarse = _coarse(reading)
    if hedge == "about":
        size = abs(reading.value)
        return (
            abs(value - reading.value) <= max(min(coarse / 2, size * 0.025), min(coarse, size * 0.01)) + slack
        )
    far = max(coarse, abs(reading.value) * 0.01) + slack
    return 0 <= value - reading.value <= far if hedge == "over" else 0 <= reading.value - value <= far


def _coarse(reading: Reading) -> float:
    """The step of the last digit that is not zero: 1,000 for 355,000."""
    step, value = reading.step, abs(reading.value)
    while value and step < value and abs(value / (step * 10) - round(value / (step * 10))) < 1e-9:
        step *= 10
    return step


def fits(value: float, mention: Mention) -> bool:
    """Return whether a value is what a number says in one of its readings; signs are looked at elsewhere."""
    if mention.kind in ("part", "times") and mention.readings[0].step == 0.0:
        said = mention.value
        far = _PART_TOLERANCE if mention.kind == "part" else said * 0.1
        return abs(abs(value) - said) <= (far if mention.hedge else far * 0.75)
    plain = mention.signed
    return any(
        rounded_to(value if plain else abs(value), one if plain else _positive(one), mention.hedge)
        for one in mention.readings
    )


def _positive(reading: Reading) -> Reading:
    return Reading(abs(reading.value), reading.step)


def sign_fits(value: float, place: Place, moves: bool) -> bool:
    """Return whether a value's sign is what the text says of it; `moves` if it is a change or a difference."""
    mention = place.mention
    down, up = bool(place.clause_words & DOWN), bool(place.clause_words & UP)
    if mention.signed:
        return value == 0 or (value < 0) == (mention.value < 0) or (moves and down and not up)
    if value < 0:
        return mention.bracketed or down or bool(place.words & DOWN) or (moves and not up)
    return not (moves and value > 0 and down and not up)


def factors_of(names: TableNames, column: int, mention: Mention) -> tuple[float, ...]:
    """Return by what a column's values may be multiplied to be what the text says; none: its unit is another."""
    unit, scale = names.units[column]
    words = names.column_words[column]
    if mention.kind in ("percent", "points", "part"):
        if mention.unit is not None:
            return ()
        if mention.kind == "points" and re.search(r"\d\s?(?:points?|pts?)$", mention.text):
            return (1.0, 100.0) if is_fraction(names.table, column) else (1.0,)  # scores are in points too
        fraction = is_fraction(names.table, column)
        percentish = bool(set(words) & PERCENTISH)
        if mention.kind == "part":
            return (1.0,) if fraction else (0.01,) if percentish else ()
        if fraction:
            said = _PERCENT_NAME.search(names.table.columns[column]) is not None
            return (100.0, 1.0) if said else (100.0,)
        return (1.0,) if percentish or names.table.printed else ()
    if mention.kind == "times":
        return (1.0,) if not mention.unit else ()
    if abs(mention.value) > 10 and is_fraction(names.table, column):
        return ()
    converted = conversion(unit, mention.unit)
    if converted is None or (mention.unit and unit is None and _another_has(names, mention.unit)):
        return ()
    money = mention.unit is not None and mention.unit[0].startswith("money") and unit is None
    if money and words and words[-1] in _COUNTING and not set(words) & _MONEY:
        return ()
    return (converted * scale, converted) if scale != 1.0 else (converted,)


def _another_has(names: TableNames, unit: Unit) -> bool:
    """Whether some column of the result says that it is in this unit; then one that says none is in another."""
    return any(own is not None and own[0] == unit[0] for own, _ in names.units)


def is_fraction(table: ResultTable, column: int) -> bool:
    """Return whether a column's values are shares of one."""
    return column in table.fractions
