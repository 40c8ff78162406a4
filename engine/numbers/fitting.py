"""Decides whether a value matches a number in a text, allowing for rounding, unit and sign."""

import re
from dataclasses import replace
from math import isfinite

from engine.numbers.column_units import ColumnUnit, unit_of_column
from engine.numbers.digits import Reading
from engine.numbers.evidence import ResultTable
from engine.numbers.mention import Mention
from engine.numbers.places import Place
from engine.numbers.table_names import TableNames
from engine.numbers.units import Unit, conversion
from engine.numbers.words import forms

__all__ = [
    "DOWN",
    "FACTORS",
    "PERCENTISH",
    "PERCENT_NAME",
    "UP",
    "factor_of",
    "factors_of",
    "fits",
    "is_fraction",
    "sign_fits",
]

DOWN = forms(
    "fell fall falling drop dropped dropping decline declined declining down decrease decreased lost lose loss lower"
    " less fewer below deficit negative shrank shrunk shrink under worse cut reduced reduction behind trail"
    " trailing trailed short shortfall gesunken gefallen moins baisse weniger menos"
    " slipped slid dip dipped plunged contracted worst sank subtract inverse setback"
)
UP = forms(
    "rose rise rising grew grow growing growth gain gained gaining up increase increased increasing climbed climb"
    " higher more above exceed exceeded improved improvement jump jumped added ahead expanded surged positive"
    " gestiegen gewachsen hausse"
)
PERCENTISH = forms(
    "share rate change margin discount humidity utilization utilisation conversion churn retention occupancy yield"
    " return ratio coverage vat tax completeness missing pc % growth uplift accuracy precision recall probability"
    " confidence score efficiency uptime availability penetration turnout satisfaction r2 accuracy interest inflation"
    " unemployment pct defect bounce ctr attrition gross cagr yoy mom qoq error variance p"
    " attendance anteil quote prozent"
)
_COUNTING = forms(
    "count order customer user item row record unit visit session ticket invoice n quantity signup click visit"
    " employee respondent response sample"
)
PERCENT_NAME = re.compile(r"pct|percent|%", re.IGNORECASE)
FACTORS = (1.0, 100.0, 0.01, 1e3, 1e6, 1e9, 1 / 60, 60.0, 1 / 3600, 3600.0, 24.0, 1 / 24, 1e-3)
"""The possible factors from the unit or scale of a column to the unit or scale in a text."""
_MONEY = forms(
    "value price revenue amount cost spend budget salary fee profit per mean income"
    " mrr arr arpa arpu aov ltv cac gmv refund claim discount bill payment turnover"
)
_NO_PERCENT = forms(
    "score rating nps csat average mean median day hour minute second week month year age price cost amount time wait"
    " duration length weight height distance temperature gap difference per index stars grade"
)
"""Words in names of columns whose small numbers are not percentages."""
_PART_TOLERANCE = 0.035
"""How far a value may be from 1/3 and still be called "a third"."""


def rounded_to(value: float, reading: Reading, hedge: str) -> bool:
    """Return whether `value`, rounded like the text's number, equals that number. A `hedge`, such as "about", allows a
    larger difference."""
    step = reading.step
    if not isfinite(reading.value) or not isfinite(step):
        return False
    slack = max(abs(value), abs(reading.value)) * 1e-9
    if abs(value - reading.value) <= step / 2 + slack:
        return True
    if not hedge or not step:
        return False
    coarse = _coarse(reading)
    if hedge == "about":
        fives = 5 if reading.value / coarse % 5 == 0 else 1
        return abs(value - reading.value) <= min(coarse * fives / 2, abs(reading.value) * 0.025) + slack
    far = max(coarse, abs(reading.value) * 0.01) + slack
    return 0 <= value - reading.value <= far if hedge == "over" else 0 <= reading.value - value <= far


def _coarse(reading: Reading) -> float:
    """Return the step of the last digit that is not zero: 1,000 for 355,000."""
    step, value = reading.step, abs(reading.value)
    while value and step < value and abs(value / (step * 10) - round(value / (step * 10))) < 1e-9:
        step *= 10
    return step


def fits(value: float, mention: Mention) -> bool:
    """Return whether a value matches a number in one of its readings. If the number is written without a sign,
    `sign_fits` checks the sign of the value."""
    if mention.kind in ("part", "times") and mention.readings[0].step == 0.0:
        said = mention.value
        far = _PART_TOLERANCE if mention.kind == "part" else said * 0.1
        beyond = abs(value) - said
        if mention.hedge == "over" and 0 <= beyond <= (0.1 if mention.kind == "part" else said * 0.5):
            return True
        return abs(abs(value) - said) <= (far * 1.3 if mention.hedge else far * 0.75)
    plain = mention.signed
    return any(
        rounded_to(value if plain else abs(value), one if plain else _positive(one), mention.hedge)
        for one in mention.readings
    )


def factor_of(value: float, mention: Mention) -> float:
    """Return the factor that converts a computed value to the text's scale and unit: 1,000 for 334,410 thousand euros
    and "€334.4 million". The value of a percentage is a fraction.
    """
    share = 100.0 if mention.kind in ("percent", "points") else 1.0
    plain = replace(mention, signed=False)
    return share * next((by for by in FACTORS if fits(abs(value) * share * by, plain)), 1.0)


def _positive(reading: Reading) -> Reading:
    return Reading(abs(reading.value), reading.step)


def sign_fits(value: float, place: Place, moves: bool) -> bool:
    """Return whether the sign of a value matches the text. `moves`: the value is a change or a difference."""
    mention = place.mention
    down, up = bool(place.clause_words & DOWN), bool(place.clause_words & UP)
    if mention.signed:
        return value == 0 or (value < 0) == (mention.value < 0) or (moves and down and not up)
    if value < 0:
        return mention.bracketed or down or bool(place.words & DOWN) or (moves and not up)
    return not (moves and value > 0 and down and not up)


def factors_of(names: TableNames, column: int, mention: Mention, row: int | None = None) -> tuple[float, ...]:
    """Return the possible factors from a column's values to the text's unit; none if the units do not match."""
    unit, scale, per = _unit_of(names, column, row)
    words = names.column_words[column]
    if mention.kind in ("percent", "points", "part"):
        return _factors_of_share(names, column, mention) if mention.unit is None else ()
    fraction = is_fraction(names.table, column)
    if mention.kind == "times":
        return (1.0,) if not mention.unit else ()
    if abs(mention.value) > 10 and fraction:
        return ()
    converted = conversion(unit, mention.unit)
    unsaid = mention.unit if unit is None else None
    if converted is None or (unsaid and not set(words) & _MONEY and _another_has(names, unsaid)):
        return ()
    if mention.per is not None and per is not None:
        each = conversion(mention.per, per)
        if each is None:
            return ()
        converted /= each
    if unsaid is not None and unsaid[0] == "cents" and set(words) & _MONEY:
        converted *= 100.0  # an amount of money in a currency that is not named
    if unsaid is not None and set(words) & PERCENTISH and fraction:
        return ()
    money = mention.unit is not None and mention.unit[0].startswith("money")
    if money and unit is None and words and words[-1] in _COUNTING and not set(words) & _MONEY:
        return ()
    return (converted * scale,) if scale == 1.0 or money else (converted * scale, converted)


def _factors_of_share(names: TableNames, column: int, mention: Mention) -> tuple[float, ...]:
    fraction = is_fraction(names.table, column)
    if mention.kind == "points" and re.search(r"\d\s?(?:points?|pts?)?$", mention.text):
        return (1.0, 100.0) if fraction else (1.0,)  # scores are in points too
    words = names.column_words[column]
    told = bool(set(words) & PERCENTISH) or any(word.endswith("anteil") for word in words)
    percentish = told and not _counts(names.table, column)
    if mention.kind == "part":
        return (1.0,) if fraction else (0.01,) if percentish else ()
    if fraction:
        return (100.0, 1.0) if PERCENT_NAME.search(names.table.columns[column]) else (100.0,)
    return (1.0,) if percentish or names.table.printed or _may_be_percent(names, column) else ()


def _may_be_percent(names: TableNames, column: int) -> bool:
    """Return whether a column can contain percentages although its name does not say so: `resolved_q1`."""
    numbers = names.table.numbers(column)
    if names.units[column].unit is not None or set(names.column_words[column]) & _NO_PERCENT:
        return False
    within = all(-100 <= one <= 100 for one in numbers)
    return within and not all(one.is_integer() for one in numbers) and max(map(abs, numbers)) > 1.5


def _counts(table: ResultTable, column: int) -> bool:
    """Return whether a column contains counts, which cannot be percentages: whole numbers, some of them above 100, or
    numbers of things such as missing values.
    """
    numbers, name = table.numbers(column), table.columns[column]
    many = max(map(abs, numbers), default=0) > 100
    things = _THINGS.search(name) is not None and PERCENT_NAME.search(name) is None
    return (many or things) and all(one.is_integer() for one in numbers)


_THINGS = re.compile(r"missing|returns|errors|defects|readings|absent|_n$|^n_|count", re.IGNORECASE)


def _unit_of(names: TableNames, column: int, row: int | None) -> ColumnUnit:
    """Return the unit of a column, or of the thing that its row describes: a mean of `load_ms` is in milliseconds."""
    own = names.units[column]
    if row is None or own.unit is not None:
        return own
    measured = any(word in _STATISTICS or _QUANTILE.fullmatch(word) for word in names.column_words[column])
    return names.row_units.get(row, own) if measured else own


_STATISTICS = forms("min max mean median std sum total mode iqr range")
_QUANTILE = re.compile(r"[qp]\d{1,2}")


def _another_has(names: TableNames, unit: Unit) -> bool:
    """Return whether a column of the result states a unit of this kind. A column without a unit must then have a
    different one.
    """
    return any(own.unit is not None and own.unit[0] == unit[0] for own in names.units)


def is_fraction(table: ResultTable, column: int) -> bool:
    """Return whether a column contains fractions: small values without a unit."""
    return column in table.fractions and unit_of_column(table.columns[column]).unit is None
