"""Documents for other programs, with the same names and fields over HTTP and with `--json`."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # pydantic is not loaded for commands that a running app answers
    from events.event import Recorded

__all__ = ["as_json", "document", "documents", "event_document", "toolset_document"]

_HIDDEN = {
    "manifest",
    "installed_position",
    "content_position",
    "secret_names",
    "configuration",
    "allowed_variables",
    "allowed_source",
}


def as_json(value: Any) -> Any:
    """Return `value` as JSON values: times in ISO 8601 UTC, dataclasses as objects."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if is_dataclass(value) and not isinstance(value, type):
        return as_json(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(inner) for inner in value]
    return value


def document(value: Any) -> dict[str, Any]:
    """Return a mapping or a dataclass as a JSON object."""
    made: dict[str, Any] = as_json(value)
    return made


def documents(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return mappings or dataclasses as JSON objects."""
    return [document(value) for value in values]


def event_document(recorded: "Recorded") -> dict[str, Any]:
    """Return an event as a document."""
    return {
        "position": recorded.position,
        "stream": recorded.stream,
        "version": recorded.version,
        "event_id": recorded.event_id,
        "type": recorded.event.type,
        "occurred_at": recorded.occurred_at,
        "correlation_id": recorded.correlation_id,
        "causation_id": recorded.causation_id,
        "payload": recorded.event.payload(),
        "hash": recorded.hash,
    }


def toolset_document(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an installed toolset as a document."""
    return {key: value for key, value in row.items() if key not in _HIDDEN}
