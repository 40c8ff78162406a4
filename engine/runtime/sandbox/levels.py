"""Names how far a process is confined, in one of three words, from the layers that are active."""

from collections.abc import Collection

__all__ = ["LEVELS", "level_of"]

LEVELS = ("process only", "filesystem only", "full")
"""From the weakest on."""


def level_of(layers: Collection[str]) -> str:
    """The level that these layers make."""
    if not any(layer.startswith("files ") for layer in layers):
        return "process only"
    return "full" if {"system calls", "resource limits"} <= {*layers} else "filesystem only"
