"""Finds the files of a location on this computer, and checks whether they have changed. Does not read their
contents."""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from engine.errors import NotFound, Refused
from engine.workspace.links import KINDS, Link, Part, kind_of_part
from events.late_dataclass import dataclass

__all__ = [
    "FILE_ENDINGS",
    "MOST_PARTS",
    "Entry",
    "browse",
    "contains",
    "find_link",
    "look_again",
    "plain_location",
]

FILE_ENDINGS = tuple(ending for endings in KINDS.values() for ending in endings)
"""The endings of files that can be used in place."""
MOST_PARTS = 10_000
_MOST_SHOWN = 2_000
_PATTERN = re.compile(r"[*?\[]")
_HIDDEN = (".", "_")
"""The characters with which the names of hidden files begin. Parquet writers and other programs leave such files beside
the data.
"""
_ENDINGS = "Parquet, CSV and newline-delimited JSON (.jsonl)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder or a file in the list from which the user chooses."""

    name: str
    path: str
    is_folder: bool
    size: int = 0
    """The size in bytes."""


def plain_location(text: str, forbidden: tuple[Path, ...] = ()) -> str:
    """Return a location as it is stored: absolute, with `~` expanded and without symbolic links. In a pattern, only the
    fixed part is converted.

    Raises:
        Refused: the location is not absolute, or is in one of the `forbidden` folders, which are Anabranch's own.
    """
    path = Path(text.strip()).expanduser()
    if not path.is_absolute() or "\0" in text:
        raise Refused(
            "location_relative",
            f"{text!r} is not a full path. Give an absolute path, such as /data/orders.parquet.",
        )
    at = next((at for at, part in enumerate(path.parts) if _PATTERN.search(part)), len(path.parts))
    fixed = Path(*path.parts[:at]).resolve()
    for folder in (own.resolve() for own in forbidden):
        if fixed.is_relative_to(folder) or folder.is_relative_to(fixed):
            raise Refused(
                "location_own",
                f"{fixed} contains Anabranch's own data. Choose the folder that contains your files.",
            )
    return str(fixed.joinpath(*path.parts[at:]))


def contains(location: str, path: str) -> bool:
    """Return whether a file, given its real path, belongs to a location."""
    if str(Path(path).resolve()) != path:
        return False
    if not _PATTERN.search(location):
        return path == location or path.startswith(location.rstrip("/") + "/")
    return _matches(location.split("/"), path.split("/"))


def _matches(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(pattern[1:], path[at:]) for at in range(len(path)))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(pattern[1:], path[1:])


def find_link(location: str) -> Link:
    """Return a link to the current files of a location that `plain_location` returned.

    Raises:
        NotFound: there are no files.
        Refused: the location cannot be read, has no tables or several kinds of tables, or has too many files.
    """
    paths = sorted(_files(location))
    kinds = Counter(kind for kind in map(kind_of_part, paths) if kind is not None)
    if not kinds:
        what = "cannot be used in place" if paths and paths == [location] else "has no tables"
        raise Refused(
            "location_without_tables",
            f"{location} {what}. Only {_ENDINGS} can be read in place. Add other files to the chat "
            "instead; a SQLite database can be a source.",
        )
    if len(kinds) > 1:
        listed = ", ".join(f"{count:,} × {'/'.join(KINDS[kind][:2])}" for kind, count in kinds.most_common())
        raise Refused(
            "location_mixed",
            f"{location} has files of several kinds ({listed}), which cannot be one table. Give a pattern that matches "
            "only one kind, such as …/*.parquet.",
        )
    kind = next(iter(kinds))
    parts = [part for path in paths if kind_of_part(path) == kind and (part := _seen(path))]
    if not parts:
        raise Refused("location_unreadable", f"You do not have permission to read any file in {location}.")
    return Link(location, kind, tuple(parts))


def look_again(link: Link) -> Link:
    """Return a new link to the files that are now at the link's location. It equals `link` if nothing changed, and has
    no parts if no files are left.
    """
    if not _PATTERN.search(link.location) and not Path(link.location).is_dir():
        part = _seen(link.location)
        return Link(link.location, link.kind, (part,) if part else ())
    try:
        return find_link(link.location)
    except Refused:
        return Link(link.location, link.kind, ())


def _files(location: str) -> Iterator[str]:
    """Yield the files of a location, except hidden files and links."""
    listed: Iterator[str]
    place = Path(location)
    if _PATTERN.search(location):
        found = Path(place.anchor).glob(location.lstrip("/"))
        listed = (str(path) for path in found if _is_plain(path))
    elif place.is_dir():
        listed = _below(location)
    elif place.is_file():
        listed = iter((location,))
    else:
        raise NotFound("location_not_found", f"There is nothing at {location}. Check the path.")
    empty = True
    for count, path in enumerate(listed, 1):
        empty = False
        if count > MOST_PARTS:
            raise Refused(
                "location_too_many",
                f"{location} has more than {MOST_PARTS:,} files. Use a pattern that matches fewer.",
            )
        yield path
    if empty:
        raise NotFound("location_empty", f"There is no file at {location}. Check the path or the pattern.")


def _below(folder: str) -> Iterator[str]:
    def failed(error: OSError) -> None:
        raise Refused(
            "location_unreadable", f"{error.filename} cannot be opened: {error.strerror}."
        ) from None

    for at, folders, files in os.walk(folder, onerror=failed):
        folders[:] = sorted(name for name in folders if not name.startswith(_HIDDEN))
        for path in (Path(at, name) for name in files if not name.startswith(_HIDDEN)):
            if _is_plain(path):
                yield str(path)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _seen(path: str) -> Part | None:
    try:
        found = Path(path).lstat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or not os.access(path, os.R_OK):
        return None
    return Part(path, found.st_size, found.st_mtime_ns, found.st_ino)


def browse(folder: str) -> list[Entry]:
    """Return the entries of a folder that the user can choose: folders first, then files that can be used in place.

    Raises:
        NotFound: there is no such folder.
        Refused: the folder cannot be opened.
    """
    found: list[Entry] = []
    try:
        with os.scandir(Path(folder).expanduser()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir():
                    found.append(Entry(entry.name, entry.path, True))
                elif kind_of_part(entry.name) and entry.is_file():
                    found.append(Entry(entry.name, entry.path, False, entry.stat().st_size))
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("folder_not_found", f"There is no folder {folder}.") from None
    except OSError as error:
        raise Refused("folder_closed", f"{folder} cannot be opened: {error.strerror}.") from None
    return sorted(found, key=lambda entry: (not entry.is_folder, entry.name.casefold()))[:_MOST_SHOWN]
