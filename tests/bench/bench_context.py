"""What a chat of 30 questions with 7 charts sends: how much, how much repeated, and how soon after a reply.

python -m tests.bench.bench_context
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.app.app import App, open_app
from engine.commands.catalog import Ask, CreateChat, Upload, UploadFiles
from events.catalog.tool_call import ToolCallFinished
from tests.bench.harness import Figure, main
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider

QUESTIONS = 30
CHARTS = 7
DIALECTS = ("openai", "anthropic", "gemini")
_SEES = {"openai": "gpt-5", "anthropic": "claude-sonnet-5", "gemini": "gemini-3-pro"}
"""A model of each that is sent the pictures of charts."""
_SIGNED = "c2ln"
_QUERY, _CHART = "toolset__data-analyst__query", "toolset__data-analyst__chart"
_REGIONS = ("North", "South", "East", "West")


def sales() -> bytes:
    """A table of 5,000 orders."""
    lines = ["ordered,region,product,quantity,price"]
    for n in range(5_000):
        day = f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}"
        lines.append(f"{day},{_REGIONS[n % 4]},P{n % 23},{n % 9 + 1},{(n * 37 % 900) / 10 + 5:.2f}")
    return "\n".join(lines).encode()


@dataclass
class Analyst:
    """Makes one query for each question, draws a chart for some, and answers in two sentences."""

    asked: int = 0
    pending: list[Reply] = field(default_factory=list)
    came: list[float] = field(default_factory=list)

    def __call__(self, body: Any) -> Reply:
        self.came.append(time.perf_counter())
        if not self.pending:
            self.pending = list(self._turn())
        return self.pending.pop(0)

    def _turn(self) -> Iterator[Reply]:
        number = self.asked
        self.asked += 1
        name = f"by_region_{number}"
        sql = (
            "SELECT region, sum(quantity * price) AS revenue, count(*) AS orders FROM sales "
            f"WHERE month(ordered) <= {number % 12 + 1} GROUP BY region ORDER BY revenue DESC"
        )
        arguments = {"sql": sql, "name": name, "title": f"Revenue to month {number % 12 + 1}"}
        yield Reply(text="I add up revenue by region.", calls=(Call(_QUERY, arguments, signature=_SIGNED),))
        if number % 4 == 3:
            drawn = {"table": name, "mark": "bar", "x": "revenue", "y": "region", "title": f"Chart {number}"}
            yield Reply(text="I draw it.", calls=(Call(_CHART, drawn, signature=_SIGNED),))
        yield Reply(
            text=f"North leads to month {number % 12 + 1}. ![](result:{name}) All orders were counted."
        )


def measure() -> list[Figure]:
    """Return the figures."""
    figures = []
    for dialect in DIALECTS:
        figures += _measured(dialect, "fake-model", dialect)
        figures += _measured(dialect, _SEES[dialect], f"{dialect}, with pictures")
    return figures


def _measured(dialect: str, model: str, name: str) -> list[Figure]:
    analyst = Analyst()
    with tempfile.TemporaryDirectory() as place, fake_provider(dialect, policy=analyst) as server:
        with open_app(Path(place) / "data") as app:
            chat_id = app.send(CreateChat(model=f"{dialect}:{model}", base_url=server.base_url))
            app.send(UploadFiles(chat_id, [Upload("sales.csv", sales())]))
            gaps = [gap for number in range(QUESTIONS) for gap in _asked(app, chat_id, number, analyst)]
        assert server.problems == [], server.problems
        bodies = [request.body for request in server.requests]
    repeated = sum(_prefix(before, after) for before, after in pairwise(bodies))
    return [
        Figure(f"{name}: the largest request", max(map(len, bodies)) / 1000, "KB"),
        Figure(
            f"{name}: bytes that repeat the previous request", 100 * repeated / sum(map(len, bodies[1:])), "%"
        ),
        Figure(f"{name}: from a reply to the next request, without the tools", statistics.median(gaps), "ms"),
    ]


def _asked(app: App, chat_id: str, number: int, analyst: Analyst) -> list[float]:
    """Ask one question; return the milliseconds between a reply's request and the next, without the tools' time."""
    before = len(analyst.came)
    turn = app.send(Ask(chat_id, f"How is revenue by region up to month {number % 12 + 1}?"))
    app.wait(turn.turn_id)
    view = app.chat(chat_id).turns[turn.turn_id]
    assert view.reason == "stop", view.problem
    calls = [
        record.event.seconds
        for record in app.log.read_stream(f"chat-{chat_id}")
        if isinstance(record.event, ToolCallFinished) and record.correlation_id == turn.turn_id
    ]
    came = analyst.came[before:]
    waits = [after - start for start, after in pairwise(came)]
    return [(wait - spent) * 1000 for wait, spent in zip(waits, calls, strict=True)]


def _prefix(before: bytes, after: bytes) -> int:
    pairs = zip(before, after, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))


if __name__ == "__main__":
    main(measure)
