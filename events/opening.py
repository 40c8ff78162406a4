"""Opening the database file, also where its write-ahead log is damaged.

The write-ahead log holds nothing that the journal does not hold as well. So where DuckDB refuses to open because of it,
it is set aside, and what it held comes back from the journal.
"""

from pathlib import Path

import duckdb

from events.log import LogDamaged
from events.schema import CREATE_LOG

__all__ = ["open_database", "unreadable"]

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def open_database(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the database at `path`, making it where there is none.

    Raises:
        LogDamaged: it cannot be read, with or without its write-ahead log.
        duckdb.IOException: another process holds it.
    """
    try:
        return _connect(path)
    except duckdb.Error as error:
        if _is_held(error):
            raise
        refused = error
    ahead = path.with_name(f"{path.name}.wal")
    aside = path.with_name(f"{path.name}.wal.damaged")
    if not ahead.exists():
        raise unreadable(path, refused) from refused
    ahead.replace(aside)
    try:
        return _connect(path)
    except duckdb.Error:
        aside.replace(ahead)
        raise unreadable(path, refused) from refused


def unreadable(path: Path, error: duckdb.Error) -> LogDamaged:
    """The error that names a damaged database and the way on."""
    reason = str(error).split("\n", 1)[0][:300]
    return LogDamaged(
        f"The database {path} is damaged and cannot be read: {reason} Nothing was changed. Put back a copy of the "
        "data folder; the journal beside it then brings back what was written since, as far as it reaches."
    )


def _is_held(error: duckdb.Error) -> bool:
    return isinstance(error, duckdb.IOException) and "lock" in str(error).lower()


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(path), config=_CONFIG)
    try:
        known = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'event_log'"
        if not connection.execute(known).fetchall()[0][0]:
            connection.execute(f"BEGIN; {CREATE_LOG} COMMIT;")
    except duckdb.Error:
        connection.close()
        raise
    return connection
