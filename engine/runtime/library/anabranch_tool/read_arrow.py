"""Reads Arrow IPC and Feather files as tables."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from anabranch_tool.raw_tables import RawTable, sql_text

__all__ = ["raw_arrow"]

_ROWS = 65_536


def raw_arrow(connection: duckdb.DuckDBPyConnection, file: Path, folder: Path) -> RawTable:
    """Return the rows of an Arrow file or stream; its types are kept.

    Raises:
        ValueError: the file is neither.
    """
    target = folder / "raw.parquet"
    try:
        _copy(file, target)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError("it is not an Arrow file, or it is damaged") from None
    source = f"read_parquet('{sql_text(target)}')"
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    kept = [(name, "TEXT" if kind == "VARCHAR" else kind) for name, kind, *_ in described]
    return RawTable(source, kept)


def _copy(file: Path, target: Path) -> None:
    with pa.memory_map(str(file), "r") as mapped:
        try:
            reader = pa.ipc.open_file(mapped)
            batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
            schema = reader.schema
        except pa.ArrowInvalid:
            mapped.seek(0)
            if mapped.read(4) == b"FEA1":
                table = pyarrow.feather.read_table(file)
                batches, schema = iter(table.to_batches(_ROWS)), table.schema
            else:
                mapped.seek(0)
                stream = pa.ipc.open_stream(mapped)
                batches, schema = iter(stream), stream.schema
        with pq.ParquetWriter(target, schema, compression="lz4") as writer:
            for batch in batches:
                writer.write_batch(batch, row_group_size=_ROWS)
