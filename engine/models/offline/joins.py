"""Two tables as one, over a key that both have: for questions that name columns of both."""

from engine.models.offline.indexing import fill_values
from engine.models.offline.schema import Column, Table

__all__ = ["joined_tables"]


def joined_tables(tables: list[Table]) -> list[Table]:
    """Every pair of `tables` that shares a key, the one with many rows for each key first."""
    found = []
    for many in tables:
        for one in tables:
            key = None if many is one else _key(many, one)
            if key is not None:
                found.append(_join(many, one, key))
    return found


def _key(many: Table, one: Table) -> tuple[Column, Column] | None:
    """A column of the same name in both that is unique in `one`."""
    for left in many.columns:
        for right in one.columns:
            same = left.name.lower() == right.name.lower() and left.role == right.role
            if (
                same
                and right.unique
                and (right.key or right.role == "text")
                and left.role in ("text", "number")
            ):
                return left, right
    return None


def _join(many: Table, one: Table, key: tuple[Column, Column]) -> Table:
    taken = {column.name.lower() for column in many.columns}
    columns = (*many.columns, *(c for c in one.columns if c.name.lower() not in taken))
    source = f"{many.source} JOIN {one.source} USING ({key[0].sql})"
    table = Table(many.name, source, many.rows, columns, many.nouns, many.path, joined=True)
    fill_values(table)
    return table
