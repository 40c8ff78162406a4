"""Pictures for models that accept them: the user's attachments, and pictures that calls made.

Providers refuse a whole request because of one picture that they cannot read. So a picture is sent only if its bytes
match the type in its name and are within the strictest limits; any other picture is listed as a file, and `view` opens
it.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from engine.deciders.chat_state import ChatState
from engine.errors import NotFound
from engine.models.messages import ImagePart, Part, TextPart
from engine.rendering.media import media_type_of
from engine.workspace.blobs import BlobStore
from events.catalog.chat import MessageAdded
from events.catalog.tool_call import ToolCallFinished

__all__ = ["attached_pictures", "fits_models", "pictures_of"]

_MOST_BYTES = 3_750_000
"""The maximum size of a picture. Anthropic has the lowest limit of all providers: 5 MB in base64."""
_MOST_PIXELS = 8_000
"""The maximum width and height; Anthropic's limit."""
_MOST_OF_A_MESSAGE = 10


def attached_pictures(state: ChatState, added: MessageAdded, blobs: BlobStore) -> Iterator[Part]:
    """Yield the pictures that came with a user's message, each preceded by its name."""
    own = (state.recorded[index] for index in state.recorded_at(added.message_id))
    uploads = (manifest for manifest in own if manifest.source == "user_upload")
    files = [(path, file) for manifest in uploads for path, file in sorted(manifest.added.items())]
    count = 0
    for path, file in files:
        media_type = media_type_of(path)
        if file.size > _MOST_BYTES or not media_type.startswith("image/") or count == _MOST_OF_A_MESSAGE:
            continue
        with suppress(NotFound):
            if fits_models(blobs.read(file.sha256), media_type):
                count += 1
                yield TextPart(text=f"[{path}]")
                yield ImagePart(sha256=file.sha256, media_type=media_type, size=file.size)


def pictures_of(finished: ToolCallFinished) -> tuple[ImagePart, ...]:
    """Return the pictures that a call made."""
    return tuple(
        ImagePart(sha256=picture.sha256, media_type=picture.media_type, size=picture.size)
        for picture in finished.pictures
    )


def fits_models(content: bytes, media_type: str) -> bool:
    """Return whether `content` is a picture of `media_type` that every provider accepts."""
    if media_type not in _WHOLE or not _WHOLE[media_type](content):
        return False
    size = _SIZES[media_type](content)
    return size is not None and min(size) > 0 and max(size) <= _MOST_PIXELS and len(content) <= _MOST_BYTES


def _png(content: bytes) -> tuple[int, int] | None:
    if not content.startswith(b"\x89PNG\r\n\x1a\n") or len(content) < 24:
        return None
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def _gif(content: bytes) -> tuple[int, int] | None:
    if not content.startswith((b"GIF87a", b"GIF89a")) or len(content) < 10:
        return None
    width, height = struct.unpack("<HH", content[6:10])
    return width, height


def _webp(content: bytes) -> tuple[int, int] | None:
    """Return the width and height of a lossy, lossless or extended WebP picture (RFC 9649)."""
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP" or len(content) < 30:
        return None
    kind = content[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", content[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _jpeg(content: bytes) -> tuple[int, int] | None:
    """Return the width and height from the first frame header among a JPEG's segments (ITU-T T.81)."""
    at = 2
    while content.startswith(b"\xff\xd8\xff") and at + 9 <= len(content):
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if content[at] != 0xFF or (length < 2 and marker != 0xFF):
            return None
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 1 if marker == 0xFF else 2 + length
    return None


_WHOLE: Mapping[str, Callable[[bytes], bool]] = {
    "image/png": lambda content: content[-8:-4] == b"IEND",
    "image/gif": lambda content: content.rstrip(b"\0")[-1:] == b";",
    "image/webp": lambda content: int.from_bytes(content[4:8], "little") + 8 <= len(content) > 30,
    "image/jpeg": lambda content: content.rstrip(b"\0\n")[-2:] == b"\xff\xd9",
}
"""Checks that a picture is not truncated. Providers refuse truncated pictures too."""
_SIZES: Mapping[str, Callable[[bytes], tuple[int, int] | None]] = {
    "image/png": _png,
    "image/gif": _gif,
    "image/webp": _webp,
    "image/jpeg": _jpeg,
}
"""Reads the width and height in pixels from the header only; None if the header is not valid."""
