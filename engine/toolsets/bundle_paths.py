"""The rules for file names in a bundle. A name must mean the same file on every system, and must not lead out of the
bundle.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set

from engine.errors import Problem
from engine.toolsets.manifest import MANIFEST_NAME

__all__ = ["ignored", "path_problems", "shown", "wrapping_folder"]

MAX_PATH_BYTES = 240
MAX_NAME_BYTES = 120
_AT_THE_ROOT = (MANIFEST_NAME, "SKILL.md")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_CHARACTERS = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\u2028\u2029\u202a-\u202e\u2066-\u2069]')


def ignored(path: str) -> bool:
    """Return whether a file does not belong to a bundle, because it is hidden, compiled, or left by an operating
    system.
    """
    parts = path.split("/")
    if any(part.startswith(".") or part in {"__pycache__", "__MACOSX"} for part in parts):
        return True
    return parts[-1].endswith((".pyc", ".pyo", "~", ".swp")) or parts[-1] in {"Thumbs.db", "desktop.ini"}


def wrapping_folder(paths: Sequence[str]) -> str:
    """Return `folder/` if everything is in one folder with the manifest or a skill, otherwise ""."""
    tops = {path.split("/", 1)[0] for path in paths}
    if any(name in paths for name in _AT_THE_ROOT) or len(tops) != 1:
        return ""
    folder = tops.pop() + "/"
    return folder if any(folder + name in paths for name in _AT_THE_ROOT) else ""


def shown(path: str) -> str:
    """Return a printable path: bytes that are not text are escaped."""
    return (
        path.encode("utf-8", "backslashreplace")
        .decode()
        .translate({code: f"\\x{code:02x}" for code in range(32)})
    )


def path_problems(names: Sequence[str], files: Set[str]) -> list[Problem]:
    """Return the problems of `names`. The names in `files` are files; the others are folders."""
    problems = [Problem(code, message, shown(name)) for name in names for code, message in _one(name)]
    return problems + list(_collisions(names, files))


def _one(path: str) -> Iterator[tuple[str, str]]:
    parts = path.split("/")
    if "\\" in path:
        yield "path_backslash", "the parts of a path must be separated by /; pack the bundle again"
    if path.startswith("/") or _DRIVE.match(path):
        yield "path_absolute", "the path is absolute; a bundle's paths start at its root"
    elif any(part in {"..", "."} for part in parts):
        yield "path_traversal", "the path leads out of its folder; remove . and .."
    elif "" in parts:
        yield "path_traversal", "the path has an empty part; name every folder"
    elif _CHARACTERS.search(path):
        yield (
            "path_characters",
            "the name contains a character that not every system can store; rename the file",
        )
    for part in parts:
        if _RESERVED.fullmatch(part) or (part not in {".", ".."} and part.endswith((" ", "."))):
            yield "path_reserved", f"{shown(part)!r} is not a valid name on Windows; rename it"
            break
    try:
        long = len(path.encode()) > MAX_PATH_BYTES or any(
            len(part.encode()) > MAX_NAME_BYTES for part in parts
        )
    except UnicodeEncodeError:
        yield "name_encoding", "the name is not valid UTF-8; rename the file"
        return
    if long:
        yield (
            "path_too_long",
            f"paths can have up to {MAX_PATH_BYTES} bytes, and names up to {MAX_NAME_BYTES}; shorten it",
        )


def _collisions(names: Sequence[str], files: Set[str]) -> Iterator[Problem]:
    """Find names that are the same file on some system, and names that are both a file and a folder."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield Problem("duplicate_name", "the bundle contains this name twice; keep one", shown(name))
        seen.add(name)
    folders = {
        "/".join(parts[:depth])
        for parts in (name.split("/") for name in seen)
        for depth in range(1, len(parts))
    }
    spelled: dict[str, str] = {}
    for path in sorted(seen | folders):
        other = spelled.setdefault(_folded(path), path)
        if other != path:
            message = f"it differs from {shown(other)} only in case or accents; rename one"
            yield Problem("case_collision", message, shown(path))
    for path in sorted(files & folders):
        yield Problem("file_and_folder", "it is both a file and a folder; rename one", shown(path))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
