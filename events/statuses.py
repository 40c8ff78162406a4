"""Rules about calls and turns that decisions and read models share. Pure."""

from collections.abc import Mapping

__all__ = ["TURN_RUNS", "call_status"]


def call_status(*, asks: bool, approved: bool, denied: bool, started: bool, ended: str | None) -> str:
    """Return the status of a call: a `FinalStatus`, `running`, `awaiting_confirmation` or `pending`.

    The parameters say whether the call asks for confirmation, which of its events exist, and with which status it
    ended.
    """
    if ended is not None:
        return ended
    if started:
        return "running"
    if denied:
        return "denied"
    return "awaiting_confirmation" if asks and not approved else "pending"


TURN_RUNS: Mapping[str, bool] = {"TurnStarted": True, "TurnResumed": True, "TurnFinished": False}
"""Type of an event → whether the turn runs after it.

The reason why a turn does not run is in its last `TurnFinished`.
"""
