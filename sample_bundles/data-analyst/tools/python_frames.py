"""Converts DataFrames to result tables: flat columns for Parquet and SQL, a file in `results/`, and a sample."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["Flat", "as_frame", "columns", "flat", "rows", "write"]

_SQL_TYPES = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "large_string": "VARCHAR",
    "bool": "BOOLEAN",
    "date32[day]": "DATE",
}


@dataclass(slots=True)
class Flat:
    """A table that can be written to Parquet, and notes on the conversion."""

    table: pa.Table
    notes: list[str] = field(default_factory=list)


def as_frame(value: Any) -> pd.DataFrame | None:
    """Return a table-like value as a DataFrame; None for anything else."""
    if isinstance(value, pd.DataFrame):
        return value
    if isinstance(value, pd.Series):
        return value.to_frame(name="value" if value.name is None else value.name)
    if isinstance(value, pa.Table):
        return value.to_pandas()
    kind = type(value)
    if kind.__name__ == "Styler" and kind.__module__.startswith("pandas."):
        return value.data
    if kind.__name__ == "DuckDBPyRelation":
        return value.df()
    return None


def flat(frame: pd.DataFrame, known: Sequence[tuple[int, frozenset[str]]] = ()) -> Flat:
    """Return `frame` with a meaningful index as columns, one level of column names, and types that SQL supports.

    `known` contains the lengths and columns of frames of which this one may be a part. The index of a part contains
    only row numbers of the whole frame and is dropped.
    """
    notes: list[str] = []
    frame = _with_index(frame, known)
    frame = frame.set_axis(_column_names(frame.columns), axis="columns")
    arrays, names = [], []
    for position, name in enumerate(frame.columns):
        names.append(name)
        arrays.append(_column(name, frame.iloc[:, position], notes))
    if not names:
        names, arrays = ["index"], [pa.array(range(len(frame)))]
        notes.append("The table had no columns; its row numbers are shown.")
    return Flat(pa.table(arrays, names=_unique(names)), notes)


def _with_index(frame: pd.DataFrame, known: Sequence[tuple[int, frozenset[str]]]) -> pd.DataFrame:
    index = frame.index
    if index.nlevels == 1 and index.name is None and pd.api.types.is_integer_dtype(index.dtype):
        if index.equals(pd.RangeIndex(len(index))) or sorted(index) == list(range(len(index))):
            return frame
        shared = {str(column) for column in frame.columns}
        if len(index) and index.is_unique and index.min() >= 0:
            for rows, columns in known:
                if index.max() < rows and shared & columns:
                    return frame
    taken = {str(column) for column in frame.columns}
    names = []
    for level, given in enumerate(index.names):
        wish = str(given) if given is not None else "index" if index.nlevels == 1 else f"level_{level}"
        while wish in taken:
            wish = f"{wish}_index"
        taken.add(wish)
        names.append(wish)
    levels = pd.DataFrame({name: index.get_level_values(level) for level, name in enumerate(names)})
    levels.index = frame.index
    plain = frame.set_axis(_column_names(frame.columns), axis="columns")
    return pd.concat([levels, plain], axis="columns")


def _column_names(columns: pd.Index) -> list[str]:
    found = []
    for column in columns:
        parts = column if isinstance(column, tuple) else (column,)
        found.append("_".join(str(part) for part in parts if str(part) != "") or "column")
    return _unique(found)


def _unique(names: Sequence[str]) -> list[str]:
    """Return names that are unique in SQL, which ignores case."""
    taken: set[str] = set()
    unique = []
    for name in names:
        candidate, number = name, 2
        while candidate.lower() in taken:
            candidate, number = f"{name}_{number}", number + 1
        taken.add(candidate.lower())
        unique.append(candidate)
    return unique


def _column(name: str, values: pd.Series, notes: list[str]) -> pa.Array:
    zoned = isinstance(values.dtype, pd.DatetimeTZDtype)
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    elif isinstance(values.dtype, pd.IntervalDtype) or pd.api.types.is_complex_dtype(values.dtype):
        values = values.astype(str)
    elif isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype if not _intervals(values) else str)
    elif isinstance(values.dtype, pd.SparseDtype):
        values = values.sparse.to_dense()
    elif zoned:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
        notes.append(f"{name} is in UTC.")
    elif pd.api.types.is_timedelta64_dtype(values.dtype):
        values = values.dt.total_seconds()
        notes.append(f"{name} is in seconds.")
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        text = [None if _is_missing(value) else str(value) for value in values]
        notes.append(f"{name} holds values of several types; they are kept as text.")
        return pa.array(text, pa.string())
    if pa.types.is_null(array.type):
        return array.cast(pa.string())
    if pa.types.is_dictionary(array.type):
        return array.dictionary_decode()
    return array if zoned else _as_dates(array)


def _as_dates(array: pa.Array) -> pa.Array:
    """Return times as dates if all of them are at midnight, because pandas has no type for dates."""
    if not pa.types.is_timestamp(array.type) or array.null_count == len(array):
        return array
    dates = array.cast(pa.date32(), safe=False)
    return dates if dates.cast(array.type, safe=False).equals(array) else array


def _intervals(values: pd.Series) -> bool:
    return isinstance(values.cat.categories.dtype, pd.IntervalDtype)


def _is_missing(value: Any) -> bool:
    try:
        return bool(pd.isna(value))
    except (TypeError, ValueError):
        return False


def write(table: pa.Table, file: Path) -> None:
    """Write the whole table as Parquet."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, file, compression="zstd")


def columns(table: pa.Table) -> list[dict[str, str]]:
    """Return the names and SQL types of a table's columns."""
    return [{"name": column.name, "type": _sql_type(column.type)} for column in table.schema]


def rows(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Yield the first rows, with infinite numbers as text, because JSON has no infinity."""
    first = [column.to_pylist() for column in table.slice(0, 100).columns]
    for row in zip(*first, strict=True):
        yield tuple(str(cell) if isinstance(cell, float) and math.isinf(cell) else cell for cell in row)


def _sql_type(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP"
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    return _SQL_TYPES.get(str(kind), str(kind).upper())
