"""Anabranch as an MCP server: offers the tools of its toolsets, and records each call in the log as the user's own.

If a tool asks first, the client asks the user (elicitation). If the client does not support this, the call is refused,
unless `--yes` was given.
"""

import base64
import hmac
import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from engine.commands.catalog import CreateChat, RunTool, StopTurn
from engine.errors import AnabranchError
from engine.tools.arguments import schema_problem
from engine.tools.naming import wire_names
from engine.tools.tool import Tool
from engine.views.outgoing_data import readable_json
from events.canonical import canonical_json

if TYPE_CHECKING:
    from engine.app.app import App
    from engine.views.chat import CallView

__all__ = ["AsServer", "serve_stdio"]

Context = ServerRequestContext[dict[str, Any]]

_QUESTION: dict[str, Any] = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Run the tool with these arguments"}},
    "required": ["approve"],
}
_SHOWN = 1_500
_PICTURES = 4


class AsServer:
    """Handles MCP requests with an open app."""

    def __init__(self, app: "App", chat_id: str | None = None, *, allow: bool = False) -> None:
        """`chat_id` is the chat in which calls are recorded; if it is None, the first call creates a chat. `allow` is
        the value of `--yes`.
        """
        self._app = app
        self._chat_id = chat_id
        self._allow = allow
        self._key = secrets.token_bytes(32)
        self._running = 0
        self._making = anyio.Lock()
        self.server: Server[dict[str, Any]] = Server(
            "anabranch",
            version=version("anabranch"),
            title="Anabranch",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
        )

    def _tools(self) -> dict[str, Tool]:
        """Return the offered tools: all available tools except those of other MCP servers."""
        return wire_names(tool for tool in self._app.tools() if tool.available and tool.server is None)

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Return every tool with its schema, and with annotations about its effects on files."""
        tools = await anyio.to_thread.run_sync(self._tools)
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.input_schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.effects == "read",
                        destructive_hint=tool.effects == "write",
                        open_world_hint=tool.network,
                    ),
                )
                for name, tool in tools.items()
            ]
        )

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Check the arguments, ask the user if the tool asks first, and run it. Failures are returned as text."""
        tools = await anyio.to_thread.run_sync(self._tools)
        tool, arguments = tools.get(params.name), dict(params.arguments or {})
        if tool is None:
            return _failed(f"There is no tool {params.name}. The tools are: {', '.join(tools)}.")
        problem = schema_problem(arguments, tool.input_schema)
        if problem is not None:
            return _failed(f"The arguments are not valid: {problem.message}")
        sending = self._app.settings.sending
        if tool.network and sending == "never":
            return _failed(
                f"{tool.title} uses the network, but the user's settings do not allow data to leave this machine."
            )
        sends = tool.network and sending == "ask"  # `--yes` allows calls in advance, but not sending data
        if sends or (tool.requires_confirmation and not self._allow):
            asked = await self._approval(context, params, tool, arguments)
            if asked is not None:
                return asked
        try:
            return await self._run(tool, arguments)
        except AnabranchError as error:
            return _failed(error.message)

    async def _approval(
        self, context: Context, params: types.CallToolRequestParams, tool: Tool, arguments: Mapping[str, Any]
    ) -> types.CallToolResult | types.InputRequiredResult | None:
        """Ask the client's user. Return None if the user approved exactly these arguments, otherwise a reply."""
        wanted = types.ClientCapabilities(elicitation=types.ElicitationCapability())
        if not context.session.check_client_capability(wanted):
            advice = "Start `anabranch mcp serve` with --yes to allow it in advance."
            if tool.network:
                advice = "Calls that reach the network ask first unless the setting `sending` is `freely`."
            return _failed(f"{tool.title} asks for confirmation, and this client cannot ask. {advice}")
        shown = readable_json(dict(arguments))
        if len(shown) > _SHOWN and not tool.network:
            shown = f"{shown[:_SHOWN]} … ({len(shown):,} characters)"
        sends = f", which sends data to {tool.destination}," if tool.network else ""
        words = f"Anabranch: run {tool.title} ({tool.toolset_name}){sends} with\n{shown}"
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            answer = await context.session.elicit_form(words, _QUESTION, context.request_id)
            return _refusal(tool, answer)
        mark = self._mark(tool, arguments)
        given = (params.input_responses or {}).get("approve")
        if isinstance(given, types.ElicitResult) and hmac.compare_digest(params.request_state or "", mark):
            return _refusal(tool, given)
        question = types.ElicitRequest(
            params=types.ElicitRequestFormParams(message=words, requested_schema=_QUESTION)
        )
        return types.InputRequiredResult(input_requests={"approve": question}, request_state=mark)

    def _mark(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Return a code that an approval must contain. The code is valid only for this tool with these arguments, and
        only in this process.
        """
        shown = canonical_json({"tool": tool.tool_id, "arguments": dict(arguments)})
        return hmac.new(self._key, shown.encode(), sha256).hexdigest()

    async def _run(self, tool: Tool, arguments: Mapping[str, Any]) -> types.CallToolResult:
        chat_id = await self._chat()
        command = RunTool(chat_id, tool.tool_id, arguments, allow_confirmations=True)
        self._running += 1
        try:
            call_id = await anyio.to_thread.run_sync(self._app.send, command, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            if self._running == 1:  # `StopTurn` would also stop other calls of the chat
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(self._app.send, StopTurn(chat_id))
            raise
        finally:
            self._running -= 1
        return await anyio.to_thread.run_sync(self._answer, chat_id, call_id)

    async def _chat(self) -> str:
        async with self._making:
            if self._chat_id is None:
                self._chat_id = str(await anyio.to_thread.run_sync(self._app.send, CreateChat("MCP client")))
            return self._chat_id

    def _answer(self, chat_id: str, call_id: str) -> types.CallToolResult:
        call = self._app.chat(chat_id).calls[call_id]
        if call.error is not None:
            return _failed(str(call.error["message"]))
        result = call.result if isinstance(call.result, dict) else {"result": call.result}
        content: list[types.ContentBlock] = [
            types.TextContent(text=json.dumps(result, ensure_ascii=False)),
            *self._pictures(chat_id, call),
        ]
        return types.CallToolResult(content=content, structured_content=result)

    def _pictures(self, chat_id: str, call: "CallView") -> list[types.ContentBlock]:
        plan = call.render_plan if isinstance(call.render_plan, dict) else {}
        images: Any = plan.get("images") if plan.get("renderer") == "images" else None
        return [
            types.ImageContent(
                data=base64.b64encode(self._app.workspace.read(chat_id, image["file"]["sha256"])).decode(),
                mime_type=image["file"]["media_type"],
            )
            for image in (images or [])[:_PICTURES]
        ]


def _failed(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=words)], is_error=True)


def _refusal(tool: Tool, answer: types.ElicitResult) -> types.CallToolResult | None:
    if answer.action == "accept" and (answer.content or {}).get("approve") is True:
        return None
    return _failed(f"The user did not approve {tool.title}. It was not run.")


def serve_stdio(app: "App", chat_id: str | None, *, allow: bool) -> None:
    """Serve until standard input ends."""
    if chat_id is not None:
        app.past.require_chat(chat_id)

    async def serve() -> None:
        server = AsServer(app, chat_id, allow=allow).server
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)
