"""Finds the media type and language of a file from its name. We use our own table, because operating systems have
different ones."""

from pathlib import PurePosixPath

__all__ = ["IMAGE_TYPES", "language_of", "media_type_of"]

_MEDIA = {
    "avif": "image/avif",
    "css": "text/css",
    "csv": "text/csv",
    "gif": "image/gif",
    "gz": "application/gzip",
    "htm": "text/html",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "webp": "image/webp",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
}
IMAGE_TYPES = frozenset(media for media in _MEDIA.values() if media.startswith("image/"))

_LANGUAGES = {
    "bash": "bash",
    "c": "c",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "csv": "csv",
    "go": "go",
    "h": "c",
    "htm": "html",
    "html": "html",
    "ini": "ini",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "jsonl": "json",
    "jsx": "jsx",
    "kt": "kotlin",
    "md": "markdown",
    "mjs": "javascript",
    "php": "php",
    "py": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "scala": "scala",
    "sh": "bash",
    "sql": "sql",
    "svg": "xml",
    "swift": "swift",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
}
_NAMES = {"dockerfile": "dockerfile", "makefile": "makefile"}


def media_type_of(path: str) -> str:
    """Return a file's media type by its suffix; `application/octet-stream` if it is unknown."""
    return _MEDIA.get(_suffix(path), "application/octet-stream")


def language_of(path: str) -> str:
    """Return the language that a file's name suggests; `text` if it is unknown."""
    return _NAMES.get(PurePosixPath(path).name.lower()) or _LANGUAGES.get(_suffix(path), "text")


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower().removeprefix(".")
