"""Reads CSV files as tables: with DuckDB, to which all options are given, or line by line if the file is
inconsistent.
"""

import re
from collections.abc import Mapping, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

import duckdb

from anabranch_tool.column_types import quote
from anabranch_tool.csv_dialect import Dialect, find_dialect, parsed
from anabranch_tool.csv_encoding import Plain, as_plain
from anabranch_tool.csv_rows import rewrite_rows
from anabranch_tool.raw_tables import RawTable, sql_text
from anabranch_tool.table_shape import filled_cells, is_footer, total_note

__all__ = ["CsvFile", "breaks_its_rules", "has_blank_rows"]

_PIECES = 24
_PIECE = 24 << 10
_TAIL = 64 << 10
_BUFFER = 4 << 20
"""The number of bytes that a thread of DuckDB reads at a time. With the default of 32 MB, reading takes a fifth longer,
because that memory is newly allocated each time.
"""
_AFTER_BLANK = re.compile(rb"\n(?:\r?\n)+([^\r\n]+)")
_BLANK_ROWS = 1_000
"""The maximum number of blank rows that are examined. A file with more is read line by line."""
_CELLS = 100_000
_ROWS = 500
"""The maximum number of rows in a sample; fewer for wide tables."""


class CsvFile:
    """A file of delimited text."""

    def __init__(self, file: Path, folder: Path) -> None:
        """Examine `file`; copies of it are written to `folder`.

        Raises:
            ValueError: the file has no rows, or is not a text.
        """
        ending = file.name.lower().removesuffix(".gz").rpartition(".")[2]
        self.folder = folder
        self.plain: Plain = as_plain(file, folder)
        self.dialect: Dialect = find_dialect(self.plain.file, "\t" if ending in ("tsv", "tab") else None)
        self._tail = self._last_rows()

    def is_clear(self) -> bool:
        """Return whether the file is certainly a table; used for files whose names do not say so."""
        dialect = self.dialect
        short = all(len(name) <= 60 and not re.search(r"[.!?]$", name) for name in dialect.names)
        named = not any(note.startswith("There is no header") for note in dialect.notes)
        return len(dialect.names) > 1 and len(dialect.rows) > 1 and dialect.certain and short and named

    def raw(self) -> RawTable:
        """Return the rows as they are in the file. Reading them fails if a row does not fit."""
        if not self.plain.newline or self._has_remarks() or self._has_tables_below():
            return self.tolerant()
        dialect = self.dialect
        return self._table(self.plain.file, dialect, self.plain.newline, dialect.skipped, [])

    def tolerant(self) -> RawTable:
        """Return the rows that fit, and sentences about the rows that do not."""
        target = self.folder / "regular.csv"
        seen = rewrite_rows(self.plain.file, self.dialect, target)
        regular = Dialect(",", '"', '"', 0, self.dialect.names, self.dialect.blank, self.dialect.notes)
        return self._table(target, regular, "\n", 0, seen.losses(len(self.dialect.names)))

    def _table(
        self, file: Path, dialect: Dialect, newline: str, skipped: int, losses: Sequence[str]
    ) -> RawTable:
        columns = ", ".join(f"'{sql_text(name)}': 'VARCHAR'" for name in dialect.names)
        rewritten = losses or file != self.plain.file
        lines = "max_line_size = 33554432, " if rewritten else f"buffer_size = {_BUFFER}, "
        ends = newline.replace("\r", "\\r").replace("\n", "\\n")
        source = (
            f"read_csv('{sql_text(file)}', auto_detect = false, delim = '{dialect.delimiter}', "
            f"quote = '{sql_text(dialect.quote)}', escape = '{sql_text(dialect.escape)}', header = false, "
            f"skip = {skipped}, new_line = '{ends}', nullstr = '', {lines}"
            f"columns = {{{columns}}})"
        )
        notes = [*self.plain.notes, *dialect.notes]
        # reported as a loss, because it makes a sum as wrong as a lost row does
        total = total_note(self._tail[-1]) if self._tail else None
        return RawTable(
            source,
            [(name, "VARCHAR") for name in dialect.names],
            notes=notes,
            losses=[*self.plain.losses, *losses, *([total] if total else [])],
            sample=self.sample,
            droppable=frozenset(dialect.names[-1:] if dialect.blank else ()),
        )

    def sample(self) -> Mapping[str, Sequence[str]]:
        """Return values from the beginning and from all parts of the file."""
        width = len(self.dialect.names)
        most = max(50, min(_ROWS, _CELLS // width))
        rows = [row for row in self.dialect.rows[:most] if len(row) <= width]
        size = self.plain.file.stat().st_size
        if len(self.dialect.rows) > most:
            with self.plain.file.open("rb") as stream:
                for piece in range(1, _PIECES + 1):
                    stream.seek(max(0, size * piece // _PIECES - _PIECE))
                    lines = (
                        stream.read(_PIECE).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[1:-1]
                    )
                    rows += self._rows("\n".join(lines[: most // 32]), width)
        return {
            name: [row[at] for row in rows if at < len(row) and row[at]]
            for at, name in enumerate(self.dialect.names)
        }

    def _rows(self, text: str, width: int) -> list[tuple[str, ...]]:
        dialect = self.dialect
        found = parsed(text, dialect.delimiter, dialect.quote, dialect.escape)
        return [tuple(row) for _, row in found if len(row) == width]

    def _last_rows(self) -> list[list[str]]:
        """Return the rows in the last 12 lines, including blank rows."""
        dialect, size = self.dialect, self.plain.file.stat().st_size
        with self.plain.file.open("rb") as stream:
            stream.seek(max(0, size - _TAIL))
            text = stream.read().decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")
        lines = text.split("\n")
        lines = lines[1:] if size > _TAIL else lines[dialect.skipped :]
        return [
            row for _, row in parsed("\n".join(lines[-12:]), dialect.delimiter, dialect.quote, dialect.escape)
        ]

    def _has_tables_below(self) -> bool:
        """Return whether a blank row is followed by what may be the header of another table."""
        dialect = self.dialect
        if dialect.several or not dialect.shape.data:
            return dialect.several
        if not self.plain.blank:
            return False
        with self.plain.file.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as text:
            for checked, found in enumerate(_AFTER_BLANK.finditer(text)):
                line = found[1].decode("utf-8", "replace")
                row = next(iter(parsed(line, dialect.delimiter, dialect.quote, dialect.escape)), (0, []))[1]
                if checked == _BLANK_ROWS or len(filled_cells(row)) == 1 or dialect.shape.ends_before(row):
                    return True
        return False

    def _has_remarks(self) -> bool:
        """Return whether there are rows below the table that do not belong to it, or rows without any value."""
        width, rows = len(self.dialect.names), self._tail
        if width < 2 or not rows:
            return False
        blank_above = [not any(cell.strip() for cell in row) for row in rows]
        return any(
            (blank and len(row) > 1) or is_footer(row, at > 0 and blank_above[at - 1], width)
            for at, (row, blank) in enumerate(zip(rows, blank_above, strict=True))
        )


def has_blank_rows(connection: duckdb.DuckDBPyConnection, table: Path) -> bool:
    """Return whether a typed table has rows without any value, which the tolerant reader leaves out and counts."""
    source = f"read_parquet('{sql_text(table)}')"
    names = [name for name, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    if len(names) < 2:
        return False
    nothing = " AND ".join(f"{quote(name)} IS NULL" for name in names)
    return connection.execute(f"SELECT 1 FROM {source} WHERE {nothing} LIMIT 1").fetchone() is not None


def breaks_its_rules(error: duckdb.Error) -> bool:
    """Return whether reading failed because a row does not fit. In that case, the tolerant reader may succeed."""
    return "CSV" in str(error)
