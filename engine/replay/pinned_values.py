"""Finds the number or word that represents an answer, and finds the new value after the answer's calls ran
again. Pure.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeGuard

from engine.numbers.digits import Reading
from engine.numbers.evidence import ResultTable, Value, number_of
from engine.numbers.mention import Mention
from events.catalog.standing import PinnedValue
from events.json_value import JSON

__all__ = ["headline", "table_of", "value_now"]

_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|!?\[[^\]\n]*\]\([^)\n]*\)", re.DOTALL)
_DIGITS = re.compile(r"\d+(?:[,\u202f\u00a0]\d{3})*(?:\.(\d+))?")
_GROUPS = re.compile(r"[,\u202f\u00a0]")
_SIGN = re.compile(r"^[-−–+]\s?")
_LONGEST_TEXT = 20_000
_DECIMALS = 12
_MOST = 100
"""The maximum number of numbers and bold words that are tried."""


def table_of(result: JSON) -> ResultTable | None:
    """Return the table in a call's result; None if it has no table."""
    if not isinstance(result, dict):
        return None
    columns, rows = result.get("columns"), result.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return None
    names = [str(one.get("name", "")) if isinstance(one, dict) else str(one) for one in columns]
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return ResultTable(
        "", tuple(names), tuple(tuple(map(_plain, row)) for row in rows if isinstance(row, list))
    )


def _plain(cell: JSON) -> Value:
    """Return a cell unchanged if it is a number or a word, and None if it is a list or a structure."""
    return cell if isinstance(cell, str | int | float | bool) else None


def headline(answer: str, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """Return the value that represents an answer; None if it has no single value.

    It is the first bold number or word that equals a cell of the answer's results; else the first number in the text
    that equals such a cell; else, if only one result has a single cell, this cell. `tables` contains the results of the
    answer's calls.
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
    single = [
        (table, call)
        for call, table in enumerate(tables)
        if table is not None and len(table.columns) == len(table.rows) == 1
    ]
    return _only(*single[0]) if len(single) == 1 else None


def value_now(value: PinnedValue, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """Return the value in the same cell of new results; None if that cell no longer exists.

    A word, or a value in a row without labels, is read from the same place in the result; any other value is read from
    the row with the same labels.
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
    number = number_of(cell)
    if number is None:
        return None
    return value.model_copy(update={"number": number, "row": row, "text": _shown(value, number)})


def _row_now(value: PinnedValue, table: ResultTable) -> int | None:
    if not value.labels:
        return value.row if value.row < len(table.rows) else None
    rows = [at for at, row in enumerate(table.rows) if _labels(row) == value.labels]
    return rows[0] if len(rows) == 1 else None


def _equal(bold: str, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """Return the cell that equals a bold number or word; None if no cell does."""
    numbers = list(islice(_numbers(bold), _MOST))
    if numbers and numbers[0].text == bold:
        return _cell_of(numbers[0], tables)
    for call, table, row, column in _cells(tables):
        cell = table.rows[row][column]
        if isinstance(cell, str) and cell.strip() and cell.strip().casefold() == bold.casefold():
            return PinnedValue(text=cell, call=call, column=table.columns[column], row=row)
    return next((found for one in numbers if (found := _cell_of(one, tables))), None)


def _cell_of(said: Mention, tables: Sequence[ResultTable | None]) -> PinnedValue | None:
    """Return the cell that a number equals after rounding; the closest cell if several are equal, None if no
    cell is.
    """
    from engine.numbers.fitting import fits  # noqa: PLC0415 - loads the words of the matcher

    factors = (1.0, 100.0) if said.kind == "percent" else (1.0,)
    best: tuple[float, int, ResultTable, int, int, float] | None = None
    for call, table, row, column in _cells(tables):
        number = number_of(table.rows[row][column])
        if number is None or (number < 0 and not said.signed):
            continue
        for factor in factors:
            off = abs(number * factor - said.value)
            if fits(number * factor, said) and (best is None or off < best[0]):
                best = (off, call, table, row, column, factor)
    if best is None:
        return None
    _, call, table, row, column, factor = best
    number = number_of(table.rows[row][column]) or 0.0
    if len(factors) > 1 and all(fits(number * one, said) for one in factors):  # as with "0%" for 0.001
        known = _factor_of_shares(table, column)
        if known is None:
            return _plainly(table, call, row, column, _decimals_of(said, number) + 2)
        factor = known
    return _pinned(said, table, call, row, column, factor)


def _factor_of_shares(table: ResultTable, column: int) -> float | None:
    """Return the factor that converts a column to percent, judging by its values and name; None if that is not
    clear."""
    from engine.numbers.fitting import PERCENT_NAME, is_fraction  # noqa: PLC0415 - as above

    if any(abs(number_of(row[column]) or 0.0) > 1 for row in table.rows):
        return 1.0
    return 100.0 if is_fraction(table, column) and not PERCENT_NAME.search(table.columns[column]) else None


def _pinned(
    said: Mention, table: ResultTable, call: int, row: int, column: int, factor: float
) -> PinnedValue | None:
    """Return a cell with the number format that the text uses. The format of "$2.4 million" divides by a million and
    has one decimal.

    If no other number can be written in that format, as with "1.234,50", the number gets a plain format.
    """
    digits = _DIGITS.search(said.text)
    number = number_of(table.rows[row][column])
    if digits is None or number is None:
        return None
    decimals = len(digits[1] or "")
    made = PinnedValue(
        text=said.text,
        number=number,
        call=call,
        column=table.columns[column],
        row=row,
        labels=_labels_of(table, row),
        decimals=decimals,
        scale=factor * (10.0**-decimals / (said.readings[0].step or 1.0)),
        grouped=len(re.sub(r"\D", "", digits[0])) < len(digits[0]) - bool(digits[1]),
        before=_SIGN.sub("", said.text[: digits.start()]),
        after=said.text[digits.end() :],
    )
    if _is_kept(made, _nearest(said, number * factor).value / factor):
        return made
    percent = "%" if said.kind == "percent" else ""
    return _plainly(table, call, row, column, _decimals_of(said, number * factor), factor, percent)


def _is_kept(made: PinnedValue, said: float) -> bool:
    """Return whether a number's format reproduces the text, apart from its sign and thousands separators."""
    if re.search(r"[\d.,+−–-]$|\d", made.before) or re.search(r"\d", made.after):
        return False
    shown, text = (_GROUPS.sub("", _SIGN.sub("", one)) for one in (_shown(made, said), made.text))
    return shown == text


def _nearest(said: Mention, value: float) -> Reading:
    """Return the reading of a number that is closest to a value."""
    return min(said.readings, key=lambda one: abs(one.value - value))


def _decimals_of(said: Mention, value: float) -> int:
    step = _nearest(said, value).step
    return min(_DECIMALS, max(0, round(-math.log10(step)))) if step else 0


def _only(table: ResultTable, call: int) -> PinnedValue | None:
    (cell,) = table.rows[0]
    number = number_of(cell)
    if number is None:
        return PinnedValue(text=cell, call=call, column=table.columns[0], row=0) if _is_word(cell) else None
    return _plainly(table, call, 0, 0, 0 if number == int(number) else 2)


def _plainly(
    table: ResultTable, call: int, row: int, column: int, decimals: int, scale: float = 1.0, after: str = ""
) -> PinnedValue:
    """Return a cell's number in a plain format, for a text whose format cannot be used for another number."""
    number = number_of(table.rows[row][column]) or 0.0
    made = PinnedValue(
        text="",
        number=number,
        call=call,
        column=table.columns[column],
        row=row,
        labels=_labels_of(table, row),
        decimals=decimals,
        scale=scale,
        grouped=True,
        after=after,
    )
    return made.model_copy(update={"text": _shown(made, number)})


def _is_word(cell: Value) -> TypeGuard[str]:
    return isinstance(cell, str) and bool(cell.strip())


def _labels(row: Sequence[Value]) -> tuple[str, ...]:
    """Return the words in a row's cells."""
    return tuple(cell for cell in row if isinstance(cell, str) and number_of(cell) is None)


def _labels_of(table: ResultTable, row: int) -> tuple[str, ...]:
    """Return the words in a row if they distinguish it from the other rows, else (). The only row of a result needs no
    such words.
    """
    if len(table.rows) == 1:
        return ()
    labels = _labels(table.rows[row])
    return labels if sum(_labels(other) == labels for other in table.rows) == 1 else ()


def _cells(tables: Sequence[ResultTable | None]) -> Iterator[tuple[int, ResultTable, int, int]]:
    """Yield the cells of the results, beginning with the last call, since an answer mostly reports what its last call
    found."""
    for call in range(len(tables) - 1, -1, -1):
        table = tables[call]
        if table is not None:
            for row in range(len(table.rows)):
                for column in range(len(table.columns)):
                    yield call, table, row, column


def _numbers(text: str) -> Iterator[Mention]:
    """Yield the quantities in a text that are written in digits. They are taken as exact numbers, even after a word
    such as "about".
    """
    from engine.numbers.mentions import find_mentions  # noqa: PLC0415 - as above

    for one in find_mentions(text):
        digits = _DIGITS.search(one.text)
        if one.kind in ("number", "percent", "points") and digits and len(digits[1] or "") <= _DECIMALS:
            yield replace(one, hedge="")


def _shown(value: PinnedValue, number: float) -> str:
    """Return a number in the format of the answer. Numbers of 10,000 or more always get thousands separators."""
    shown = round(number * value.scale, value.decimals)
    grouped = value.grouped or (abs(shown) >= 10_000)
    text = f"{abs(shown):{',' if grouped else ''}.{value.decimals}f}"
    sign = "−" if shown < 0 else ""
    return f"{sign}{value.before}{text}{value.after}"
