"""Decides where the results of an answer are shown: in its text if it names them, otherwise below the text. Pure.

An answer places a result by `![](result:NAME)`. Results that the answer does not place are shown below it in
order: every chart and picture of the turn, and the tables of its last step.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from engine.rendering.plans import PartsPlan, RenderPlan
from engine.system.input_limits import nearest
from engine.views.chat import CallView, MessageView
from events.late_dataclass import dataclass

__all__ = ["CODE", "Missing", "Placed", "Result", "Words", "place_results", "results_of", "without_places"]

CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
"""Matches code in Markdown: a block up to its closing fence or the end of the text, or a span."""
_PLACE = re.compile(r"!\[[^\]\n]{0,500}+\]\(\s{0,9}result:\s{0,9}([^)\n]{0,200}?)\s{0,9}\)")
"""Matches a place for a result.

The pattern limits its lengths, because matching a text with many brackets would otherwise take quadratic time.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One result that a call showed."""

    call: CallView
    plan: RenderPlan
    place: int = 0
    """For a call that showed several results: the number of this result, from 0."""

    @property
    def key(self) -> str:
        """A key that identifies the result among all results."""
        return f"{self.call.call_id}-{self.place}" if self.place else self.call.call_id


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A result at its place in the answer."""

    result: Result


@dataclass(frozen=True, slots=True)
class Missing:
    """A place in the answer that names a result that does not exist."""

    name: str
    near: tuple[str, ...]


Piece: TypeAlias = Words | Placed | Missing


def results_of(calls: Sequence[CallView]) -> Iterator[Result]:
    """Yield the results of finished calls in order. A call can have several results."""
    for call in calls:
        plan = call.plan if call.status == "success" else None
        if isinstance(plan, PartsPlan):
            parts = [part for part in plan.parts if part.renderer != "error"]
            yield from (Result(call, part, number) for number, part in enumerate(parts))
            if plan.output or plan.notes or not parts:
                yield Result(call, plan.model_copy(update={"parts": ()}), len(parts))
        elif plan is not None and plan.placed != "never":
            yield Result(call, plan)


def place_results(
    text: str, steps: Sequence[MessageView], earlier: Callable[[], Sequence[CallView]] = tuple
) -> tuple[list[Piece], list[Result]]:
    """Return the answer `text` in pieces, and the results to show below it.

    `steps` are the turn's messages; results of the `earlier` calls of the branch can be placed too. If several results
    have the same name, the latest is used. A name that no result has becomes a separate piece, so that the page can say
    that the result is missing.
    """
    own = list(results_of([call for step in steps for call in step.calls]))
    parts = list(_parts(text))
    by_name = {result.plan.name: result for result in own if result.plan.name}
    if any(name is not None and name not in by_name for _, name in parts):
        by_name = {result.plan.name: result for result in results_of(earlier()) if result.plan.name} | by_name
    pieces: list[Piece] = []
    for part, name in parts:
        if part.strip():
            pieces.append(Words(part))
        if name is not None:
            found = by_name.get(name)
            near = tuple(nearest(name, [known for known in by_name if known], 3))
            pieces.append(Placed(found) if found else Missing(name, near))
    placed = {piece.result.key for piece in pieces if isinstance(piece, Placed)}
    return pieces, [result for result in _below(steps, own) if result.key not in placed]


def without_places(text: str, titles: Mapping[str, str] | None = None) -> str:
    """Return an answer for output without cards, with each place described in words."""
    told = titles or {}
    return "".join(
        part + (f"[result {told.get(name, name)}]" if name is not None else "") for part, name in _parts(text)
    )


def _parts(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield pairs: the text before each place and the name that the place contains, and at the end the remaining text
    and None. Places in code count as text.
    """
    kept = ""
    for index, part in enumerate(CODE.split(text)):
        if index % 2:
            kept += part
            continue
        end = 0
        for found in _PLACE.finditer(part):
            yield kept + part[end : found.start()], found[1]
            kept, end = "", found.end()
        kept += part[end:]
    yield kept, None


def _below(steps: Sequence[MessageView], own: Sequence[Result]) -> Iterator[Result]:
    """Yield every chart and picture with the notes of its call, and the other results of the last step that has
    results."""
    shown = {result.call.call_id for result in own}
    last = next((s for s in reversed(steps) if any(call.call_id in shown for call in s.calls)), None)
    of_last = {call.call_id for call in last.calls} if last else set()
    drew = {result.call.call_id for result in own if result.plan.placed == "always"}
    for result in own:
        if result.plan.placed == "always" or result.call.call_id in of_last:
            yield result
        elif isinstance(result.plan, PartsPlan) and result.plan.notes and result.call.call_id in drew:
            # the output of an earlier step stays in the tool line, but the notes belong to the charts
            yield replace(result, plan=result.plan.model_copy(update={"output": None, "code": None}))
