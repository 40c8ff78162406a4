"""Makes the profile of a source's table from its first rows, in the form of a profile of a file's table. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.deciders.sources import Source
from engine.tools.sources.catalog import SourceTable
from engine.workspace.table_facts import ColumnProfile, SourceOfTable, TableProfile

__all__ = ["profile_of"]


def profile_of(source: Source, table: SourceTable, found: Mapping[str, Any], at: datetime) -> TableProfile:
    """Return the profile of `table` from `found`, the rows and columns that `anabranch_tool.source_probe.profile`
    read."""
    more, seen = bool(found["more"]), int(found["rows"])
    partly: dict[str, Any] = {"distinct_estimated": True, "values_complete": False} if more else {}
    name = f"{source.name}.{table.full_name}"
    when = at.strftime("%Y-%m-%d %H:%M UTC")
    notes = [f"Read from {source.name} on {when}; each question reads it again."]
    known = table.rows is not None and table.rows > seen
    if more:
        notes.append(f"Values, ranges and missing values are those of {seen:,} of its rows.")
        if not known:
            notes.append("The source does not say how many rows it has.")
    return TableProfile(
        name=name,
        path=name,
        rows=table.rows if more and known and table.rows is not None else seen,
        rows_are=("about" if known else "at least") if more else "all",
        columns=tuple(ColumnProfile.model_validate({**column, **partly}) for column in found["columns"]),
        notes=(*notes, *found["said"], *found["notes"]),
        source=SourceOfTable(
            name=source.name, dialect=source.dialect, schema_name=table.schema, table=table.name
        ),
    )
