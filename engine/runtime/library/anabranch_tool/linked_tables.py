"""Linked files as one table: a SELECT over them, and a description of a sample of their rows.

Nothing is copied, and large files are not read completely: formats are detected in the beginnings of the files and in
samples of the rest. The table's notes say what happens to values that do not fit.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from anabranch_tool.column_checks import Checked, check_formats, count_words, has_words, share_words
from anabranch_tool.column_types import Text, decide_all
from anabranch_tool.csv_dialect import Dialect
from anabranch_tool.linked_samples import first_lines, sampled_file
from anabranch_tool.raw_tables import RawTable, sql_text
from anabranch_tool.read_csv import CsvFile
from anabranch_tool.read_tables import parquet_source, typing_connection
from anabranch_tool.typing_tables import TypedColumn, column_facts, typed_select

__all__ = ["READ_WHOLE", "first_rows", "linked_table"]

READ_WHOLE = 256 << 20
"""Files with up to this many bytes in total are read completely."""
_NAMED = 3
_NOT_UTF8 = "it is not UTF-8, as CSV files that are read in place must be: add it to the chat instead"


def linked_table(kind: str, parts: Sequence[Path], share: float) -> dict[str, Any]:
    """Return the table that files of one `kind` (`parquet`, `csv` or `lines`) form together, with its SELECT.

    Raises:
        ValueError: the files cannot be read as one table; the message completes a sentence about them.
        duckdb.Error, pyarrow.ArrowException, OSError: a file cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="linked-") as name:
        connection = typing_connection()
        try:
            if kind == "parquet":
                return _parquet(connection, parts)
            if kind == "csv":
                return _csv(connection, parts, Path(name), share)
            return _lines(connection, parts)
        finally:
            connection.close()


def first_rows(workspace: Path, path: str, select: str, limit: int) -> dict[str, Any]:
    """Write the first rows of a linked table to the Parquet file `path` of `workspace`."""
    connection = typing_connection()
    try:
        connection.execute(
            f"COPY (SELECT * FROM ({select}) LIMIT {int(limit)}) TO '{sql_text(workspace / path)}' (FORMAT parquet)"
        )
    finally:
        connection.close()
    return {}


def _parquet(connection: duckdb.DuckDBPyConnection, parts: Sequence[Path]) -> dict[str, Any]:
    _require_one_shape(parts)
    select = f"SELECT * FROM {parquet_source(parts)}"
    counted: Any = connection.execute(f"SELECT count(*) FROM ({select})").fetchone()
    return _table(connection, select, int(counted[0]), {}, (), (), estimated=False)


def _require_one_shape(parts: Sequence[Path]) -> None:
    first: pa.Schema | None = None
    odd = []
    for part in parts:
        try:
            schema = pq.read_schema(part).remove_metadata()
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{part.name} cannot be read as Parquet: {str(error)[:200]}") from None
        first = first or schema
        if not schema.equals(first):
            odd.append(part.name)
    if odd:
        raise ValueError(_differ(parts[0].name, odd))


def _differ(first: str, odd: Sequence[str]) -> str:
    listed = ", ".join(odd[:_NAMED]) + (f" and {len(odd) - _NAMED:,} more" if len(odd) > _NAMED else "")
    have = "has" if len(odd) == 1 else "have"
    return (
        f"{listed} {have} different columns than {first}: use a pattern that matches only files with the "
        "same columns"
    )


def _csv(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[Path], folder: Path, share: float
) -> dict[str, Any]:
    sampled = sampled_file(parts[0], folder)
    file = CsvFile(sampled.file, folder)
    if file.plain.file != sampled.file or file.plain.losses:
        raise ValueError(
            "it is not UTF-8, as CSV files that are read in place must be: add it to the chat instead"
        )
    heads = [first_lines(part, file.dialect.skipped) for part in parts]
    plain = [[line.rstrip(b"\r\n") for line in head] for head in heads]
    odd = [part.name for part, head in zip(parts, plain, strict=True) if head != plain[0]]
    if odd:
        raise ValueError(_differ(parts[0].name, odd))
    raw = _raw_csv(file.dialect, file.plain.newline if heads == heads[:1] * len(heads) else "", parts)
    values = _values(file, parts, folder)
    formats, habits = decide_all({name: values[name] for name, _ in raw.columns}, share)
    texts = {name: Checked(found) for name, found in formats.items()}
    size = sum(part.stat().st_size for part in parts)
    whole = size <= READ_WHOLE
    if whole:
        typed = [name for name, checked in texts.items() if not isinstance(checked.format, Text)]
        check_formats(connection, raw, texts, values, share, habits)
        if any(has_words(values[name]) for name in typed):
            count_words(connection, raw.source, texts, typed)
            share_words(connection, raw.source, texts, values)
    select = typed_select(raw, texts)
    if whole:
        counted: Any = connection.execute(f"SELECT count(*) FROM ({select})").fetchone()
        rows = int(counted[0])
    else:
        rows = int(size / max(sampled.line_bytes, 1))
    notes = [*file.plain.notes, *file.dialect.notes]
    losses = () if whole else (_UNCOUNTED.format(values=max(map(len, values.values()), default=0)),)
    return _table(connection, select, rows, texts, notes, losses, estimated=not whole)


def _values(first: CsvFile, parts: Sequence[Path], folder: Path) -> Mapping[str, Sequence[str]]:
    """Return some values of each column, from all parts of the first file and of some 20 to 40 of the others, or of all
    if there are fewer.
    """
    values = {name: list(found) for name, found in first.sample().items()}
    for part in parts[1 :: max(1, len(parts) // 20)]:
        for name, found in CsvFile(sampled_file(part, folder).file, folder).sample().items():
            values[name] += found
    return values


_UNCOUNTED = (
    "Column types were guessed from about {values:,} values per column; other values that do not fit these types are "
    "read as missing and not counted."
)


def _raw_csv(dialect: Dialect, newline: str, parts: Sequence[Path]) -> RawTable:
    columns = ", ".join(f"'{sql_text(name)}': 'VARCHAR'" for name in dialect.names)
    listed = ", ".join(f"'{sql_text(part)}'" for part in parts)
    written = newline.replace("\r", "\\r").replace("\n", "\\n")
    ends = f"new_line = '{written}', " if newline else ""
    marks = f"quote = '{sql_text(dialect.quote)}', escape = '{sql_text(dialect.escape)}'"
    source = (
        f"read_csv([{listed}], auto_detect = false, delim = '{dialect.delimiter}', {marks}, header = false, "
        f"skip = {dialect.skipped}, {ends}nullstr = '', columns = {{{columns}}})"
    )
    return RawTable(source, [(name, "VARCHAR") for name in dialect.names])


def _lines(connection: duckdb.DuckDBPyConnection, parts: Sequence[Path]) -> dict[str, Any]:
    listed = ", ".join(f"'{sql_text(part)}'" for part in parts)
    select = f"SELECT * FROM read_json([{listed}], format = 'newline_delimited')"
    size = sum(part.stat().st_size for part in parts)
    if size <= READ_WHOLE:
        counted: Any = connection.execute(f"SELECT count(*) FROM ({select})").fetchone()
        return _table(connection, select, int(counted[0]), {}, (), (), estimated=False)
    with tempfile.TemporaryDirectory() as folder:
        rows = int(size / max(sampled_file(parts[0], Path(folder)).line_bytes, 1))
    told = "The columns and their types come from the first rows; a query fails if it reads a row that does not fit."
    return _table(connection, select, rows, {}, (told,), (), estimated=True)


def _table(
    connection: duckdb.DuckDBPyConnection,
    select: str,
    rows: int,
    texts: dict[str, Checked],
    notes: Sequence[str],
    losses: Sequence[str],
    *,
    estimated: bool,
) -> dict[str, Any]:
    described = connection.execute(f"DESCRIBE {select}").fetchall()
    columns: list[TypedColumn] = [column_facts(name, kind, texts.get(name)) for name, kind, *_ in described]
    about = [f"The number of rows is an estimate: about {rows:,}."] if estimated else []
    return {
        "sheet": None,
        "rows": rows,
        "columns": columns,
        "notes": [*about, *notes],
        "losses": list(losses),
        "select": select,
    }
