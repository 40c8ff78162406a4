"""Converts a writer's batch to rows, with the checks and numbering that all logs share. Pure."""

from collections.abc import Callable, Sequence
from datetime import datetime

from events.chain import NewSalt, new_salt
from events.codec import encode
from events.identity import NewId
from events.log import Append, VersionConflict
from events.stored_row import Row

__all__ = ["number"]


def number(
    batch: Sequence[Append],
    *,
    head: tuple[int, str],
    stream_version: Callable[[str], int],
    now: datetime,
    new_id: NewId,
    salt: NewSalt = new_salt,
) -> list[Row]:
    """Return the rows for `batch` after `head`, the last position and its hash.

    Raises:
        VersionConflict: a stream is not at its expected version.
    """
    position, previous = head
    versions: dict[str, int] = {}
    rows: list[Row] = []
    for append in batch:
        found = versions.setdefault(append.stream, stream_version(append.stream))
        expected = found if append.expected == "any" else append.expected
        if expected != found:
            raise VersionConflict(append.stream, expected, found)
        for index, event in enumerate(append.events):
            position += 1
            versions[append.stream] += 1
            row = encode(
                event,
                position=position,
                stream=append.stream,
                version=versions[append.stream],
                event_id=append.event_ids[index] if append.event_ids else new_id(),
                occurred_at=now,
                correlation_id=append.correlation_id,
                causation_id=_cause(append, index),
                previous=previous,
                salt=salt(),
            )
            previous = row.hash
            rows.append(row)
    return rows


def _cause(append: Append, index: int) -> str | None:
    if append.causation_id is None or isinstance(append.causation_id, str):
        return append.causation_id
    return append.causation_id[index]
