"""Copies between two open files in the cheapest safe way: with shared blocks, else in the kernel, else through memory.

Hard links are never used: a program that edits the copy would edit the original.
"""

import errno
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

__all__ = ["copy_content", "shares_blocks"]

_FICLONE = 0x40049409
"""The ioctl of linux/fs.h that makes a file share the blocks of another file until one of them is written."""
_CHUNK = 1 << 20
_NOT_HERE = {
    errno.EXDEV,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EINVAL,
    errno.ENOTTY,
    errno.EBADF,
    errno.EPERM,
}


def copy_content(source: int, target: int) -> None:
    """Copy all of the open file `source`, from its start, into the open and empty file `target`."""
    if os.fstat(source).st_size and not (_clone(source, target) or _copy_in_kernel(source, target)):
        _copy_through_memory(source, target)


def shares_blocks(folder: Path) -> bool:
    """Return whether copies within `folder` share disk blocks until they are changed."""
    return _shares_blocks(folder, folder.stat().st_dev)


@lru_cache(64)
def _shares_blocks(folder: Path, _device: int) -> bool:
    with (
        tempfile.TemporaryFile(dir=folder) as source,
        tempfile.TemporaryFile(dir=folder) as target,
    ):
        source.write(b"x" * 4096)
        source.flush()
        return _clone(source.fileno(), target.fileno())


def _clone(source: int, target: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import fcntl  # noqa: PLC0415 -- not there on Windows

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as error:
        if error.errno in _NOT_HERE:
            return False
        raise
    return True


def _copy_in_kernel(source: int, target: int) -> bool:
    if not hasattr(os, "copy_file_range"):
        return False
    offset, size = 0, os.fstat(source).st_size
    while offset < size:
        try:
            copied = os.copy_file_range(source, target, size - offset, offset, offset)
        except OSError as error:
            if offset == 0 and error.errno in _NOT_HERE:
                return False
            raise
        if copied == 0:
            return False
        offset += copied
    return True


def _copy_through_memory(source: int, target: int) -> None:
    os.lseek(source, 0, os.SEEK_SET)
    os.lseek(target, 0, os.SEEK_SET)
    while chunk := os.read(source, _CHUNK):
        view = memoryview(chunk)
        while view:
            view = view[os.write(target, view) :]
