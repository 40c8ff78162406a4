"""Maintains the read models: one event at a time with each append, and all at once in a rebuild.

Both are compiled from the declarations in `events.projections`. Every transaction that inserts rows into the log also
updates the tables, or computes them again. So in any snapshot the tables are at the position of the log:
`projection_state` reads it from the log, and it is never stored. Only a fingerprint of the declarations is written.
"""

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

import duckdb

from events.packed_events import CREATE_PACKS
from events.projections.decoded_event import decoded_event
from events.projections.registers import Table, View
from events.projections.registry import TABLES, VIEWS
from events.schema import insert_rows, parsed
from events.stored_row import Row

__all__ = ["Projector"]

_FEW = 25
"""For more events than this, one set-based pass is cheaper than a statement for each event."""


_OLDER = "projection_position"
"""A table in which release 0.1.0 stored the position. A database with this table was last written by that release."""

_DECLARE = f"""
DROP TABLE IF EXISTS {_OLDER};
CREATE OR REPLACE TABLE projection_declared (fingerprint VARCHAR);
CREATE OR REPLACE VIEW projection_state AS
SELECT (SELECT coalesce(max(position), 0) FROM event_log) AS position, fingerprint FROM projection_declared
"""


class Projector:
    """Maintains the tables of the read models in the log's database, and creates the table of packed events."""

    def __init__(self, tables: Sequence[Table] = TABLES, views: Sequence[View] = VIEWS) -> None:
        self._tables = tables
        self._views = views
        declared = "".join(t.create_sql() + t.rebuild_sql() for t in tables) + "".join(v.sql for v in views)
        declared += CREATE_PACKS
        self.fingerprint = sha256(declared.encode()).hexdigest()
        """A hash of the declarations. If it differs from the stored one, the tables must be rebuilt."""

    def catch_up(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Compute the tables again if they are missing or outdated; a second call changes nothing."""
        if not self._stands(cursor):
            self.rebuild(cursor)

    def restore(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Project `rows`, which were restored from the journal; see `apply`. Does nothing if `catch_up` will compute
        everything."""
        if self._declared(cursor):
            self.apply(cursor, rows)

    def rebuild(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop every read model and compute it again from the log, in one transaction.

        Packed events are only dropped; they are packed again at the next checkpoints.
        """
        cursor.execute("BEGIN")
        try:
            nothing = cursor.execute("SELECT 1 FROM event_log LIMIT 1").fetchone() is None
            if self._there(cursor):
                for view in reversed(self._views):
                    cursor.execute(f"DROP VIEW IF EXISTS {view.name}")
                for table in self._tables:
                    cursor.execute(f"DROP TABLE IF EXISTS {table.name}")
            for table in self._tables:
                cursor.execute(table.create_sql())
                if not nothing:
                    cursor.execute(f"INSERT INTO {table.name} {table.rebuild_sql()} ORDER BY 1")
            for view in self._views:
                cursor.execute(f"CREATE VIEW {view.name} AS {view.sql}")
            cursor.execute(f"{CREATE_PACKS}; {_DECLARE}")
            cursor.execute("INSERT INTO projection_declared VALUES (?)", [self.fingerprint])
            cursor.execute("COMMIT")
        except BaseException:
            cursor.execute("ROLLBACK")
            raise

    def write(self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Insert `rows` into the log's table and their changes into the read models, in one transaction."""
        try:
            connection.execute(parsed(connection, "BEGIN"))
            insert_rows(connection, rows)
            self.apply(connection, rows)
            connection.execute(parsed(connection, "COMMIT"))
        except BaseException:
            with suppress(duckdb.Error):
                connection.execute("ROLLBACK")
            raise

    def apply(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Project `rows`, which were just inserted, inside the transaction of `cursor`."""
        if len(rows) > _FEW:
            self._apply_many(cursor, rows)
        else:
            for row in rows:
                self._apply_one(cursor, row)

    def _apply_one(self, cursor: duckdb.DuckDBPyConnection, row: Row) -> None:
        event = decoded_event(row)
        for table in self._tables:
            compiled = table.statements(event)
            if compiled is None:
                continue
            update, insert, parameters = compiled
            if cursor.execute(update, parameters).fetchall()[0][0] == 0:
                cursor.execute(insert, parameters)

    def _apply_many(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Compute the rows of every key that `rows` affect; for keys that existed before, from the whole log."""
        types = {row.type for row in rows}
        for table in self._tables:
            if types.isdisjoint(table.event_types):
                continue
            new = table.rebuild_sql(f"position >= {rows[0].position:d}")
            there = f"{table.key} IN (SELECT {table.key} FROM {table.name})"
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE touched AS {new}")
            known = f"CREATE OR REPLACE TEMP TABLE known AS SELECT {table.key} FROM touched WHERE {there}"
            (count,) = cursor.execute(f"{known}; SELECT count(*) FROM known").fetchall()[0]
            cursor.execute(f"INSERT INTO {table.name} FROM touched WHERE {table.key} NOT IN (FROM known)")
            if count:
                of_known = f"{table.key} IN (FROM known)"
                cursor.execute(f"DELETE FROM {table.name} WHERE {of_known}")
                cursor.execute(f"INSERT INTO {table.name} FROM ({table.rebuild_sql()}) WHERE {of_known}")
        cursor.execute("DROP TABLE IF EXISTS touched; DROP TABLE IF EXISTS known")

    def _stands(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Return the same as `_declared`, outside a transaction.

        This creates missing tables and rolls back, because listing DuckDB's tables takes an eighth of the time of a
        start, and so does the error about a missing table.
        """
        cursor.execute(f"BEGIN; CREATE TABLE IF NOT EXISTS {_OLDER} (ours BOOLEAN)")
        try:
            cursor.execute("CREATE TABLE IF NOT EXISTS projection_declared (fingerprint VARCHAR)")
            columns = [name for name, *_ in cursor.execute(f"FROM {_OLDER} LIMIT 0").description or ()]
            declared = cursor.execute("FROM projection_declared").fetchall()
            return columns == ["ours"] and declared == [(self.fingerprint,)]
        finally:
            cursor.execute("ROLLBACK")

    def _declared(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Return whether the tables exist and match the declarations."""
        if self._there(cursor) != ["projection_declared"]:
            return False
        return cursor.execute("FROM projection_declared").fetchall() == [(self.fingerprint,)]

    def _there(self, cursor: duckdb.DuckDBPyConnection) -> list[str]:
        """Return which of the tables that record declarations exist; none in a new database."""
        ours = f"('projection_declared', '{_OLDER}')"
        names = f"SELECT table_name FROM duckdb_tables() WHERE table_name IN {ours}"
        return [name for (name,) in cursor.execute(names).fetchall()]
