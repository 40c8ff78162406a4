"""The configured and running MCP servers (MCP-1 to MCP-3). They share one background loop; each server has its own
supervisor.

Nothing is started before the servers or their tools are first requested. When the configuration or the user's keys
change, the configuration is read again from the log, and servers that differ are stopped, started or restarted.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from concurrent.futures import wait as wait_for
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Condition, RLock
from time import monotonic
from typing import Any

from engine.runtime.protocol import Asked, RunError, RunOutcome, RunStatus
from engine.secrets.scrubber import Scrubber
from engine.system.cancellation import Cancellation
from engine.system.folder_removal import remove_tree
from engine.tools.mcp.background_loop import BackgroundLoop
from engine.tools.mcp.offered_tools import OfferedTools
from engine.tools.mcp.server_supervisor import ServerGone, ServerSupervisor
from engine.tools.mcp.values import OfferedTool, ServerSpec, ServerState, StoredFile, config_of
from engine.tools.mcp.variables import Resolved, resolve
from events.canonical import canonical_json

__all__ = ["McpServers"]

_FIRST_WAIT = 2.0
"""The seconds to wait, when tools are offered, for servers that have never been ready."""
_ENDING = 8.0
"""The seconds within which servers must end. They are asked first, then terminated, then killed."""
_TOLD = 2_000

Progress = Callable[[float | None, str], None]


class McpServers:
    """The configured MCP servers and their supervisors. Thread-safe."""

    def __init__(
        self,
        *,
        specs: Callable[[], Sequence[ServerSpec]],
        value_of: Callable[[ServerSpec, str], str | None],
        stamp: Callable[[], object],
        data: Path,
        environ: Mapping[str, str],
        scrubber: Scrubber,
        backoff: tuple[float, float] = (1.0, 60.0),
        at_least: Callable[[], Asked] = lambda: "strongest",
    ) -> None:
        """`specs` returns the servers, `value_of` a variable of a server, and `stamp` a value that changes with the
        user's keys. `backoff` contains the seconds before the first retry, which are doubled each time, and the longest
        delay. A server that cannot be confined to `at_least` is not started.
        """
        self._specs = specs
        self._value_of = value_of
        self._stamp = stamp
        self._data = data
        self._environ = environ
        self._scrubber = scrubber
        self._backoff = backoff
        self._at_least = at_least
        self._remembered = OfferedTools(data / "cache" / "mcp", scrubber)
        self._lock = RLock()
        self._told = Condition()
        self._watchers: list[Callable[[], None]] = []
        self._owners: dict[str, ServerSupervisor] = {}
        self._known: tuple[ServerSpec, ...] = ()
        self._seen: object = None
        self._waited: set[str] = set()
        self._loop = BackgroundLoop("mcp")
        self._closed = self._awake = False
        self.dirty = True

    def states(self) -> tuple[ServerState, ...]:
        """Return the status of each server, by id. Servers that may run are started if they are not running."""
        self.wake()
        with self._lock:
            return tuple(self._state(spec) for spec in self._known)

    def state(self, server_id: str) -> ServerState | None:
        """Return the status of one server."""
        return next((state for state in self.states() if state.id == server_id), None)

    def settled(self, seconds: float = _FIRST_WAIT, *, only: str | None = None) -> tuple[ServerState, ...]:
        """Return the states, after waiting at most `seconds` for servers that are connecting.

        With `only`, this always waits for that server. Without it, this waits for each server only the first time.
        """
        states = self.states()
        new = {s.id for s in states if s.state == "connecting" and only in (None, s.id)}
        if only is None:
            new -= self._waited
        if new:
            self.wait(lambda now: all(s.state != "connecting" for s in now if s.id in new), seconds)
            self._waited |= new
            states = self.states()
        return states

    def wait(self, fits: Callable[[tuple[ServerState, ...]], bool], seconds: float) -> bool:
        """Wait until the states satisfy `fits`, but at most `seconds`; return whether they do."""
        ends = monotonic() + seconds
        while not fits(self.states()):
            with self._told:
                if not self._told.wait(timeout=min(max(ends - monotonic(), 0), 0.25)) and monotonic() >= ends:
                    return fits(self.states())
        return True

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher`, which must return quickly, in another thread whenever a server or its tools change. Return a
        function that ends these calls.
        """
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    def wake(self) -> None:
        """Start and stop servers if something has changed; does not wait for them."""
        with self._lock:
            stamp = self._stamp()
            if self._closed or not (self.dirty or stamp != self._seen):
                return
            self._awake = True
            self._follow(look_again=stamp != self._seen)
            self.dirty, self._seen = False, stamp

    def changed(self) -> None:
        """Apply a change in the log, and wait until servers that should no longer run have ended."""
        with self._lock:
            self.dirty = True
            if self._closed or not self._awake:
                return
            stopping = self._follow(look_again=True)
            self.dirty, self._seen = False, self._stamp()
        wait_for(stopping, timeout=_ENDING)

    def forget(self, server_id: str) -> None:
        """Delete the folder of a removed server, because a later server with the same id is a different server."""
        with self._lock:
            if all(spec.id != server_id for spec in self._specs()):
                remove_tree(self._data / "mcp" / server_id)

    def close(self) -> None:
        """End all servers and the loop. A second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            stopping = [self._loop.submit(owner.end()) for owner in self._owners.values()]
            self._owners = {}
        wait_for(stopping, timeout=_ENDING)
        self._loop.close(_ENDING)

    def call(
        self,
        server_id: str,
        tool: OfferedTool | str,
        arguments: Mapping[str, Any],
        *,
        seconds: float,
        cancel: Cancellation,
        progress: Progress,
    ) -> tuple[RunOutcome, tuple[StoredFile, ...]]:
        """Call a tool. Failures are returned as outcomes with a message. Ends at once when `cancel` is set."""
        self.wake()
        with self._lock:
            owner = self._owners.get(server_id)
        began = monotonic()
        if owner is None:
            return _failed("error", "server_unavailable", f"The MCP server {server_id} is not in use.", 0), ()
        name = tool if isinstance(tool, str) else tool.remote_name
        answer = self._loop.submit(owner.call(name, arguments, seconds, progress))
        ended: Future[RunStatus] = Future()

        def end(status: RunStatus) -> None:
            with self._told:
                if not ended.done():
                    ended.set_result(status)

        answer.add_done_callback(lambda _: end("success"))
        forget = cancel.on_set(lambda: end("cancelled"))
        try:
            status = ended.result(timeout=seconds)
        except NotInTime:
            status = "timed_out"
        finally:
            forget()
        took = monotonic() - began
        if status != "success":
            answer.cancel()
            words = "Stopped." if status == "cancelled" else f"It did not answer within {seconds:g} seconds."
            return _failed(status, status, words, took), ()
        return self._answered(server_id, answer, took)

    def _answered(
        self, server_id: str, answer: "Future[Any]", took: float
    ) -> tuple[RunOutcome, tuple[StoredFile, ...]]:
        from engine.tools.mcp.connection import in_words  # noqa: PLC0415 - the SDK is loaded with the first server

        try:
            told = answer.result()
        except ServerGone as error:
            return _failed("error", "server_gone", str(error), took), ()
        except Exception as error:
            words = f"The MCP server {server_id} refused the call: {in_words(error)}."
            return _failed("error", "server_refused", words[:_TOLD], took), ()
        if told.failed is not None:
            return _failed("error", "server_error", told.failed[:_TOLD], took), ()
        return RunOutcome("success", told.value, seconds=took), told.files

    def _follow(self, *, look_again: bool) -> "list[Future[None]]":
        """Start and stop supervisors so that exactly the right servers run. Return futures that end when the stopped
        servers have ended.
        """
        self._known = tuple(sorted(self._specs(), key=lambda spec: spec.id))
        wanted = {spec.id: spec for spec in self._known if not spec.off}
        stopping = []
        for server_id, owner in list(self._owners.items()):
            spec = wanted.get(server_id)
            if spec is None or spec.config != owner.spec.config:
                stopping.append(self._loop.submit(owner.end()))
                del self._owners[server_id]
                self._waited.discard(server_id)
            else:
                changed = spec.toolset_ids != owner.spec.toolset_ids
                owner.spec = spec
                if look_again or changed:
                    self._loop.submit(owner.look_again())
        for server_id in wanted.keys() - self._owners.keys():
            self._owners[server_id] = self._begun(wanted[server_id])
        self._tell()
        return stopping

    def _begun(self, spec: ServerSpec) -> ServerSupervisor:
        def start() -> Resolved:
            return resolve(spec.config, lambda name: self._value_of(spec, name))

        owner = ServerSupervisor(
            spec,
            start=start,
            home=self._data / "mcp" / spec.id,
            environ=self._environ,
            known=self._remembered.tools(spec),
            told=self._moved,
            backoff=self._backoff,
            at_least=self._at_least,
        )
        # Not waited for: on a busy machine, the loop may be starting other servers for a long time.
        self._loop.soon(owner.begin)
        return owner

    def _moved(self, owner: ServerSupervisor) -> None:
        if owner.standing == "ready":
            self._remembered.keep(owner.spec, owner.tools)
        self._tell()

    def _tell(self) -> None:
        with self._told:
            self._told.notify_all()
        for watcher in tuple(self._watchers):
            watcher()

    def _state(self, spec: ServerSpec) -> ServerState:
        owner = self._owners.get(spec.id)
        state = ServerState(
            id=spec.id,
            toolset_ids=spec.toolset_ids,
            transport="http" if spec.config.url else "stdio",
            runs=spec.runs,
            enabled=spec.enabled,
            trusted=spec.trusted,
            trusted_tools=spec.trusted_tools,
            config_hash=sha256(canonical_json(config_of(spec.config)).encode()).hexdigest(),
            reaches_network=spec.config.reaches_network,
            state="off",
            detail=spec.off,
        )
        if owner is None:
            return replace(state, tools=self._remembered.tools(spec))
        retry, clean = owner.retry_at, self._scrubber.text
        return replace(
            state,
            state=owner.standing,
            detail=clean(owner.detail or owner.slowly),
            next_try=max(0.0, retry - self._loop.time()) if retry is not None else None,
            tools=owner.tools,
            stderr=clean(owner.stderr),
            server=clean(owner.server),
            held=owner.held,
        )


def _failed(status: RunStatus, kind: str, message: str, took: float) -> RunOutcome:
    return RunOutcome(status, error=RunError(kind, message), seconds=took)
