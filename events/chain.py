"""The hash chain: which parts of an event are hashed, in Python and in SQL.

Each row names its hash format, and no row is ever rewritten:

    format 1   SHA-256 over the previous hash and the values of all fields, one per line, with an empty line for a
               field without a value; the payload comes last
    format 2   SHA-256 over `name:value` for the previous hash and every field that has a value, one per line; in place
               of the payload, SHA-256(salt ‖ payload), so that a payload can be removed and the chain still holds; a
               new field or id changes no older hash

Only the payload can contain a line break, so no two rows give the same text.
"""

import secrets
from collections.abc import Callable
from hashlib import sha256
from operator import attrgetter
from typing import TypeAlias

from events.stored_row import FORMAT, GENESIS, ID_COLUMNS, Row

__all__ = [
    "BODY",
    "OWN_TEXT",
    "PREVIOUS",
    "SALT_BYTES",
    "WHOLE_TEXT",
    "NewSalt",
    "chained",
    "holds",
    "new_salt",
]

NewSalt: TypeAlias = Callable[[], bytes]

SALT_BYTES = 16
PREVIOUS = "previous:"
"""The label of the previous event's hash, which comes first in the text that format 2 hashes."""

_LABELS = (
    "position",
    "stream",
    "version",
    "event_id",
    "type",
    "schema_version",
    "occurred_at",
    "correlation_id",
    "causation_id",
)
_labelled = attrgetter(*_LABELS)
"""Returns the values of the fields of a row that `_LABELS` names."""


def new_salt() -> bytes:
    """Return a salt. Without it, a removed payload could be guessed by trying candidates."""
    return secrets.token_bytes(SALT_BYTES)


def chained(previous: str, row: Row) -> Row:
    """Return `row` with its hashes, as the successor of the event with the hash `previous`."""
    payload_hash = _payload_hash(row) if row.format >= FORMAT else row.payload_hash
    hashed = _chain_hash(previous, row, payload_hash)
    return Row(*(*_labelled(row), row.ids, row.payload, hashed, row.format, row.salt, payload_hash))


def holds(previous: str, row: Row) -> bool:
    """Return whether the row's hashes match its content and the previous hash."""
    try:
        return row.format <= FORMAT and chained(previous, row) == row
    except ValueError:
        return False


def _payload_hash(row: Row) -> str:
    return sha256(bytes.fromhex(row.salt or "") + row.payload.encode()).hexdigest()


def _chain_hash(previous: str, row: Row, payload_hash: str | None) -> str:
    values = (*_labelled(row), *row.ids)
    if row.format == 1:
        lines = [previous, *("" if value is None else str(value) for value in values), row.payload]
    else:
        named = zip((*_LABELS, *ID_COLUMNS), values, strict=True)
        lines = [f"{PREVIOUS}{previous}", f"format:{row.format}"]
        lines += [f"{name}:{value}" for name, value in named if value is not None]
        lines.append(f"payload:{payload_hash}")
    return sha256("\n".join(lines).encode()).hexdigest()


def _in_sql() -> tuple[str, str]:
    """Return the texts that both formats hash after the previous hash, in SQL over an event `e`. `concat_ws` leaves out
    NULL values.
    """
    columns = {name: f"CAST(e.{name} AS VARCHAR)" for name in (*_LABELS, *ID_COLUMNS)}
    columns["occurred_at"] = "CAST(epoch_us(e.occurred_at) AS VARCHAR)"
    first = ", ".join(f"coalesce({value}, '')" for value in (*columns.values(), "CAST(e.payload AS VARCHAR)"))
    second = ", ".join(f"'{name}:' || {value}" for name, value in columns.items())
    return (
        f"concat_ws(chr(10), '', {first})",
        f"concat_ws(chr(10), '', 'format:' || e.format, {second}, 'payload:' || lower(hex(e.payload_hash)))",
    )


_FIRST, _SECOND = _in_sql()

OWN_TEXT = f"CASE WHEN e.format = 1 THEN {_FIRST} ELSE {_SECOND} END"
"""The text that is hashed after the previous hash, in SQL over an event `e`."""

WHOLE_TEXT = (
    f"concat(CASE WHEN e.format = 1 THEN '' ELSE '{PREVIOUS}' END, "
    f"coalesce(lower(hex(p.hash)), '{GENESIS}'), {OWN_TEXT})"
)
"""The whole hashed text, in SQL over an event `e` and its predecessor `p`."""

BODY = "CASE WHEN e.format = 1 THEN ''::BLOB ELSE e.salt || encode(CAST(e.payload AS VARCHAR)) END"
"""The input of the payload hash, in SQL over an event `e`."""
