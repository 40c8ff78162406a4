"""Reads providers' JSON tolerantly: values of wrong types count as absent, and text is made safe to store."""

import base64
import binascii
from collections.abc import Iterator, Mapping

from engine.models.model import ImageDelta
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

__all__ = [
    "Whole",
    "data_image",
    "integer_of",
    "list_of",
    "object_of",
    "objects_of",
    "picture",
    "text_of",
]


def object_of(value: JSON) -> JSONObject:
    """Return `value` if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def list_of(value: JSON) -> list[JSON]:
    """Return `value` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def objects_of(value: JSON) -> list[JSONObject]:
    """Return the objects in the list `value`."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def text_of(value: JSON) -> str:
    """Return `value` if it is text, else an empty string."""
    return value if isinstance(value, str) else ""


def integer_of(source: Mapping[str, JSON], *names: str) -> int | None:
    """Return the first of the members `names` that is a 64-bit integer. A float without a fraction counts as an
    integer.
    """
    for name in names:
        value = source.get(name)
        if isinstance(value, bool):
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and abs(value) < 1 << 63:
            return value
    return None


class Whole:
    """Passes text on, and joins the halves of a split surrogate pair."""

    def __init__(self) -> None:
        self._held = ""

    def pass_on(self, text: str) -> Iterator[str]:
        """Yield the part of `text` that can be stored as it is."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held = text[-1]
            text = text[:-1]
        if text:
            yield scrub_surrogates(text)

    def rest(self) -> Iterator[str]:
        """Yield the part that was held back."""
        if self._held:
            self._held = ""
            yield "\ufffd"


def data_image(url: str) -> Iterator[ImageDelta]:
    """Yield the picture in a `data:` URL; nothing if it is not such a URL."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:image/") and head.endswith(";base64"):
        yield from picture(data, head[5:-7].partition(";")[0])


def picture(data: str, media_type: str) -> Iterator[ImageDelta]:
    """Yield the picture in base64 text; nothing if it is not base64."""
    try:
        yield ImageDelta(base64.b64decode(data, validate=False), media_type)
    except (binascii.Error, ValueError):
        return
