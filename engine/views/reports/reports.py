"""Makes reports from a chat, a branch or some of its answers, or from a report file that places results by name."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from engine.rendering.plans import ChartPlan
from engine.system.input_limits import nearest
from engine.views.answer_number import AnswerNumber
from engine.views.changed_inputs import ChangedInputs
from engine.views.chart_versions import is_version, versions_of
from engine.views.chat import CallView, ChatView
from engine.views.dossier import status_words
from engine.views.exchanges import Exchange
from engine.views.model_info import without_offer
from engine.views.number_marks import marked
from engine.views.numbers import AnswerNumbers
from engine.views.placement import Missing, Piece, Placed, Result, Words, place_results, results_of
from engine.views.reports.cards import Cards
from engine.views.reports.marks import clean, counted_from_zero, mark
from engine.views.reports.number_sources import source_words
from engine.views.reports.report import (
    CodePart,
    FigurePart,
    HeadingPart,
    MarkedNumber,
    NotePart,
    Part,
    PicturePart,
    Report,
    TablePart,
    TextPart,
)
from engine.views.reports.report_file import Block, ReportFile, report_blocks
from engine.views.reports.report_sources import call_facts, file_facts, needed_calls
from engine.views.reports.selection import nothing_to_export, selected, without_result
from engine.views.workspace import WorkspaceReads

__all__ = ["Reports"]

Head = Callable[[], tuple[int, str]]
"""The log's last position and the hash of its event."""
_ENDED = {
    "limit": "it reached the limit of tool steps",
    "length": "it reached the model's length limit",
    "content_filter": "the provider's content filter stopped it",
    "cancelled": "it was stopped",
    "error": "the model did not answer",
    "awaiting_confirmation": "a call waits for confirmation",
    "interrupted": "the app closed before the answer was finished",
}
"""The reason why a turn ended without an answer, in words. Used if the turn's event does not describe the problem."""


class Reports:
    """Makes reports. Thread-safe; nothing is recorded."""

    def __init__(
        self,
        numbers: AnswerNumbers,
        workspace: WorkspaceReads,
        cards: Cards,
        head: Head,
        now: Callable[[], datetime],
    ) -> None:
        self._numbers, self._workspace, self._cards = numbers, workspace, cards
        self._head, self._now = head, now

    def of_chat(self, view: ChatView, answers: Collection[str] = (), leaf: str | None = None) -> Report:
        """Return a report of a branch, with all its questions or only the questions whose answer is in `answers`.

        Raises:
            NotFound: an answer is not on the branch (`message_not_found`), or there is nothing to export
                (`nothing_to_export`).
        """
        chosen = selected(view, answers, leaf)
        parts = list(self._runs(view, chosen.runs.get(None, ())))
        for one in chosen.exchanges:
            parts += self._exchange(view, one, leaf)
            parts += self._runs(view, chosen.runs.get(one.question.message_id, ()))
        calls = list(chosen.successful_calls)
        return self._report(view, view.title or "Untitled chat", chosen.counted, parts, calls)

    def of_file(self, view: ChatView, file: ReportFile) -> Report:
        """Return the report that a report file describes. Each name refers to the latest result with this name on the
        branch. Raise `NotFound` if the branch is empty."""
        branch = view.branch()
        if not branch:
            raise nothing_to_export()
        calls = [call for message in branch for call in message.calls]
        named = {result.plan.name: result for result in results_of(calls) if result.plan.name}
        pieces = [_placed(block, named) for block in report_blocks(file.body)]
        numbers = self._numbers.in_text(view, branch[-1].message_id, file.body)
        parts = list(self._pieces(view, file.body, pieces, numbers))
        placed = [piece.result.call.call_id for piece in pieces if isinstance(piece, Placed)]
        return self._report(view, file.title or "Report", file.subtitle, parts, placed)

    def _exchange(self, view: ChatView, exchange: Exchange, leaf: str | None) -> Iterator[Part]:
        yield HeadingPart(exchange.question.text)
        answer = exchange.answer
        text = without_offer(answer.content)[0] if answer is not None else ""
        numbers = self._numbers.of(view, answer.message_id) if answer is not None else ()
        pieces, below = place_results(text, exchange.steps, lambda: _earlier(view, exchange, leaf))
        yield from self._pieces(view, text, pieces, numbers)
        for result in below:
            yield from self._card(view, result)
        if not text and not below:
            yield NotePart(_without_answer(exchange))

    def _runs(self, view: ChatView, runs: Sequence[CallView]) -> Iterator[Part]:
        """Yield the parts for consecutive runs by the user, with the results of these runs."""
        if runs:
            yield NotePart(f"{len(runs):,} tool run{'' if len(runs) == 1 else 's'} without a question:")
        for run in runs:
            if run.status != "success":
                yield NotePart(without_result(run))
            for result in results_of([run]):
                yield from self._card(view, result)

    def _card(self, view: ChatView, result: Result) -> Iterator[Part]:
        """Yield the parts of a result (for a chart, its last version), and then the results that the user made from its
        card."""
        versions = versions_of(view.calls, result.call.call_id) if isinstance(result.plan, ChartPlan) else ()
        last = Result(versions[-1].call, versions[-1].plan) if versions and not result.place else result
        yield from self._cards.parts_of(view.chat_id, last)
        origins = {result.call.call_id, *(one.call.call_id for one in versions)}
        for run in view.calls.values():
            made = run.from_call_id in origins and not run.aside and not result.place
            if made and not is_version(view.calls, run):
                for one in results_of([run]):
                    yield from self._card(view, one)

    def _pieces(
        self, view: ChatView, text: str, pieces: Sequence[Piece], numbers: Sequence[AnswerNumber]
    ) -> Iterator[Part]:
        listed: list[MarkedNumber] = []

        def marks(words: str, one: AnswerNumber) -> str:
            listed.append(
                MarkedNumber(
                    one.text, one.status, status_words(one, one.status), source_words(one), one.call_id
                )
            )
            return mark(len(listed) - 1, f"{words} → {one.text}" if one.was else words)

        cleaned = [Words(clean(piece.text)) if isinstance(piece, Words) else piece for piece in pieces]
        for piece in marked(clean(text), cleaned, numbers, marks):
            match piece:
                case Words():
                    yield TextPart(*counted_from_zero(piece.text, listed))
                case Placed():
                    yield from self._card(view, piece.result)
                case Missing():
                    yield NotePart(_missing(piece))

    def _report(
        self, view: ChatView, title: str, subtitle: str, parts: Iterable[Part], calls: Sequence[str]
    ) -> Report:
        made = tuple(parts)
        shown = {
            part.call_id
            for part in made
            if isinstance(part, TablePart | FigurePart | PicturePart | CodePart) and part.call_id
        }
        stood_on = {one.call_id for part in made if isinstance(part, TextPart) for one in part.numbers}
        asked = [*calls, *sorted((shown | stood_on) - {None}, key=str)]
        inputs = ChangedInputs(self._workspace)
        needed = needed_calls(view, [one for one in asked if one], inputs)
        facts = call_facts(view, needed, inputs)
        position, chain_hash = self._head()
        files = file_facts(view, needed, inputs, self._workspace)
        now = self._now()
        counts = f"{len(facts)} call{'' if len(facts) == 1 else 's'}, {len(files)} file{'' if len(files) == 1 else 's'}"
        told = " · ".join(part for part in (f"{now.day} {now:%B %Y}", subtitle, counts) if part)
        return Report(title, told, made, files, facts, position, chain_hash, now)


def _earlier(view: ChatView, exchange: Exchange, leaf: str | None) -> list[CallView]:
    """Return the calls of the branch before this question."""
    before = itertools.takewhile(lambda m: m.message_id != exchange.question.message_id, view.branch(leaf))
    return [call for message in before for call in message.calls]


def _without_answer(exchange: Exchange) -> str:
    turn = exchange.turn
    if turn is None or turn.reason is None:
        return "This question has no answer yet."
    why = turn.problem or _ENDED.get(turn.reason, "")
    return f"This question has no answer: {why.rstrip('.')}." if why else "This question has no answer."


def _placed(block: Block, named: Mapping[str, Result]) -> Piece:
    """Return the piece for a block of a report file. A caption replaces the result's title."""
    if not block.result:
        return Words(block.text)
    found = named.get(block.result)
    if found is None:
        return Missing(block.result, tuple(nearest(block.result, list(named), 3)))
    plan = found.plan.model_copy(update={"title": block.text}) if block.text else found.plan
    return Placed(replace(found, plan=plan))


def _missing(piece: Missing) -> str:
    near = f" Did you mean {' or '.join(piece.near)}?" if piece.near else ""
    return f"There is no result named “{piece.name}” on this branch.{near}"
