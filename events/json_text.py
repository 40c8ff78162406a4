"""Reads JSON with pydantic's parser, which is faster than Python's and is loaded when it is first needed."""

from typing import Any

__all__ = ["from_json"]


def from_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply for this parser.
    """
    from pydantic_core import from_json as parsed  # noqa: PLC0415 - slow to import, and listing chats does not need it

    return parsed(text)
