"""Opens the database file, even if a checkpoint was interrupted or the write-ahead log is damaged.

If DuckDB refuses to open the file, its metadata is restored from the copy. Everything in the write-ahead log is also in
the journal. So if the write-ahead log is the reason, it is set aside, and its contents are restored from the journal.
"""

import re
from collections.abc import Callable
from pathlib import Path

import duckdb

from events.log import LogDamaged, LogFault
from events.metadata_copy import restore_metadata
from events.schema import CREATE_LOG, upgrade

__all__ = [
    "FOLDER_GONE",
    "GOES_ON",
    "first_line",
    "is_of_the_disk",
    "not_opened",
    "open_copy",
    "open_database",
    "way_on",
]

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # DuckDB must not make checkpoints itself, because the metadata would not be copied
    "checkpoint_threshold": "1TB",
}


def open_database(path: Path, restored: Callable[[], object] = lambda: None) -> duckdb.DuckDBPyConnection:
    """Open the database at `path`, or create it. `restored` is called if its metadata had to be restored.

    Raises:
        LogDamaged: the file cannot be read, with or without its write-ahead log.
        LogFault: a write to the disk failed.
        duckdb.IOException: another process has opened the file.
    """
    try:
        if not path.exists():
            _make(path)
        return _opened(path)
    except OSError as error:
        raise not_opened(path, error) from error
    except duckdb.Error as error:
        if _is_held(error):
            raise
        refused = error
    if (connection := _with_restored_metadata(path)) is not None:
        restored()
        return connection
    ahead = path.with_name(f"{path.name}.wal")
    aside = path.with_name(f"{path.name}.wal.damaged")
    if not ahead.exists():
        raise not_opened(path, refused) from refused
    ahead.replace(aside)
    try:
        return _opened(path)
    except duckdb.Error:
        aside.replace(ahead)
        raise not_opened(path, refused) from refused


def _with_restored_metadata(path: Path) -> duckdb.DuckDBPyConnection | None:
    """Open a database whose metadata a checkpoint left half written; None if it has a different problem."""
    try:
        return _opened(path) if restore_metadata(path) else None
    except (duckdb.Error, OSError):
        return None


def open_copy() -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory with the log's table, for a copy of events that are stored elsewhere."""
    connection = _connect(Path(":memory:"))
    connection.execute(CREATE_LOG)
    return connection


_DISK = re.compile(r"(?i)could not (write|fsync|sync|remove|move|truncate)|no space left|input/output error")


def way_on(error: Exception) -> str:
    """Return what the user can do about a failed write."""
    return GOES_ON if is_of_the_disk(error) else _DAMAGED


def is_of_the_disk(error: Exception) -> bool:
    """Return whether an error comes from the disk rather than from damaged contents of the file."""
    return isinstance(error, OSError) or _DISK.search(first_line(error)) is not None


def not_opened(path: Path, error: Exception) -> LogDamaged | LogFault:
    """Return an error that distinguishes a damaged database from a disk error and says what to do next."""
    reason = first_line(error)
    if is_of_the_disk(error):
        return LogFault(
            f"The database {path} could not be opened because of a disk error: {reason} Nothing is lost. Check the "
            "free space, the disk's health and the folder's permissions, then start again."
        )
    return LogDamaged(
        f"The database {path} is damaged and cannot be read: {reason} Nothing was changed. `anabranch log salvage "
        "FOLDER` recovers the log into a new folder. Restore a copy of the data folder instead if you have one: the "
        "journal then restores later events, as far as it reaches."
    )


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, at most 300 characters, ending with a full stop."""
    text = str(error).split("\n", 1)[0][:300].rstrip()
    return text if text.endswith(".") else f"{text}."


def _is_held(error: duckdb.Error) -> bool:
    return isinstance(error, duckdb.IOException) and "lock" in str(error).lower()


def _make(path: Path) -> None:
    """Make an empty log under another name and then rename it, so that there is never half a log at its path."""
    fresh = path.with_name(f"{path.name}.new")
    for leftover in (fresh, path.with_name(f"{fresh.name}.wal")):
        leftover.unlink(missing_ok=True)
    with _connect(fresh) as connection:
        connection.execute(f"BEGIN; {CREATE_LOG} COMMIT; CHECKPOINT;")
    fresh.replace(path)


def _opened(path: Path) -> duckdb.DuckDBPyConnection:
    connection = _connect(path)
    try:
        upgrade(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(path), config=_CONFIG)


_DAMAGED = (
    "Part of the database is damaged. The recorded events are still in the journal and the second copy: `anabranch log "
    "salvage FOLDER` recovers them into a new folder."
)
GOES_ON = "Recording resumes when the disk accepts writes again. Check its free space and its health."
FOLDER_GONE = (
    "The data folder {} was removed or replaced while Anabranch was running. Recording has stopped. Put the "
    "folder back, or restart Anabranch."
)
