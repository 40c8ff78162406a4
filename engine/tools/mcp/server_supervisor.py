"""Connects one server, watches it, and reconnects when it ends. Runs as a task in the loop of `servers.py`."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import anyio

from engine.runtime.protocol import Asked, Confinement, Level
from engine.runtime.sandbox.levels import level_of
from engine.tools.mcp.launcher import HELD_BY
from engine.tools.mcp.values import OfferedTool, ServerSpec, Standing, ToolAnswer
from engine.tools.mcp.variables import NotConfigured, Resolved

if TYPE_CHECKING:
    from engine.tools.mcp.connection import Connection, Progress

__all__ = ["UNHELD", "ServerGone", "ServerSupervisor"]

_log = logging.getLogger("anabranch.mcp")
_CONNECTING = 60.0
"""The seconds of silence after which connecting to a server fails. Output on stderr restarts the time."""
_CONNECTING_IN_ALL = 900.0
"""The seconds within which a server must answer, even if it writes to stderr. Some servers fetch large packages
first."""
_SLOW = 5.0
"""The seconds after which a server that is still connecting is called slow."""
_STABLE = 30.0
"""If a server ran for at least this many seconds before it ended, it counts as having worked."""
_CALL_WAITS = 60.0
"""The maximum number of seconds that a call waits for a server that is still connecting, unless the call's own limit is
shorter."""
_STDERR = 8_192
UNHELD = ("process group", "clean environment")
"""The protective layers that apply even to an unconfined server, which runs with the user's rights."""
_LISTS_EVERY = 0.2
"""The seconds to wait before the tools are read again after the server reported a change, since it may report changes
endlessly."""


class ServerGone(Exception):
    """Raised if there is no server for a call, or if it was lost; the message says why."""


class ServerSupervisor:
    """Supervises one server, as the module's docstring describes. Any thread may read the plain fields; everything else
    happens in the loop.
    """

    def __init__(
        self,
        spec: ServerSpec,
        *,
        start: Callable[[], Resolved],
        home: Path,
        environ: Mapping[str, str],
        known: tuple[OfferedTool, ...],
        told: Callable[["ServerSupervisor"], None],
        backoff: tuple[float, float],
        at_least: Callable[[], Asked],
    ) -> None:
        """`start` resolves the command to start, in a thread; `known` contains the last known tools; `told` is called
        after changes.
        """
        self.spec = spec
        self.standing: Standing = "connecting"
        self.detail = ""
        self.tools = known
        self.server = ""
        self.retry_at: float | None = None
        """The time of the next attempt, by the loop's clock."""
        self.held: Confinement | None = None
        """The confinement of the server's process; None if it does not run here, or has not started yet."""
        self._at_least = at_least
        self._start = start
        self._home = home
        self._environ = environ
        self._told = told
        self._backoff = backoff
        self._stderr = b""
        self._started: Resolved | None = None
        self._connection: Connection | None = None
        self._again = asyncio.Event()
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._began = monotonic()
        self._limit: anyio.CancelScope | None = None
        """The time limit of the current attempt to connect, until the server is ready."""

    @property
    def stderr(self) -> str:
        """The end of the server's stderr."""
        return self._stderr.decode(errors="replace")

    @property
    def slowly(self) -> str:
        """The message that the server is slow to start; empty if it is not."""
        seconds = monotonic() - self._began
        if self.standing != "connecting" or seconds < _SLOW:
            return ""
        last = self._with_stderr("").strip()
        return (
            f"it has been starting for {seconds:,.0f} s{' ' + last if last else ''}; chats continue without its tools "
            "until it answers. If it never does, check its command or address, or disable it"
        )

    def begin(self) -> None:
        """Start supervising."""
        self._task = asyncio.get_running_loop().create_task(self._own(), name=f"mcp {self.spec.id}")

    async def end(self) -> None:
        """Disconnect, end the process, and return when it has ended."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._move("off", "")

    async def look_again(self) -> None:
        """Restart the server if its keys, and so its command, address or environment, have changed."""
        with suppress(Exception):
            fresh = await asyncio.to_thread(self._resolved)
            if fresh != self._started:
                self._again.set()

    async def call(
        self, name: str, arguments: Mapping[str, Any], seconds: float, progress: "Progress"
    ) -> ToolAnswer:
        """Call a tool. If the server is connecting, or will be started again within seconds, wait for it first.

        Raises:
            ServerGone: no server is running, or it ended during the call. The call is not repeated, because it may
                have had effects.
        """
        from engine.tools.mcp.connection import ConnectionLost  # noqa: PLC0415 - the SDK is loaded with the first server

        with anyio.move_on_after(min(seconds, _CALL_WAITS)):
            while self._connection is None and self._comes_soon():
                await self._moved.wait()
        connection = self._connection
        if connection is None:
            raise ServerGone(
                f"The MCP server {self.spec.id} cannot be used now: {self.detail or self.standing}."
            )
        try:
            return await connection.call(name, arguments, seconds, progress)
        except ConnectionLost as error:
            if (
                self._connection is connection
            ):  # noted at once, so that the next call waits for a new connection
                self._connection = None
                self.retry_at = asyncio.get_running_loop().time() + self._backoff[0]
                self._move("failed", "it ended")
            raise ServerGone(
                f"The MCP server {self.spec.id} ended during this call, which may have been carried out in part. "
                "It is being started again."
            ) from error

    def _comes_soon(self) -> bool:
        if self.standing == "failed" and self.retry_at is not None:
            return self.retry_at - asyncio.get_running_loop().time() < 5.0
        return self.standing == "connecting"

    async def _own(self) -> None:
        failures = 0
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            self._again.clear()
            reason = await self._attempt()
            if self._again.is_set():
                failures = 0
                continue
            if self.standing == "not_configured":
                await self._again.wait()
                continue
            failures = 1 if loop.time() - began > _STABLE else failures + 1
            first, longest = self._backoff
            delay = min(first * 2 ** min(failures - 1, 16), longest)
            self.retry_at = loop.time() + delay
            self._move("failed", reason)
            _log.info("MCP server %s: next try in %g s.", self.spec.id, delay)
            with anyio.move_on_after(delay):
                await self._again.wait()
            self.retry_at = None

    async def _attempt(self) -> str:
        """Run one connection from its beginning to its end; return the reason for its end."""
        self._began = monotonic()
        self._move("connecting", "")
        # In a thread, because the SDK takes seconds to load on a busy machine, and other servers must not wait for it.
        await asyncio.to_thread(import_module, "engine.tools.mcp.connection")
        from engine.tools.mcp.connection import connected, in_words  # noqa: PLC0415 - see `call`

        try:
            self._started = await asyncio.to_thread(self._start)
        except NotConfigured as error:
            self._started = None
            self._move("not_configured", error.message)
            return error.message
        except Exception as error:
            # for example, its keys cannot be read; treated like a server that cannot be started
            self._started = None
            return in_words(error)
        self._stderr, self._line = b"", b""
        held_nothing = bool(self._started.command and self._started.unconfined)
        self.held = Confinement(layers=UNHELD) if held_nothing else None
        ready = False
        try:
            with anyio.fail_after(_CONNECTING) as limit:
                self._limit = limit
                async with connected(
                    self._started, self._home, self._wrote, self._environ, self._at_least()
                ) as connection:
                    self.tools = await connection.tools()
                    self._limit, limit.deadline = None, float("inf")
                    self.server = connection.server
                    self._connection, ready = connection, True
                    self._move("ready", "")
                    await self._follow(connection)
        except Exception as error:
            return self._with_stderr("it ended" if ready else in_words(error))
        finally:
            self._connection = self._limit = None
        return self._with_stderr("it ended")

    async def _follow(self, connection: "Connection") -> None:
        """Read the server's tools again when they change, until the server is gone or must be restarted."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.listen)
            tasks.start_soon(self._read_again, connection)
            ends = [asyncio.ensure_future(event.wait()) for event in (connection.lost, self._again)]
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for end in ends:
                    end.cancel()
                tasks.cancel_scope.cancel()

    async def _read_again(self, connection: "Connection") -> None:
        while True:
            await connection.changed.wait()
            connection.changed.clear()
            await asyncio.sleep(_LISTS_EVERY)
            with suppress(Exception):
                self.tools = await connection.tools()
                self._move("ready", "")

    def _resolved(self) -> Resolved | None:
        try:
            return self._start()
        except NotConfigured:
            return None

    def _with_stderr(self, reason: str) -> str:
        """Return the reason with the last line of stderr, where servers usually say why they end."""
        lines = self.stderr.strip().splitlines()
        return f"{reason} ({lines[-1].strip()[:200]})" if lines else reason

    def _wrote(self, chunk: bytes) -> None:
        if self._limit is not None:
            loop = asyncio.get_running_loop()
            latest = loop.time() + _CONNECTING_IN_ALL - (monotonic() - self._began)
            self._limit.deadline = min(loop.time() + _CONNECTING, latest)
        if self.held is None:  # the first line is always the launcher's
            self._line, newline, chunk = (self._line + chunk).partition(b"\n")
            if not newline:
                return
            begin, _, told = self._line.partition(HELD_BY.encode())
            held = (*UNHELD, *(json.loads(told) if told and not begin else ()))
            self.held = Confinement(cast("Level", level_of(held)), held)
            if begin or not told:  # the launcher itself failed, and the line says why
                chunk = self._line + newline + chunk
        self._stderr = (self._stderr + chunk)[-_STDERR:]

    def _move(self, standing: Standing, detail: str) -> None:
        self.standing, self.detail = standing, detail
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
        self._told(self)
