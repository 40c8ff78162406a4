"""Reads JSON and newline-delimited JSON as tables; one level of nesting becomes separate columns."""

import gzip
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

import duckdb

from anabranch_tool.column_types import quote
from anabranch_tool.json_orients import as_records
from anabranch_tool.raw_tables import RawTable, sql_text
from anabranch_tool.table_shape import quoted

__all__ = ["raw_json"]

_TOLD = 3
_OBJECT, _LARGEST_OBJECT = 16 << 20, 128 << 20
"""The smallest and the largest limit on the bytes of one value; in between, the limit depends on the file's size.
DuckDB immediately reserves twice as much memory.
"""


def raw_json(connection: duckdb.DuckDBPyConnection, file: Path, folder: Path) -> RawTable:
    """Return the records of `file`; in newline-delimited files, lines that are not JSON are skipped and reported."""
    losses: list[str] = []
    try:
        _load(connection, file)
    except duckdb.Error as error:
        if not _by_lines(file) or "Malformed" not in str(error):
            raise
        losses = _load_lines(connection, file, folder)
    described = connection.execute("DESCRIBE raw_rows").fetchall()
    notes: list[str] = []
    if (made := _reoriented(connection, file, described)) is not None:
        records, note = made
        notes.append(note)
        _load_records(connection, records, folder)
        described = connection.execute("DESCRIBE raw_rows").fetchall()
    held = [name for name, kind, *_ in described if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if len(held) == 1 and connection.execute("SELECT count(*) FROM raw_rows").fetchone() == (1,):
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT unnest({quote(held[0])}, max_depth := 2) FROM raw_rows"
        )
        described = connection.execute("DESCRIBE raw_rows").fetchall()
    parts = [part for name, kind, *_ in described for part in _flat(connection, name, kind)]
    connection.execute(f"CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT {', '.join(parts)} FROM raw_rows")
    _days_without_time(connection)
    described = connection.execute("DESCRIBE raw_rows").fetchall()
    columns = [(name, kind) for name, kind, *_ in described]
    return RawTable("raw_rows", columns, notes=notes, losses=losses)


def _reoriented(
    connection: duckdb.DuckDBPyConnection, file: Path, described: Sequence[tuple[Any, ...]]
) -> tuple[list[dict[str, Any]], str] | None:
    """Return the file's records if DuckDB misread it as one row of lists and objects, or as rows without names."""
    kinds = [str(kind) for _, kind, *_ in described]
    unnamed = (
        len(kinds) == 1 and described[0][0] == "json" and (kinds[0].endswith("[]") or kinds[0] == "JSON")
    )
    nested = all(kind.endswith("[]") or kind.startswith(("STRUCT(", "MAP(", "JSON")) for kind in kinds)
    if not unnamed and not (
        nested and connection.execute("SELECT count(*) FROM raw_rows").fetchone() == (1,)
    ):
        return None
    return None if _by_lines(file) else as_records(file)


def _load_records(
    connection: duckdb.DuckDBPyConnection, records: Sequence[dict[str, Any]], folder: Path
) -> None:
    target = folder / "records.ndjson"
    with target.open("w", encoding="utf-8") as written:
        for record in records:
            written.write(json.dumps(record, ensure_ascii=False) + "\n")
    _load(connection, target)


def _days_without_time(connection: duckdb.DuckDBPyConnection) -> None:
    """Convert timestamp columns to dates if every value in them is at midnight."""
    moments = [
        name for name, kind, *_ in connection.execute("DESCRIBE raw_rows").fetchall() if kind == "TIMESTAMP"
    ]
    for name in moments:
        column = quote(name)
        midnight = f"bool_and({column} = date_trunc('day', {column}))"
        if connection.execute(f"SELECT {midnight} FROM raw_rows").fetchone() == (True,):
            connection.execute(f"ALTER TABLE raw_rows ALTER {column} TYPE DATE")


def _load(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    most = min(max(_OBJECT, file.stat().st_size * (10 if file.suffix == ".gz" else 1)), _LARGEST_OBJECT)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT * FROM read_json('{sql_text(file)}', sample_size = -1, "
        f"convert_strings_to_integers = false, maximum_object_size = {most})"
    )


def _by_lines(file: Path) -> bool:
    return file.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))


def _load_lines(connection: duckdb.DuckDBPyConnection, file: Path, folder: Path) -> list[str]:
    """Load the lines that are JSON objects; return a sentence about the other lines."""
    target = folder / "regular.ndjson"
    bad, numbers, example, good = 0, list[int](), "", 0
    with target.open("w", encoding="utf-8") as written:
        for number, line in enumerate(_lines(file), 1):
            if not line.strip():
                continue
            if _is_record(line):
                written.write(line if line.endswith("\n") else f"{line}\n")
                good += 1
                continue
            bad += 1
            if len(numbers) < _TOLD:
                numbers.append(number)
            example = example or quoted(line)
    if not good:
        raise ValueError("it is not valid JSON: no line of it is an object")
    _load(connection, target)
    listed = ", ".join(f"{number:,}" for number in numbers) + (" and more" if bad > len(numbers) else "")
    if bad == 1:
        return [f"1 line is not valid JSON and is left out: line {listed}: “{example}”."]
    return [f"{bad:,} lines are not valid JSON and are left out: lines {listed}, for example “{example}”."]


def _lines(file: Path) -> Iterator[str]:
    packed = file.suffix.lower() == ".gz"
    with file.open("rb") as raw:
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if packed else raw
        with io.TextIOWrapper(cast(io.BytesIO, stream), "utf-8", "replace") as lines:
            yield from lines


def _is_record(line: str) -> bool:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _flat(connection: duckdb.DuckDBPyConnection, name: str, kind: str) -> list[str]:
    column = quote(name)
    if kind == "JSON":
        return [f"{column} ->> '$' AS {column}"]
    if kind.endswith("[]") or kind.startswith("MAP("):
        return [f"CAST(to_json({column}) AS VARCHAR) AS {column}"]
    if not kind.startswith("STRUCT("):
        return [column]
    inner = connection.execute(f"SELECT {column}.* FROM raw_rows LIMIT 0").description or []
    return [
        f"struct_extract({column}, '{sql_text(part[0])}') AS {quote(name + '_' + part[0])}" for part in inner
    ]
