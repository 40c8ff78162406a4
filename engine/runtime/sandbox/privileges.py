"""Drops the rights of root and of programs that are installed with root's rights (capabilities(7))."""

import contextlib
import ctypes

from engine.runtime.sandbox.kernel import call, prctl

__all__ = ["give_up"]

_PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 28, 38, 47
_CLEAR_ALL = 4
_ROOT_IS_NOBODY = 0b1111  # NOROOT and NO_SETUID_FIXUP, both locked
_VERSION_3 = 0x2008_0522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def give_up() -> bool:
    """Permanently drop every capability, here and in child processes; return whether that was possible."""
    with contextlib.suppress(OSError):  # without capabilities this fails, but then root has nothing to regain
        prctl(_PR_SET_SECUREBITS, _ROOT_IS_NOBODY)
    with contextlib.suppress(OSError):
        prctl(_PR_CAP_AMBIENT, _CLEAR_ALL)
    try:
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
        call("capset", ctypes.byref(_Header(_VERSION_3, 0)), (ctypes.c_uint32 * 6)())
    except OSError:
        return False
    return True
