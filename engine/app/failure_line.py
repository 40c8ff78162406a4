"""The one-line message that a program prints when an error of any kind ends it."""

import errno
import os
import tempfile
import traceback

from engine.errors import AnabranchError

__all__ = ["failure_line"]

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def failure_line(error: Exception) -> str:
    """Return what happened, to what, and what to do.

    For an error in Anabranch itself, this writes the traceback to a temporary file and names the file.
    """
    from events.log import LogError  # noqa: PLC0415 - most commands end without an error

    if isinstance(error, AnabranchError):
        return error.message
    if isinstance(error, LogError):
        return str(error)
    return _of_the_system(error) if isinstance(error, OSError) else _of_ours(error)


def _of_the_system(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    way = (
        "Free some space, then try again."
        if error.errno in _NO_SPACE
        else "Check that the path exists and is writable."
    )
    return f"{place}{error.strerror or error}. {way}"


def _of_ours(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0][:200]
    said = f"This is an error in Anabranch itself ({type(error).__name__}: {first})."
    try:
        descriptor, name = tempfile.mkstemp(prefix="anabranch-error-", suffix=".txt", text=True)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            traceback.print_exception(error, file=file)
    except OSError:  # the traceback cannot be written
        return said
    return f"{said} Details are in {name}."
