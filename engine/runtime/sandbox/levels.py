"""Determines the level of a process's confinement, one of three, from the active layers."""

from collections.abc import Collection

__all__ = ["LEVELS", "level_of"]

LEVELS = ("process only", "filesystem only", "full")
"""The levels, from the weakest to the strongest."""


def level_of(layers: Collection[str]) -> str:
    """Return the level that these layers amount to."""
    if not any(layer.startswith("files ") for layer in layers):
        return "process only"
    return "full" if {"system calls", "resource limits"} <= {*layers} else "filesystem only"
