"""The dossier of a number (SPEC TIM-6): from the printed text to its cells, the call that made them, files and log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.numbers.doubts import nearest_cells
from engine.numbers.evidence import Cell, ResultTable
from engine.views.chat import CallView, ChatView, MessageView
from engine.views.number_evidence import program_of
from engine.views.numbers import AnswerNumber, number_document
from engine.views.replays import VerdictView
from engine.workspace.manifest import FileEntry
from events.canonical import JSON, JSONObject

__all__ = ["STATUS_WORDS", "CellShown", "Dossier", "dossier_document", "dossier_of", "rounding"]

STATUS_WORDS: Mapping[str, str] = {
    "exact": "In a result",
    "derived": "Calculated",
    "said": "You said it",
    "plain": "Names or counts",
    "stale": "Out of date",
    "unbacked": "Not in any result",
}
_MOST_CELLS = 12


@dataclass(frozen=True, slots=True)
class CellShown:
    """A cell with the row and the result that it stands in."""

    result: str
    """The result's title, else its name."""
    rows: int
    columns: tuple[str, ...]
    row: tuple[Any, ...]
    column: int

    @property
    def value(self) -> Any:
        """What stands in the cell."""
        return self.row[self.column]


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that is known of where a number came from; what does not exist is absent."""

    number: AnswerNumber
    message: MessageView
    cells: tuple[CellShown, ...]
    others: tuple[CellShown, ...]
    """Cells that would do as well."""
    nearest: tuple[CellShown, ...]
    """For a number in no result: the cells whose values come closest."""
    call: CallView | None
    inputs: Mapping[str, FileEntry]
    """The files that the call's SQL names, as they were."""
    changed: tuple[str, ...]
    """Files below the number that are other files by now, or gone."""
    verdict: VerdictView | None

    @property
    def status(self) -> str:
        """The number's status; a number whose inputs have changed since is out of date."""
        return replace(self.number, changed=self.changed).status

    @property
    def program(self) -> str:
        """The SQL or code that made the result; "" if there is none."""
        return program_of(self.call) if self.call is not None else ""


def dossier_of(
    view: ChatView,
    message_id: str,
    number: AnswerNumber,
    inputs: Mapping[str, FileEntry],
    changed: tuple[str, ...],
) -> Dossier:
    """Return the dossier of a number; `inputs` are the files that its call read, `changed` those below it that are
    others by now."""
    call = view.calls.get(number.call_id or "")
    traced = number.traced
    return Dossier(
        number,
        view.messages[message_id],
        tuple(_shown(number.results, cell) for cell in number.cells[:_MOST_CELLS]),
        tuple(_shown(number.results, cell) for cell in traced.others),
        _nearest(number) if number.status == "unbacked" else (),
        call,
        inputs,
        changed,
        view.verdicts.get(number.call_id or ""),
    )


def rounding(number: AnswerNumber) -> str:
    """Return how the text came of the value, such as "rounded from −23.486 to −23.5"; "" where it did not change."""
    traced = number.traced
    value = traced.derivation.value if traced.derivation else None
    if traced.cell is not None:
        value = traced.cell.value * traced.factor
    elif value is not None and traced.mention.kind in ("percent", "points"):
        value *= 100
    if value is None or abs(abs(value) - abs(traced.mention.value)) <= abs(value) * 1e-12:
        return ""
    return f"“{number.text}”, rounded from {value:,.10g}"


def _shown(results: Sequence[ResultTable], cell: Cell) -> CellShown:
    table = results[cell.table]
    return CellShown(table.title or table.name, table.count, table.columns, table.rows[cell.row], cell.column)


def _nearest(number: AnswerNumber) -> tuple[CellShown, ...]:
    cells = nearest_cells(number.traced.mention.value, number.results)
    return tuple(_shown(number.results, cell) for cell in cells)


def dossier_document(dossier: Dossier) -> JSONObject:
    """Return a dossier as `anabranch why --json` gives it."""
    call, verdict = dossier.call, dossier.verdict
    document: dict[str, JSON] = {
        "message_id": dossier.message.message_id,
        "position": dossier.message.position,
        **number_document(dossier.number),
        "status": dossier.status,
        "rounding": rounding(dossier.number) or None,
        "cells": [_cell(cell) for cell in dossier.cells],
        "others": [_cell(cell) for cell in dossier.others],
        "nearest": [_cell(cell) for cell in dossier.nearest],
        "inputs": [
            {"path": path, "sha256": file.sha256, "size": file.size, "changed": path in dossier.changed}
            for path, file in dossier.inputs.items()
        ],
        "call": None,
        "re_run": None,
    }
    if call is not None:
        document["call"] = {
            "id": call.call_id,
            "tool_id": call.tool_id,
            "toolset_version": call.toolset_version,
            "position": call.position,
            "finished_at": call.finished_at.isoformat() if call.finished_at else None,
            "program": dossier.program,
        }
    if verdict is not None:
        document["re_run"] = {
            "verdict": verdict.verdict,
            "at": verdict.at.isoformat(),
            "reason": verdict.reason,
        }
    return document


def _cell(cell: CellShown) -> JSONObject:
    return {
        "result": cell.result,
        "column": cell.columns[cell.column],
        "row": dict(zip(cell.columns, cell.row, strict=False)),
        "value": cell.value,
    }
