"""Calls that the user derived from other calls: changed SQL, an edited chart. Pure."""

from collections.abc import Mapping, Set

from engine.deciders.turn_state import CallState

__all__ = ["made_from"]


def made_from(calls: Mapping[str, CallState], origins: Set[str], without: Set[str] = frozenset()) -> set[str]:
    """Return the user's own calls that were derived from `origins`, directly or indirectly, except calls in `without`.

    `calls` must be in the order of the log, so that each call comes after the calls from which it was derived.
    """
    found: set[str] = set()
    for call_id, call in calls.items():
        asked = call.requested
        made = asked.from_call_id in origins or asked.from_call_id in found
        if asked.message_id is None and made and call_id not in without:
            found.add(call_id)
    return found
