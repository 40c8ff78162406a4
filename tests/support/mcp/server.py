"""An MCP server to test with: it answers with every kind of content, hangs, dies, and changes its tools.

    python server.py [--http PORT_FILE]

Over stdio, or over streamable HTTP on a free port of loopback, which it writes into PORT_FILE.
"""

import base64
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
    )
).decode()
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NONE: dict[str, Any] = {"type": "object", "properties": {}}
READS = types.ToolAnnotations(read_only_hint=True)
WRITES = types.ToolAnnotations(read_only_hint=False, destructive_hint=True)
more = False


def tool(name: str, schema: dict[str, Any], hints: types.ToolAnnotations | None = READS) -> types.Tool:
    """A tool."""
    return types.Tool(name=name, description=f"Does {name}.", input_schema=schema, annotations=hints)


async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
    """All tools; one more after `grow`."""
    names = [
        "picture",
        "audio",
        "embedded",
        "binary",
        "link",
        "structured",
        "fail",
        "hang",
        "pids",
        "grow",
        "complain",
    ]
    tools = [tool("echo", TEXT), *(tool(name, NONE) for name in names)]
    tools += [tool("die", NONE), tool("destroy", NONE, WRITES), tool("unannotated", NONE, None)]
    tools.append(tool("odd schema", {"type": "object", "properties": {"a": {"type": "nonsense"}}}))
    tools.append(
        tool("huge", {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(9000)}})
    )
    if more:
        tools.append(tool("grown", NONE))
    return types.ListToolsResult(tools=tools)


def text(words: str, **extra: Any) -> types.CallToolResult:
    """A result with text."""
    return types.CallToolResult(content=[types.TextContent(text=words)], **extra)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Do what the tool's name says."""
    global more  # noqa: PLW0603 - one process, one server
    arguments = params.arguments or {}
    match params.name:
        case "echo":
            return text(f"{arguments['text']} {os.environ.get('SECRET_OF_TEST', '')}".strip())
        case "picture":
            picture = types.ImageContent(data=PNG, mime_type="image/png")
            return types.CallToolResult(content=[types.TextContent(text="One dot."), picture])
        case "audio":
            return types.CallToolResult(
                content=[types.AudioContent(data=base64.b64encode(b"RIFF").decode(), mime_type="audio/wav")]
            )
        case "embedded":
            inner = types.TextResourceContents(uri="notes://one", mime_type="text/plain", text="Noted.")
            return types.CallToolResult(content=[types.EmbeddedResource(resource=inner)])
        case "binary":
            blob = base64.b64encode(b"\x00\x01").decode()
            held = types.BlobResourceContents(
                uri="file:///a/b.bin", mime_type="application/octet-stream", blob=blob
            )
            return types.CallToolResult(content=[types.EmbeddedResource(resource=held)])
        case "link":
            return types.CallToolResult(content=[types.ResourceLink(uri="notes://two", name="Two")])
        case "structured":
            return text('{"n": 1}', structured_content={"n": 1})
        case "fail":
            return text("The disk of the server is full.", is_error=True)
        case "hang":
            await anyio.sleep_forever()
        case "pids":
            return text(f"{os.getpid()} {os.getppid()}")
        case "complain":
            sys.stderr.write("I do not like this.\n")
            return text("complained")
        case "grow":
            more = True
            await bus.publish(ToolsListChanged())
            await ctx.session.send_tool_list_changed()
            return text("grown")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
    return text(f"did {params.name}")


bus = InMemorySubscriptionBus()
server = Server(
    "kitchen",
    version="1.0.0",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_subscriptions_listen=ListenHandler(bus),
)


async def over_stdio() -> None:
    """Serve the parent process over stdio."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def over_http(port_file: Path) -> None:
    """Serve on loopback."""
    import uvicorn  # noqa: PLC0415 - stdio starts without it

    listening = socket.create_server(("127.0.0.1", 0))
    app = server.streamable_http_app()
    fresh = port_file.with_suffix(".new")
    fresh.write_text(str(listening.getsockname()[1]))
    fresh.replace(port_file)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    if "--http" in sys.argv:
        over_http(Path(sys.argv[sys.argv.index("--http") + 1]))
    else:
        anyio.run(over_stdio)
