"""The number or word that stands for an answer, and the same value after its calls ran again. Pure.

The value is found by `headline` alone, so that a full tracer of numbers can take its place.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from events.canonical import JSON
from events.catalog.standing import PinnedValue

__all__ = ["ResultTable", "headline", "table_of", "value_now"]

_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|!?\[[^\]\n]*\]\([^)\n]*\)", re.DOTALL)
_NUMBER = re.compile(
    r"(?P<before>[$€£¥]\s?)?(?P<digits>[−+-]?\d+(?:[,\u202f\u00a0]\d{3})*(?:\.\d+)?)(?P<after>\s?%|\s?(?:kg|g|t|km|m|h|s)\b)?"
)
_GAPS = re.compile(r"[,\u202f\u00a0]")
_LONGEST_TEXT = 20_000
_DECIMALS = 12
_MOST = 100
"""Numbers and bold words that are tried."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The table of a call's result, as the model saw it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JSON, ...], ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """A number in the text."""

    number: float
    decimals: int
    grouped: bool
    before: str
    after: str
    text: str


def table_of(result: JSON) -> ResultTable | None:
    """Return the table of a call's result; None if it has none."""
    if not isinstance(result, dict):
        return None
    columns, rows = result.get("columns"), result.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return None
    names = [str(one.get("name", "")) if isinstance(one, dict) else str(one) for one in columns]
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return ResultTable(tuple(names), tuple(tuple(row) for row in rows if isinstance(row, list)))


def headline(answer: str, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """Return the value that stands for an answer; None if there is no single one.

    It is the first bold number or word that equals a cell of the answer's results, else the first number in the text
    that does, else the only cell of a result that has just one. `tables` are the results of the answer's calls.
    """
    text = _CODE.sub(" ", answer[:_LONGEST_TEXT])
    for bold in _BOLD.findall(text)[:_MOST]:
        found = _equal(bold.strip(), tables)
        if found is not None:
            return found
    for said in islice(_numbers(text.replace("**", "")), _MOST):
        found = _cell_of(said, tables)
        if found is not None:
            return found
    for call, table in enumerate(tables):
        if table is not None and len(table.columns) == len(table.rows) == 1:
            return _only(table, call)
    return None


def value_now(value: PinnedValue, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """Return the value in the same cell of new results; None if there is no such cell any more.

    A word, or a value in a row without labels, is read from the same place of the result; another value from the row
    with the same labels.
    """
    table = tables[value.call] if value.call < len(tables) else None
    if table is None or value.column not in table.columns:
        return None
    column = table.columns.index(value.column)
    row = _row_now(value, table)
    if row is None:
        return None
    cell = table.rows[row][column]
    if value.number is None:
        return value.model_copy(update={"text": cell, "row": row}) if isinstance(cell, str) else None
    number = _number(cell)
    if number is None:
        return None
    return value.model_copy(update={"number": number, "row": row, "text": _shown(value, number)})


def _row_now(value: PinnedValue, table: ResultTable) -> int | None:
    if not value.labels:
        return value.row if value.row < len(table.rows) else None
    rows = [at for at, row in enumerate(table.rows) if _labels(row) == value.labels]
    return rows[0] if len(rows) == 1 else None


def _equal(bold: str, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """The cell that equals a bold number or word."""
    whole = next(_numbers(bold), None)
    if whole is not None and whole.text == bold:
        return _cell_of(whole, tables)
    for call, table, row, column in _cells(tables):
        cell = table.rows[row][column]
        if isinstance(cell, str) and cell.strip() and cell.strip().casefold() == bold.casefold():
            return PinnedValue(text=cell, call=call, column=table.columns[column], row=row)
    return next((found for said in _numbers(bold) if (found := _cell_of(said, tables))), None)


def _cell_of(said: _Said, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """The cell that a number equals after rounding; of several, one that is closest."""
    scales = (1.0, 100.0) if said.after.strip() == "%" else (1.0,)
    best: tuple[float, int, ResultTable, int, int, float] | None = None
    for call, table, row, column in _cells(tables):
        number = _number(table.rows[row][column])
        if number is None:
            continue
        for scale in scales:
            off = abs(number * scale - said.number)
            if off <= 0.5 * 10**-said.decimals * (1 + 1e-9) and (best is None or off < best[0]):
                best = (off, call, table, row, column, scale)
    if best is None:
        return None
    _, call, table, row, column, scale = best
    return PinnedValue(
        text=said.text,
        number=_number(table.rows[row][column]),
        call=call,
        column=table.columns[column],
        row=row,
        labels=_labels(table.rows[row]) if _is_named(table, row) else (),
        decimals=said.decimals,
        scale=scale,
        grouped=said.grouped,
        before=said.before,
        after=said.after,
    )


def _only(table: ResultTable, call: int) -> PinnedValue | None:
    (cell,) = table.rows[0]
    number = _number(cell)
    if number is None:
        return PinnedValue(text=cell, call=call, column=table.columns[0], row=0) if _is_word(cell) else None
    decimals = 0 if number == int(number) else 2
    made = PinnedValue(
        text="",
        number=number,
        call=call,
        column=table.columns[0],
        row=0,
        decimals=decimals,
        grouped=True,
    )
    return made.model_copy(update={"text": _shown(made, number)})


def _is_word(cell: JSON) -> bool:
    return isinstance(cell, str) and bool(cell.strip())


def _labels(row: Sequence[JSON]) -> tuple[str, ...]:
    """The words in a row's cells."""
    return tuple(cell for cell in row if isinstance(cell, str) and _number(cell) is None)


def _is_named(table: ResultTable, row: int) -> bool:
    """Whether a row can be told from the others by its words. The only row of a result is found by its position."""
    if len(table.rows) == 1:
        return False
    labels = _labels(table.rows[row])
    return bool(labels) and sum(_labels(other) == labels for other in table.rows) == 1


def _cells(tables: Sequence[ResultTable | None]) -> Iterator[tuple[int, ResultTable, int, int]]:
    """The cells of the results, the last call's first: an answer mostly says what its last call found."""
    for call in range(len(tables) - 1, -1, -1):
        table = tables[call]
        if table is not None:
            for row in range(len(table.rows)):
                for column in range(len(table.columns)):
                    yield call, table, row, column


def _number(cell: JSON) -> float | None:
    """The number in a cell; results give large and decimal numbers as text."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, str):
        if not re.fullmatch(r"[+-]?\d{1,40}(?:\.\d{1,40})?", cell):
            return None
        cell = float(cell)
    if not isinstance(cell, int | float):
        return None
    try:
        number = float(cell)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _numbers(text: str) -> Iterator[_Said]:
    for found in _NUMBER.finditer(text):
        digits = _GAPS.sub("", found["digits"]).replace("−", "-")
        decimals = len(digits.partition(".")[2])
        if len(digits) > 40 or decimals > _DECIMALS:
            continue
        yield _Said(
            float(digits),
            decimals,
            _GAPS.search(found["digits"]) is not None,
            found["before"] or "",
            found["after"] or "",
            found[0],
        )


def _shown(value: PinnedValue, number: float) -> str:
    """A number in the form in which the answer had it. Numbers that outgrow a thousand get separators."""
    shown = round(number * value.scale, value.decimals)
    grouped = value.grouped or (abs(shown) >= 10_000)
    text = f"{abs(shown):{',' if grouped else ''}.{value.decimals}f}"
    sign = "−" if shown < 0 else ""
    return f"{sign}{value.before}{text}{value.after}"
