"""Handles the command that runs one tool as the user. The call is recorded in the chat, and `StopTurn` stops it."""

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.user_calls import UserCalls
from engine.commands.catalog import RunTool
from engine.deciders import chat as decide
from engine.errors import Refused
from engine.tools.arguments import require_arguments, schema_problem
from engine.tools.builtin import REMEMBER
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.call_runner import Calls
from engine.tools.tool import Tool
from engine.tools.toolbox import Toolbox
from engine.tools.unknown_tools import tool_not_found
from engine.turn.step_events import request_events
from events.catalog.tool_call import CallFailure
from events.identity import NewId
from events.json_value import JSONObject

__all__ = ["ToolRuns"]


class ToolRuns:
    """Handles the command that runs one tool."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        calls: Calls,
        toolbox: Toolbox,
        signals: Signals,
        new_id: NewId,
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._calls = calls
        self._toolbox = toolbox
        self._signals = signals
        self._new_id = new_id
        self.running = UserCalls()

    def run(self, command: RunTool) -> str:
        """See `RunTool`."""
        tool = self.runnable(command.tool_id)
        require_arguments(dict(command.arguments))
        call_id = self._new_id()
        planned = _planned(call_id, tool, dict(command.arguments), command.allow_confirmations)
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
        with (
            self.running.running(command.chat_id) as cancel,
            self._workspaces.leased(command.chat_id, call_id) as folder,
        ):
            with self._chats.locked(command.chat_id) as state:
                stands = (state.leaf, state.manifest)
            branch = Branch(command.chat_id, call_id, *stands, folder, self.running.stopped_as)
            payloads = self._workspaces.payloads(command.chat_id)
            requested = list(request_events(None, None, [planned], {}, payloads, command.from_call_id))
            self._chats.transact(command.chat_id, lambda _: requested, correlation_id=call_id)
            if planned.failure is None:
                self._calls.run(branch, [planned], cancel)
        self._signals.changed(command.chat_id)
        return call_id

    def runnable(self, tool_id: str) -> Tool:
        """Return the tool with that id. Raise `NotFound` if there is none, or `Refused` if it cannot run now."""
        tool = self._toolbox.find(tool_id)
        if tool is None:
            known = [one.tool_id for one in self._toolbox.tools()]
            raise tool_not_found(tool_id, known, f"The tools are: {', '.join(known)}.")
        if not tool.available:
            raise Refused("tool_unavailable", f"{tool.tool_id} cannot run: {tool.reason}.")
        return tool


def _planned(call_id: str, tool: Tool, arguments: JSONObject, allowed: bool) -> PlannedCall:
    problem = schema_problem(arguments, tool.input_schema)
    if problem is not None:
        return PlannedCall(call_id, tool.name, tool, arguments, failure=problem)
    asks = tool.requires_confirmation
    if asks and (not allowed or tool.tool_id == REMEMBER):
        message = (
            f"{tool.title} asks for confirmation. Allow it with --yes, or over HTTP with allow_confirmations."
        )
        if tool.tool_id == REMEMBER:
            message = "`remember` is for models. Use `anabranch definition set TERM MEANING`."
        failure = CallFailure(kind="needs_confirmation", message=message)
        return PlannedCall(call_id, tool.name, tool, arguments, failure=failure, status="denied", asks=True)
    return PlannedCall(call_id, tool.name, tool, arguments, asks=asks, approved="yes" if asks else None)
