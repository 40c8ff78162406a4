"""Serves user and tool content to the browser: fixed content types, no script execution.

Workspace content is untrusted. It is sent with a fixed type and a policy that forbids scripts, and executable types are
offered as a download. The hash is checked before the first byte is sent.
"""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from engine.errors import NotFound
from engine.workspace.blobs import damaged_blob, missing_blob
from engine.workspace.hashing import digest_of

__all__ = ["content", "type_by_content", "type_by_name"]

_CHUNK = 1 << 18
_BY_ENDING = {
    "csv": "text/csv",
    "css": "text/css",
    "gif": "image/gif",
    "htm": "text/html",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "mjs": "text/javascript",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "png": "image/png",
    "py": "text/x-python",
    "sql": "application/sql",
    "svg": "image/svg+xml",
    "toml": "application/toml",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
    "xhtml": "application/xhtml+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
}
_BY_HEAD = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
_SHOWN = re.compile(r"image/(png|jpeg|gif|webp)|audio/.*|video/.*|application/json")
"""Types that a browser may display, in addition to plain kinds of text."""
_PLAIN = ("text/plain", "text/csv", "text/markdown", "text/tab-separated-values", "text/x-python")
_OCTETS = "application/octet-stream"


def type_by_name(path: str) -> str:
    """Return the media type for a file's name. It is the same on every system."""
    return _BY_ENDING.get(path.rpartition(".")[2].lower(), _OCTETS)


def type_by_content(head: bytes) -> str:
    """Return the media type that the first bytes indicate; text is always plain text."""
    for start, kind in _BY_HEAD:
        if head.startswith(start):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # incremental: the last character may be cut off
    except UnicodeDecodeError:
        return _OCTETS
    return _OCTETS if b"\x00" in head else "text/plain"


def content(place: Path, sha256: str, name: str | None = None, kind: str | None = None) -> Response:
    """Return the bytes at `place`, whose hash must be `sha256`. Without `kind`, the first bytes determine the type.

    Raises:
        NotFound: the bytes are no longer stored.
        Unavailable: the bytes have changed (`blob_damaged`).
    """
    try:
        file = place.open("rb")
    except FileNotFoundError:
        raise missing_blob(sha256) from None
    try:
        found, size = digest_of(file)
        if found != sha256:
            raise damaged_blob(sha256)
        file.seek(0)
        kind = kind or type_by_content(file.read(512))
        file.seek(0)
    except OSError as error:
        file.close()
        raise NotFound("blob_unread", f"The content {sha256} cannot be read: {error.strerror}.") from None
    except BaseException:
        file.close()
        raise

    def chunks() -> Iterator[bytes]:
        with file:
            while chunk := file.read(_CHUNK):
                yield chunk

    return StreamingResponse(chunks(), headers=_headers(kind, size, sha256, name))


def _headers(kind: str, size: int, sha256: str, name: str | None) -> dict[str, str]:
    in_place = kind in _PLAIN or _SHOWN.fullmatch(kind)
    disposition = "inline" if in_place else "attachment"
    if name is not None:
        disposition += f"; filename*=UTF-8''{quote(name.rpartition('/')[2], safe='')}"
    return {
        "content-type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
        "content-length": str(size),
        "content-disposition": disposition,
        "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-cache",
        "etag": f'"{sha256}"',
    }
