"""Finds the tools of recorded calls. Each tool is found in the version that the call ran with, including its stored
code.
"""

from collections.abc import Callable
from typing import Protocol

from engine.replay.recorded_calls import RecordedCall
from engine.tools.builtin import NAME_MOMENT, REMEMBER
from engine.tools.query_history import QUERY_HISTORY
from engine.tools.tool import Tool
from events.late_dataclass import dataclass

__all__ = ["FindsTool", "NotRun", "PastTools", "why_not_run"]

_KEPT = 200
"""The maximum number of cached versions of tools."""
_NEVER: dict[str, str] = {
    REMEMBER: "It saves a definition, and a definition is not saved twice.",
    NAME_MOMENT: "It named a moment, and the moment still has that name.",
    QUERY_HISTORY: "It reads the log, which has grown since.",
}
_CUT_OFF = {
    "denied": "You denied it, so it never ran.",
    "cancelled": "It was stopped, so there is no result to compare.",
    "interrupted": "It was interrupted, so there is no result to compare.",
    "timed_out": "It ran out of time, so there is no result to compare.",
}


@dataclass(frozen=True, slots=True)
class NotRun:
    """The reason why a call is not run again."""

    reason: str
    reaches_out: bool = False
    """Whether the call would run if the user allowed access to the network or an MCP server."""


class FindsTool(Protocol):
    """Finds a tool by its id."""

    def find(self, tool_id: str) -> Tool | None:
        """Return the tool; None if there is no such tool."""
        ...


class PastTools:
    """Finds the tool of a recorded call."""

    def __init__(self, now: FindsTool, as_of: Callable[[int], FindsTool]) -> None:
        """`now` has the current tools; `as_of` returns the tools at a position of the log."""
        self._now = now
        self._as_of = as_of
        self._found: dict[tuple[str, str | None], Tool] = {}

    def find(self, one: RecordedCall) -> Tool | None:
        """Return the tool that a call ran with; None if the call never ran, or if the tool's server no longer
        exists."""
        started = one.call.started
        if started is None or one.position is None:
            return None
        tool = self._now.find(one.tool_id)
        if tool is not None and tool.content_hash == started.content_hash:
            return tool
        key = (one.tool_id, started.content_hash)
        if key not in self._found:
            if len(self._found) >= _KEPT:
                self._found.clear()
            found = self._as_of(one.position).find(one.tool_id)
            if found is None or found.content_hash != started.content_hash:
                return None  # not cached, because this version may be found at another call's position
            self._found[key] = found
        return self._found[key]

    def now(self, tool_id: str) -> Tool | None:
        """Return the current tool with an id."""
        return self._now.find(tool_id)


def why_not_run(one: RecordedCall, tool: Tool | None, *, live: bool, changed: bool = False) -> NotRun | None:
    """Return the reason why a call is not run again; None if it can run. If the call's arguments are `changed`, it can
    run even if it never ran before.
    """
    finished, started = one.call.finished, one.call.started
    if one.tool_id in _NEVER:
        return NotRun(_NEVER[one.tool_id])
    if changed:
        return _why_not(one, tool, live=live)
    if started is None:
        failure = finished.error if finished is not None else None
        told = f"It never ran: {failure.message}" if failure is not None else "Anabranch answered it itself."
        return NotRun(told)
    if finished is not None and finished.status in _CUT_OFF:
        return NotRun(_CUT_OFF[finished.status])
    if finished is not None and finished.error is not None and finished.error.kind == "clash":
        return NotRun("Another call in the same step had made the same file.")
    return _why_not(one, tool, live=live)


def _why_not(one: RecordedCall, tool: Tool | None, *, live: bool) -> NotRun | None:
    if tool is None:
        return NotRun(f"The version of {one.tool_id} that it ran with is not known here.")
    if not tool.available:
        return NotRun(f"{tool.title} cannot run: {tool.reason}.")
    if tool.server is not None and not live:
        return NotRun("An MCP server ran it. It runs again only if you allow it.", reaches_out=True)
    if tool.network and not live:
        return NotRun("It reaches the network. It runs again only if you allow it.", reaches_out=True)
    return None
