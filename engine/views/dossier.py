"""The dossier of a number (TIM-6): its text, its cells, the call that made them, the files, and the event in the
log."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.numbers.doubts import nearest_cells
from engine.numbers.evidence import Cell, ResultTable
from engine.numbers.traced_number import UNTRACED
from engine.views.answer_number import AnswerNumber, number_document
from engine.views.call_dossier import CallDossier
from engine.views.chat import ChatView, MessageView
from engine.views.review_words import review_words
from engine.views.unclear_words import likely_words, maybe_words, working_words
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["CellShown", "Dossier", "dossier_document", "dossier_of", "rounding", "status_words"]

_STATUS_WORDS: Mapping[str, str] = {
    "exact": "In a result",
    "derived": "Calculated",
    "said": "You said it",
    "plain": "Names or counts",
    "stale": "Out of date",
    "unclear": "Unclear",
    "unbacked": "Not in any result",
}
_MOST_CELLS = 12


@dataclass(frozen=True, slots=True)
class CellShown:
    """A cell with its row and its result."""

    result: str
    """The title of the result, or else its name."""
    rows: int
    columns: tuple[str, ...]
    row: tuple[Any, ...]
    column: int
    call_id: str
    """The call that made the result; "" if no call did."""
    at: int
    """The number of the cell's row in the result, from 0."""

    @property
    def value(self) -> Any:
        """The content of the cell."""
        return self.row[self.column]


@dataclass(frozen=True, slots=True)
class Dossier:
    """All known facts about the origin of a number. Unknown facts are absent."""

    number: AnswerNumber
    message: MessageView
    cells: tuple[CellShown, ...]
    others: tuple[CellShown, ...]
    """Other cells that would also fit."""
    nearest: tuple[CellShown, ...]
    """For a number that is not found in any result: the cells with the closest values."""
    likely: tuple[tuple[CellShown, str], ...]
    """For an unclear number: the cells from which it may come, each with an explanation of what is unclear."""
    maybe: str
    """For an unclear number that is not in any cell: a sentence about how it may have been computed; else ""."""
    objection: str
    """The reason why the calculation that the model stated for the number was not accepted; "" if it was accepted or
    the model stated none.
    """
    review: str
    """The finding of the answer's review about the number; "" if there was no review."""
    made: CallDossier | None
    """The call that made the result, with its inputs."""
    hash: str
    """The hash of the event with the answer."""

    @property
    def status(self) -> str:
        """The number's status; it is `stale` if the inputs have changed since the answer."""
        return replace(self.number, changed=self.made.changed if self.made else ()).status

    @property
    def is_untraced(self) -> bool:
        """Whether no origin of the number is known."""
        return self.status in UNTRACED


def dossier_of(
    view: ChatView, message_id: str, number: AnswerNumber, made: CallDossier | None, digest: str
) -> Dossier:
    """Return the dossier of a number; `made` is the dossier of its call, `digest` the hash of the answer's event."""
    traced = number.traced
    return Dossier(
        number,
        view.messages[message_id],
        tuple(_shown(number.results, cell) for cell in number.cells[:_MOST_CELLS]),
        tuple(_shown(number.results, cell) for cell in traced.others),
        _nearest(number) if number.status == "unbacked" else (),
        tuple(
            (_shown(number.results, one.cell), likely_words(number, one))
            for one in (traced.likely if number.status == "unclear" else ())
        ),
        maybe_words(number) if number.status == "unclear" else "",
        working_words(number),
        _review(view, message_id, number),
        made,
        digest,
    )


def status_words(number: AnswerNumber, status: str) -> str:
    """Return a status of a number in words."""
    refuted = status in UNTRACED and number.traced.is_refuted
    return "Found wrong" if refuted else _STATUS_WORDS[status]


def _review(view: ChatView, message_id: str, number: AnswerNumber) -> str:
    review = view.reviews.get(message_id)
    return review_words(number, review.model) if review is not None else ""


def rounding(number: AnswerNumber) -> str:
    """Return how the number in the text was rounded, such as "rounded from −23.486 to −23.5"; "" if it was not."""
    from engine.numbers.fitting import factor_of  # noqa: PLC0415 - loads the words of the matcher

    traced = number.traced
    value = traced.derivation.value if traced.derivation else None
    if traced.cell is not None:
        value = traced.cell.value * traced.factor
    elif value is not None:
        value *= factor_of(value, traced.mention)
    if value is None or abs(abs(value) - abs(traced.mention.value)) <= abs(value) * 1e-12:
        return ""
    return f"“{number.text}”, rounded from {value:,.10g}"


def _shown(results: Sequence[ResultTable], cell: Cell) -> CellShown:
    table = results[cell.table]
    return CellShown(
        table.title or table.name,
        table.count,
        table.columns,
        table.rows[cell.row],
        cell.column,
        table.call_id,
        cell.row,
    )


def _nearest(number: AnswerNumber) -> tuple[CellShown, ...]:
    mention = number.traced.mention
    cells = nearest_cells(mention.value, number.results) if mention.kind != "plain" else []
    return tuple(_shown(number.results, cell) for cell in cells)


def dossier_document(dossier: Dossier) -> JSONObject:
    """Return a dossier as `anabranch why --json` prints it."""
    document: dict[str, JSON] = {
        "message_id": dossier.message.message_id,
        "position": dossier.message.position,
        "hash": dossier.hash,
        **number_document(dossier.number),
        "status": dossier.status,
        "status_words": status_words(dossier.number, dossier.status),
        "rounding": rounding(dossier.number) or None,
        "cells": [_cell(cell) for cell in dossier.cells],
        "others": [_cell(cell) for cell in dossier.others],
        "nearest": [_cell(cell) for cell in dossier.nearest],
        "likely": [{**_cell(cell), "told": told} for cell, told in dossier.likely],
        "maybe": dossier.maybe or None,
        "reviewed": dossier.review or None,
        "call": None,
        "inputs": [],
        "not_counted": None,
        "re_run": None,
    }
    return document | (dossier.made.to_json() if dossier.made is not None else {})


def _cell(cell: CellShown) -> JSONObject:
    return {
        "result": cell.result,
        "column": cell.columns[cell.column],
        "row": dict(zip(cell.columns, cell.row, strict=False)),
        "value": cell.value,
        "call_id": cell.call_id or None,
        "row_index": cell.at,
    }
