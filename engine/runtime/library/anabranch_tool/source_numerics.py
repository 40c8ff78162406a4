"""Converts PostgreSQL values that ADBC returns in a different form: exact numbers, and infinite times.

Numerics arrive as text and are converted to decimals, so that money stays exact. `infinity` arrives as an overflowed
number of days or microseconds, which would be read as a time in the distant past, so such a column becomes text.
"""

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["exact_numbers"]

_DIGITS = 38
"""The maximum number of digits of a decimal in Arrow and DuckDB."""
_FIRST = {"date": -2_500_000, "timestamp": -250_000_000_000_000_000}
"""A day before PostgreSQL's first day (in 4713 BC), in days or microseconds since 1970. Only overflowed values are
earlier.
"""
_INFINITE = {
    "date": (-(2**31) + 10_957, "-infinity"),
    "timestamp": (-(2**63) + 946_684_800_000_000, "-infinity"),
}
"""The overflowed value of `-infinity`; the value of `infinity` is one less."""


def exact_numbers(reader: pa.RecordBatchReader, as_text: Callable[[str], None]) -> Iterator[pa.RecordBatch]:
    """Yield the batches of `reader`, at least one, with numerics as decimals.

    A numeric without a declared scale gets the scale of its values in the first batch, or a wider one later. Values
    that no decimal can represent (NaN, more than 38 digits) stay text, and a column with infinite times becomes text:
    `as_text` receives the names of such columns.
    """
    schema = reader.schema
    yield pa.RecordBatch.from_arrays(
        [_column(pa.array([], _storage(field.type)), field) for field in schema], names=schema.names
    )
    for batch in reader:
        columns = [_column(column, field) for column, field in zip(batch.columns, schema, strict=True)]
        for column, field in zip(columns, schema, strict=True):
            if pa.types.is_string(column.type) and (_is_numeric(field) or _time_of(field.type)):
                as_text(field.name)
        yield pa.RecordBatch.from_arrays(columns, names=schema.names)


def _is_numeric(field: pa.Field) -> bool:
    return bool((field.metadata or {}).get(b"POSTGRESQL:type") == b"numeric")


def _time_of(kind: pa.DataType) -> str:
    return "date" if pa.types.is_date32(kind) else "timestamp" if pa.types.is_timestamp(kind) else ""


def _finite(column: pa.Array) -> pa.Array:
    """Return a column of times as it is, or as text if one of them is infinite."""
    kind = _time_of(column.type)
    if not kind or not len(column):
        return column
    days = column.cast(pa.int32()) if kind == "date" else column.cast(pa.int64())
    overflowed = pc.less(days, _FIRST[kind])
    if not pc.any(overflowed).as_py():
        return column
    lowest, name = _INFINITE[kind]
    plain = column if kind == "date" else days.cast(pa.timestamp(column.type.unit))
    infinite = pc.if_else(pc.greater_equal(days, lowest), name, name.removeprefix("-"))
    return pc.if_else(overflowed, infinite, plain.cast(pa.string()))


def _column(column: pa.Array, field: pa.Field) -> pa.Array:
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if _time_of(column.type):
        return _finite(column)
    if not _is_numeric(field):
        return column
    declared = _declared(int((field.metadata or {}).get(b"POSTGRESQL:typmod", b"-1")))
    if declared is None and not len(column):
        return pa.array([], pa.null())
    try:
        return column.cast(pa.decimal128(_DIGITS, _scale(column)) if declared is None else declared)
    except pa.ArrowInvalid:
        return column


def _declared(modifier: int) -> pa.DataType | None:
    """Return the type of `numeric(precision, scale)`."""
    if modifier < 4:
        return None
    precision, scale = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
    return pa.decimal128(precision, scale) if 0 < precision <= _DIGITS and scale <= precision else None


def _scale(column: pa.Array) -> int:
    """Return the maximum number of digits after the decimal point."""
    found = pc.extract_regex(column, r"\.(?P<after>\d+)$")
    longest = pc.max(pc.utf8_length(pc.struct_field(found, "after"))).as_py()
    return min(int(longest or 0), _DIGITS)


def _storage(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
