"""The cost of a question in chats of 20, 200 and 2,000 turns, and in logs with other chats: CPU, bytes, the page.

python -m tests.bench.bench_past
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from engine.app.app import App, open_app
from engine.chats.open_chats import stream_of
from engine.commands.catalog import Ask, ForkChat, RenameChat
from engine.models.messages import Message, TextPart
from engine.models.model import ArgumentsDelta, CallDelta, Delta, Finished, ModelRequest, TextDelta, Usage
from engine.system.cancellation import Cancellation
from events.json_value import JSON
from tests.bench.harness import Figure, main
from tests.bench.page_chats import SQL, begun, grow

__all__ = ["Analyst", "asked", "measure"]

TURNS = (20, 200, 2_000)
BESIDE = 10
"""Other chats of 20 turns in the same log."""
ROUNDS = 7
FORKED = 34
"""Turns more, to fork a chat of some 600 events."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one action in this process."""

    cpu: float
    """Milliseconds, over all threads."""
    wall: float
    """Milliseconds."""
    written: float
    """Kilobytes handed to the system."""


def cost_of(action: Callable[[], object]) -> Cost:
    """Return the cost of `action`."""
    written, cpu, wall = _written(), time.process_time(), time.perf_counter()
    action()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Cost(cpu * 1000, wall * 1000, (_written() - written) / 1000)


def _written() -> int:
    told = Path("/proc/self/io")
    if not told.exists():
        return 0
    return int(dict(line.split(": ") for line in told.read_text().splitlines())["wchar"])


class Analyst:
    """Answers at once; for a question that asks for a count it calls `query` first."""

    provider = "scripted"
    sees = True
    reads_tables = True
    revises = False
    reviews = False
    window: int | None = None
    parameters: Mapping[str, JSON] = MappingProxyType({})

    def body(self, request: ModelRequest) -> bytes:
        """Sends nothing: the requests to a provider are measured separately."""
        return b""

    def stream(self, request: ModelRequest, cancel: Cancellation) -> Iterator[Delta]:
        """Reply to the newest message."""
        newest = request.messages[-1]
        if isinstance(newest, Message) and "count" in "".join(
            part.text for part in newest.parts if isinstance(part, TextPart)
        ):
            name = next(tool.name for tool in request.tools if tool.name.endswith("__query"))
            yield CallDelta(0, name, "call_1")
            yield ArgumentsDelta(0, json.dumps({"sql": SQL}))
            yield Finished("calls", Usage(10, 20))
        else:
            yield TextDelta("Gentoo is the heaviest.")
            yield Finished("stop", Usage(10, 20))


def measure() -> list[Figure]:
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        with _chats(place) as (app, chats, other):
            figures = _by_turn("a question answered at once", chats, lambda chat: asked(app, chat, "Hello?"))
            figures += _by_turn("a question with a query", chats, lambda chat: asked(app, chat, "count"))
            figures += _by_turn(
                "a view of the chat after an event in it", chats, lambda chat: _changed(app, chat, chat)
            )
            figures += _by_turn(
                "a view of the chat after an event in another chat",
                chats,
                lambda chat: _changed(app, chat, other),
            )
            figures += _forked(app, beside=other)
        figures += _opened(place, chats)
    return figures


def _forked(app: App, beside: str) -> list[Figure]:
    """Fork a chat of some 600 events."""
    chat_id = app.send(ForkChat(beside))
    grow(app, chat_id, exchanges=FORKED)
    events = len(app.log.read_stream(stream_of(chat_id)))
    took = [cost_of(lambda: app.send(ForkChat(chat_id))) for _ in range(ROUNDS)]
    cpu, value = (
        statistics.median(times) for times in zip(*((one.cpu, one.wall) for one in took), strict=True)
    )
    return [
        Figure(f"fork a chat of {events:,} events: processor", cpu, "ms"),
        Figure(f"fork a chat of {events:,} events", value, "ms", None, "", "≤ 100 ms", value <= 100),
    ]


_OPEN = """
import sys, time
from pathlib import Path
from engine.app.app import open_app
with open_app(Path(sys.argv[1])) as app:
    app.chats()
    began, cpu = time.perf_counter(), time.process_time()
    app.chat(sys.argv[2])
    print((time.process_time() - cpu) * 1000, (time.perf_counter() - began) * 1000)
"""


def _opened(place: Path, chats: Mapping[int, str]) -> list[Figure]:
    """The first view of each chat in a process that has just started."""
    took: dict[int, list[float]] = {turns: [] for turns in chats}
    used: dict[int, list[float]] = {turns: [] for turns in chats}
    for _ in range(5):
        for turns, chat_id in chats.items():
            command = [sys.executable, "-c", _OPEN, str(place / "data"), chat_id]
            cpu, wall = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            used[turns].append(float(cpu))
            took[turns].append(float(wall))
    first, figures = min(chats), []
    for turns, own in took.items():
        name = f"a chat's first view after a start, turn {turns:,}"
        figures.append(Figure(f"{name}: processor", statistics.median(used[turns]), "ms"))
        value, ratio = (
            statistics.median(own),
            statistics.median(a / b for a, b in zip(own, took[first], strict=True)),
        )
        aim, holds = ("≤ 300 ms", value <= 300) if turns == max(chats) else ("", None)
        figures.append(Figure(name, value, "ms", ratio, f"turn {first}", aim, holds))
    return figures


@contextmanager
def _chats(place: Path) -> Iterator[tuple[App, dict[int, str], str]]:
    """An app with a chat of each length and with other chats; the last of these is returned too."""
    script = place / "replies.json"
    query = {"text": "I count first.", "calls": [{"name": "query", "arguments": {"sql": SQL}}]}
    script.write_text(json.dumps([query, {"text": "Gentoo."}] * 2))
    with open_app(place / "data") as app:
        beside = [begun(app, f"scripted:{script}") for _ in range(BESIDE)]
        chats = {turns: begun(app, f"scripted:{script}") for turns in TURNS}
        for chat_id in beside:
            grow(app, chat_id, exchanges=20)
        for turns, chat_id in chats.items():
            grow(app, chat_id, exchanges=turns)
    with open_app(place / "data") as app:
        app.providers.models.resolve = lambda *_: Analyst()  # type: ignore[method-assign]
        yield app, chats, beside[-1]


def _by_turn(name: str, chats: Mapping[int, str], action: Callable[[str], object]) -> list[Figure]:
    """The cost of `action` in each of `chats`, in turn."""
    costs: dict[int, list[Cost]] = {turns: [] for turns in chats}
    for number in range(ROUNDS + 1):
        for turns, chat_id in chats.items():
            cost = cost_of(lambda: action(chat_id))  # noqa: B023 - used at once
            if number:
                costs[turns].append(cost)
    first, figures = min(chats), []
    for turns, own in costs.items():
        for kind, unit, of in (
            ("cpu", "ms", "processor"),
            ("wall", "ms", "until done"),
            ("written", "KB", "written"),
        ):
            values = [getattr(cost, kind) for cost in own]
            ratios = [
                getattr(a, kind) / (getattr(b, kind) or 1) for a, b in zip(own, costs[first], strict=True)
            ]
            figures.append(
                Figure(
                    f"{name}, turn {turns:,}: {of}",
                    statistics.median(values),
                    unit,
                    statistics.median(ratios),
                    f"turn {first}",
                )
            )
    return figures


def asked(app: App, chat_id: str, text: str) -> None:
    """Ask, and wait for the answer."""
    assert app.wait(app.send(Ask(chat_id, text)).turn_id, 60)


def _changed(app: App, chat_id: str, changed: str) -> None:
    app.send(RenameChat(changed, f"{time.time()}"))
    view = app.chat(chat_id)
    view.branch(), view.usage(), view.usage(branch=True)


if __name__ == "__main__":
    main(measure)
