"""Repairs standard input and output, which may be closed or use an encoding that lacks characters when this program
starts.
"""

import os
import sys
from io import TextIOWrapper

__all__ = ["repair_standard_streams", "silence_broken_streams"]


def repair_standard_streams() -> None:
    """Open the standard streams that are closed, and make stdout escape characters that it cannot encode.

    Call it before any file is opened: a file that is opened while a standard stream is closed takes the stream's
    place, so printed text would be written into that file.
    """
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            _open_nothing(descriptor)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def silence_broken_streams() -> None:
    """Drop output that cannot be written, so that the interpreter does not report the error again when it exits."""
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            _open_nothing(descriptor)


def _open_nothing(descriptor: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)  # `dup2` makes it inheritable, unless both are the same
    if nothing != descriptor:
        os.close(nothing)
    os.set_inheritable(descriptor, True)
