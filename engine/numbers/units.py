"""Scales and units next to numbers and in column names: "bn", "%", "kg", `price_eur`."""

from collections.abc import Mapping

__all__ = ["SCALES", "Unit", "conversion", "in_unit", "unit_word"]

Unit = tuple[str, float]
"""The measured quantity, and the size of the unit in base units: ("mass", 1000.0) is a kilogram in grams."""

SCALES: Mapping[str, float] = {
    "k": 1e3,
    "thousand": 1e3,
    "thousands": 1e3,
    "tsd": 1e3,
    "tausend": 1e3,
    "mille": 1e3,
    "lakh": 1e5,
    "lakhs": 1e5,
    "m": 1e6,
    "mn": 1e6,
    "mm": 1e6,
    "mio": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "millionen": 1e6,
    "crore": 1e7,
    "crores": 1e7,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "billions": 1e9,
    "mrd": 1e9,
    "milliarden": 1e9,
    "milliards": 1e9,
    "t": 1e12,
    "tn": 1e12,
    "trillion": 1e12,
    "trillions": 1e12,
}

_UNITS: Mapping[str, Unit] = {
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), ("money $", 1.0)),
    **dict.fromkeys(("€", "eur", "euro", "euros"), ("money €", 1.0)),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), ("money £", 1.0)),
    **dict.fromkeys(("¥", "jpy", "yen"), ("money ¥", 1.0)),
    **dict.fromkeys(("₹", "inr", "rupee", "rupees"), ("money ₹", 1.0)),
    **dict.fromkeys(("chf", "franc", "francs"), ("money CHF", 1.0)),
    **dict.fromkeys(("cent", "cents", "ct"), ("cents", 1.0)),
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("mass", 1e-3)),
    **dict.fromkeys(("g", "gram", "grams"), ("mass", 1.0)),
    **dict.fromkeys(("kg", "kilo", "kilos", "kilogram", "kilograms"), ("mass", 1e3)),
    **dict.fromkeys(("ton", "tons", "tonne", "tonnes"), ("mass", 1e6)),
    **dict.fromkeys(("kt", "kilotonne", "kilotonnes", "kilotons"), ("mass", 1e9)),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), ("length", 1e-3)),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), ("length", 1e-2)),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), ("length", 1e3)),
    **dict.fromkeys(("mi", "mile", "miles"), ("length", 1609.344)),
    **dict.fromkeys(("ly", "light-year", "light-years", "light years"), ("length", 9.4607e15)),
    **dict.fromkeys(("m²", "m2", "sqm"), ("area", 1.0)),
    **dict.fromkeys(("ha", "hectare", "hectares"), ("area", 1e4)),
    **dict.fromkeys(("km²", "km2", "sqkm"), ("area", 1e6)),
    **dict.fromkeys(("km/h", "kmh", "kph"), ("speed", 1.0)),
    **dict.fromkeys(("mph",), ("speed", 1.609344)),
    **dict.fromkeys(("m/s",), ("speed", 3.6)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("time", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("time", 3600.0)),
    **dict.fromkeys(("day", "days"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604800.0)),
    **dict.fromkeys(("year", "years"), ("time years", 1.0)),
    **dict.fromkeys(("°c", "celsius"), ("temperature °C", 1.0)),
    **dict.fromkeys(("°f", "fahrenheit"), ("temperature °F", 1.0)),
    **dict.fromkeys(("kelvin", "kelvins"), ("temperature K", 1.0)),
    **dict.fromkeys(("ml", "millilitre", "millilitres", "milliliter", "milliliters"), ("volume", 1e-3)),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters"), ("volume", 1.0)),
    **dict.fromkeys(("wh",), ("energy", 1.0)),
    **dict.fromkeys(("kwh",), ("energy", 1e3)),
    **dict.fromkeys(("mwh",), ("energy", 1e6)),
    **dict.fromkeys(("gwh",), ("energy", 1e9)),
    **dict.fromkeys(("kb",), ("bytes", 1e3)),
    **dict.fromkeys(("mb",), ("bytes", 1e6)),
    **dict.fromkeys(("gb",), ("bytes", 1e9)),
    **dict.fromkeys(("tb",), ("bytes", 1e12)),
    **dict.fromkeys(("pb",), ("bytes", 1e15)),
    **dict.fromkeys(("twh",), ("energy", 1e12)),
    **dict.fromkeys(("kw",), ("power", 1e3)),
    **dict.fromkeys(("mw",), ("power", 1e6)),
    **dict.fromkeys(("gw",), ("power", 1e9)),
}
_OFFSETS: Mapping[str, tuple[float, float]] = {
    "temperature °C": (1.0, 273.15),
    "temperature °F": (5 / 9, 459.67 * 5 / 9),
    "temperature K": (1.0, 0.0),
}
"""Temperature scales in kelvins: the factor for a value, and the number that is then added."""


def unit_word(word: str) -> Unit | None:
    """Return the unit that a word or sign next to a number means; None if it means none."""
    return _UNITS.get(word.casefold().rstrip("."))


def conversion(of_column: Unit | None, of_text: Unit | None) -> float | None:
    """Return the factor from a column's values to the text's unit; None if they measure different things.

    If either side has no unit, the factor is 1.
    """
    if of_column is None or of_text is None:
        return 1.0
    if of_column[0] != of_text[0]:
        if of_column[0] == "cents" and of_text[0].startswith("money"):
            return 0.01
        return 100.0 if of_column[0].startswith("money") and of_text[0] == "cents" else None
    return of_column[1] / of_text[1]


def in_unit(value: float, unit: Unit, other: Unit) -> float | None:
    """Return a value in another unit, including temperature scales; None if the units measure different things."""
    if unit[0] in _OFFSETS and other[0] in _OFFSETS:
        by, above = _OFFSETS[unit[0]]
        over, add = _OFFSETS[other[0]]
        return (value * by + above - add) / over
    factor = conversion(unit, other)
    return None if factor is None else value * factor
