"""Tables as their files write them: what SQL reads as `as_written.orders`.

A column of `orders` in which some values cannot be read is a column of numbers or dates with gaps. In
`as_written.orders` the same column is text, with every value as it is written. All other columns, and the order of the
rows, are the same, so that both tables can be joined by position.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from anabranch_tool.opened_tables import OpenTables, Table
from anabranch_tool.table_cache import typed_entry

__all__ = ["SCHEMA", "tables_as_written"]

SCHEMA = "as_written"
_NONE_UNREADABLE = 0.0
"""The part of a column's values that may be unreadable: a column with any stays text."""


def tables_as_written(workspace: Path, opened: OpenTables, tables: Iterable[Table]) -> list[Table]:
    """Return `tables` as their files write them, and make their schema. Parquet files have types of their own."""
    opened.connection.execute(f"CREATE SCHEMA {SCHEMA}")
    found = []
    for number, table in enumerate(tables):
        if table.kind == "parquet":
            continue
        target = Path(opened.spill.name) / f"written-{number}"
        entry = typed_entry(workspace, table.path, target, _NONE_UNREADABLE)
        told = next((one for one in entry["tables"] if one["sheet"] == table.sheet), None)
        if told is not None:
            found.append(
                replace(
                    table,
                    moment=SCHEMA,
                    parquet=(target / told["parquet"],),
                    notes=(),
                    losses=tuple(told["losses"]),
                    columns=tuple(told["columns"]),
                )
            )
    return found
