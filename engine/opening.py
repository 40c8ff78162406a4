"""Opening the log of a data folder, with what keeps it from opening in words."""

from pathlib import Path

import duckdb

from engine.errors import Unavailable
from engine.holding import held_by_another
from events.duckdb_log import DuckDBLog
from events.identity import Clock, NewId
from events.log import LogError

__all__ = ["open_log"]


def open_log(data: Path, clock: Clock, new_id: NewId) -> DuckDBLog:
    """Open it, making it where there is none.

    Raises:
        Unavailable: another process holds it (`log_held`), or it cannot be read (`log_unreadable`).
    """
    try:
        return DuckDBLog(data, clock=clock, new_id=new_id)
    except LogError as error:
        raise Unavailable("log_unreadable", str(error)) from error
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise held_by_another(data, None) from error
        first = str(error).splitlines()[0]
        raise Unavailable(
            "log_unreadable",
            f"The log in {data} cannot be opened: {first} Put back a copy, or give another folder with --data.",
        ) from error
