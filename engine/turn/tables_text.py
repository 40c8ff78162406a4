"""Describes tables to a model: their columns, and the values in their files that could not be read."""

import re
from collections.abc import Mapping, Sequence

from engine.turn.shortening import shortened
from engine.workspace.table_facts import ColumnProfile, TableProfile

__all__ = ["tables_text", "unread_text"]

_TABLES = 30
_COLUMNS = 60
_VALUES = 6
_VALUE = 40
_NAME = 200
_NOTES = 12
_NOTE = 300
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINY", "USMALL", "UINT", "UBIG", "HUGEINT", "FLOAT",
            "DOUBLE", "DECIMAL")  # fmt: skip


def tables_text(tables: Sequence[TableProfile]) -> str:
    """Return a text that lists the tables with their columns. Tables with the same columns are listed together, with
    the first table's columns."""
    lines: list[str] = []
    shapes = _shapes(tables)
    for same in shapes[:_TABLES]:
        lines += _table(same)
    if len(shapes) > _TABLES:
        lines.append(
            f"- and {sum(map(len, shapes[_TABLES:]))} more tables: call describe, or SHOW TABLES in SQL"
        )
    return "\n".join(lines)


def unread_text(unread: Mapping[str, str]) -> str:
    """Return the text about files that look like tables but could not be read. `unread`: path → reason."""
    lines = ["Files that could not be read as tables:"]
    lines += [
        f"- {shortened(path, _NOTE)}: {shortened(why, _NOTE)}"
        for path, why in sorted(unread.items())[:_TABLES]
    ]
    if len(unread) > _TABLES:
        lines.append(f"- and {len(unread) - _TABLES} more")
    return "\n".join(lines)


def _shapes(tables: Sequence[TableProfile]) -> list[list[TableProfile]]:
    """Group tables that have the same columns of the same types; decimal places may differ."""
    found: dict[object, list[TableProfile]] = {}
    for table in tables:
        shape = tuple((column.name, column.type.partition("(")[0]) for column in table.columns)
        found.setdefault(shape, []).append(table)
    return list(found.values())


def _table(same: Sequence[TableProfile]) -> list[str]:
    first = same[0]
    if len(same) == 1:
        lines = [f"- {_line(first.name)} ({first.rows_text}, from {_origin(first)})"]
    else:
        listed = ", ".join(
            f"{_line(table.name)} ({table.rows_text}, from {_origin(table)})" for table in same[:_TABLES]
        )
        more = f" and {len(same) - _TABLES} more" if len(same) > _TABLES else ""
        lines = [f"- {len(same)} tables with the same columns: {listed}{more}. Of {_line(first.name)}:"]
    notes = list(first.notes)
    for other in same[1:]:
        notes += [f"{other.name}: {note}" for note in other.all_notes]
    lines += [f"  - Note: {shortened(note, _NOTE)}" for note in notes[:_NOTES]]
    if len(notes) > _NOTES:
        lines.append(f"  - and {len(notes) - _NOTES} more notes: call describe")
    lines += [f"  - {_column(column)}" for column in first.columns[:_COLUMNS]]
    left = first.columns[_COLUMNS:]
    if left:
        names = ", ".join(shortened(column.name, _VALUE) for column in left[:_COLUMNS])
        lines.append(f"  - and {len(left):,} more columns: {names}{'…' if len(left) > _COLUMNS else ''}")
        lines += [f"  - {_column(column)}" for column in left if column.unreadable][:_NOTES]
    return lines


def _origin(table: TableProfile) -> str:
    return _line(f"{table.path}, sheet {table.sheet}" if table.sheet else table.path)


def _column(column: ColumnProfile) -> str:
    facts = [column.type]
    is_number = column.type.startswith(_NUMBERS)
    if column.values and not is_number:
        facts.append(", ".join(shortened(value, _VALUE) for value in column.values[:_VALUES]))
    elif column.minimum is not None:
        facts.append(f"{shortened(column.minimum, _VALUE)} to {shortened(column.maximum or '', _VALUE)}")
    if column.values and not is_number and column.distinct > _VALUES:
        facts.append(f"{'about ' if column.distinct_estimated else ''}{column.distinct:,} different")
    if column.missing:
        facts.append(f"{column.missing:,} missing")
    told = [_without_name(note, column.name) for note in column.notes]
    return f"{_line(column.name)}: {'; '.join([*facts, *(shortened(note, _NOTE) for note in told)])}"


def _without_name(note: str, name: str) -> str:
    """Return a note about a column without the column's name and without a full stop."""
    return re.sub(r"[.]$", "", note.removeprefix(f"{name}: "))


def _line(name: str) -> str:
    """Return a name on one line. A very long name is cut."""
    line = " ".join(name.splitlines()) if name.splitlines()[1:] else name
    return line if len(line) <= _NAME else f"{line[: _NAME - 1]}… (a name of {len(line):,} characters)"
