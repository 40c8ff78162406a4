"""Converts JSON that contains a table column by column, or in another layout that pandas writes, to records."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["as_records"]

_LARGEST = 128 << 20
"""The maximum size of a file in bytes: the whole file is loaded into memory."""


def as_records(file: Path) -> tuple[list[dict[str, Any]], str] | None:
    """Return the records of a file and a sentence about its layout; None if it does not contain a table in one of these
    layouts."""
    if file.stat().st_size > _LARGEST:
        return None
    content = gzip.decompress(file.read_bytes()) if file.suffix.lower() == ".gz" else file.read_bytes()
    try:
        value: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return _of_rows(value)
    if not isinstance(value, dict) or not value:
        return None
    return _split(value) or _of_columns(value) or _by_index(value)


def _split(value: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """Read `{"columns": […], "index": […], "data": [[…], …]}`."""
    names, data, index = value.get("columns"), value.get("data"), value.get("index")
    if not {"columns", "data"} <= value.keys() <= {"columns", "data", "index", "index_names", "column_names"}:
        return None
    if not isinstance(names, list) or not isinstance(data, list) or not _are_rows(data, len(names)):
        return None
    if len(set(map(str, names))) < len(names):
        return None
    records = [dict(zip(map(str, names), row, strict=True)) for row in data]
    own = isinstance(index, list) and len(index) == len(data) and index != list(range(len(data)))
    if own and isinstance(index, list):
        records = [{"index": label, **record} for label, record in zip(index, records, strict=True)]
    return records, "The file contains columns, index and rows separately, as pandas' “split” writes them."


def _of_columns(value: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """Read `{"a": [1, 2], "b": [3, 4]}`."""
    columns = list(value.values())
    if len(columns) < 2 or not all(isinstance(column, list) and column for column in columns):
        return None
    if len({len(column) for column in columns}) > 1 or any(
        isinstance(cell, dict) for column in columns for cell in column
    ):
        return None
    records = [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    return records, "The file contains a list for each column."


def _by_index(value: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """Read `{"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": 4}}`, or the same table with the rows at the outer level."""
    inner = list(value.values())
    if not all(isinstance(one, dict) and one for one in inner):
        return None
    labels = list(inner[0])
    if not all(one.keys() == inner[0].keys() for one in inner):
        return None
    if _are_numbers(labels):
        records = [{name: column[label] for name, column in value.items()} for label in labels]
        told = "The file contains each column's values by row."
    elif _are_numbers(list(value)):
        labels, records, told = (
            list(value),
            [dict(one) for one in inner],
            "The file contains each row by its number.",
        )
    else:
        return None
    if labels != [str(n) for n in range(len(labels))]:
        records = [{"index": int(label), **record} for label, record in zip(labels, records, strict=True)]
    return records, told


def _of_rows(value: Sequence[Any]) -> tuple[list[dict[str, Any]], str] | None:
    """Read `[["a", "b"], [1, 2], [3, 4]]`."""
    if not value or not isinstance(value[0], list) or not _are_rows(value, len(value[0])):
        return None
    first = value[0]
    named = len(value) > 1 and all(isinstance(cell, str) and cell.strip() for cell in first)
    typed = any(not isinstance(cell, str) for row in value[1:] for cell in row)
    if named and typed and len(set(first)) == len(first):
        records = [dict(zip(first, row, strict=True)) for row in value[1:]]
        return records, "The file contains lists; the first one names the columns."
    records = [{f"column{at + 1}": cell for at, cell in enumerate(row)} for row in value]
    return records, "The file's rows are lists without column names; the columns are numbered."


def _are_rows(value: Any, width: int) -> bool:
    return (
        isinstance(value, list)
        and width > 0
        and bool(value)
        and all(isinstance(row, list) and len(row) == width for row in value)
    )


def _are_numbers(labels: Sequence[str]) -> bool:
    return all(label.isdigit() for label in labels)
