"""The installed toolsets with their files, tools, render configs and declared MCP servers.

A register holds the position of the last install event, and everything else is read from that event. A toggle counts
only if it is later than the install, so that a reinstalled toolset starts in its initial state.
"""

from events.projections.fields import column, const, field, stream_key
from events.projections.registers import Column, Last, Table, View

__all__ = [
    "RENDER_STATE",
    "TOOLS",
    "TOOLSETS",
    "TOOLSET_FILES",
    "TOOLSET_MCP_SERVERS",
    "TOOLSET_STATE",
    "TOOL_RENDER_CONFIGS",
    "TOOL_STATE",
]

TOOLSET_STATE = Table(
    "toolset_state",
    "toolset_id",
    "VARCHAR",
    stream_key,
    {
        "installed_position": Column("BIGINT", Last({"ToolsetInstalled": column("position")})),
        "installed_at": Column(
            "TIMESTAMP",
            Last({"ToolsetInstalled": column("occurred_at"), "ToolsetUpgraded": column("occurred_at")}),
        ),
        "content_position": Column(
            "BIGINT",
            Last(
                {
                    "ToolsetInstalled": column("position"),
                    "ToolsetUpgraded": column("position"),
                    "BuiltinToolsRegistered": column("position"),
                }
            ),
        ),
        "enabled": Column(
            "BOOLEAN",
            Last(
                {
                    "ToolsetInstalled": field("enabled", "BOOLEAN"),
                    "ToolsetEnabled": const(True),
                    "ToolsetDisabled": const(False),
                }
            ),
        ),
        "configured_position": Column("BIGINT", Last({"ToolsetConfigured": column("position")})),
        "allowed_position": Column("BIGINT", Last({"ToolsetVariablesAllowed": column("position")})),
        "uninstalled_position": Column("BIGINT", Last({"ToolsetUninstalled": column("position")})),
    },
    streams="toolset-",
)

TOOL_STATE = Table(
    "tool_state",
    "toolset_tool",
    "VARCHAR",
    stream_key.with_suffix("tool"),
    {
        "enabled": Column("BOOLEAN", Last({"ToolEnabled": const(True), "ToolDisabled": const(False)})),
        "position": Column(
            "BIGINT", Last({"ToolEnabled": column("position"), "ToolDisabled": column("position")})
        ),
    },
    streams="toolset-",
)

RENDER_STATE = Table(
    "render_state",
    "toolset_tool",
    "VARCHAR",
    stream_key.with_suffix("tool"),
    {
        "position": Column("BIGINT", Last({"RenderConfigSet": column("position")})),
        "renderer": Column("VARCHAR", Last({"RenderConfigSet": field("renderer")})),
    },
    streams="toolset-",
)

TOOLSETS = View(
    "toolsets",
    """
    SELECT t.toolset_id AS id, e.payload->>'$.name' AS name, e.payload->>'$.version' AS version,
           e.payload->>'$.description' AS description, t.enabled, t.installed_at,
           e.payload->>'$.source_type' AS source_type, e.payload->>'$.source_ref' AS source_ref,
           e.payload->>'$.manifest_version' AS manifest_version, e.payload->>'$.content_hash' AS content_hash,
           e.payload->'$.manifest' AS manifest, e.payload->'$.skill' AS skill, c.payload->'$.values' AS configuration,
           c.payload->'$.secret_names' AS secret_names, a.payload->'$.variables' AS allowed_variables,
           a.payload->>'$.source' AS allowed_source, t.installed_position, t.content_position
    FROM toolset_state t
    JOIN event_log e ON e.position = t.content_position
    LEFT JOIN event_log c ON c.position = t.configured_position AND t.configured_position > t.installed_position
    LEFT JOIN event_log a ON a.position = t.allowed_position AND t.allowed_position > t.installed_position
    WHERE t.installed_position > coalesce(t.uninstalled_position, 0)
    """,
    "id",
)
"""The installed toolsets, with their manifest and the user's configuration."""

TOOLSET_FILES = View(
    "toolset_files",
    """
    SELECT t.toolset_id, f.value->>'$.path' AS path, f.value->>'$.kind' AS kind, f.value->>'$.sha256' AS sha256,
           CAST(f.value->>'$.size' AS BIGINT) AS size, f.value->>'$.stored_path' AS stored_path
    FROM toolset_state t JOIN event_log e ON e.position = t.content_position, json_each(e.payload->'$.files') f
    WHERE t.installed_position > coalesce(t.uninstalled_position, 0)
    """,
    "toolset_id, path",
)
"""The files in the bundles of the installed toolsets."""

_OFFERED = """
      SELECT nullif(t.toolset_id, 'builtin') AS toolset_id, t.toolset_id AS home,
             coalesce(t.installed_position, 0) AS installed_position, tool.value AS tool,
             tool.value->>'$.id' AS tool_name, CAST(tool.key AS BIGINT) AS place
      FROM toolset_state t JOIN event_log e ON e.position = t.content_position,
           json_each(
             CASE t.toolset_id WHEN 'builtin' THEN e.payload->'$.tools' ELSE e.payload->'$.manifest.tools' END
           ) tool
      WHERE t.toolset_id = 'builtin' OR t.installed_position > coalesce(t.uninstalled_position, 0)
"""
"""Every built-in tool and every tool of an installed toolset. It does not use `toolsets`, whose other columns take
twice as long.
"""

TOOLS = View(
    "tools",
    f"""
    WITH offered AS ({_OFFERED})
    SELECT concat(n.toolset_id || ':', n.tool_name) AS tool_id, n.toolset_id, n.tool_name,
           n.tool->>'$.name' AS name, n.tool->>'$.description' AS description, n.tool->>'$.category' AS category,
           n.tool->'$.input_schema' AS input_schema,
           n.tool->>'$.requires_confirmation' <> 'false' AS requires_confirmation,
           CASE WHEN s.position > n.installed_position THEN s.enabled ELSE true END AS enabled,
           n.tool->>'$.entrypoint' AS entrypoint, n.tool->>'$.effects' AS effects,
           CAST(n.tool->>'$.timeout' AS DOUBLE) AS timeout, n.tool->>'$.command' AS command,
           n.tool->>'$.command_argument' AS command_argument, n.place
    FROM offered n LEFT JOIN tool_state s ON s.toolset_tool = concat(n.home, ':', n.tool_name)
    """,
    "tool_id",
)
"""The built-in tools and the tools of installed toolsets. `enabled` is false for tools that are switched off."""

TOOL_RENDER_CONFIGS = View(
    "tool_render_configs",
    f"""
    WITH offered AS ({_OFFERED}), shown AS (
      SELECT concat(toolset_id || ':', tool_name) AS tool_id, home, tool_name, installed_position,
             tool->'$.renderer' AS renderer
      FROM offered
    )
    SELECT tool_id, renderer->>'$.type' AS renderer, renderer->'$.config' AS config,
           CASE home WHEN 'builtin' THEN 0 ELSE least(coalesce(CAST(renderer->>'$.priority' AS BIGINT), 0), 99)
           END AS priority
    FROM shown WHERE renderer->>'$.type' IS NOT NULL
    UNION ALL
    SELECT s.tool_id, r.renderer, e.payload->'$.config', 100
    FROM shown s
    JOIN render_state r ON r.toolset_tool = concat(s.home, ':', s.tool_name)
    JOIN event_log e ON e.position = r.position
    WHERE r.renderer IS NOT NULL AND r.position > s.installed_position
    UNION ALL
    SELECT 'mcp:' || r.server_tool, r.renderer, e.payload->'$.config', 100
    FROM mcp_render_state r
    JOIN mcp_server_state m ON m.server_id = split_part(r.server_tool, ':', 1)
    JOIN event_log e ON e.position = r.position
    WHERE r.renderer IS NOT NULL AND m.registered_position > coalesce(m.removed_position, 0)
      AND r.position > coalesce(m.removed_position, 0)
    """,
    "tool_id, priority, renderer",
)
"""The renderers for each tool's results: the toolset's own, and the user's choice, which has priority 100."""

TOOLSET_MCP_SERVERS = View(
    "toolset_mcp_servers",
    """
    SELECT t.id AS toolset_id, s.value->>'$.id' AS server_id, s.value AS config,
           coalesce(CAST(s.value->>'$.auto_enabled' AS BOOLEAN), false) AS auto_enabled
    FROM toolsets t, json_each(t.manifest->'$.mcp_servers') s
    """,
    "toolset_id, server_id",
)
"""The MCP servers that the installed toolsets declare."""
