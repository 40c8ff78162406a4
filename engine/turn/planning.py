"""What becomes of a call before it runs: unknown tool, bad arguments, repeats, confirmation (TRN-4 to TRN-7)."""

from collections.abc import Mapping
from dataclasses import replace

from engine.tools.arguments import decode_arguments, schema_problem
from engine.tools.planned import PlannedCall
from engine.tools.tool import Tool
from engine.turn.limits import Repeats
from engine.turn.step import ReplyCall
from events.catalog.turn import CallFailure

__all__ = ["plan_call"]


def plan_call(
    call: ReplyCall, offered: Mapping[str, Tool], repeats: Repeats, allow_confirmations: bool
) -> PlannedCall:
    """Decide about `call`; `repeats` takes note of it."""
    decoded = decode_arguments(call.text)
    tool = offered.get(call.name)
    planned = PlannedCall(call.call_id, call.name, tool, decoded.value)
    if tool is None:
        names = ", ".join(offered) or "none"
        message = f"There is no tool {call.name} here. The tools are: {names}."
        return replace(planned, failure=CallFailure(kind="unknown_tool", message=message))
    problem = decoded.problem
    if problem is None and isinstance(decoded.value, dict):
        problem = schema_problem(decoded.value, tool.input_schema)
    problem = repeats.see(tool.tool_id, decoded.value) or problem
    if problem is not None:
        return replace(planned, failure=problem)
    if tool.requires_confirmation and not allow_confirmations:
        message = f"{tool.title} asks for the user's confirmation, and none was given, so it was not run."
        return replace(
            planned, failure=CallFailure(kind="needs_confirmation", message=message), status="denied"
        )
    return replace(planned, approved=tool.requires_confirmation)
