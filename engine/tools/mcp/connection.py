"""One connection to one server through the official SDK: stdio or streamable HTTP. Only this module loads the SDK.

The SDK's client must be opened and closed by the same task: the task of `server_supervisor.py`.
"""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import anyio
import httpx2
import mcp.client.stdio
import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from engine.runtime.protocol import Asked
from engine.runtime.sandbox.readable import for_every_program
from engine.system.input_limits import MCP_TOOLS
from engine.tools.mcp.answers import answer_of
from engine.tools.mcp.grant import grant
from engine.tools.mcp.message_limits import WholeLines, bound_body, is_too_long, refused_answer
from engine.tools.mcp.values import OfferedTool, ToolAnswer, offered_tools
from engine.tools.mcp.variables import Resolved

__all__ = ["Connection", "ConnectionLost", "connected", "in_words"]

_LAUNCHER = Path(__file__).with_name("launcher.py")
_PASSED = ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SYSTEMROOT")
"""Variables of Anabranch's environment that a server receives. All others must be declared."""
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_PAGES = 50
_PROGRESS_EVERY = 0.02
"""The minimum number of seconds between two progress reports. If more reports arrive sooner, the latest of them is
passed on when that time is over.
"""

# The SDK accepts lines of any length, so its stream is replaced.
setattr(mcp.client.stdio, "TextReceiveStream", WholeLines)  # noqa: B010 - not meant to be replaced

Progress = Callable[[float | None, str], None]


class ConnectionLost(Exception):
    """Raised if the server has ended, and with it this connection."""


class Connection:
    """An open connection. Its coroutines run in the supervisor's loop."""

    def __init__(self, client: Client, lost: asyncio.Event) -> None:
        self._client = client
        self.lost = lost
        """Set when the server is gone."""
        self.changed = asyncio.Event()
        """Set when the list of tools that the server offers has changed."""

    @property
    def server(self) -> str:
        """The server's own name and version."""
        info = self._client.server_info
        return f"{info.name[:100]} {info.version[:100]}".strip() if info else ""

    async def tools(self) -> tuple[OfferedTool, ...]:
        """Return the tools that the server currently offers."""
        told: list[Mapping[str, Any]] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await self._client.list_tools(cursor=cursor, cache_mode="refresh")
            told += [_described(tool) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None or len(told) >= MCP_TOOLS:
                break
        return await asyncio.to_thread(offered_tools, told[:MCP_TOOLS])

    async def call(
        self, name: str, arguments: Mapping[str, Any], seconds: float, told: Progress
    ) -> ToolAnswer:
        """Call a tool. Cancelling notifies the server; the connection stays usable."""
        loop = asyncio.get_running_loop()
        last, held = 0.0, list[asyncio.TimerHandle]()

        def tell(fraction: float | None, message: str) -> None:
            nonlocal last
            last = loop.time()
            told(fraction, message)

        async def report(progress: float, total: float | None, message: str | None) -> None:
            for earlier in held:
                earlier.cancel()
            due = max(last + _PROGRESS_EVERY, loop.time())
            fraction = progress / total if total else None
            held[:] = [loop.call_at(due, tell, fraction, (message or "")[:500])]

        try:
            result = await self._client.call_tool(
                name, dict(arguments), read_timeout_seconds=seconds + 5, progress_callback=report
            )
        except MCPError as error:
            if self.lost.is_set() or _ends_connection(error):
                self.lost.set()
                raise ConnectionLost(error.error.message) from error
            raise
        except (httpx2.TransportError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            self.lost.set()
            raise ConnectionLost(in_words(error)) from error
        finally:
            for earlier in held:
                earlier.cancel()
        return answer_of(result)

    async def listen(self) -> None:
        """Watch for changes of the tools, if the server reports them over a separate stream."""
        with suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            async with self._client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self.changed.set()


def _described(tool: types.Tool) -> dict[str, Any]:
    hints = tool.annotations
    read_only = bool(hints and hints.read_only_hint)
    destructive = hints.destructive_hint if hints else None
    return {
        "name": tool.name,
        "title": tool.title or (hints.title if hints else None),
        "description": tool.description,
        "input_schema": tool.input_schema,
        "read_only": read_only,
        "destructive": not read_only if destructive is None else destructive,
    }


def _ends_connection(error: MCPError) -> bool:
    """Return whether the session is gone, because it was closed or because the server was restarted and forgot it."""
    return error.error.code == types.CONNECTION_CLOSED or "session" in error.error.message.lower()


@asynccontextmanager
async def connected(
    start: Resolved,
    home: Path,
    stderr: Callable[[bytes], None],
    environ: Mapping[str, str],
    at_least: Asked = "strongest",
) -> AsyncGenerator[Connection, None]:
    """Start or reach a server, agree on a protocol, and keep the connection open for the duration of the block.

    A started server is confined to its granted access, at the level `at_least` or better, unless it may run unconfined.
    """
    lost = asyncio.Event()
    async with AsyncExitStack() as stack:
        if start.url:
            away = httpx2.URL(start.url).host not in _LOOPBACK  # no proxy for servers on this machine
            http = httpx2.AsyncClient(
                headers={"accept-encoding": "identity"} | start.headers,
                timeout=httpx2.Timeout(30.0, read=600.0),
                trust_env=away,
                event_hooks={"response": [bound_body]},
            )
            await stack.enter_async_context(http)
            transport = streamable_http_client(start.url, http_client=http)
        else:
            transport = _started(start, home, stderr, environ, at_least, stack)
        client = Client(_watched(transport, lost), message_handler=lambda message: _heard(message, held))
        held: list[Connection] = []
        await stack.enter_async_context(client)
        # The SDK would check results against the server's own schema with `re`, which can take forever in this process.
        setattr(client.session, "validate_tool_result", _unchecked)  # noqa: B010 - not meant to be replaced
        held.append(Connection(client, lost))
        yield held[0]


async def _unchecked(_name: str, _result: types.CallToolResult) -> None:
    """Accept a result unchanged: its size is limited elsewhere, and its schema is the server's responsibility."""


async def _heard(message: object, held: list[Connection]) -> None:
    if isinstance(message, types.ToolListChangedNotification) and held:
        held[0].changed.set()


@asynccontextmanager
async def _watched(transport: Any, lost: asyncio.Event) -> AsyncGenerator[Any, None]:
    """Yield a transport that passes everything on, and set `lost` when the server's side ends."""
    async with transport as (read, write):
        passed, handed = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def pump() -> None:
            async with passed:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    async for message in read:
                        if isinstance(message, Exception) and is_too_long(message):
                            break
                        refused = refused_answer(message) if isinstance(message, Exception) else None
                        await passed.send(refused or message)
            lost.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump)
            try:
                yield handed, write
            finally:
                handed.close()
                tasks.cancel_scope.cancel()


def _started(
    start: Resolved,
    home: Path,
    stderr: Callable[[bytes], None],
    environ: Mapping[str, str],
    at_least: Asked,
    stack: AsyncExitStack,
) -> Any:
    """Start a server as a child process: with a separate process group and home, and without our keys."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    env = {name: environ[name] for name in _PASSED if environ.get(name)}
    env |= {"HOME": str(home), "TMPDIR": str(_made(home / "tmp")), **start.env}
    command = shutil.which(start.command or "", path=env.get("PATH"))
    if command is None:
        raise FileNotFoundError(f"the command {start.command} was not found; install it, or correct its path")
    granted = _granted(start, command, home, env.get("PATH"), at_least)
    launched = [str(_LAUNCHER), str(os.getpid()), granted, command, *start.args]
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-I", "-S", *launched],
        env=env,
        cwd=home,
        encoding_error_handler="replace",
    )
    return stdio_client(parameters, errlog=_piped_to(stderr, stack))


def _piped_to(reader: Callable[[bytes], None], stack: AsyncExitStack) -> TextIO:
    """Return a file for the server to write to; `reader` receives the output until `stack` closes."""
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    written = os.fdopen(theirs, "w")
    stack.callback(written.close)
    loop = asyncio.get_running_loop()

    def read() -> None:
        with suppress(BlockingIOError):
            chunk = os.read(ours, 65536)
            if chunk:
                reader(chunk)
            else:
                loop.remove_reader(ours)

    loop.add_reader(ours, read)

    def close() -> None:
        loop.remove_reader(ours)
        os.close(ours)

    stack.callback(close)
    return written


def _granted(start: Resolved, command: str, home: Path, search: str | None, at_least: Asked) -> str:
    """Return the access granted to the server, as JSON for the launcher; `null` for an unconfined server."""
    if start.unconfined:
        return "null"
    system = [*for_every_program()]
    allowed = grant(
        command, start.args, start.paths, home=home, network=start.network, system=system, search=search
    )
    return json.dumps({**asdict(allowed), "at_least": at_least})


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def in_words(error: BaseException) -> str:
    """Describe a server's error in one line. For a group of errors, describe the first error in it."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, MCPError):
        return f"it answered: {error.error.message[:300]}"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, FileNotFoundError) and not error.errno:
        return str(error)
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
