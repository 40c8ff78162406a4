"""Updates the numbers and sentences of an answer whose calls ran again. The new values come from the cells behind each
number. Pure.

Such an answer has the text of the answer on the previous branch. Its numbers keep their places, and take the values of
the same columns and rows in the new results.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.numbers.derivation import Derivation, told_number
from engine.numbers.evidence import Cell, ResultTable, is_number
from engine.numbers.judged_sentence import JudgedSentence, Moved
from engine.numbers.recomputed import Side, recomputed, totals
from engine.views.answer_number import AnswerNumber
from engine.views.chat import ChatView, MessageView
from engine.views.reruns import RerunView

__all__ = ["answered_before", "answers_of", "as_written", "numbers_now", "run_of", "sentences_now"]

_DIGITS = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_SIGNED = ("difference", "growth")


def run_of(view: ChatView, message_id: str) -> RerunView | None:
    """Return the run that wrote a message; None if no run did."""
    for run in view.reruns.values():
        if run.leaf is not None and any(one.message_id == message_id for one in view.branch(run.leaf)):
            old = view.branch(run.from_leaf)
            return run if all(one.message_id != message_id for one in old) else None
    return None


def answers_of(view: ChatView, leaf: str) -> list[MessageView]:
    """Return the answers of a branch."""
    return [one for one in view.branch(leaf) if one.content and one.role != "user"]


def answered_before(view: ChatView, run: RerunView, message: MessageView) -> MessageView | None:
    """Return the original of an answer that a run copied; None if the message is not such a copy."""
    if run.leaf is None:
        return None
    for old, new in zip(answers_of(view, run.from_leaf), answers_of(view, run.leaf), strict=False):
        if new.message_id == message.message_id:
            return old if old.message_id != new.message_id and old.content == new.content else None
    return None


def numbers_now(
    run: RerunView, before: Sequence[AnswerNumber], tables: tuple[ResultTable, ...]
) -> tuple[AnswerNumber, ...]:
    """Return the numbers of an answer with the values in their cells after a run; `tables` contains the new results."""
    if not before:
        return ()
    places = _places(run, before[0].results, tables)
    return tuple(_now(one, places, tables) for one in before)


def _places(run: RerunView, old: Sequence[ResultTable], new: Sequence[ResultTable]) -> dict[int, int]:
    """Return old table index → new table index. Two tables match if they come from the same call and have the same
    place in its result."""
    ids = {call.call_id: call.new_call_id for call in run.calls if call.new_call_id is not None}
    found: dict[int, int] = {}
    for at, table in enumerate(old):
        wanted = ids.get(table.call_id, table.call_id)
        order = sum(other.call_id == table.call_id for other in old[:at])
        same = [index for index, other in enumerate(new) if other.call_id == wanted]
        if order < len(same):
            found[at] = same[order]
    return found


def _now(one: AnswerNumber, places: dict[int, int], tables: tuple[ResultTable, ...]) -> AnswerNumber:
    """Return a number with its new cells and new value, or with the reason why it has no new value."""
    if not one.cells or one.traced.status not in ("exact", "derived"):
        return (
            replace(one, results=tables) if not one.cells else replace(one, lost="gone" if one.lost else "")
        )
    cells = tuple(_cell_now(one.results, cell, places, tables) for cell in one.cells)
    there = tuple(cell for cell in cells if cell is not None)
    if len(there) < len(cells):
        return replace(one, lost="gone")
    if one.traced.derivation is None:
        value = there[0].value
        traced = replace(one.traced, cell=there[0], others=())
        return replace(one, traced=traced, results=tables, now=as_written(one, value * one.traced.factor))
    return _derived_now(one, one.traced.derivation, there, tables)


def _derived_now(
    one: AnswerNumber, old: Derivation, cells: tuple[Cell, ...], tables: tuple[ResultTable, ...]
) -> AnswerNumber:
    from engine.numbers.fitting import factor_of  # noqa: PLC0415 - loads the words of the matcher

    value = recomputed(old, Side(old.cells, one.results), Side(cells, tables))
    if value is None:
        return replace(one, lost="not computed")
    formula = old.formula
    sides = (totals([cell.value for cell in side], old.parts) for side in (old.cells, cells))
    told = [(told_number(a), told_number(b)) for a, b in zip(*sides, strict=True)]
    if not old.many:
        for before, after in dict(told).items():
            formula = re.sub(rf"(?<![\d.,]){re.escape(before)}(?![\d]|[.,]\d)", f"\0{after}\0", formula)
    derivation = replace(old, cells=cells, value=value, formula=formula.replace("\0", ""))
    traced = replace(one.traced, derivation=derivation, others=())
    factor = factor_of(old.value, one.traced.mention)
    return replace(one, traced=traced, results=tables, now=as_written(one, value * factor))


def _cell_now(
    old: Sequence[ResultTable], cell: Cell, places: dict[int, int], tables: Sequence[ResultTable]
) -> Cell | None:
    """Return the new cell in the column with the same name and the row with the same labels; None if there is none."""
    if cell.table not in places:
        return None
    before, after = old[cell.table], tables[places[cell.table]]
    name = before.columns[cell.column]
    if name not in after.columns:
        return None
    column, wanted = after.columns.index(name), _labels(before, before.rows[cell.row])
    rows = [at for at, row in enumerate(after.rows) if _labels(after, row) == wanted]
    if len(rows) > 1 and sum(_labels(before, row) == wanted for row in before.rows) == len(rows):
        rows = [
            rows[[at for at, row in enumerate(before.rows) if _labels(before, row) == wanted].index(cell.row)]
        ]
    value = (
        after.number(rows[0], column) if len(rows) == 1 and is_number(after.rows[rows[0]][column]) else None
    )
    return Cell(places[cell.table], rows[0], column, value) if value is not None else None


def _labels(table: ResultTable, row: Sequence[object]) -> list[object]:
    """Return the cells that distinguish a row from other rows: the cells that are not numbers."""
    return [value for at, value in enumerate(row) if at not in table.numeric]


def as_written(one: AnswerNumber, value: float) -> str:
    """Return a value in the format of the answer: its sign, currency, scale, decimals and percent.

    If words express a minus ("a fall of 23.5%"), no minus sign is written, unless the sign has changed.
    """
    mention = one.traced.mention
    shown = -value if one.cells and not mention.signed and _value(one) < 0 else value
    digits = _DIGITS.search(mention.text)
    if digits is None:
        return f"{value:.0%}" if mention.kind == "part" else f"{value:,.10g}"
    plain = float(digits[0].replace(",", ""))
    scale = abs(mention.value) / plain if plain else 1.0
    decimals = len(digits[1] or "")
    shown /= scale
    comma = "," if "," in digits[0] or abs(shown) >= 10_000 else ""
    text = mention.text[: digits.start()] + f"{abs(shown):{comma}.{decimals}f}" + mention.text[digits.end() :]
    bare = re.sub(r"^[-−–+]", "", text)
    if not mention.signed:
        return "−" + text if shown < 0 else text
    return "−" + bare if shown < 0 else "+" + bare if mention.text[0] == "+" else bare


def sentences_now(
    run: RerunView,
    old: MessageView,
    before: Sequence[AnswerNumber],
    now: Sequence[AnswerNumber],
    tables: Sequence[ResultTable],
) -> list[JudgedSentence]:
    """Return the sentences of an answer that can be judged by the results of a run."""
    from engine.numbers.claims import judged_sentences  # noqa: PLC0415 - loads the words of the matcher

    results = before[0].results if before else ()
    if not results:
        return []
    places = _places(run, results, tables)
    numbers = [
        _moved(a, b) for a, b in zip(before, now, strict=True) if a.cells and a.status in ("exact", "derived")
    ]
    return judged_sentences(old.content, results, {at: tables[to] for at, to in places.items()}, numbers)


def _moved(before: AnswerNumber, after: AnswerNumber) -> Moved:
    mention, derivation = before.traced.mention, before.traced.derivation
    changes = derivation is not None and derivation.operation in _SIGNED
    new: float | None = None
    if after.lost != "gone":
        new = _value(after) if not after.lost else _value(before)
    cell = before.cells[0]
    return Moved(
        mention.start, mention.end, cell.table, cell.column, _value(before), new, after.text, changes
    )


def _value(one: AnswerNumber) -> float:
    return one.traced.derivation.value if one.traced.derivation else one.cells[0].value
