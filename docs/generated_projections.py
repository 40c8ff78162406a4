"""Makes the generated part of docs/projections.md."""

import textwrap

import duckdb

from docs.source import meanings
from docs.tables import table_of
from events.projections import (
    answers,
    cards,
    chats,
    definitions,
    locations,
    manifests,
    mcp_servers,
    messages,
    moments,
    replays,
    settings,
    sources,
    standing,
    steps,
    tool_calls,
    toolsets,
    turns,
)
from events.projections.registers import Column, Count, Table, View
from events.projector import Projector
from events.schema import CREATE_LOG

__all__ = ["projections"]


PROJECTIONS = (
    chats,
    messages,
    answers,
    cards,
    turns,
    steps,
    tool_calls,
    replays,
    manifests,
    moments,
    standing,
    toolsets,
    mcp_servers,
    definitions,
    locations,
    sources,
    settings,
)


def projections() -> str:
    """Return every read model with its columns and its SQL, and the tables of registers that they are based on."""
    connection = duckdb.connect()
    connection.execute(CREATE_LOG)
    Projector().catch_up(connection)
    parts = []
    for module in PROJECTIONS:
        declared = {name: getattr(module, name) for name in module.__all__}
        views = [
            (view.name, view, meanings(module)[name])
            for name, view in declared.items()
            if isinstance(view, View)
        ]
        parts += [_view(view, meaning, connection) for _, view, meaning in sorted(views)]
        parts += [_registers(table) for table in declared.values() if isinstance(table, Table)]
    connection.close()
    return "\n\n".join(parts)


def _view(view: View, meaning: str, connection: duckdb.DuckDBPyConnection) -> str:
    described = connection.execute(f"DESCRIBE SELECT * FROM {view.name}").fetchall()
    columns = table_of(("column", "type"), [(f"`{row[0]}`", row[1]) for row in described])
    sql = textwrap.dedent(view.sql).strip()
    order = ", then ".join(f"`{name}`" for name in view.order.split(", "))
    return (
        f"## {view.name}\n\n{meaning} Sorted by {order}.\n\n{columns}\n\n"
        f"<details><summary>Its SQL</summary>\n\n```sql\n{sql}\n```\n\n</details>"
    )


def _registers(table: Table) -> str:
    rows = [(f"`{table.key}`", table.key_type, f"the key: {table.key_field.told}")]
    rows += [(f"`{name}`", column.sql_type, _register(column)) for name, column in table.columns.items()]
    return f"### {table.name}\n\n{table_of(('column', 'type', 'from'), rows)}"


def _register(column: Column) -> str:
    register = column.register
    if isinstance(register, Count):
        return f"number of {', '.join(f'`{name}`' for name in register.types)}"
    by_source: dict[str, list[str]] = {}
    for event_type, source in register.sources.items():
        where = (register.where or {}).get(event_type)
        by_source.setdefault(source.told, []).append(
            f"`{event_type}`" + (f" where `{where}`" if where else "")
        )
    return "last of these events: " + "; ".join(
        f"{', '.join(types)}: {source}" for source, types in by_source.items()
    )
