"""Old shapes of events into the present one: pure functions, one for each (type, schema version) left behind.

An upcaster takes the payload of its version and returns that of the next; they are applied in turn. None is needed
yet, since every event is in its first version.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

__all__ = ["UPCASTERS", "Upcaster", "upcast"]

Upcaster: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(type, version) → what turns its payload into that of version + 1."""


def upcast(
    event_type: str,
    version: int,
    payload: dict[str, Any],
    upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> tuple[int, dict[str, Any]]:
    """Return the version and payload that the last fitting upcaster leads to."""
    while (step := upcasters.get((event_type, version))) is not None:
        payload, version = step(payload), version + 1
    return version, payload
