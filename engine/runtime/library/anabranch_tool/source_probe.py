"""The engine's own requests to a source: whether it answers, and which tables it has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from anabranch_tool.context import given
from anabranch_tool.source_connections import connect, stop
from anabranch_tool.source_errors import SourceError
from anabranch_tool.source_results import collect
from anabranch_tool.table_profile import profile_parquet

__all__ = ["look", "profile", "stop_call"]

MOST_TABLES = 20_000
_SOME_ROWS = 100_000
_SOME_BYTES = 64 << 20
"""The limits of a profile: the number of rows that are read from a table, and their bytes in memory."""


def look(workspace: Path) -> dict[str, Any]:  # noqa: ARG001 - as every tool
    """Return the server and its tables, or the error: `problem` with `kind`, `message` and `code`."""
    source = given["source"]
    try:
        connection = connect(source)
        try:
            server = connection.server()
            tables: list[dict[str, Any]] = []
            more = 0
            for table in connection.tables():
                if not _is_allowed(table, source["allowed"]):
                    continue
                if len(tables) < MOST_TABLES:
                    tables.append(table)
                else:
                    more += 1
            return {"server": server, "tables": tables, "left_out": more}
        finally:
            connection.close()
    except SourceError as error:
        return {"problem": {"kind": error.kind, "message": str(error), "code": error.code}}


def profile(workspace: Path) -> dict[str, Any]:
    """Return the profile of a source's table from its first rows, read with one query; or an error as in `look`.

    `rows`, `columns` and `notes` are as `profile_parquet` returns them; `more` says whether the table has more rows.
    """
    source, table = given["source"], given["table"]
    named = exp.table_(table["name"], db=table["schema"] or None, quoted=True)
    sql = exp.select("*").from_(named).limit(_SOME_ROWS + 1).sql(dialect=source["dialect"])
    file = workspace / "rows.parquet"
    try:
        connection = connect(source)
        try:
            some = _Some(connection.read(sql))
            rows = collect(iter(some), source | {"max_rows": _SOME_ROWS, "max_bytes": 1 << 62})
            as_text = connection.as_text()
        finally:
            connection.close()
    except SourceError as error:
        return {"problem": {"kind": error.kind, "message": str(error), "code": error.code}}
    pq.write_table(rows.table, file, compression="zstd")
    found = profile_parquet([file])
    notes = [*rows.notes, *([f"Read as text: {', '.join(as_text[:20])}."] if as_text else [])]
    return {**found, "more": some.more, "said": notes}


class _Some:
    """The first batches of a result, up to the limits of a profile."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self.more = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        rows = size = 0
        for batch in self._batches:
            yield batch.slice(0, _SOME_ROWS - rows)
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if rows > _SOME_ROWS or size > _SOME_BYTES:
                self.more = True
                return


def stop_call(workspace: Path) -> dict[str, Any]:  # noqa: ARG001 - as every tool
    """Stop the statements of a call that was ended here; return their number."""
    try:
        return {"stopped": stop(given["source"], given["stop"])}
    except SourceError as error:
        return {"problem": {"kind": error.kind, "message": str(error), "code": error.code}}


def _is_allowed(table: dict[str, Any], allowed: list[str]) -> bool:
    wanted = {name.lower() for name in allowed}
    schema, name = table["schema"].lower(), table["name"].lower()
    return not wanted or schema in wanted or f"{schema}.{name}" in wanted
