"""Handles the user's choice of how a tool's results are shown (PRJ-1, RND-7)."""

from collections.abc import Mapping
from threading import RLock

from engine.commands.catalog import SetRenderConfig
from engine.errors import Invalid, Problem
from engine.rendering.plan import USERS_OWN, RenderConfig
from engine.tools.builtin import PICK_TOOLS, READ_SKILL
from engine.tools.tool import BUILTIN, Tool
from engine.tools.toolbox import Toolbox
from engine.tools.unknown_tools import tool_not_found
from engine.toolsets.renderer_rules import renderer_faults
from events.canonical import canonical_json
from events.catalog.toolset import RenderConfigSet
from events.json_value import JSON
from events.log import Append, EventLog

__all__ = ["RenderingCommands"]

_CHARACTERS = 16_384


class RenderingCommands:
    """Handles the command `SetRenderConfig`. It never runs at the same time as commands on toolsets and servers."""

    def __init__(self, log: EventLog, toolbox: Toolbox, lock: RLock) -> None:
        self._log = log
        self._toolbox = toolbox
        self._lock = lock

    def shown(self, tool_id: str) -> RenderConfig | None:
        """Return how a tool's results are shown now. None means the default: JSON, except for built-in tools and tools
        of servers, which have their own defaults.

        Raises:
            NotFound: there is no such tool.
        """
        return self._tool(tool_id).render

    def set(self, command: SetRenderConfig) -> None:
        """See `SetRenderConfig`. An unchanged choice records nothing."""
        tool = self._tool(command.tool_id)
        config = dict(command.config) if command.renderer is not None else {}
        if command.renderer is not None:
            _check(tool, command.renderer, config)
        with self._lock:
            decided_on = self._log.stream_version(_stream(tool))
            tool = self._tool(command.tool_id)
            now = tool.render if tool.render and tool.render.priority == USERS_OWN else None
            if (now.renderer if now else None) == command.renderer and (not now or now.config == config):
                return
            event = RenderConfigSet(tool=tool.name, renderer=command.renderer, config=config)
            self._log.append(Append(_stream(tool), [event], decided_on))
            self._toolbox.forget()

    def _tool(self, tool_id: str) -> Tool:
        tool = self._toolbox.find(tool_id)
        if tool is None or tool_id in (READ_SKILL.tool_id, PICK_TOOLS.tool_id):
            known = [one.tool_id for one in self._toolbox.tools()]
            raise tool_not_found(tool_id, known, "`anabranch toolset list` shows all tools.")
        return tool


def _stream(tool: Tool) -> str:
    return f"mcp-{tool.server}" if tool.server else f"toolset-{tool.toolset_id or BUILTIN}"


def _check(tool: Tool, renderer: str, config: Mapping[str, JSON]) -> None:
    """Refuse a configuration that cannot show any result. The error lists all problems of the configuration."""
    problems = [
        Problem(fault.code, fault.message) for fault in renderer_faults(renderer, config, tool.artifacts)
    ]
    try:
        length = len(canonical_json(dict(config)))
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid(
            "renderer_config", f"This configuration is not JSON that can be stored: {error}."
        ) from None
    if length > _CHARACTERS:
        problems.append(
            Problem(
                "renderer_config",
                f"the configuration has {length:,} characters; the maximum is {_CHARACTERS:,}",
            )
        )
    if problems:
        told = "; ".join(problem.message for problem in problems)
        raise Invalid(
            "renderer_config",
            f"The results of {tool.tool_id} cannot be shown in this way: {told}.",
            tuple(problems),
        )
