"""All event types.

Every event class in a module of the catalog is registered automatically. Add a new module to `CATALOG`.
"""

from collections.abc import Iterator, Mapping
from types import ModuleType

from events.catalog import (
    answer,
    card,
    chat,
    definition,
    location,
    log,
    mcp,
    moment,
    question,
    replay,
    settings,
    source,
    standing,
    tool_call,
    toolset,
    turn,
    workspace,
)
from events.event import Event

__all__ = ["CATALOG", "EVENT_TYPES"]

CATALOG: Mapping[str, ModuleType] = {
    "Chats": chat,
    "Turns": turn,
    "Waiting questions": question,
    "Tool calls": tool_call,
    "Files": workspace,
    "Moments": moment,
    "Re-runs": replay,
    "Answers": answer,
    "Cards": card,
    "Standing questions": standing,
    "Definitions": definition,
    "Files by reference": location,
    "Sources": source,
    "Toolsets": toolset,
    "MCP servers": mcp,
    "Settings": settings,
    "The log itself": log,
}
"""Heading in docs/events.md → the module with the events below it. Each module is about a kind of stream, or a part
of it.
"""


def _events_of(module: ModuleType) -> Iterator[type[Event]]:
    for name, found in vars(module).items():
        own = isinstance(found, type) and found.__module__ == module.__name__
        if own and issubclass(found, Event) and not name.startswith("_"):
            yield found


EVENT_TYPES: Mapping[str, type[Event]] = {
    event.model_fields["type"].default: event for module in CATALOG.values() for event in _events_of(module)
}
"""Stored name → class."""
