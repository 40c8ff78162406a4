"""Decides whether a repeated call had the same outcome: status, result, render plan and files. Pure.

Files are compared by hash. `tables` reads and compares tables whose bytes differ.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Literal

from engine.replay.json_differences import JsonDifference, differences
from engine.replay.recorded_calls import Came
from engine.replay.source_readings import without_reading
from engine.workspace.manifest import Changes, FileEntry
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["Comparison", "FileDifference", "TableVerdict", "changed_environment", "compared"]

_MOST = 50
"""The maximum number of differences in a result that are kept."""
_VERSIONS = "packages"


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """The result of comparing two tables."""

    same: bool
    told: str
    """A description such as `2 of 3 rows changed`."""
    document: JSONObject


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs from the recorded one."""

    path: str
    what: Literal["added", "removed", "changed", "equal"]
    """The kind of difference. `equal`: a table with the same rows, stored differently."""
    before: str | None
    """The hash of the recorded file; None if there was no such file."""
    now: str | None
    table: JSONObject | None = None

    def to_json(self) -> JSONObject:
        """Return the difference as JSON for an event and the command line."""
        found: JSONObject = {"path": self.path, "what": self.what, "before": self.before, "now": self.now}
        return found if self.table is None else {**found, "table": self.table}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison."""

    verdict: Literal["identical", "equal", "differs"]
    reason: str = ""
    result: tuple[JsonDifference, ...] = ()
    more: int = 0
    """The number of further differences in the result."""
    files: tuple[FileDifference, ...] = field(default=())


Tables = Callable[[str, FileEntry, FileEntry], TableVerdict | None]
"""Compares two versions of the file at a path; returns None if they are not tables."""


def compared(before: Came, now: Came, tables: Tables) -> Comparison:
    """Compare a call's recorded outcome with the new one."""
    before, now = _anywhere(before), _anywhere(now)
    ends = _ended_otherwise(before, now)
    if ends is not None:
        return Comparison("differs", ends)
    files = tuple(_files(before.changes, now.changes, tables))
    found = [*differences(before.result, now.result), *_shown(before.plan, now.plan)]
    moved = [one for one in found if not one.equal]
    other = [file for file in files if file.what != "equal"]
    kept, more = tuple((moved or found)[:_MOST]), max(0, len(moved or found) - _MOST)
    if moved or other:
        return Comparison("differs", _reason(moved, other), kept, more, files)
    if before.pictures != now.pictures:
        return Comparison("differs", "A picture that it made has different bytes.", (), 0, files)
    if found or files:
        told = "The tables have the same cells, stored as different bytes." if files else ""
        return Comparison("equal", told or "Numbers agree to 12 digits.", kept, more, files)
    return Comparison("identical")


_PLACE = re.compile(r"(?:/[^\s'\"/]+)*/chats/[\w-]+/(?:workspace|(?:calls|turns)/[\w-]+(?:/workspace)?)")
"""Matches the folder in which a call ran, which is a different one each time."""


def _anywhere(came: Came) -> Came:
    """Return the outcome with the folder in which the call ran replaced by `workspace`, and without the time at which a
    source was read."""
    failure = came.failure
    if failure is not None:
        failure = failure.model_copy(update={"message": _PLACE.sub("workspace", failure.message)})
    result = without_reading(_placeless(came.result))
    return replace(came, failure=failure, result=result, plan=_placeless(came.plan))


def _placeless(value: JSON) -> JSON:
    if isinstance(value, str):
        return _PLACE.sub("workspace", value) if "/chats/" in value else value
    if isinstance(value, dict):
        return {key: _placeless(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_placeless(below) for below in value]
    return value


def _ended_otherwise(before: Came, now: Came) -> str | None:
    """Return a sentence about how the call ends differently; None if it ends as before."""
    was, ends = before.failure, now.failure
    if was is None and ends is None:
        return None
    if was is None:
        assert ends is not None
        return f"It fails now: {ends.message}"
    if ends is None:
        return f"It succeeds now; it failed before: {was.message}"
    if (was.kind, was.message) == (ends.kind, ends.message):
        return None
    return f"It fails with another error: {ends.message} Before: {was.message}"


def _files(before: Changes, now: Changes, tables: Tables) -> Iterable[FileDifference]:
    was, ends = _left(before), _left(now)
    for path in sorted(was.keys() | ends.keys()):
        one, other = was.get(path, _ABSENT), ends.get(path, _ABSENT)
        if one == other:
            continue
        if isinstance(one, FileEntry) and isinstance(other, FileEntry):
            found = tables(path, one, other) if one.sha256 != other.sha256 else None
            what: Literal["equal", "changed"] = "equal" if found is not None and found.same else "changed"
            document = found.document if found is not None else None
            yield FileDifference(path, what, one.sha256, other.sha256, document)
        elif isinstance(other, FileEntry):
            yield FileDifference(path, "added", None, other.sha256)
        else:
            yield FileDifference(path, "removed", one.sha256 if isinstance(one, FileEntry) else None, None)


_ABSENT = "absent"
_GONE = "removed"


def _left(changes: Changes) -> Mapping[str, FileEntry | str]:
    """Return a map from each changed path to the file that the call left there, or to a mark that it removed the
    file."""
    return {**changes.added, **changes.changed, **dict.fromkeys(changes.removed, _GONE)}


def _shown(before: JSON, now: JSON) -> Iterable[JsonDifference]:
    """Return differences in the render plan; none if the user has chosen another renderer since.

    Hashes and sizes of files are left out: the files themselves are compared.
    """
    if not isinstance(before, dict) or not isinstance(now, dict):
        return ()
    if before.get("renderer") != now.get("renderer"):
        return ()
    return differences(_without_hashes(before), _without_hashes(now), "shown")


def _without_hashes(value: JSON) -> JSON:
    if isinstance(value, dict):
        skipped = ("sha256", "size") if "sha256" in value else ()
        return {key: _without_hashes(below) for key, below in value.items() if key not in skipped}
    if isinstance(value, list):
        return [_without_hashes(below) for below in value]
    return value


def _reason(moved: list[JsonDifference], files: list[FileDifference]) -> str:
    tables = [str(file.table["told"]) for file in files if file.table is not None and "told" in file.table]
    if tables:
        return f"Differs: {tables[0]}."
    if moved:
        first = moved[0]
        change = f"{_short(first.before)} → {_short(first.now)}"
        if len(moved) == 1:
            return f"{first.place} differs: {change}." if first.place else f"The result differs: {change}."
        return (
            f"{len(moved)} values differ. The first difference is in {first.place or 'the result'}: {change}."
        )
    return f"{files[0].path} is {files[0].what}" + (
        f", and {len(files) - 1} more files." if files[1:] else "."
    )


def _short(value: JSON) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def changed_environment(before: Mapping[str, JSON] | None, now: Mapping[str, JSON] | None) -> tuple[str, ...]:
    """Return the differences in the environment, with a phrase for each fact: `pandas 2.3.1 → 2.3.2`."""
    if before is None or now is None:
        return ()
    return tuple(
        f"{name.replace('_', ' ')} {_short(was)} → {_short(ends)}"
        for name, was, ends in _facts(before, now)
        if was != ends
    )


def _facts(before: Mapping[str, JSON], now: Mapping[str, JSON]) -> Iterable[tuple[str, JSON, JSON]]:
    for name in (*before, *(name for name in now if name not in before)):
        if name != _VERSIONS:
            yield name, before.get(name), now.get(name)
    was, ends = before.get(_VERSIONS), now.get(_VERSIONS)
    if isinstance(was, Mapping) and isinstance(ends, Mapping):
        for package in sorted({*was, *ends}):
            yield package, was.get(package), ends.get(package)
