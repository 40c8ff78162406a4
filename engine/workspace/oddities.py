"""Handles unusual files that a tool may have made: files that grant rights, and files that are mostly holes."""

import errno
import os
import stat

__all__ = ["mostly_holes", "without_privileges"]

_GAINING = stat.S_ISUID | stat.S_ISGID
_CAPABILITIES = "security.capability"
_WORTH_A_LOOK = 1 << 20
"""A file with fewer bytes of holes than this is simply stored."""
_STRETCHES = 10_000
"""The maximum number of stretches of data between holes that are measured. The rest of the file is assumed to be
equally sparse.
"""


def without_privileges(file: int) -> os.stat_result:
    """Remove the setuid and setgid bits and the capabilities (Linux) from an open file; return its status afterwards.

    If they cannot be removed, for example because the file belongs to another user, they stay.
    """
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        return status
    try:
        if status.st_mode & _GAINING:
            os.fchmod(file, stat.S_IMODE(status.st_mode) & ~_GAINING)
        if hasattr(os, "listxattr") and status.st_mode & 0o111 and _CAPABILITIES in os.listxattr(file):
            os.removexattr(file, _CAPABILITIES)
    except OSError:
        return status
    return os.fstat(file)


def mostly_holes(file: int, status: os.stat_result) -> str | None:
    """Return the reason not to store an open file if more than half of it was never written; otherwise None.

    A hole takes no space on the disk, but the store would write it as zeros.
    """
    size = status.st_size
    if size - 2 * getattr(status, "st_blocks", size) * 512 < _WORTH_A_LOOK or not hasattr(os, "SEEK_DATA"):
        return None
    data = _data(file, size)  # measured, because compressed files have few blocks too, but no holes
    if size - 2 * data < _WORTH_A_LOOK:
        return None
    return f"it is {size:,} bytes long, of which {data:,} were written and the rest are holes"


def _data(file: int, size: int) -> int:
    """Return how many bytes of a file are not holes; `size` if the file system does not report holes."""
    found = end = 0
    try:
        for _ in range(_STRETCHES):
            start = os.lseek(file, end, os.SEEK_DATA)
            end = os.lseek(file, start, os.SEEK_HOLE)
            found += end - start
        return found * size // end
    except OSError as error:
        return found if error.errno == errno.ENXIO else size  # ENXIO: the rest is a hole
    finally:
        os.lseek(file, 0, os.SEEK_SET)
