"""Describes each source to a model: the SQL dialect, and the tables if there are only a few. Pure."""

from collections.abc import Mapping, Sequence

from engine.deciders.sources import Source
from engine.tools.sources.catalog import ListedTables, SourceTable
from engine.tools.sources.offer import reads_sources
from engine.tools.tool import Tool
from engine.turn.shortening import shortened

__all__ = ["sources_text"]

_FEW = 20
"""The largest number of tables for which each table is listed with its columns."""
_COLUMNS = 40
_SCHEMAS = 20
_NAME = 80


def sources_text(listed: Mapping[str, tuple[Source, ListedTables]], offer: Sequence[Tool]) -> dict[str, str]:
    """Return source name → the lines about it; empty if no offered tool can read sources."""
    if not any(reads_sources(tool) for tool in offer):
        return {}
    return {name: "\n".join(_lines(source, tables)) for name, (source, tables) in listed.items()}


def _lines(source: Source, listed: ListedTables) -> list[str]:
    head = f"- {source.name} ({source.driver.title}; write {source.language}"
    if listed.read_at is None:
        return [f"{head}; its tables were not listed yet: describe lists them)"]
    count = len(listed.tables) + listed.left_out
    if count <= _FEW:
        return [f"{head}):", *map(_table, listed.tables)]
    schemas = [f"{shortened(name, _NAME)} ({len(tables):,})" for name, tables in listed.schemas().items()]
    more = f" and {len(schemas) - _SCHEMAS:,} more schemas" if len(schemas) > _SCHEMAS else ""
    told = f"{', '.join(schemas[:_SCHEMAS])}{more}"
    find = "describe with `like` finds tables"
    return [f"{head}): {count:,} tables in the schemas {told}; {find}"]


def _table(table: SourceTable) -> str:
    columns = [
        f"{shortened(c.name, _NAME)} {shortened(c.type, _NAME)}{f' [{c.note}]' if c.note else ''}"
        for c in table.columns[:_COLUMNS]
    ]
    if len(table.columns) > _COLUMNS:
        columns.append(f"and {len(table.columns) - _COLUMNS:,} more columns")
    about = "" if table.rows is None else f", about {table.rows:,} rows"
    return f"  - {shortened(table.full_name, _NAME)} [{table.kind}{about}]: {', '.join(columns)}"
