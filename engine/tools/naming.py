"""Names of tools in requests (TRN-4): at most 64 characters of `[a-zA-Z0-9_-]`. Each request has a map from these names
back to tools.
"""

import re
from collections.abc import Iterable
from hashlib import sha256

from engine.tools.tool import Tool

__all__ = ["wire_name", "wire_names"]

_LONGEST = 64


def wire_name(tool: Tool) -> str:
    """Return `toolset__{toolset_id}__{tool}` or `mcp__{server}__{tool}`. Built-in tools have no prefix; names that are
    too long end with a short hash.
    """
    if tool.server is not None:
        full = f"mcp__{tool.server}__{tool.name}"
    else:
        full = f"toolset__{tool.toolset_id}__{tool.name}" if tool.toolset_id else tool.name
    clean = re.sub(r"[^a-zA-Z0-9_-]", "_", full)
    if len(clean) <= _LONGEST and clean == full:
        return clean
    mark = sha256(tool.tool_id.encode()).hexdigest()[:8]
    return f"{clean[: _LONGEST - 9]}_{mark}"


def wire_names(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return wire name → tool, in the order of `tools`."""
    return {wire_name(tool): tool for tool in tools}
