"""How likely it is that a computed value equals a number of a text by chance. Pure."""

from engine.numbers.places import Place

__all__ = ["hardly_by_chance", "is_close"]

_CHANCE = 0.04
"""The expected number of computations that give a number by chance, up to which it is believed."""
_SPREAD = 2.2
"""Over how many e-folds the values spread that count as tried: from a third of a number to three times it."""


def is_close(value: float, place: Place) -> bool:
    """Return whether a value could easily be taken for a number: only such ones make a coincidence likelier."""
    said = abs(place.mention.value) / (100 if place.mention.kind in ("percent", "points") else 1)
    return said / 3 < abs(value) < said * 3


def hardly_by_chance(place: Place, tried: int) -> bool:
    """Return whether a number is hardly equal by chance to one of the close values that were `tried`."""
    return tried * _window(place) / _SPREAD <= _CHANCE


def _window(place: Place) -> float:
    """Return which share of all numbers near this one would be taken for it."""
    reading = place.mention.readings[0]
    step = max(
        reading.step, abs(reading.value) * 0.02 if place.mention.hedge and place.mention.digits < 3 else 0.0
    )
    return step / abs(reading.value)
