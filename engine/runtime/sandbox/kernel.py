"""Makes system calls that Python does not offer, by their numbers on known machines. Linux only."""

import ctypes
import os

from engine.runtime.sandbox.numbers import NUMBERS

__all__ = ["call", "prctl"]

_libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> int:
    """Make a system call; arguments are whole numbers, None, bytes and ctypes objects.

    Raises:
        OSError: the kernel refused, or the call has no known number here (ENOSYS).
    """
    if name not in NUMBERS:
        raise OSError(38, os.strerror(38), name)
    plain = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = _libc.syscall(ctypes.c_long(NUMBERS[name]), *plain)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
    return result


def prctl(option: int, *arguments: object) -> int:
    """Call prctl(2); raises OSError."""
    plain = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    plain += [ctypes.c_ulong(0)] * (4 - len(plain))
    result: int = _libc.prctl(option, *plain)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "prctl")
    return result
