"""The built-in file tools. They have the same contract as any tool: `function(workspace, **arguments) -> dict`.

Paths are relative to the workspace, with `/`; links are never followed. Errors say what to do next, because a model
reads them. Standard library only.
"""

import codecs
import contextlib
import difflib
import mimetypes
import os
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.workspace_paths import existing_file, files_below, inside, make_folders, what_is_there

__all__ = ["edit_file", "list_files", "read_file", "write_file"]

_MOST_FILES = 1_000
_MOST_LINES = 2_000
_MOST_CHARACTERS = 20_000
_LONGEST_LINE = 2_000
_COUNTED = 64 << 20
"""Lines are counted only in files up to this number of bytes."""
_LARGEST_WRITE = 10 << 20
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


def list_files(workspace: Path, path: str = "") -> dict[str, Any]:
    """List at most 1,000 files below the folder `path`, sorted by path, with their sizes in bytes."""
    start = inside(workspace, path) if path.strip("/") not in ("", ".") else workspace
    if not start.is_dir():
        raise NotADirectoryError(f"{path!r} is not a folder. {what_is_there(workspace)}")
    found = sorted(files_below(workspace, start))
    files = [{"path": name, "bytes": size} for name, size in found[:_MOST_FILES]]
    return {"files": files, "count": len(found), "truncated": len(found) > _MOST_FILES}


def read_file(workspace: Path, path: str, offset: int = 0, limit: int = 500) -> dict[str, Any]:
    """Return up to `limit` lines of a text file from line `offset` (0 is the first); other files are described.

    The content ends after 20,000 characters at the latest; `next_offset` then says where to continue.
    """
    target = existing_file(workspace, path)
    size = target.stat().st_size
    with os.fdopen(os.open(target, os.O_RDONLY | _NO_LINKS), "rb") as stream:
        head = stream.read(8_192)
        encoding = _encoding(head)
        if encoding is None:
            return _described(path, size)
    with target.open(encoding=encoding, errors="replace", newline="") as text:
        content, taken, more, total = _lines(text, max(0, offset), min(max(1, limit), _MOST_LINES), size)
    return {
        "path": path,
        "content": content,
        "offset": max(0, offset),
        "lines": taken,
        "total_lines": total,
        "next_offset": max(0, offset) + taken if more else None,
        "bytes": size,
        "encoding": encoding,
    }


def write_file(workspace: Path, path: str, content: str, append: bool = False) -> dict[str, Any]:
    """Write text to a file, in UTF-8, and create missing folders. Replaces the old content, unless `append` is true."""
    data = content.encode()
    if len(data) > _LARGEST_WRITE:
        raise ValueError(
            f"The content has {len(data):,} bytes; at most {_LARGEST_WRITE:,} can be written at once. Write it in "
            "parts, with `append`."
        )
    target = inside(workspace, path)
    if target.is_dir():
        raise IsADirectoryError(f"{path!r} is a folder. Give the name of a file in it.")
    if target.is_symlink():
        raise PermissionError(f"{path!r} is a link, and links are not followed. Choose another name.")
    existed = target.exists()
    make_folders(workspace, target.parent, path)
    if append and existed:
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_APPEND | _NO_LINKS), "wb") as stream:
            stream.write(data)
    else:
        _replace(target, data, target.stat().st_mode & 0o777 if existed else 0o644)
    return {"path": path, "bytes": target.stat().st_size, "created": not existed}


def edit_file(workspace: Path, path: str, old: str, new: str, all: bool = False) -> dict[str, Any]:
    """Replace the exact text `old` in a file with `new`: its only occurrence, or every occurrence if `all` is true.

    Raises:
        ToolError: `old` is empty, is not in the file, or occurs more than once while `all` is false; nothing is
            written.
    """
    target = existing_file(workspace, path)
    size = target.stat().st_size
    if size > _LARGEST_WRITE:
        raise ToolError(
            f"{path} has {size:,} bytes; at most {_LARGEST_WRITE:,} can be edited here. Change a larger file with code "
            "that reads and writes it in parts."
        )
    data = target.read_bytes()
    text, encoding = _decoded(data, path)
    if not old:
        raise ToolError("`old` is empty. Give the exact text to replace; write_file writes a whole file.")
    if "\r\n" in text and "\r" not in old:  # a model writes `\n` as the line end
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = text.count(old)
    if count == 0:
        raise ToolError(f"{path} does not contain this text. {_nearest_line(text, old)}Nothing was changed.")
    if count > 1 and not all:
        raise ToolError(
            f"{path} contains this text {count} times. Give more of the lines around it, or set `all`. "
            "Nothing was changed."
        )
    line = text[: text.index(old)].count("\n") + 1
    try:
        edited = text.replace(old, new).encode(encoding)
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        raise ToolError(
            f"{path} is text in {encoding}, which cannot store {wrong!r}. Nothing was changed."
        ) from None
    _replace(target, edited, target.stat().st_mode & 0o777)
    return {"path": path, "replaced": count, "first_line": line, "bytes": target.stat().st_size}


def _decoded(data: bytes, path: str) -> tuple[str, str]:
    """Return the text in `data`, and the encoding that converts it back to exactly the same bytes."""
    guess = _encoding(data[:8_192])
    plain = "utf-8" if guess == "utf-8-sig" and not data.startswith(codecs.BOM_UTF8) else guess
    for encoding in (plain, "cp1252") if plain == "utf-8" else (plain,):
        with contextlib.suppress(UnicodeDecodeError):
            if encoding is not None:
                return data.decode(encoding), encoding
    raise ToolError(f"{path} is not text, so it cannot be edited.")


def _replace(target: Path, data: bytes, mode: int) -> None:
    """Write the content to a new file next to the old one, then replace the old one, so that the file is never
    incomplete."""
    beside = target.with_name(f".{target.name}.writing")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS, mode)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(data)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _nearest_line(text: str, old: str) -> str:
    """Return a sentence about the line that is most similar to the first line of `old`."""
    wanted = next((line.strip() for line in old.splitlines() if line.strip()), "")
    lines = text.splitlines()[:20_000]
    near = difflib.get_close_matches(wanted, [line.strip() for line in lines], 1, 0.7)
    if not near:
        return ""
    number = next(n for n, line in enumerate(lines, 1) if line.strip() == near[0])
    return f"Line {number} is similar: {near[0][:200]!r}. "


def _encoding(head: bytes) -> str | None:
    """Return the encoding of a text that begins with `head`; None if it is not a text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in head:
        return None
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # otherwise only the last character was cut off
            control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
            return None if control > len(head) // 100 else "cp1252"
    return "utf-8-sig"


def _opened_by(path: str) -> str:
    """Return a sentence that says how to open a file that is not a text."""
    suffix = Path(path).suffix.lower()
    if suffix in (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".pdf"):
        return "This is not text. `view` shows it."
    if suffix in (
        ".parquet",
        ".pq",
        ".xlsx",
        ".xls",
        ".xlsb",
        ".ods",
        ".db",
        ".sqlite",
        ".sqlite3",
        ".arrow",
        ".feather",
    ):
        return "This is not text. Its tables can be queried with SQL."
    return "This is not text, so it is not shown. `python` can read its bytes."


def _described(path: str, size: int) -> dict[str, Any]:
    kind = mimetypes.guess_type(path)[0] or "unknown"
    note = _opened_by(path)
    return {"path": path, "bytes": size, "binary": True, "kind": kind, "note": note}


def _lines(text: Any, offset: int, limit: int, size: int) -> tuple[str, int, bool, int | None]:
    """Return the requested lines, their number, whether more lines follow, and the total number if it was counted."""
    kept: list[str] = []
    characters = total = 0
    more = False
    for number, line in enumerate(text):
        total = number + 1
        if number < offset:
            continue
        shown = (
            line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}… ({len(line):,} characters)\n"
        )
        if len(kept) == limit or characters + len(shown) > _MOST_CHARACTERS:
            more = True
            if size > _COUNTED:
                return "".join(kept), len(kept), True, None
            limit = len(kept)
            continue
        kept.append(shown)
        characters += len(shown)
    return "".join(kept), len(kept), more, total
