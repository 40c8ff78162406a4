"""Finds changes in the files behind a link: in size, time and hash. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from engine.workspace.links import Link, Part

__all__ = ["link_changes"]

_MOST = 3
"""The maximum number of files that are named."""
_NONE: Mapping[str, str] = MappingProxyType({})


def link_changes(
    before: Link, now: Link, hashed: Mapping[str, str] = _NONE, hashed_now: Mapping[str, str] = _NONE
) -> str:
    """Return what changed between two states of a link, such as `1 changed: jan.csv (40 → 60 bytes, …)`.

    Args:
        before: the link as it was recorded.
        now: the same link with its current files.
        hashed: path → the recorded SHA-256 of the file, if it is known.
        hashed_now: the same for the current files.

    Returns:
        "" if nothing changed.
    """
    was, ends = ({part.path: part for part in one.parts} for one in (before, now))
    changed = [
        f"{_name(path)} ({_facts(part, ends[path], hashed.get(path), hashed_now.get(path))})"
        for path, part in was.items()
        if path in ends and ends[path] != part
    ]
    gone = [_name(path) for path in was if path not in ends]
    new = [f"{_name(path)} ({part.size:,} bytes)" for path, part in ends.items() if path not in was]
    told = [
        f"{len(files):,} {word}: {', '.join(files[:_MOST])}{' …' if len(files) > _MOST else ''}"
        for files, word in ((changed, "changed"), (gone, "gone"), (new, "new"))
        if files
    ]
    return "; ".join(told)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _facts(was: Part, ends: Part, hashed: str | None, hashed_now: str | None) -> str:
    facts = []
    if was.size != ends.size:
        facts.append(f"{was.size:,} → {ends.size:,} bytes")
    if was.mtime_ns != ends.mtime_ns:
        facts.append(f"written {_time(was.mtime_ns)} → {_time(ends.mtime_ns)}")
    if was.inode != ends.inode:
        facts.append("another file in its place")
    if hashed and hashed_now:
        same = hashed == hashed_now
        facts.append("same hash" if same else f"hash {hashed[:8]} → {hashed_now[:8]}")
    return ", ".join(facts)


def _time(nanoseconds: int) -> str:
    """Return a time in UTC. A file's time may be any number, even one that is not a valid date."""
    try:
        return datetime.fromtimestamp(nanoseconds / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{nanoseconds} ns"
