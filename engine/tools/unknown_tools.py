"""Makes the error for an unknown tool id. It suggests full ids if the id is a tool's short name."""

from collections.abc import Iterable

from engine.errors import NotFound

__all__ = ["tool_not_found"]


def tool_not_found(tool_id: str, known: Iterable[str], way_on: str) -> NotFound:
    """Return the error. `known` contains the ids of all tools. The hint `way_on` is added if no tool has the short
    name.
    """
    full = [one for one in known if one.rpartition(":")[2] == tool_id.rpartition(":")[2]]
    told = f"Did you mean {' or '.join(full)}?" if full else way_on
    return NotFound("tool_not_found", f"There is no tool {tool_id}. {told}")
