"""Follows a call from its request to its end, even if its process fails or hangs."""

import contextlib
import json
import math
import os
import selectors
import time
from collections.abc import Callable
from dataclasses import field

from engine.runtime.capture import Capture
from engine.runtime.messages import EnvironmentFacts, Failure, Progress, Result, Started, read_message
from engine.runtime.prefork import Process
from engine.runtime.protocol import Confinement, Limits
from engine.runtime.resource_monitor import CALLED
from events.late_dataclass import dataclass

__all__ = ["Ended", "Followed", "follow"]

_STARTING = 300.0
"""The time limit in seconds for a process to accept its request. Loading its libraries from disk takes long on a busy
machine.
"""
_AFTER_THE_END = 0.2
"""Seconds that pipes may stay open after the process has ended."""
_AFTER_KILLING = 5.0
"""The seconds after which a killed process counts as ended, even if it has not reported its end."""
_PROGRESS_EVERY = 0.02
"""The minimum number of seconds between two progress reports that are passed on. If more reports arrive sooner, the
last of them is passed on when that time is over.
"""
_CHUNK = 1 << 16
_SLACK = 1 << 16


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended, according to its supervisor."""

    code: int
    """The exit code, or the negative number of the signal."""
    peak_bytes: int
    cpu_seconds: float
    over: str = ""
    """The shared limit that ended the call's processes: `processes`, `memory` or `disk`."""


@dataclass(slots=True)
class Followed:
    """Everything that was observed of a call."""

    stdout: Capture
    stderr: Capture
    started: bool = False
    timed_out: bool = False
    answer: Result | Failure | None = None
    too_long: bool = False
    """Whether the process sent more bytes than an answer may have."""
    ended: Ended | None = None
    confinement: Confinement | None = None
    """The confinement that the process reported before it loaded any bundle code; None if it did not get that far."""
    environment: EnvironmentFacts | None = None
    seconds: float = 0.0
    pid: int = 0


def follow(
    process: Process,
    request: bytes,
    watched: bytes,
    limits: Limits,
    on_output: Callable[[str, str], None] | None,
    on_progress: Callable[[float | None, str], None] | None,
) -> Followed:
    """Send `request`, a line of JSON, and follow the call to its end. This returns within a bounded time after the
    call's time limit.

    `watched` is sent to the supervisor: see `engine.runtime.resource_monitor.CALLED`.
    """
    return _Following(process, request, watched, limits, on_output, on_progress).run()


@dataclass(slots=True)
class _Lines:
    """Splits bytes into lines, none longer than `longest`."""

    longest: int
    rest: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[bytes] | None:
        self.rest += data
        *lines, last = bytes(self.rest).split(b"\n") if b"\n" in data else (self.rest,)
        if len(last) > self.longest:
            return None
        self.rest = bytearray(last) if lines else self.rest
        return lines


class _Following:
    def __init__(
        self,
        process: Process,
        request: bytes,
        watched: bytes,
        limits: Limits,
        on_output: Callable[[str, str], None] | None,
        on_progress: Callable[[float | None, str], None] | None,
    ) -> None:
        self._process, self._limits = process, limits
        self._to_send, self._watched = memoryview(request + b"\n"), watched
        self._on_output, self._on_progress = on_output, on_progress
        self._seen = Followed(Capture(limits.output_bytes), Capture(limits.output_bytes))
        self._began = time.monotonic()
        self._deadline = self._began + _STARTING
        self._killed = False
        self._last_progress = 0.0
        self._held: Progress | None = None
        self._channel_lines = _Lines(limits.result_bytes + _SLACK)
        self._status_lines = _Lines(_SLACK)
        self._selector = selectors.DefaultSelector()

    def run(self) -> Followed:
        process = self._process
        with contextlib.suppress(OSError):  # the process has ended already; this is noticed below
            process.status.sendall(CALLED + self._watched + b"\n")
        for end in (process.channel, process.status):
            end.setblocking(False)
        with self._selector:
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.register(process.channel, both, self._talk)
            self._selector.register(process.status, selectors.EVENT_READ, self._hear_status)
            self._selector.register(process.stdout, selectors.EVENT_READ, self._hear_stdout)
            self._selector.register(process.stderr, selectors.EVENT_READ, self._hear_stderr)
            while self._selector.get_map():
                left = self._deadline - time.monotonic()
                if left <= 0 and self._out_of_time():
                    break
                for key, events in self._selector.select(max(0.0, min(left, self._until_progress()))):
                    key.data(events)
                self._pass_on_progress()
        self._seen.seconds = self._seen.seconds or time.monotonic() - self._began
        return self._seen

    def _until_progress(self) -> float:
        """Return the seconds until the held-back report is due."""
        return math.inf if self._held is None else self._last_progress + _PROGRESS_EVERY - time.monotonic()

    def _pass_on_progress(self) -> None:
        if self._held is None or (self._held.fraction != 1.0 and self._until_progress() > 0):
            return
        held, self._held, self._last_progress = self._held, None, time.monotonic()
        if self._on_progress is not None:
            self._on_progress(held.fraction, held.text)

    def _out_of_time(self) -> bool:
        """Return whether to stop waiting. At the first deadline, kill the process and wait a little longer
        for its end.
        """
        if self._killed or self._seen.ended is not None:
            return True
        self._seen.timed_out = True
        self._kill()
        return False

    def _kill(self) -> None:
        self._killed = True
        self._deadline = time.monotonic() + _AFTER_KILLING
        self._process.kill()

    def _talk(self, events: int) -> None:
        channel = self._process.channel
        if events & selectors.EVENT_WRITE:
            with contextlib.suppress(OSError):  # the process has ended; its status says why
                self._to_send = self._to_send[channel.send(self._to_send) :]
            if not self._to_send:
                self._selector.modify(channel, selectors.EVENT_READ, self._talk)
        if events & selectors.EVENT_READ:
            data = _received(lambda: channel.recv(_CHUNK))
            if not data:
                self._selector.unregister(channel)
                return
            lines = self._channel_lines.feed(data)
            if lines is None:
                self._seen.too_long = True
                self._selector.unregister(channel)
                self._kill()
                return
            for line in lines:
                self._hear(line)

    def _hear(self, line: bytes) -> None:
        seen = self._seen
        match read_message(line):
            case Started() if not seen.started:
                seen.started = True
                self._began = time.monotonic()
                self._deadline = self._began + self._limits.seconds
            case Confinement() as confinement if (
                seen.confinement is None
            ):  # a later report could come from the tool's code
                seen.confinement = confinement
            case EnvironmentFacts() as environment if seen.answer is None:
                seen.environment = environment
            case Progress() as progress:
                self._held = progress
            case Result() | Failure() as answer if seen.answer is None:
                seen.answer = answer
                seen.seconds = time.monotonic() - self._began

    def _hear_status(self, _: int) -> None:
        status = self._process.status
        data = _received(lambda: status.recv(_CHUNK))
        for line in self._status_lines.feed(data) or ():
            message = json.loads(line)
            self._seen.pid = message.get("pid", self._seen.pid)
            if "exit" in message:
                self._seen.ended = Ended(**message["exit"])
        if not data or self._seen.ended is not None:
            self._selector.unregister(status)
            self._killed = True
            self._deadline = time.monotonic() + _AFTER_THE_END

    def _hear_stdout(self, _: int) -> None:
        self._hear_output(self._process.stdout, self._seen.stdout, "stdout")

    def _hear_stderr(self, _: int) -> None:
        self._hear_output(self._process.stderr, self._seen.stderr, "stderr")

    def _hear_output(self, pipe: int, capture: Capture, name: str) -> None:
        data = _received(lambda: os.read(pipe, _CHUNK))
        if not data:
            self._selector.unregister(pipe)
            return
        text = capture.feed(data)
        if text and self._on_output is not None:
            self._on_output(name, text)


def _received(receive: Callable[[], bytes]) -> bytes:
    try:
        return receive()
    except OSError:  # the end of the process cut off the line
        return b""
