"""Checks a call before it runs: unknown tools, bad arguments, repeats, picked tools, confirmation (TRN-4 to
TRN-7)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace

from engine.deciders.turn_state import CallState
from engine.tools.arguments import Arguments, schema_problem
from engine.tools.builtin import EACH_TIME, PICK_TOOLS
from engine.tools.call_plans import Approval, PlannedCall, Sending
from engine.tools.tool import Tool
from engine.turn.addresses import makes_up_address
from engine.turn.disclosure import Disclosed, pick
from engine.turn.limits import Repeats
from engine.turn.step import Reply, ReplyCall
from engine.turn.truncated_replies import arguments_of
from events.catalog.tool_call import CallFailure
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Confirming", "plan_again", "plan_calls"]

_ENDED = CallFailure(kind="cancelled", message="It was not run, because the turn ended here.")


@dataclass(frozen=True, slots=True)
class Confirming:
    """The conditions under which calls run without asking the user."""

    allow_all: bool = False
    """Whether every call is approved in advance (`--yes`)."""
    unasked: Mapping[str, str] = field(default_factory=dict)
    """Ids of tools that the user trusts in this chat, each with the `Tool.source` that it had when the user trusted it.
    """
    holds_data: bool = True
    """Whether the chat's model could have seen the user's data."""
    sending: Sending = "ask"
    """How to handle a call whose tool reaches the network if the chat contains data."""
    sends: Mapping[str, str] = field(default_factory=dict)
    """Destinations to which this chat sends without asking, each with the `Tool.publisher` that the user allowed to do
    so."""

    given: Callable[[], Collection[str]] = tuple
    """Returns the addresses that the user wrote, and the addresses that network tools returned."""

    def destination(self, tool: Tool) -> str | None:
        """Return where a call of `tool` could send the user's data; None if it sends nothing."""
        return tool.destination if tool.network and self.holds_data else None

    def approval(self, tool: Tool) -> Approval | None:
        """Return the earlier approval for a call of `tool`; None if there is none."""
        if tool.tool_id in EACH_TIME:
            return None
        if self.allow_all:
            return "yes"
        return "always in this chat" if self.unasked.get(tool.tool_id) == tool.source else None


def plan_calls(
    reply: Reply, shown: Disclosed, picked: Collection[str], repeats: Repeats, confirming: Confirming
) -> list[PlannedCall]:
    """Plan the calls of a reply, and count each in `repeats`. If the repeats end the turn, no call runs."""
    planned = [
        _plan(call, arguments_of(reply, call), shown, picked, repeats, confirming) for call in reply.calls
    ]
    if repeats.ends_turn:
        planned = [
            p if p.failure else replace(p, failure=_ENDED, status="cancelled", answer=None) for p in planned
        ]
        planned = [replace(p, picks=(), waits=False, approved=None) for p in planned]
    return [replace(p, commentary="" if index else reply.text) for index, p in enumerate(planned)]


def _plan(
    call: ReplyCall,
    decoded: Arguments,
    shown: Disclosed,
    picked: Collection[str],
    repeats: Repeats,
    confirming: Confirming,
) -> PlannedCall:
    tool = shown.tools.get(call.name)
    planned = PlannedCall(call.call_id, call.name, tool, decoded.value)
    if tool is None:
        names = ", ".join(shown.tools) or "none"
        message = f"There is no tool {call.name} here. The tools are: {names}."
        unknown = CallFailure(kind="unknown_tool", message=message)
        return replace(planned, failure=repeats.see(call.name, decoded.value) or unknown)
    problem = decoded.problem
    if problem is None and isinstance(decoded.value, dict):
        problem = schema_problem(decoded.value, tool.input_schema)
    if tool is PICK_TOOLS:
        return replace(planned, failure=problem) if problem else _picking(planned, shown)
    problem = repeats.see(tool.tool_id, decoded.value) or problem
    if problem is not None:
        return replace(planned, failure=problem)
    brief = any(brief.name == call.name for brief in shown.briefs) and tool.tool_id not in picked
    planned = replace(planned, picks=(tool.tool_id,) if brief else (), sends_to=confirming.destination(tool))
    return _confirmed(planned, tool, confirming)


def _confirmed(planned: PlannedCall, tool: Tool, confirming: Confirming) -> PlannedCall:
    """Return the planned call with the confirmations that it needs: for sending data, and for a tool that requires
    confirmation."""
    leaves = planned.sends_to is not None and (
        confirming.sends.get(planned.sends_to) != tool.publisher
        or makes_up_address(planned.arguments, confirming.given)
    )
    if leaves and confirming.sending == "never":
        message = (
            f"{tool.title} would send its arguments to {planned.sends_to}, but the user's settings "
            "allow nothing to leave this machine. It was not run. Answer with what you have."
        )
        return replace(planned, failure=CallFailure(kind="sending_refused", message=message))
    if leaves and confirming.sending == "ask":
        return replace(planned, asks=True, waits=True)
    if not tool.requires_confirmation:
        return planned
    approved = confirming.approval(tool)
    return replace(planned, asks=True, approved=approved, waits=approved is None)


def _picking(planned: PlannedCall, shown: Disclosed) -> PlannedCall:
    answer, tool_ids = pick(planned.arguments, shown.tools)
    return replace(planned, answer=answer, picks=tool_ids)


def plan_again(
    calls: Sequence[CallState], find: Callable[[str], Tool | None], value_of: Callable[[CallState], JSON]
) -> list[PlannedCall]:
    """Plan calls that were requested and have not ended: decide whether each runs now or waits."""
    return [_again(call, find(call.requested.tool_id), value_of(call)) for call in calls]


def _again(call: CallState, tool: Tool | None, arguments: JSON) -> PlannedCall:
    requested = call.requested
    name = tool.name if tool else requested.tool_id
    planned = PlannedCall(
        requested.call_id,
        name,
        tool,
        arguments,
        asks=requested.needs_confirmation,
        waits=call.waits,
        commentary=requested.commentary,
        sends_to=requested.sends_to,
    )
    if tool is None or not tool.available:
        why = f": {tool.reason}" if tool and tool.reason else ""
        message = f"{name} is not available any more{why}. It was not run."
        return replace(planned, failure=CallFailure(kind="tool_unavailable", message=message), waits=False)
    if requested.sends_to is not None and requested.sends_to != tool.destination:
        message = f"{name} now sends to a different address than when the user was asked. It was not run."
        return replace(planned, failure=CallFailure(kind="tool_changed", message=message), waits=False)
    if call.waits or not isinstance(arguments, dict):
        return planned
    return replace(planned, failure=schema_problem(arguments, tool.input_schema))
