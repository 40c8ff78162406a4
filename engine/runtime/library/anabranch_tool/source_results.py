"""Collects a source's result as one table: all of it or nothing, within the source's limits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from anabranch_tool.source_errors import SourceError

__all__ = ["Collected", "collect"]


@dataclass(frozen=True, slots=True)
class Collected:
    """A whole result."""

    table: pa.Table
    notes: list[str] = field(default_factory=list)


def collect(batches: Iterator[pa.RecordBatch], source: Mapping[str, Any]) -> Collected:
    """Return all rows, with types that a Parquet file can store without changing any value.

    Raises:
        SourceError: the result exceeds the source's `max_rows` or `max_bytes`.
    """
    found: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        rows += batch.num_rows
        size += batch.nbytes
        if rows > source["max_rows"] or size > source["max_bytes"]:
            raise _too_large(rows, source)
        if batch.num_rows or not found:
            found.append(batch)
    before, kinds = found[0].schema.names, found[0].schema.types
    names = _unique(before)
    found = [_in_utc(batch) for batch in found]
    joined = [_joined([batch.column(at) for batch in found]) for at in range(len(names))]
    schema = pa.schema([pa.field(name, kind) for name, kind in zip(names, joined, strict=True)])
    told = [
        pa.RecordBatch.from_arrays(
            [_as(column, kind) for column, kind in zip(batch.columns, joined, strict=True)], schema=schema
        )
        for batch in found
    ]
    return Collected(pa.Table.from_batches(told, schema), _notes(before, kinds, names))


def _joined(columns: list[pa.Array]) -> pa.DataType:
    """Return one type for a column that arrived in several batches, so that none of its values changes."""
    distinct = list(dict.fromkeys(one.type for one in columns if not pa.types.is_null(one.type)))
    if not distinct:
        return pa.string()
    if len(distinct) == 1:
        return _stored(distinct[0])
    if all(pa.types.is_decimal(kind) for kind in distinct):
        widest = max(distinct, key=lambda kind: kind.scale)
        return pa.decimal128(38, widest.scale)
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in distinct):
        whole = [one for one in columns if pa.types.is_integer(one.type)]
        return pa.float64() if all(map(_exact_in_floats, whole)) else pa.string()
    return pa.string()


def _stored(kind: pa.DataType) -> pa.DataType:
    """Return the type that a Parquet file uses to store a column of this type."""
    if pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):
        return pa.timestamp("us")
    if pa.types.is_date64(kind):
        return pa.date32()
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _exact_in_floats(column: pa.Array) -> bool:
    try:
        column.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _as(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    if pa.types.is_string(kind) and pa.types.is_binary(column.type):
        return pa.array([None if value is None else value.hex() for value in column.to_pylist()], kind)
    return column.cast(kind)


def _unique(names: list[str]) -> list[str]:
    """Return names that a table can have: none is empty, and no two are equal if case is ignored."""
    made: list[str] = []
    for at, name in enumerate(names, 1):
        wanted = free = name or f"column{at}"
        number = 2
        while free.lower() in {one.lower() for one in made}:
            free, number = f"{wanted}_{number}", number + 1
        made.append(free)
    return made


def _notes(before: list[str], kinds: list[pa.DataType], names: list[str]) -> list[str]:
    notes = []
    if changed := [new for old, new in zip(before, names, strict=True) if old != new]:
        notes.append(f"Columns with a duplicate or missing name were renamed: {', '.join(changed)}.")
    if zoned := [name for name, kind in zip(names, kinds, strict=True) if _has_zone(kind)]:
        notes.append(f"Times are in UTC: {', '.join(zoned)}.")
    return notes


def _has_zone(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _in_utc(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch whose times are in UTC without a zone, because DuckDB needs another package to return times with a
    zone.
    """
    columns = [
        column.cast(pa.int64()).cast(pa.timestamp(column.type.unit)) if _has_zone(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _too_large(rows: int, source: Mapping[str, Any]) -> SourceError:
    if rows > source["max_rows"]:
        what = f"more than the {source['max_rows']:,} rows"
    else:
        what = f"more than the {source['max_bytes'] / (1 << 20):,.0f} MiB"
    return SourceError(
        "too_large",
        f"The result has {what} that one result of {source['name']} may have, so none of it was kept. Aggregate or "
        "filter in the SQL, or raise the source's limit.",
    )
