"""The probability that a computed value equals a number in a text by chance. Pure."""

from engine.numbers.places import Place

__all__ = ["HARDLY", "chance_of", "hardly_by_chance", "is_close"]

HARDLY = 0.04
"""A computation is accepted only if the tried computations are expected to give at most this many matches by chance."""
_SPREAD = 2.2
"""The width, as a logarithm, of the range of values that count as tried, from a third of a number to three times the
number: ln 9.
"""


def is_close(value: float, place: Place) -> bool:
    """Return whether a value is within a factor of three of a number. Only such values can match by coincidence."""
    said = abs(place.mention.value) / (100 if place.mention.kind in ("percent", "points") else 1)
    return said / 3 < abs(value) < said * 3


def hardly_by_chance(place: Place, tried: int) -> bool:
    """Return whether a match is unlikely to be a coincidence. `tried` values near the number were computed."""
    return tried * chance_of(place) <= HARDLY


def chance_of(place: Place) -> float:
    """Return the probability that a value near a number matches it by chance."""
    return _window(place) / _SPREAD


def _window(place: Place) -> float:
    """Return the width of the interval of values that match a number, relative to the number."""
    reading = place.mention.readings[0]
    step = max(
        reading.step, abs(reading.value) * 0.02 if place.mention.hedge and place.mention.digits < 3 else 0.0
    )
    return step / abs(reading.value)
