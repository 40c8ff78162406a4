"""Finds the earlier states of the files that a call can read. The call's arguments name the states, which are fixed
before the call starts.

In a recorded call, a name always means the state that was recorded with the call, even if the name is later given to
another state. So a call depends only on its events.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.chats.open_chats import Chats
from engine.deciders.branch_lanes import lanes
from engine.deciders.chat_state import ChatState
from engine.deciders.rewind import as_of
from engine.errors import AnabranchError, NotFound
from engine.tools.builtin import NAME_MOMENT
from engine.tools.call_plans import Branch, PlannedCall, effects_of, reaches_out, texts_in
from engine.tools.tool import Effects
from events.catalog.moment import MomentRead
from events.catalog.tool_call import CallFailure

__all__ = ["MomentsRead", "effects_in_order", "reads_moments"]

_UNNAMED = re.compile(r"""["'](at|branch) (\d{1,18})\\?["']?\s*\.\s*\\?["\w]""", re.IGNORECASE)
"""Matches `"at 1204".orders` in SQL, and `tables["at 1204.orders"]` in Python."""


def reads_moments(call: PlannedCall) -> bool:
    """Return whether a call may read earlier files. Bundle code may do so, unless it reaches beyond the workspace."""
    return (
        call.tool is not None and call.tool.bundle is not None and not reaches_out(call.tool, call.arguments)
    )


def effects_in_order(call: PlannedCall) -> Effects:
    """Return the effects that decide when a call runs. A call that gives a moment its name counts as `write`, so that
    later calls can read that moment.
    """
    names = call.tool is not None and call.tool.tool_id == NAME_MOMENT
    return "write" if names else effects_of(call)


class MomentsRead:
    """Finds the states that are named in the arguments of calls."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats

    def given(self, branch: Branch, call: PlannedCall) -> PlannedCall:
        """Return the call with the states that its arguments name, or with a failure if one of
        them does not exist.
        """
        if call.moments or not reads_moments(call):  # in a re-run, the states are already set
            return call
        text = "\n".join(texts_in(call.arguments))
        unnamed = list(dict.fromkeys((one[1].lower(), one[2]) for one in _UNNAMED.finditer(text)))
        try:
            with self._chats.locked(branch.chat_id) as state:
                found = [self._unnamed(branch.chat_id, state, kind, number) for kind, number in unnamed]
                found += _named(state, text)
        except AnabranchError as error:
            return replace(call, failure=CallFailure(kind=error.code, message=error.message))
        return replace(call, moments=tuple(found)) if found else call

    def _unnamed(self, chat_id: str, state: ChatState, kind: str, number: str) -> MomentRead:
        name = f"{kind} {number}"
        if kind == "branch":
            return MomentRead(name=name, manifest_id=_end_of_branch(state, int(number)))
        recorded = self._chats.recorded(chat_id)
        last = recorded[-1].position
        if int(number) > last:
            raise NotFound(
                "moment_not_found", f"Position {number} is after this chat's last event, which is at {last}."
            )
        return MomentRead(name=name, manifest_id=as_of(recorded, int(number)).manifest)


def _named(state: ChatState, text: str) -> Sequence[MomentRead]:
    named = state.moments.named
    if not named:
        return ()
    words = re.findall(rf"(?<!\w)(?:{'|'.join(map(re.escape, named))})(?!\w)", text, re.IGNORECASE)
    names = dict.fromkeys(word.lower() for word in words)
    return [
        MomentRead(name=name, manifest_id=named[name].manifest_id)
        for name in names
        if name in named  # if case is ignored, `ſ` matches `s`, but `ſ` is not a name
    ]


def _end_of_branch(state: ChatState, number: int) -> str | None:
    lane_of = lanes((message.message_id, message.parent_id) for message in state.messages.values())
    count = len(set(lane_of.values()))
    own = [message_id for message_id, lane in lane_of.items() if lane == number - 1]
    if not own:
        there = "one branch" if count == 1 else f"{count} branches, numbered in the order in which they began"
        raise NotFound("moment_not_found", f"There is no branch {number}. This chat has {there}.")
    return state.manifest_at(own[-1])
