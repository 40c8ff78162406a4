"""Finds the contents that the log refers to: in events of chats, and in large render plans.

They are found with SQL over the log, for all chats at once. The text of a payload is canonical, so a reference is found
as text; a quotation mark inside a string is escaped and never matches. If a string only looks like a reference, such as
a hash in a tool's result, `gc` keeps the content to be safe; `strictly_named` excludes such strings, so that `check`
does not report the content as missing. Events declare which fields name contents, files, plans and removed contents.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from engine.chats.payloads import value_of
from engine.deciders.fork import blob_hashes
from engine.errors import AnabranchError, NotFound
from engine.rendering.plan import plan_from_json
from engine.rendering.plans import plan_files
from engine.workspace.blobs import BlobStore
from events.catalog.event_types import EVENT_TYPES
from events.declarations import (
    Content,
    NamesContents,
    NamesFiles,
    RemovesContents,
    declared,
    inner,
    values_of,
)
from events.event import Event, Inline, Recorded, UnknownEvent
from events.late_dataclass import dataclass

__all__ = ["Naming", "Reached", "reached", "reached_contents", "strictly_named"]


def _fields(declaration: type[NamesFiles | NamesContents | RemovesContents]) -> list[tuple[str, str]]:
    """Return a pair (event type, field) for each field with the declaration."""
    return [(name, own) for name, event in EVENT_TYPES.items() for own in declared(event, declaration)]


_OF_FILES = ", ".join(sorted({f"'{name}'" for name, _ in _fields(NamesFiles)}))
_NAMED = f"""
SELECT stream, sha256, max(position), max(occurred_at), bool_or(type IN ({_OF_FILES}))
FROM (
  SELECT stream, position, occurred_at, type,
         unnest(regexp_extract_all(CAST(payload AS VARCHAR), '"sha256":"([0-9a-f]{{64}})"', 1)) AS sha256
  FROM event_log WHERE {{which}}
)
GROUP BY stream, sha256
"""
_PLANS = " UNION ALL ".join(
    f"""
SELECT stream, payload->>'$.{field}.sha256', max(position), max(occurred_at) FROM event_log
WHERE type = '{name}' AND {{which}} AND payload->>'$.{field}.sha256' IS NOT NULL
GROUP BY ALL
"""
    for name, field in _fields(NamesContents)
)
_REMOVED = " UNION ALL ".join(
    f"""
SELECT stream, unnest(CAST(payload->'$.{field}' AS VARCHAR[])), position FROM event_log
WHERE type = '{name}' AND {{which}}
"""
    for name, field in _fields(RemovesContents)
)
_STREAMS = """
SELECT stream, max(version) FROM event_log WHERE {which} GROUP BY stream
"""


@dataclass(frozen=True, slots=True)
class Naming:
    """The last reference to a piece of content in a chat's events."""

    position: int
    """The position of the last event that refers to the content."""
    at: datetime
    """When that event was recorded (UTC, without a time zone, as DuckDB returns it)."""
    is_file: bool
    """Whether a state of the files refers to it."""


@dataclass(slots=True)
class Reached:
    """The contents that one chat's events refer to."""

    version: int
    """The version of the chat's stream when the log was read."""
    named: dict[str, Naming] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    """Hash of contents that were removed on purpose → position of the event that records the removal."""
    unread: set[str] = field(default_factory=set)
    """Large render plans that cannot be read. The contents that they name are not known."""

    @property
    def kept(self) -> Set[str]:
        """The contents that must exist: events name them, and no later event records their removal."""
        return {
            sha256 for sha256, found in self.named.items() if found.position > self.removed.get(sha256, 0)
        }

    @property
    def gone(self) -> Set[str]:
        """The contents that were removed on purpose and that no later event names."""
        return self.removed.keys() - self.kept


def reached_contents(
    cursor: Any, store: Callable[[str], BlobStore | None], chat_id: str | None = None
) -> dict[str, Reached]:
    """Return the contents that the log refers to: chat → its contents, for all chats or only for `chat_id`.

    `store` returns a chat's blobs, from which large render plans are read; None if the chat has no blobs.
    """

    def rows(sql: str) -> list[Any]:
        if chat_id is None:
            return list(cursor.execute(sql.replace("{which}", "starts_with(stream, 'chat-')")).fetchall())
        return list(cursor.execute(sql.replace("{which}", "stream = $1"), [f"chat-{chat_id}"]).fetchall())

    found = {_chat(stream): Reached(version) for stream, version in rows(_STREAMS)}
    for stream, sha256, position, at, is_file in rows(_NAMED):
        found[_chat(stream)].named[sha256] = Naming(position, at, is_file)
    for stream, plan, position, at in rows(_PLANS):
        named, below = found[_chat(stream)].named, _named_by_plan(store(_chat(stream)), plan)
        if below is None:
            found[_chat(stream)].unread.add(plan)
        for sha256 in below or ():
            before = named.get(sha256)
            if before is None or before.position < position:
                named[sha256] = Naming(position, at, before.is_file if before else False)
    for stream, sha256, position in rows(_REMOVED):
        removed = found[_chat(stream)].removed
        removed[sha256] = max(position, removed.get(sha256, 0))
    return found


def _chat(stream: str) -> str:
    return stream.removeprefix("chat-")


def _named_by_plan(blobs: BlobStore | None, sha256: str) -> Set[str] | None:
    """Return the contents that a stored render plan names; None if the plan cannot be read."""
    try:
        return set(blob_hashes(json.loads(blobs.read(sha256)))) if blobs is not None else None
    except (AnabranchError, OSError, ValueError):
        return None


def reached(recorded: Iterable[Recorded], blobs: BlobStore) -> Set[str]:
    """Return the hashes that a chat's events name, and the hashes that occur in the contents with these hashes."""
    return {sha256 for record in recorded for sha256 in _own(record, blobs)}


def _own(recorded: Recorded, blobs: BlobStore) -> Iterator[str]:
    event = recorded.event
    yield from blob_hashes(event.payload())
    for name in declared(type(event), NamesContents):
        with suppress(NotFound):
            yield from blob_hashes(value_of(getattr(event, name), blobs))


def strictly_named(recorded: Iterable[Recorded], blobs: BlobStore | None) -> Set[str]:
    """Return the hashes in fields of events that are declared to name stored content.

    Hashes that appear only in a tool's arguments or result are left out.
    """
    return {sha256 for record in recorded for sha256 in _strictly(record.event, blobs)}


def _strictly(event: Event, blobs: BlobStore | None) -> Iterator[str]:
    if isinstance(event, UnknownEvent):
        yield from blob_hashes(event.content)
        return
    yield from _contents(event)
    for name in declared(type(event), NamesContents):
        held = getattr(event, name)
        if isinstance(held, Inline) or (held is not None and blobs is not None):
            with suppress(AnabranchError, OSError, ValueError):
                plan = value_of(held, blobs)  # type: ignore[arg-type]
                if isinstance(plan, dict):
                    yield from (file.sha256 for file in plan_files(plan_from_json(plan)))


def _contents(value: BaseModel) -> Iterator[str]:
    """Yield the hashes in fields that are declared to name contents. JSON from tools is not searched."""
    for name in declared(type(value), Content):
        yield getattr(value, name)
    for name in inner(type(value)):
        for one in values_of(getattr(value, name)):
            yield from _contents(one)
