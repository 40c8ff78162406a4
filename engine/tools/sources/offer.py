"""Adds sources to tools and to the model's briefing. Without sources, nothing changes."""

from collections.abc import Mapping
from dataclasses import replace

from engine.deciders.sources import Source
from engine.tools.tool import Tool
from engine.toolsets.source import SHIPPED_SOURCE
from events.json_value import JSON, JSONObject

__all__ = ["DESCRIBE", "QUERY", "reads_sources", "source_asked", "source_named", "with_sources"]

QUERY = "data-analyst:query"
DESCRIBE = "data-analyst:describe"
_SAYS = {
    QUERY: (
        " With `source`, the SELECT runs in that database or engine instead, in its own SQL, over its tables as "
        "schema.table; the whole result comes back as a table of the workspace, to join with files in a second query."
    ),
    DESCRIBE: " With `source`, list the tables and columns of that database or engine instead.",
}
_LIKE: JSONObject = {
    "type": "string",
    "description": "With source: only tables whose name, or the name of one of whose columns, contains this text.",
}


def with_sources(tool: Tool, sources: Mapping[str, Source]) -> Tool:
    """Return the tool with a `source` argument added if there are `sources` and the tool can read them. Only two tools
    of a shipped bundle can read sources; other
    tools do not change.
    """
    if not sources or not reads_sources(tool):
        return tool
    schema = tool.input_schema
    properties = schema["properties"]
    assert isinstance(properties, dict)
    added: dict[str, JSON] = {"source": _source(sources)}
    if tool.tool_id == DESCRIBE:
        added["like"] = _LIKE
    return replace(
        tool,
        description=tool.description + _SAYS[tool.tool_id],
        input_schema={**schema, "properties": {**properties, **added}},
    )


def reads_sources(tool: Tool) -> bool:
    """Return whether a tool may get a connection to a source. Only Anabranch's own code may."""
    return tool.source == SHIPPED_SOURCE and tool.tool_id in _SAYS


def source_named(tool: Tool | None, arguments: JSON) -> str | None:
    """Return the source that a call reads; None if it reads none."""
    return source_asked(tool.tool_id, arguments) if tool is not None and reads_sources(tool) else None


def source_asked(tool_id: str, arguments: JSON) -> str | None:
    """Return the source that a recorded call read; None if it read none."""
    if tool_id not in _SAYS or not isinstance(arguments, Mapping):
        return None
    name = arguments.get("source")
    return name if isinstance(name, str) and name else None


def _source(sources: Mapping[str, Source]) -> JSONObject:
    told = ", ".join(f"{source.name} ({source.language})" for source in sources.values())
    return {
        "type": "string",
        "enum": list(sources),
        "description": f"Where to read: {told}. If omitted, the workspace.",
    }
