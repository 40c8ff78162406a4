"""The numbers of an answer, each with where it came from (SPEC TIM-11): for the page, the CLI and the API."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.numbers.doubts import DoubtedNumber, doubted_numbers
from engine.numbers.evidence import Cell, Evidence, ResultTable
from engine.numbers.trace import MOST_CHARACTERS, MOST_NUMBERS, trace
from engine.numbers.traced_number import TracedNumber
from engine.system.weighted_cache import WeightedCache
from engine.views.briefed_tables import BriefedTables
from engine.views.chat import CallView, ChatView, MessageView
from engine.views.number_evidence import files_told, quoted_numbers, replaced_results, result_tables
from engine.workspace.blobs import BlobStore
from events.canonical import JSON, JSONObject

__all__ = ["AnswerNumber", "AnswerNumbers", "number_document", "whole_answer"]

_KEPT = 20_000
"""Traced numbers in the cache."""
_MOST_CALLS = 100
"""Calls before an answer whose results are searched, the latest; the panel of a number says how many results were."""


@dataclass(frozen=True, slots=True)
class AnswerNumber:
    """A number of an answer, with the results that it can be looked up in."""

    place: int
    """Which number of the answer it is, from 1; numbers that only name or date something have none: 0."""
    traced: TracedNumber
    results: tuple[ResultTable, ...]
    changed: tuple[str, ...] = ()
    """Files under the number that are others by now, where the chat stands."""

    @property
    def text(self) -> str:
        """As it stands in the answer."""
        return self.traced.mention.text

    @property
    def status(self) -> str:
        """`exact`, `derived`, `said`, `plain`, `stale` or `unbacked`."""
        is_old = self.changed and self.traced.status in ("exact", "derived")
        return "stale" if is_old else self.traced.status

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that it stands on."""
        if self.traced.cell is not None:
            return (self.traced.cell,)
        return self.traced.derivation.cells if self.traced.derivation else ()

    @property
    def call_id(self) -> str | None:
        """The call whose result it stands on."""
        return (self.results[self.cells[0].table].call_id or None) if self.cells else None


class AnswerNumbers:
    """Traces the numbers of answers, and keeps what it found: an answer and the results before it never change."""

    def __init__(self, chat: Callable[[str], ChatView], blobs_of: Callable[[str], BlobStore]) -> None:
        self._chat, self._briefed = chat, BriefedTables(blobs_of)
        self._found: WeightedCache[tuple[str, str], tuple[AnswerNumber, ...]] = WeightedCache(
            _KEPT, lambda numbers: len(numbers) + 1
        )

    def of(self, view: ChatView, message_id: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers of an answer or a draft, in their order; none while its turn runs."""
        message = view.messages.get(message_id)
        turn = view.turns.get(message.turn_id or "") if message is not None else None
        if message is None or not _answer_text(message) or (turn and turn.reason is None):
            return ()
        key = view.chat_id, message_id
        found = self._found.get(key)
        if found is None:
            found = _traced(view, message, self._briefed)
            self._found.put(key, found)
        return found

    def doubted(self, chat_id: str, message_id: str, answer: str) -> tuple[DoubtedNumber, ...]:
        """Return the numbers of an answer, not recorded yet, that are in no result, with the cells that come closest.

        None if the branch to `message_id` has neither tables nor results.
        """
        evidence = evidence_of(self._chat(chat_id), message_id, self._briefed)
        return doubted_numbers(answer, evidence) if evidence.every else ()

    def in_text(self, view: ChatView, leaf: str, text: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers of a text of the user's, such as a report, over the branch that ends at `leaf`."""
        return _numbered(text, evidence_of(view, leaf, self._briefed))

    def forget(self) -> None:
        """Trace everything again the next time."""
        self._found.clear()


def _answer_text(message: MessageView) -> str:
    """Return the text of an answer, or of a draft of one; "" for other messages."""
    return "" if message.role == "user" else message.text if message.sent_back else message.content


def _traced(view: ChatView, message: MessageView, briefed: BriefedTables) -> tuple[AnswerNumber, ...]:
    return _numbered(_answer_text(message), evidence_of(view, message.message_id, briefed))


def _numbered(text: str, evidence: Evidence) -> tuple[AnswerNumber, ...]:
    numbers, place = [], 0
    for traced in trace(text, evidence):
        place += traced.status != "plain"
        numbers.append(AnswerNumber(place if traced.status != "plain" else 0, traced, evidence.every))
    return tuple(numbers)


def evidence_of(view: ChatView, message_id: str, briefed: BriefedTables) -> Evidence:
    """Return what an answer at the end of a branch can stand on."""
    path = view.branch(message_id)
    parts = [view.data_parts[one.message_id] for one in path if one.message_id in view.data_parts]
    told, files = briefed.told(view.chat_id, parts)
    calls: list[CallView] = [call for message in path for call in message.calls if call.status == "success"]
    calls = calls[-_MOST_CALLS:]
    tables = [table for call in calls for table in result_tables(call)]
    questions = tuple(message.text for message in path if message.role == "user" and message.text)
    replaced, quoted = replaced_results([*tables, *told], calls), quoted_numbers(calls)
    return Evidence(tuple(tables), questions, (*files, *files_told(calls)), replaced, told, quoted)


def whole_answer(answer: str, numbers: Sequence[AnswerNumber]) -> bool:
    """Return whether all of an answer was looked at, and not only its first numbers."""
    return len(answer) <= MOST_CHARACTERS and len(numbers) < MOST_NUMBERS


def number_document(one: AnswerNumber) -> JSONObject:
    """Return a number as SPEC §16 has it."""
    traced = one.traced
    document: dict[str, JSON] = {
        "text": one.text,
        "value": traced.mention.value,
        "status": one.status,
        "call_id": one.call_id,
        "column": None,
        "row": None,
        "derivation": None,
    }
    if traced.cell is not None:
        document |= _where(one.results, traced.cell)
    if traced.derivation is not None:
        document["derivation"] = {
            "operation": traced.derivation.operation,
            "formula": traced.derivation.formula,
            "value": traced.derivation.value,
            "cell_count": traced.derivation.many or len(traced.derivation.cells),
            "cells": [
                _where(one.results, cell) | {"value": cell.value} for cell in traced.derivation.cells[:20]
            ],
        }
    if one.changed:
        document["changed"] = list(one.changed)
    if traced.counts:
        document["counts"] = traced.counts
    return document


def _where(results: Sequence[ResultTable], cell: Cell) -> dict[str, JSON]:
    """The column's name, and the cells that name the row."""
    table = results[cell.table]
    row: Mapping[str, Any] = {
        name: value
        for name, value in zip(table.columns, table.rows[cell.row], strict=False)
        if isinstance(value, str) and value
    }
    return {"result": table.name, "column": table.columns[cell.column], "row": dict(row) or cell.row}
