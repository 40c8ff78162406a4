"""Describes how far a process is confined by one of three names, from the layers that are active."""

from collections.abc import Collection

__all__ = ["LEVELS", "level_of"]

LEVELS = ("process only", "filesystem only", "full")
"""From the weakest to the strongest."""


def level_of(layers: Collection[str]) -> str:
    """The level that these layers make."""
    if not any(layer.startswith("files ") for layer in layers):
        return "process only"
    return "full" if {"system calls", "resource limits"} <= {*layers} else "filesystem only"
