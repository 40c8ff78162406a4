"""Removes the part of a result that says when a source was read. It always differs, so comparisons ignore it."""

from events.json_value import JSON

__all__ = ["without_reading"]

_EACH_TIME = frozenset({"snapshot", "read_at", "seconds"})
_KNOWN = frozenset({"name", "driver", "server", "tables", "sql"}) | _EACH_TIME
"""The facts about a source that `anabranch_tool.source_query` reports."""


def without_reading(result: JSON) -> JSON:
    """Return a result without the facts that change each time a source is read: when it was read, how long that took,
    and the snapshot.
    """
    source = result.get("source") if isinstance(result, dict) else None
    if not isinstance(result, dict) or not isinstance(source, dict) or source.keys() != _KNOWN:
        return result
    return {**result, "source": {key: value for key, value in source.items() if key not in _EACH_TIME}}
