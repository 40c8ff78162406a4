"""What became of the numbers of an answer whose calls ran again: each looked up anew in its own cell. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.numbers.evidence import Cell, ResultTable, is_number
from engine.views.chat import CallView, ChatView, MessageView
from engine.views.number_evidence import result_tables
from engine.views.numbers import AnswerNumber, AnswerNumbers
from engine.views.reruns import RerunView
from events.canonical import JSON

__all__ = ["RereadNumber", "reread_document", "reread_numbers", "run_of"]

_DIGITS = re.compile(r"\d[\d,]*(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class RereadNumber:
    """A number of an old answer, and what stands in its cell now."""

    message_id: str
    """The answer on the branch that ran again."""
    text: str
    status: Literal["same", "moved", "gone", "calculated"]
    """`gone`: the result has no such row or column; `calculated`: it was computed, and is not computed anew."""
    after: str | None = None
    """What the text would say now."""


def run_of(view: ChatView, message_id: str) -> RerunView | None:
    """Return the run that wrote a message; None if no run did."""
    for run in view.reruns.values():
        if run.leaf is not None and any(one.message_id == message_id for one in view.branch(run.leaf)):
            old = view.branch(run.from_leaf)
            return run if all(one.message_id != message_id for one in old) else None
    return None


def reread_numbers(view: ChatView, run: RerunView, numbers: AnswerNumbers) -> list[RereadNumber]:
    """Return the traced numbers of the answers of a branch that ran again, each with what stands in its cell now."""
    if run.leaf is None:
        return []
    new_ids = {call.call_id: call.new_call_id for call in run.calls if call.new_call_id is not None}
    found: list[RereadNumber] = []
    for old, new in zip(_answers(view, run.from_leaf), _answers(view, run.leaf), strict=False):
        if old.message_id == new.message_id or old.content != new.content:
            continue
        for one in numbers.of(view, old.message_id):
            if one.cells:
                found.append(_reread(view, new.message_id, one, new_ids))
    return found


def _answers(view: ChatView, leaf: str) -> list[MessageView]:
    return [one for one in view.branch(leaf) if one.content and one.role != "user"]


def _reread(
    view: ChatView, message_id: str, one: AnswerNumber, new_ids: Mapping[str, str | None]
) -> RereadNumber:
    if one.traced.cell is None:
        return RereadNumber(message_id, one.text, "calculated")
    call = view.calls.get(new_ids.get(one.call_id or "") or one.call_id or "")
    value = _value_now(one, one.traced.cell, call) if call is not None else None
    if value is None:
        return RereadNumber(message_id, one.text, "gone")
    after = _as_written(one, value)
    return RereadNumber(message_id, one.text, "same" if after == one.text else "moved", after)


def _value_now(one: AnswerNumber, cell: Cell, call: CallView) -> float | None:
    """What the new result has in the column of the same name and the row of the same labels."""
    old = one.results[cell.table]
    same = [table for table in one.results if table.call_id == old.call_id]
    tables = result_tables(call)
    at = same.index(old)
    if at >= len(tables):
        return None
    new = tables[at]
    name = old.columns[cell.column]
    if name not in new.columns:
        return None
    column = new.columns.index(name)
    rows = [row for row in new.rows if _labels(new, row) == _labels(old, old.rows[cell.row])]
    values = [row[column] for row in rows if column < len(row) and is_number(row[column])]
    return float(values[0] or 0) if len(values) == 1 else None


def _labels(table: ResultTable, row: Sequence[object]) -> list[object]:
    """What tells a row from others: its cells that are no numbers."""
    return [value for at, value in enumerate(row) if at not in table.numeric]


def _as_written(one: AnswerNumber, value: float) -> str:
    """A value as the answer writes it: its sign, currency, scale, decimals and percent."""
    mention = one.traced.mention
    digits = _DIGITS.search(one.text)
    if digits is None:
        return f"{value:,.10g}"
    plain = float(digits[0].replace(",", ""))
    scale = abs(mention.value) / plain if plain else 1.0
    decimals = len(digits[1] or "")
    shown = value * one.traced.factor / scale
    comma = "," if "," in digits[0] or abs(shown) >= 10_000 else ""
    written = f"{abs(shown):{comma}.{decimals}f}"
    text = one.text[: digits.start()] + written + one.text[digits.end() :]
    bare = re.sub(r"^[-−–+]", "", text)
    if shown < 0 and not mention.signed:
        return "−" + text
    return ("−" + bare if shown < 0 else bare) if mention.signed and one.text[0] in "-−–" else text


def reread_document(found: Sequence[RereadNumber]) -> list[JSON]:
    """Return numbers as `rerun --json` lists them."""
    return [
        {
            "message_id": one.message_id,
            "text": one.text,
            "before": one.text,
            "after": one.after,
            "status": one.status,
        }
        for one in found
    ]
