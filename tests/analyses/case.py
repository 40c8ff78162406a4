"""A whole analysis: files made with fixed seeds, a question, and an analyst that answers it with the tools."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.app.app import App
from engine.commands.catalog import Ask, ChangeSetting, CreateChat, Upload
from engine.rendering.plans import TablePlan
from engine.rendering.titles import table_title
from engine.views.chat import CallView
from engine.views.placement import Missing, Placed, Result, Words, place_results
from tests.support.policy import Analysis, Seen, reads
from tests.support.providers.server import fake_provider

__all__ = ["Case", "Played", "play"]


@dataclass(frozen=True)
class Case:
    """One analysis."""

    title: str
    question: str
    files: Callable[[], Mapping[str, bytes]]
    analyst: Callable[[Seen], Analysis]
    placed: tuple[str, ...]
    """The names of the results that the answer places, in order."""
    below: tuple[str, ...] = ()
    """The titles of the charts and pictures that are shown below it."""


@dataclass(frozen=True)
class Played:
    """A finished analysis."""

    chat_id: str
    answer: str
    requests: tuple[Any, ...]
    """The JSON of each request."""
    calls: tuple[CallView, ...]
    shown: tuple[str, ...]
    """The answer from its top to its bottom: "words", or the title of a card."""
    folded: int
    """How many tables at its bottom are folded away, because the answer places other results."""

    def number(self, after: str) -> float:
        """The first number of the answer that follows this text."""
        found = re.search(rf"{re.escape(after)}\D*?(-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)", self.answer)
        assert found is not None, f"no number after {after!r} in: {self.answer}"
        return float(found[1].replace(",", ""))

    def table(self, name: str) -> Any:
        """The result of the query that created the table of this name."""
        results = [call.result for call in self.calls if isinstance(call.result, dict)]
        return next(result for result in results if result.get("table") == name)

    def told(self, number: int = -1) -> str:
        """The text of a request."""
        return json.dumps(self.requests[number], ensure_ascii=False)


def play(app: App, case: Case) -> Played:
    """Ask a case's question and let its analyst answer; every call must succeed, and every placed result be found."""
    app.send(ChangeSetting("recheck_numbers", False))  # the analysts write each answer once
    with fake_provider("openai", policy=reads(case.analyst)) as server:
        chat_id = app.send(CreateChat(model="openai:gpt-5", base_url=server.base_url, title=case.title))
        uploads = [Upload(name, content) for name, content in case.files().items()]
        turn = app.send(Ask(chat_id, case.question, uploads, allow_confirmations=True))
        assert app.wait(turn.turn_id, 500)
        chat = app.chat(chat_id)
        failed = [(call.tool_id, call.error) for call in chat.calls.values() if call.status != "success"]
        assert failed == []
        assert server.problems == []
        requests = tuple(request.json for request in server.requests)
    steps = chat.branch()[1:]
    pieces, below = place_results(steps[-1].content, steps)
    assert [piece for piece in pieces if isinstance(piece, Missing)] == []
    assert tuple(p.result.plan.name for p in pieces if isinstance(p, Placed)) == case.placed
    drawn = [result.plan for result in below if result.plan.renderer in ("chart", "images")]
    assert tuple(plan.title for plan in drawn) == case.below
    shown = [
        "words" if isinstance(p, Words) else str(p.result.plan.title)
        for p in pieces
        if not isinstance(p, Missing)
    ]
    others = [result for result in below if result.plan not in drawn]
    shown += [str(plan.title) for plan in drawn] + [_headed(result) for result in others]
    calls = tuple(chat.calls.values())
    folded = sum(isinstance(result.plan, TablePlan) for result in others) if case.placed else 0
    return Played(chat_id, steps[-1].content, requests, calls, tuple(shown), folded)


def _headed(result: Result) -> str:
    """The heading of a table on the page, which is derived from its columns if it has no title."""
    plan, told = result.plan, result.call.result
    columns = told.get("columns") if isinstance(told, dict) else None
    if not isinstance(plan, TablePlan) or not isinstance(columns, list):
        return str(plan.title)
    return table_title(plan.title, plan.name, plan.sql, [(c["name"], c["type"]) for c in columns])  # type: ignore[index,call-overload]
