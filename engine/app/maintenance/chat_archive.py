"""Exports the chats of a data folder as one ZIP file, with their events and contents, and restores them.

    anabranch.json      {"format": "anabranch-log", "version": 1, "events": …, "head": the last event's hash}
    events.jsonl        the whole log, one event per line, with its hash chain
    blobs/<sha256>      the contents that events name

A restored file may have been forged. So every hash is recomputed, each event must have a known type and be consistent
with the earlier events of its chat, and only chats are restored: tools and their configuration are never read from the
file.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine.app.maintenance.reachable_contents import reached
from engine.deciders.fork import blob_hashes, removed_contents
from engine.deciders.import_validation import Known, unsound
from engine.errors import Invalid
from engine.toolsets.archive import BundleFiles, open_bundle
from engine.toolsets.bundle_sources import Limits
from engine.workspace.blobs import BlobStore, FolderBlobs
from engine.workspace.paths import require_path
from events.catalog.workspace import ManifestRecorded
from events.event import Recorded
from events.late_dataclass import dataclass
from events.log import LogDamaged
from events.stored_row import row_from_json
from events.transfer import Row, from_lines, lines_of, recorded, settle

__all__ = [
    "MOST_CONTENTS",
    "MOST_EVENTS",
    "MOST_EVENT_BYTES",
    "Unpacked",
    "log_bytes",
    "pack_log",
    "unpack_log",
]

_FORMAT, _VERSION = "anabranch-log", 1
_ABOUT, _EVENTS, _BLOBS = "anabranch.json", "events.jsonl", "blobs/"
_STREAM = re.compile(r"chat-([A-Za-z0-9][A-Za-z0-9_-]{0,99})")
MOST_EVENTS = 20_000
MOST_EVENT_BYTES = 64 << 20
"""The maximum size of `events.jsonl`, in bytes."""
MOST_CONTENTS = 40_000
"""The maximum number of content files in a ZIP. A ZIP can have more entries than this without Zip64."""
_BESIDE_PAYLOAD = 720
"""The maximum size of a line of `events.jsonl` without its payload, in bytes."""
_TOO_MUCH = {"archive_too_large", "archive_zip64", "bundle_too_large", "too_many_entries"}


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What an unpacked chat archive contained: the numbers of its chats, events and blobs."""

    chats: int
    events: int
    """The number of events of the chats."""
    blobs: int


def pack_log(
    cursor: Any, chats: Iterable[tuple[str, list[Recorded]]], blobs: Callable[[str], BlobStore]
) -> bytes:
    """Return the ZIP file with the log that `cursor` reads and the contents that the events of `chats` name."""
    lines = list(lines_of(cursor))
    target = io.BytesIO()
    about = {"format": _FORMAT, "version": _VERSION, "events": len(lines)}
    about["head"] = row_from_json(lines[-1]).hash if lines else ""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_ABOUT, json.dumps(about))
        archive.writestr(_EVENTS, "\n".join(lines))
        written: set[str] = set()
        for chat_id, events in chats:
            store = blobs(chat_id)
            for sha256 in sorted(reached(events, store) - written):
                if store.has(sha256):
                    archive.writestr(_BLOBS + sha256, store.read(sha256))
                    written.add(sha256)
    return target.getvalue()


def log_bytes(cursor: Any, after: int = 0) -> int:
    """Return an upper limit for the size of an `events.jsonl` that contains the events after a position."""
    counted = cursor.execute(
        # the payload is a string in its line, so the backslashes before its quotes count too
        f"SELECT sum(strlen(CAST(to_json(CAST(payload AS VARCHAR)) AS VARCHAR)) + {_BESIDE_PAYLOAD}) "
        "FROM event_log WHERE position > ?",
        [after],
    )
    return int(counted.fetchone()[0] or 0)


def unpack_log(
    source: Path | bytes, data: Path, check: Callable[[str, list[Recorded]], None], most_bytes: int
) -> Unpacked:
    """Create the data folder `data` from a file's chats. `check` is called for each chat and may refuse it.

    The file may be at most `most_bytes` long, and so may its unpacked contents. Entries are unpacked piece by piece and
    only up to that limit, so a high compression ratio is not a reason to refuse the file.

    If this raises an error, the folder may be incomplete, and the caller must remove it.

    Raises:
        Invalid: the file is not an export, or was changed after it was written (`log_file_bad`).
        Refused: `check` refused a chat.
    """
    with ExitStack() as stack:
        try:
            files = stack.enter_context(open_bundle(source, _limits(most_bytes)))
        except Invalid as error:
            if any(problem.code in _TOO_MUCH for problem in error.problems):
                raise _bad("it contains more than can be restored here") from None
            where = error.problems[0].file if error.problems else ""
            inside = f" (at: {where})" if where else ""
            raise _bad(
                f"it is not an Anabranch archive, or it is incomplete or was changed{inside}"
            ) from None
        try:
            rows = _rows(files)
            chats = _by_chat(rows)
            known: Known = set()
            for chat_id, events in chats.items():
                check(chat_id, events)
                _require_sound(events, known)
                _require_plain_paths(events)
            kept = [row for row in rows if _STREAM.fullmatch(row.stream)]
            settle(data, kept)
        except LogDamaged as error:
            raise _bad(str(error)) from None
        blobs = sum(_put_blobs(files, events, data / "chats" / chat_id) for chat_id, events in chats.items())
    return Unpacked(len(chats), len(kept), blobs)


def _limits(most_bytes: int) -> Limits:
    return Limits(
        archive_bytes=most_bytes,
        entries=MOST_CONTENTS + 2,
        bytes=most_bytes + MOST_EVENT_BYTES,
        directory_bytes=8 << 20,
        ratio=None,
    )


def _rows(files: BundleFiles) -> list[Row]:
    """Return the rows of the log after recomputing each of their hashes."""
    for path in (_ABOUT, _EVENTS):
        if path not in files:
            raise _bad(f"it does not contain {path}")
    if files.entries[_EVENTS].size > MOST_EVENT_BYTES:
        raise _bad(f"its events are larger than {MOST_EVENT_BYTES >> 20} MiB")
    foreign = [path for path in files if path not in (_ABOUT, _EVENTS) and not path.startswith(_BLOBS)]
    if foreign:
        raise _bad(f"it contains {foreign[0]}, which does not belong to an exported log")
    for path in files:
        if path.startswith(_BLOBS) and files.entries[path].sha256 != path.removeprefix(_BLOBS):
            raise _bad(f"the content {path.removeprefix(_BLOBS)[:16]}… was changed after it was written")
    about = _about(files.read(_ABOUT))
    text = files.read(_EVENTS).decode("utf-8", "replace")
    lines = text.split("\n") if text else []
    if len(lines) > MOST_EVENTS:
        raise _bad(f"it contains more than {MOST_EVENTS:,} events")
    rows = list(from_lines(lines))
    if about.get("events") != len(rows) or about.get("head") != (rows[-1].hash if rows else ""):
        raise _bad("its last events are missing")
    return rows


def _about(content: bytes) -> dict[str, Any]:
    try:
        about = json.loads(content)
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise _bad("it is not marked as an Anabranch archive")
    if about.get("version") != _VERSION:
        raise _bad("it was made by a newer release", "Upgrade Anabranch first.")
    return about


def _by_chat(rows: Iterable[Row]) -> dict[str, list[Recorded]]:
    chats: dict[str, list[Recorded]] = {}
    for row in rows:
        if row.stream.startswith("chat-"):
            named = _STREAM.fullmatch(row.stream)
            if named is None:
                raise _bad("a chat in it has an invalid id")
            chats.setdefault(named[1], []).append(recorded(row))
    return chats


def _require_sound(events: Iterable[Recorded], known: Known) -> None:
    wrong = unsound((record.event for record in events), known)
    if wrong is not None:
        raise _bad(wrong)


def _require_plain_paths(events: Iterable[Recorded]) -> None:
    for record in events:
        if isinstance(record.event, ManifestRecorded):
            for path in [*record.event.added, *record.event.changed]:
                require_path(path)


def _put_blobs(files: BundleFiles, events: list[Recorded], folder: Path) -> int:
    """Put the contents that a chat's events name into the chat's store, and also the contents that these contents name.

    Contents that the chat records as removed may be missing. Return the number of files in the store.
    """
    store = FolderBlobs(folder / "blobs")
    known: set[str] = set()
    while wanted := reached(events, store) - known:
        here = sorted(sha256 for sha256 in wanted if _BLOBS + sha256 in files)
        store.put_many(files.read(_BLOBS + sha256) for sha256 in here)
        known |= wanted
    needed = (
        blob
        for record in events
        if isinstance(record.event, ManifestRecorded)
        for blob in blob_hashes(record.event.payload())
    )
    removed = removed_contents(events)
    lost = next((sha256 for sha256 in needed if sha256 not in removed and not store.has(sha256)), None)
    if lost is not None:
        raise _bad(f"the content of a file is missing (SHA-256 {lost[:16]}…)")
    return sum(store.has(sha256) for sha256 in known)


def _bad(why: str, advice: str = "Choose an unchanged file that Anabranch exported.") -> Invalid:
    return Invalid("log_file_bad", f"This file cannot be restored: {why.rstrip('.')}. {advice}")
