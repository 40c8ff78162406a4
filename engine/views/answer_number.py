"""A number in an answer with the results behind it, for the page, the CLI and the API. Plain data."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell, ResultTable
from engine.numbers.traced_number import UNTRACED, Likely, TracedNumber
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["AnswerNumber", "number_document"]


@dataclass(frozen=True, slots=True)
class AnswerNumber:
    """A number in an answer, with the results behind it."""

    place: int
    """The place of the number in the answer, from 1; 0 for numbers that are only part of a name or a date."""
    traced: TracedNumber
    results: tuple[ResultTable, ...]
    changed: tuple[str, ...] = ()
    """Files behind the number that have changed on the chat's current branch."""
    now: str | None = None
    """The value of the number's cell after the calls ran again, in the format of the answer."""
    vouched: bool = False
    """Whether the user confirmed that the number is right."""
    lost: Literal["", "gone", "not computed"] = ""
    """The reason why the number has no new value after its calls ran again: its row or column is gone, or it was
    computed in a way that cannot be repeated."""

    @property
    def text(self) -> str:
        """The number as it is shown: as written in the answer, or with its new value."""
        return self.traced.mention.text if self.now is None else self.now

    @property
    def was(self) -> str:
        """The number as written in the answer, if a different value is now shown in its place; else ""."""
        written = self.traced.mention.text
        return written if self.now is not None and self.now != written else ""

    @property
    def status(self) -> str:
        """The status: `exact`, `derived`, `said`, `plain`, `stale`, `unclear` or `unbacked`."""
        if self.vouched and self.traced.status in UNTRACED:
            return "said"
        is_old = (self.changed or self.lost) and self.traced.status in ("exact", "derived")
        return "stale" if is_old else self.traced.status

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells behind the number."""
        if self.traced.cell is not None:
            return (self.traced.cell,)
        return self.traced.derivation.cells if self.traced.derivation else ()

    @property
    def call_id(self) -> str | None:
        """The call whose result is behind the number."""
        return (self.results[self.cells[0].table].call_id or None) if self.cells else None


def number_document(one: AnswerNumber) -> JSONObject:
    """Return a number as described in docs/api.md."""
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
        document["derivation"] = _derivation(one.results, traced.derivation)
    if one.status == "unclear":
        document["candidates"] = [_candidate(one.results, likely) for likely in traced.likely]
        document["possible_derivation"] = (
            _derivation(one.results, traced.maybe) if traced.maybe is not None else None
        )
    if traced.working:
        document["working"] = {"text": traced.working, "objection": traced.objection or None}
    if traced.review is not None:
        document["review"] = {
            "verdict": traced.review.verdict,
            "source": traced.review.source or None,
            "reason": traced.review.reason or None,
        }
    if one.was:
        document["was"] = one.was
    if one.vouched:
        document["vouched"] = True
    if one.lost:
        document["lost"] = one.lost
    if one.changed:
        document["changed"] = list(one.changed)
    if traced.counts:
        document["counts"] = traced.counts
    return document


def _candidate(results: Sequence[ResultTable], likely: Likely) -> dict[str, JSON]:
    return _where(results, likely.cell) | {
        "value": likely.cell.value,
        "call_id": results[likely.cell.table].call_id or None,
        "row_named": likely.row_named,
        "column_named": likely.column_named,
    }


def _derivation(results: Sequence[ResultTable], found: Derivation) -> dict[str, JSON]:
    return {
        "operation": found.operation,
        "formula": found.formula,
        "value": found.value,
        "cell_count": found.many or len(found.cells),
        "cells": [_where(results, cell) | {"value": cell.value} for cell in found.cells[:20]],
    }


def _where(results: Sequence[ResultTable], cell: Cell) -> dict[str, JSON]:
    """Return the name of the cell's column, and the cells whose text identifies its row."""
    table = results[cell.table]
    row: Mapping[str, Any] = {
        name: value
        for name, value in zip(table.columns, table.rows[cell.row], strict=False)
        if isinstance(value, str) and value
    }
    return {"result": table.name, "column": table.columns[cell.column], "row": dict(row) or cell.row}
