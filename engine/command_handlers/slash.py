"""Slash commands (TRN-11): `/generate-image a dragon` runs a tool, `/help` lists the commands. Pure."""

import json
import re
from collections.abc import Callable, Collection, Sequence

from engine.chats.payloads import PayloadStore
from engine.errors import Invalid, NotFound, Refused
from engine.models.messages import CallPart, Part, TextPart
from engine.tools.arguments import schema_problem
from engine.tools.call_plans import PlannedCall
from engine.tools.naming import wire_name
from engine.tools.tool import Tool
from engine.turn.call_planning import Confirming
from engine.turn.step_events import request_events
from events.catalog.chat import MessageAdded
from events.event import Event
from events.identity import NewId
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = ["SlashCommand", "commanded", "help_text", "read_slash"]

_SLASH = re.compile(r"/([a-zA-Z][a-zA-Z0-9_-]*)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A slash command with its arguments. `tool` is the tool to run, or None for `/help`."""

    tool: Tool | None
    arguments: JSONObject


def read_slash(text: str, tools: Sequence[Tool], ticked: Sequence[Tool]) -> SlashCommand | None:
    """Return the command in `text`; None if it is a question. `ticked` lists the chat's tools that can run.

    Two tools with the same command are distinguished as `/toolset-command`.

    Raises:
        NotFound: there is no such command.
        Refused: the command's tool is not selected in this chat (`tool_not_ticked`), or not available.
        Invalid: the arguments do not fit.
    """
    found = _SLASH.fullmatch(text.strip())
    if found is None:
        return None
    name, rest = found[1].lower(), (found[2] or "").strip()
    if name == "help":
        return SlashCommand(None, {})
    # The latest version of each tool, because a live toolset may just have been updated from its folder.
    offered = {tool.tool_id: tool for tool in ticked}
    tool = _named(name, tools, offered)
    if not tool.available:
        raise Refused("tool_unavailable", f"{tool.title} cannot run: {tool.reason}.")
    if tool.tool_id not in offered:
        raise Refused(
            "tool_not_ticked",
            f"{tool.title} is not ticked in this chat, so /{name} was not run. Tick it in the tools menu, then "
            "send the command again.",
        )
    tool = offered[tool.tool_id]
    return SlashCommand(tool, _arguments(tool, name, rest))


def _named(name: str, tools: Sequence[Tool], offered: Collection[str]) -> Tool:
    """Return the tool with this command. If there are several, prefer the tool that the chat offers."""
    fitting = [tool for tool in tools if name in (tool.command, f"{tool.home}-{tool.command}")]
    if not fitting:
        raise NotFound(
            "command_not_found",
            f"There is no command /{name}. /help lists the commands. To begin a question with /, type a space "
            "before it.",
        )
    if len(fitting) > 1:
        fitting = [tool for tool in fitting if tool.tool_id in offered] or fitting
    if len(fitting) > 1:
        ways = ", ".join(f"/{other.home}-{other.command}" for other in fitting)
        raise Refused("command_ambiguous", f"/{name} may mean several tools. Use one of these: {ways}.")
    return fitting[0]


def _arguments(tool: Tool, name: str, rest: str) -> JSONObject:
    arguments: JSONObject = {}
    if rest.startswith("{"):
        try:
            arguments = json.loads(rest)
        except RecursionError:
            raise Invalid("arguments_json", f"The text after /{name} is nested too deeply.") from None
        except ValueError as error:
            if tool.command_argument is None:
                raise Invalid(
                    "arguments_json", f"The text after /{name} is not valid JSON: {error}."
                ) from None
            arguments = {tool.command_argument: rest}
    elif rest:
        if tool.command_argument is None:
            raise Invalid("arguments_json", f"/{name} takes its arguments as JSON, like /{name} {{…}}.")
        arguments = {tool.command_argument: rest}
    problem = schema_problem(arguments, tool.input_schema)
    if problem is not None:
        raise Invalid("arguments_invalid", f"/{name} was not run: {problem.message}")
    return arguments


def help_text(ticked: Sequence[Tool]) -> str:
    """Return the answer to `/help`."""
    commands = [tool.command for tool in ticked if tool.command]
    lines = [_usage(tool, alone=commands.count(tool.command) == 1) for tool in ticked if tool.command]
    listed = "\n".join(lines) if lines else "No tool in this chat has a slash command."
    return f"Commands of this chat's tools, with text or JSON after them:\n\n{listed}\n\n- `/help`: this list"


def _usage(tool: Tool, *, alone: bool) -> str:
    name = tool.command if alone else f"{tool.home}-{tool.command}"
    takes = f" <{tool.command_argument}>" if tool.command_argument else ""
    first = " ".join(tool.description.split()).split(". ", 1)[0].rstrip(".")
    asks = " (asks first)" if tool.requires_confirmation else ""
    return f"- `/{name}{takes}`: {first}{asks}"


def commanded(
    question: MessageAdded,
    slash: SlashCommand,
    help_: str,
    confirming: Confirming,
    payloads: PayloadStore,
    new_id: NewId,
) -> Callable[[str], Sequence[Event]]:
    """Return a function that takes the turn's id and returns the events that replace a model's reply: a message with
    the call, and the events of the call; for `/help`, a message with the list of commands."""
    tool, message_id = slash.tool, new_id()

    def message(turn_id: str, part: Part) -> MessageAdded:
        return MessageAdded(
            message_id=message_id,
            parent_id=question.message_id,
            turn_id=turn_id,
            role="assistant",
            parts=(part,),
            finish="stop" if tool is None else "calls",
        )

    if tool is None:
        return lambda turn_id: [message(turn_id, TextPart(text=help_))]
    asks = tool.requires_confirmation
    approved = confirming.approval(tool) if asks else None
    part = CallPart(call_id=new_id(), name=wire_name(tool))
    planned = PlannedCall(part.call_id, part.name, tool, slash.arguments, asks=asks, approved=approved)

    def events(turn_id: str) -> Sequence[Event]:
        return [message(turn_id, part), *request_events(turn_id, message_id, [planned], {}, payloads)]

    return events
