"""Turns disk and database failures into errors that say what the user can do."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from engine.errors import Unavailable
from events.log import LogError

__all__ = ["translate_storage_errors"]


@contextmanager
def translate_storage_errors() -> Iterator[None]:
    """Turn errors of the log, the system or DuckDB into `Unavailable`, which says what is recorded and what to do.

    Raises:
        Unavailable: with the code `log` or `disk`.
    """
    try:
        yield
    except LogError as error:
        raise Unavailable("log", str(error)) from error
    except OSError as error:
        named = f" ({error.filename})" if error.filename else ""
        raise Unavailable(
            "disk",
            f"The operating system reported an error: {error.strerror or error}{named}. Your request was not recorded. "
            "Check the free space, the disk's health and the folder's permissions, then try again.",
        ) from error
    except duckdb.Error as error:
        first = (str(error).splitlines() or [""])[0][:300]
        raise Unavailable(
            "log",
            f"The database could not be read: {first} Everything that was recorded is kept. Start Anabranch again; "
            "if that does not help, `anabranch log salvage FOLDER` recovers it into a new folder.",
        ) from error
