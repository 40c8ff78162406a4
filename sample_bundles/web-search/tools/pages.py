"""Cleans and shortens the texts, addresses and dates of found pages."""

import re
from typing import Any

__all__ = ["address", "line", "published", "text"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text(value: Any, most: int) -> tuple[str, bool]:
    """Return at most `most` characters of a text, and whether it was shortened."""
    whole = _CONTROL.sub("", value) if isinstance(value, str) else ""
    return whole[:most], len(whole) > most


def line(value: Any, most: int = 300) -> str:
    """Return a text in one line."""
    one = " ".join(text(value, 10 * most)[0].split())
    return one if len(one) <= most else f"{one[: most - 1]}…"


def address(value: Any) -> str:
    """Return an http or https address; "" for anything else."""
    found = value.strip() if isinstance(value, str) else ""
    fits = found.startswith(("https://", "http://")) and len(found) <= 2_000 and not re.search(r"\s", found)
    return found if fits else ""


def published(value: Any) -> str | None:
    """Return the day of a date and time."""
    return value[:10] if isinstance(value, str) and re.match(r"\d{4}-\d{2}-\d{2}", value) else None
