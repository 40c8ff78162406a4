"""Removes configured secrets from all texts of a report. Pure."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

__all__ = ["scrubbed"]

Value = TypeVar("Value")


def scrubbed(value: Value, text: Callable[[str], str]) -> Value:
    """Return a value with each text in it replaced by `text(…)`; bytes are treated as texts if they are UTF-8."""
    made: Any = _scrubbed(value, text)
    return made  # type: ignore[no-any-return] # of the same type


def _scrubbed(value: Any, text: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bytes):
        try:
            return text(value.decode()).encode()
        except UnicodeDecodeError:
            return value
    if isinstance(value, tuple):
        return tuple(_scrubbed(one, text) for one in value)
    if isinstance(value, dict):
        return {key: _scrubbed(one, text) for key, one in value.items()}
    if isinstance(value, list):
        return [_scrubbed(one, text) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{one.name: _scrubbed(getattr(value, one.name), text) for one in fields(value)}
        )
    return value
