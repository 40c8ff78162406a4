"""Draws Vega-Lite charts as PNG, SVG or scenegraph, in one confined process that keeps running, without a browser.

    renderer = ChartRenderer()
    picture = renderer.render(spec, rows, theme="light", kind="png")

The process starts with the first chart, or earlier with `warm`. If a chart takes too long, crashes the process or
uses too much memory, the process ends; the next chart starts a new one.
"""

import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Literal, TypeAlias

import engine
from engine.rendering.charts.cpu_deadline import PATIENCE, wait_for
from engine.rendering.charts.frames import read_frame, write_frame
from engine.rendering.charts.theme import Theme, standalone
from engine.runtime.processes import clean_environment
from events.late_dataclass import dataclass

__all__ = ["ChartFailed", "ChartRenderer", "Kind", "NoRenderer", "Picture"]

Kind: TypeAlias = Literal["png", "svg", "scene"]

_ROOT = Path(engine.__file__).parent.parent
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from engine.rendering.charts.drawing import main; main(sys.argv[2:])"
)
_TYPES = {"png": "image/png", "svg": "image/svg+xml", "scene": "application/json"}
_SECONDS = 20.0
"""The limit on processor time for one chart."""
_STARTING = 60.0
_READING = 60.0
"""The number of seconds to wait for the rest of a message that has begun to arrive."""
_MEMORY = 1 << 30
"""The maximum memory of the process for data, in bytes. V8 needs more than half of this to start."""
_GROWN = 500 << 20
"""The peak memory, in bytes, above which a process is replaced by a new one after a chart."""
_PROCESSOR_SECONDS = 1800.0
_MOST_BYTES = 8 << 20
_WARM = {
    "data": {"values": [{"a": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "a", "type": "quantitative"}},
}


class ChartFailed(Exception):
    """Raised if Vega-Lite cannot draw a chart. The text says why and what to change."""


class NoRenderer(Exception):
    """Raised if no process can draw charts here. The text says why."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn chart."""

    kind: Kind
    data: bytes
    marks: int
    """The number of marks that were drawn; 0 for a scenegraph, which contains the marks themselves."""
    warnings: tuple[str, ...] = ()
    """Warnings from Vega-Lite, for instance that it dropped a channel."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """The number of marks of each kind, by Vega's name for the kind, such as `rect` or `symbol`."""

    @property
    def media_type(self) -> str:
        """The MIME type of `data`."""
        return _TYPES[self.kind]


@dataclass(slots=True)
class _Running:
    process: "subprocess.Popen[bytes]"
    channel: socket.socket
    confined: str


class ChartRenderer:
    """The process that draws charts, and its restarts. Thread-safe; charts are drawn one after another."""

    def __init__(
        self, *, seconds: float = _SECONDS, memory_bytes: int = _MEMORY, grown_bytes: int = _GROWN
    ) -> None:
        """`seconds` limits the time for one chart; a process whose peak memory exceeds `grown_bytes` is replaced."""
        self._seconds, self._memory, self._grown = seconds, memory_bytes, grown_bytes
        self._lock = Lock()
        self._running: _Running | None = None
        self._missing: str | None = None
        self._closed = False
        self._folder: Path | None = None

    @property
    def confined(self) -> str | None:
        """The level at which the running process is confined, such as `full`; None if no process is running."""
        running = self._running
        return running.confined if running is not None else None

    @property
    def pid(self) -> int | None:
        """The id of the running process; None if no process is running."""
        running = self._running
        return running.process.pid if running is not None else None

    def warm(self) -> None:
        """Start the process in the background and draw one chart, so that the first requested chart is quick."""

        if self._running is not None or self._missing is not None:
            return

        def start() -> None:
            with contextlib.suppress(ChartFailed, NoRenderer):
                self.render(_WARM)

        Thread(target=start, name="chart renderer", daemon=True).start()

    def render(
        self,
        spec: Mapping[str, Any],
        rows: Sequence[Mapping[str, Any]] | None = None,
        *,
        theme: Theme = "light",
        kind: Kind = "png",
        scale: float = 2.0,
    ) -> Picture:
        """Draw `spec`, with `rows` as its data if it has none.

        Raises:
            ChartFailed: Vega-Lite cannot draw the chart, the chart shows nothing, or drawing takes too long.
            NoRenderer: vl-convert-python is missing or does not start here.
        """
        request = {
            "spec": standalone(spec, rows, theme),
            "kind": kind,
            "scale": scale,
            "most_bytes": _MOST_BYTES,
        }
        try:
            asked = json.dumps(request, allow_nan=False).encode()
        except (ValueError, RecursionError, TypeError) as error:
            raise ChartFailed(f"The chart's specification is not valid JSON: {error}.") from None
        with self._lock:
            head, body = self._exchange(asked)
        if body is None:
            raise ChartFailed(_in_words(str(head.get("failed", ""))))
        if kind != "scene" and not head["marks"]:
            raise ChartFailed(_nothing(head["warnings"]))
        return Picture(kind, body, head["marks"], tuple(head["warnings"]), head["kinds"])

    def close(self) -> None:
        """End the process. A second call does nothing."""
        with self._lock:
            self._closed = True
            self._stop()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _exchange(self, asked: bytes) -> tuple[dict[str, Any], bytes | None]:
        running = self._start()
        try:
            running.channel.settimeout(self._seconds * PATIENCE)
            write_frame(running.channel, asked)
            head = self._read(running, self._seconds)
            body = self._read(running, _READING) if head is not None and b'"marks"' in head else None
        except TimeoutError:
            self._stop()
            raise ChartFailed(
                f"The chart was not drawn within {self._seconds:g} seconds. Draw fewer rows: aggregate "
                "or filter in SQL."
            ) from None
        except OSError:
            head, body = None, None
        if head is None:
            self._stop()
            raise ChartFailed(
                "The process that draws charts ended while drawing this one, perhaps because it ran out of memory. "
                "Draw fewer rows, or make the chart simpler."
            )
        answer = json.loads(head)
        if answer.get("peak_bytes", 0) > self._grown:
            self._stop()
        return answer, body

    @staticmethod
    def _read(running: _Running, seconds: float) -> bytes | None:
        wait_for(running.channel, running.process.pid, seconds)
        running.channel.settimeout(_READING * PATIENCE)
        return read_frame(running.channel)

    def _start(self) -> _Running:
        if self._closed:
            raise NoRenderer("The app is closing, so no picture of the chart was made.")
        if self._missing is not None:
            raise NoRenderer(self._missing)
        if self._running is not None and self._running.process.poll() is None:
            return self._running
        self._stop()
        self._running = self._begun()
        return self._running

    def _begun(self) -> _Running:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="anabranch-charts-"))
        running = self._spawned(self._folder)
        try:
            first = self._read(running, _STARTING)
        except TimeoutError:  # the machine is busy; the next chart tries again
            self._running = running
            self._stop()
            raise NoRenderer(
                "No picture of this chart could be made: the process that draws it did not start in time. "
                "The chart on the page is complete. Try again when the machine is less busy."
            ) from None
        except OSError:
            first = None
        told = json.loads(first) if first else {}
        if "confined" not in told:
            self._running = running
            self._stop()
            missing = (
                "vl-convert-python is not installed" if "missing" in told else "its process did not start"
            )
            self._missing = (
                f"No picture of this chart could be made: {missing}. The chart on the page is complete."
            )
            raise NoRenderer(self._missing)
        running.confined = told["confined"]
        return running

    def _spawned(self, folder: Path) -> _Running:
        channel, theirs = socket.socketpair()
        given = [theirs.fileno(), folder, self._memory, _PROCESSOR_SECONDS, self._longest()]
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-c", _START, str(_ROOT), *map(str, given)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=clean_environment(),
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return _Running(process, channel, "")

    def _longest(self) -> int:
        """Return the seconds after which the process ends itself during a request. If the engine is alive, it ends the
        process before that.
        """
        return int(self._seconds * PATIENCE) + 10

    def _stop(self) -> None:
        if self._running is None:
            return
        running, self._running = self._running, None
        running.channel.close()
        running.process.kill()
        running.process.wait()


_ERROR = re.compile(r"^(?:Error|TypeError|RangeError|SyntaxError|ReferenceError): (.*)$", re.MULTILINE)


def _in_words(error: str) -> str:
    """Return Vega-Lite's message without the stack trace, and advice."""
    found = _ERROR.search(error)
    said = (found.group(1) if found else error.split("\n", 1)[0]).strip().rstrip(".")
    return f"Vega-Lite cannot draw this chart: {said[:600]}. Change the mark, encodings or transforms that it names."


def _nothing(warnings: Sequence[str]) -> str:
    why = f" Vega-Lite says: {' '.join(warnings)[:600]}" if warnings else ""
    return (
        "The chart draws no mark: no row has a value for each of its channels, a filter leaves no row, "
        "or a field is "
        f"not a column of the data.{why}"
    )
