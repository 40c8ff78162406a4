"""Detects a picture's format by its first bytes, and saves it in a file without replacing another."""

import base64
import binascii
import hashlib
import re
import unicodedata
from pathlib import Path

from tools.studio import Failed
from tools.transport import LARGEST_PICTURE

__all__ = ["decoded", "save", "suffix_of"]

_LONGEST_NAME = 48


def suffix_of(data: bytes) -> str | None:
    """Return the file suffix for a picture's format; None if the bytes are not a known picture."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return ".png"
    if data.startswith(b"\xff\xd8\xff"):
        return ".jpg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return ".gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp"
    if data[4:12] in (b"ftypavif", b"ftypavis"):
        return ".avif"
    return None


def decoded(title: str, text: str) -> bytes:
    """Return the bytes encoded in base64 text, with or without `data:…,` before it.

    Raises:
        Failed: the text is not valid base64.
    """
    body = text.partition(",")[2] if text.startswith("data:") else text
    try:
        return base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Failed(f"{title} sent a picture that is damaged.") from None


def save(workspace: Path, prompt: str, data: bytes, title: str) -> str:
    """Save a picture under a new name in images/, and return its path in the workspace.

    Raises:
        Failed: the data is not a picture, or is too large.
    """
    suffix = suffix_of(data)
    if suffix is None:
        raise Failed(f"{title} sent something that is not a PNG, JPEG, WebP, GIF or AVIF picture.")
    if len(data) > LARGEST_PICTURE:
        raise Failed(f"{title} sent a picture of more than {LARGEST_PICTURE >> 20} MiB.")
    folder = workspace / "images"
    folder.mkdir(exist_ok=True)
    # A tool with network access does not see the other pictures, so a hash of the picture keeps its name unique.
    name, number = f"{_slug(prompt)}-{hashlib.sha256(data).hexdigest()[:6]}", 1
    while True:
        path = folder / f"{name}{f'-{number}' if number > 1 else ''}{suffix}"
        try:
            with path.open("xb") as file:
                file.write(data)
            return f"images/{path.name}"
        except FileExistsError:
            number += 1


def _slug(prompt: str) -> str:
    """Return a file name for a prompt; if it does not contain the whole prompt, it ends with a short hash."""
    plain = unicodedata.normalize("NFKD", prompt).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:_LONGEST_NAME]
        if len(longer) > _LONGEST_NAME:
            break
        name = longer
    whole = "-".join(words) == name and prompt.isascii()
    return name if whole and name else f"{name or 'image'}-{hashlib.sha256(prompt.encode()).hexdigest()[:4]}"
