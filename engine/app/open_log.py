"""Opens the log of a data folder, and raises clear errors if that fails."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import duckdb

from engine.app.opened_log import OpenedLog
from engine.config import Settings
from engine.errors import Unavailable
from engine.system.data_folder_lock import held_by_another
from events.anchor import Anchor
from events.at_rest import Keeps
from events.duckdb_log import DuckDBLog
from events.identity import Clock, NewId
from events.log import LogError
from events.log_files import DATABASE, JOURNAL, KEPT
from events.read_models import read_model

__all__ = ["keeps_copy", "open_data_log"]


def keeps_copy(cursor: duckdb.DuckDBPyConnection, environ: Mapping[str, str]) -> bool:
    """Return whether a log should have a second copy of its events, according to the settings recorded in the log."""
    values = {row["name"]: row["value"] for row in read_model(cursor, "settings")}
    return Settings(values, environ).keep_journal


def open_data_log(
    data: Path,
    made: Path,
    clock: Clock,
    new_id: NewId,
    *,
    anchor: Anchor | None,
    keeps: Keeps,
) -> OpenedLog:
    """Open the log in `data`. If `made` is another folder, `data` is read-only, and a copy of the log in `made` is
    opened.

    Raises:
        Unavailable: another process is using the log (`log_held`), or it cannot be read (`log_unreadable`).
    """
    if made == data:
        log = _open_log(data, clock, new_id, anchor=anchor, keeps=keeps)
    else:
        log = _copied_log(data, made, clock, new_id, anchor)
    return OpenedLog(log, log.reads, log)


def _open_log(
    data: Path,
    clock: Clock,
    new_id: NewId,
    *,
    anchor: Anchor | None = None,
    keeps: Keeps = lambda _: True,
    held: str | None = None,
) -> DuckDBLog:
    """Open the log, and create it if it does not exist; see `DuckDBLog`."""
    try:
        return DuckDBLog(data, clock=clock, new_id=new_id, anchor=anchor, keeps=keeps, held=held)
    except LogError as error:
        raise Unavailable("log_unreadable", str(error)) from error
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise held_by_another(data, None) from error
        first = str(error).splitlines()[0]
        raise Unavailable(
            "log_unreadable",
            f"The log in {data} cannot be opened: {first} Restore a copy, or give another folder with --data.",
        ) from error


def _copied_log(
    data: Path, scratch: Path, clock: Clock, new_id: NewId, anchor: Anchor | None = None
) -> DuckDBLog:
    """Open a read-only copy of a log whose folder must not be written to."""
    try:
        scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in [*sorted(data.glob(f"{DATABASE}*")), data / JOURNAL]:
            if path.is_file():
                shutil.copyfile(path, scratch / path.name)
        if (data / KEPT).is_dir():
            shutil.copytree(data / KEPT, scratch / KEPT, copy_function=shutil.copyfile)
    except OSError as error:
        raise Unavailable(
            "log_unreadable",
            f"The data folder {data} is read-only, and its log could not be copied to a temporary folder: "
            f"{error.strerror or error}.",
        ) from error
    held = f"You cannot write to the data folder {data}, so nothing is recorded."
    return _open_log(scratch, clock, new_id, anchor=anchor, keeps=lambda _: False, held=held)
