"""Draws a comparison of result tables as HTML: A, B and B − A for each changed column; rows of only one side are
marked.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from engine.views.comparison import MovedNumber, RowPair, TableDiff
from events.json_value import JSON
from ui.words import count, escape

__all__ = ["cell", "diff_note", "diff_table", "difference", "numbers_table"]

_COLUMNS = 8
"""How many columns are drawn beside the key."""
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class _Row:
    """A row to draw."""

    pair: RowPair
    kind: str
    """`changed`, `same`, `added` or `removed`."""


def diff_note(diff: TableDiff) -> str:
    """Return how rows were matched and how many differ, as in `matched by region · 5 rows changed, 1 only in B`."""
    matched = f"matched by {' and '.join(diff.key)} · " if diff.key else ""
    rows = diff.rows
    if rows.before == rows.after == 1:
        matched = ""
    said = [
        f"{count(number, 'row')} {word}"
        for number, word in (
            (rows.changed, "changed"),
            (rows.removed, "only in A"),
            (rows.added, "only in B"),
        )
        if number
    ]
    said += [f"column {name} only in A" for name in diff.columns_removed]
    said += [f"column {name} only in B" for name in diff.columns_added]
    said += [f"{one.name} is {one.after}, was {one.before}" for one in diff.columns_retyped]
    if not said:
        said.append(
            "the same rows in another order"
            if diff.order_differs
            else f"{count(rows.same, 'row')}, all the same"
        )
    return matched + ", ".join(said)


def diff_table(diff: TableDiff, *, everything: bool) -> str:
    """Return the rows that differ as HTML, and the equal ones if requested; at most 100 of each kind."""
    key = list(diff.key or ())
    columns = _columns(diff, everything)
    rows = [_Row(pair, "changed") for pair in diff.changed]
    rows += [_Row(pair, "same") for pair in diff.same] if everything else []
    rows += [_Row(pair, "removed") for pair in diff.removed]
    rows += [_Row(pair, "added") for pair in diff.added]
    rows.sort(key=_place)
    names = "".join(f"<th>{escape(name)}</th>" for name in key or [""])
    groups = "".join(
        f'<th class="group" colspan="{_width(diff, name)}">{escape(name)}</th>' for name in columns
    )
    heads = "".join(_heads(diff, name) for name in columns)
    blank = "<th></th>" * max(1, len(key))
    body = "".join(_row(diff, row, key, columns) for row in rows)
    return _framed("Rows that differ", f"<tr>{blank}{groups}</tr><tr>{names}{heads}</tr>", body)


def _framed(name: str, head: str, body: str) -> str:
    """Return a table in a separate frame, which scrolls and can be reached by keyboard."""
    return (
        f'<div class="ab-compared" tabindex="0" role="region" aria-label="{name}">'
        f"<table><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )


def _place(row: _Row) -> tuple[int, int]:
    pair = row.pair
    at = pair.before_row if pair.before_row is not None else pair.after_row
    return (1 if row.kind == "added" else 0, at or 0)


def _columns(diff: TableDiff, everything: bool) -> list[str]:
    key = set(diff.key or ())
    both = [one.name for one in diff.columns if one.before and one.after and one.name not in key]
    changed = [name for name in both if name in diff.changed_columns]
    if everything or not changed:
        return [one.name for one in diff.columns if one.name not in key][:_COLUMNS]
    return changed[:_COLUMNS]


def _width(diff: TableDiff, name: str) -> int:
    if name not in diff.changed_columns and not (diff.rows.added or diff.rows.removed):
        return 1
    return 3 if _numeric(diff, name) else 2


def _numeric(diff: TableDiff, name: str) -> bool:
    values = [cells.get(name) for pair in diff.changed for cells in (pair.before, pair.after) if cells]
    values += [(pair.before or pair.after or {}).get(name) for pair in (*diff.added, *diff.removed)]
    there = [value for value in values if value is not None]
    return bool(there) and all(_is_number(value) for value in there)


def _heads(diff: TableDiff, name: str) -> str:
    width = _width(diff, name)
    if width == 1:
        return "<th></th>"
    return '<th class="n a">A</th><th class="n b">B</th>' + (
        '<th class="n d">B − A</th>' if width == 3 else ""
    )


def _row(diff: TableDiff, row: _Row, key: Sequence[str], columns: Sequence[str]) -> str:
    before, after = row.pair.before or {}, row.pair.after or {}
    only = {"added": "only in B", "removed": "only in A"}.get(row.kind, "")
    tag = f' <span class="ab-badge {"ok" if row.kind == "added" else "err"}">{only}</span>' if only else ""
    shown = after or before
    first = [_plain(shown.get(name)) for name in key] or [_number_of(row.pair)]
    cells = "".join(f"<th scope='row'>{text}{tag if at == 0 else ''}</th>" for at, text in enumerate(first))
    cells += "".join(_cells(diff, name, before, after, row.kind) for name in columns)
    return f'<tr class="{row.kind}">{cells}</tr>'


def _cells(
    diff: TableDiff, name: str, before: Mapping[str, JSON], after: Mapping[str, JSON], kind: str
) -> str:
    a, b = before.get(name), after.get(name)
    width = _width(diff, name)
    if width == 1:
        return f'<td class="n">{_plain(b if after else a)}</td>'
    moved = kind == "added" or (kind == "changed" and a != b)
    numeric = width == 3
    change = difference(a, b) if numeric and kind != "same" and a != b else ""
    small = f"<small>{change}</small>" if change else ""
    b_text = _plain(b) if after else "–"
    side = "n" if numeric else "t"
    found = f'<td class="{side} a">{_plain(a) if before else "–"}</td>'
    found += f'<td class="{side} b{" moved" if moved else ""}">{b_text}{small}</td>'
    return found + (f'<td class="n d">{change}</td>' if numeric else "")


def _number_of(pair: RowPair) -> str:
    at = pair.before_row if pair.before_row is not None else pair.after_row
    return f"row {(at or 0) + 1:,}"


def numbers_table(numbers: Sequence[MovedNumber]) -> str:
    """Return the numbers that moved as HTML, each with its table if several tables have that row and column."""
    labels = Counter(one.label for one in numbers)
    rows = "".join(
        f"<tr><th scope='row'>{escape(one.label)}"
        f"{f' <i>{escape(one.table)}</i>' if labels[one.label] > 1 else ''}</th>"
        f"<td class='n a'>{cell(one.a)}</td>"
        f"<td class='n b moved'>{cell(one.b)}<small>{difference(one.a, one.b)}</small></td>"
        f"<td class='n d'>{difference(one.a, one.b)}</td></tr>"
        for one in numbers
    )
    head = '<th>Number</th><th class="n a">A</th><th class="n b">B</th><th class="n d">B − A</th>'
    return _framed("Numbers that moved", f"<tr>{head}</tr>", rows)


def cell(value: JSON) -> str:
    """Return a cell as text, with thousands separators, a real minus sign and at most six decimals."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if isinstance(value, float):
        text = (
            f"{value:,.6f}".rstrip("0").rstrip(".")
            if 1e-4 <= abs(value) < 1e15 or value == 0
            else f"{value:.6g}"
        )
        return text.replace("-", "−")
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def difference(a: JSON, b: JSON) -> str:
    """Return B − A with its sign. A missing value counts as 0; if a value is not a number, the text is empty."""
    first, second = (0 if value is None else value for value in (a, b))
    if not _is_number(first) or not _is_number(second) or a is b is None:
        return ""
    moved = second - first
    if isinstance(moved, float):
        moved = float(f"{moved:.12g}")
    return f"{'+' if moved > 0 else ''}{cell(moved)}"


def _plain(value: JSON) -> str:
    return escape(cell(value))


def _is_number(value: JSON) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
