"""Splits a tool's return value into the result, data for the page only, and pictures. Pure.

A top-level key that begins with `_` is for the page: a renderer's configuration can name it while the plan is
made. Such keys are not part of the recorded result, and are not sent to models. `_pictures` contains pictures
for readers of the result.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = ["BadPicture", "RawPicture", "Returned", "split_returned"]

_PICTURES = "_pictures"
_MOST = 8
_LARGEST = 5 << 20
"""The maximum size of one picture in bytes; providers accept this size."""
_BEGINNINGS = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/webp": b"RIFF",
    "image/gif": b"GIF8",
}


class BadPicture(ValueError):
    """Raised if a picture cannot be stored. The message names the picture and the rule."""


@dataclass(frozen=True, slots=True)
class RawPicture:
    """One picture as a tool returned it."""

    content: bytes
    media_type: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """The dict that a tool returned, split into its parts."""

    result: JSONObject
    """The result that is recorded and sent to models."""
    whole: JSONObject
    """The result with the keys for the page, but without the pictures."""
    pictures: tuple[RawPicture, ...] = ()


def split_returned(value: Mapping[str, Any]) -> Returned:
    """Split a tool's dict into its parts.

    Raises:
        BadPicture: `_pictures` is not a list of at most 8 PNG, JPEG, WebP or GIF pictures of at most 5 MiB each.
    """
    listed = value.get(_PICTURES, [])
    if not isinstance(listed, list) or len(listed) > _MOST:
        raise BadPicture(f"{_PICTURES} must be a list of at most {_MOST} pictures.")
    pictures = tuple(_picture(number, item) for number, item in enumerate(listed, 1))
    whole = {key: item for key, item in value.items() if key != _PICTURES}
    return Returned({key: item for key, item in whole.items() if not key.startswith("_")}, whole, pictures)


def _picture(number: int, item: Any) -> RawPicture:
    name = f"Picture {number}"
    if not isinstance(item, dict) or not isinstance(item.get("data"), str):
        raise BadPicture(f"{name} must have `media_type` and `data` in base64.")
    try:
        content = base64.b64decode(item["data"], validate=True)
    except (binascii.Error, ValueError):
        raise BadPicture(f"{name}: its data is not base64.") from None
    media_type = item.get("media_type")
    beginning = _BEGINNINGS.get(media_type) if isinstance(media_type, str) else None
    if beginning is None or not content.startswith(beginning):
        raise BadPicture(f"{name} must be a PNG, JPEG, WebP or GIF that matches its `media_type`.")
    if len(content) > _LARGEST:
        raise BadPicture(
            f"{name} has {len(content):,} bytes; at most {_LARGEST:,} are kept. Make it smaller."
        )
    caption = item.get("caption")
    return RawPicture(content, str(media_type), caption[:500] if isinstance(caption, str) else "")
