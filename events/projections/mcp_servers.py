"""The known MCP servers."""

from events.projections.fields import column, const, field, stream_key
from events.projections.registers import Column, Last, Table, View

__all__ = ["MCP_RENDER_STATE", "MCP_SERVERS", "MCP_SERVER_STATE"]

MCP_SERVER_STATE = Table(
    "mcp_server_state",
    "server_id",
    "VARCHAR",
    stream_key,
    {
        "registered_position": Column("BIGINT", Last({"McpServerRegistered": column("position")})),
        "enabled": Column(
            "BOOLEAN",
            Last(
                {
                    "McpServerRegistered": field("enabled", "BOOLEAN"),
                    "McpServerEnabled": const(True),
                    "McpServerDisabled": const(False),
                }
            ),
        ),
        "trusted": Column(
            "BOOLEAN",
            Last(
                {
                    "McpServerRegistered": field("trusted", "BOOLEAN"),
                    "McpServerTrustSet": field("trusted", "BOOLEAN"),
                }
            ),
        ),
        "trust_position": Column(
            "BIGINT",
            Last({"McpServerRegistered": column("position"), "McpServerTrustSet": column("position")}),
        ),
        "removed_position": Column("BIGINT", Last({"McpServerRemoved": column("position")})),
    },
    streams="mcp-",
)

MCP_RENDER_STATE = Table(
    "mcp_render_state",
    "server_tool",
    "VARCHAR",
    stream_key.with_suffix("tool"),
    {
        "position": Column("BIGINT", Last({"RenderConfigSet": column("position")})),
        "renderer": Column("VARCHAR", Last({"RenderConfigSet": field("renderer")})),
    },
    streams="mcp-",
)

MCP_SERVERS = View(
    "mcp_servers",
    """
    SELECT s.server_id AS id, e.payload->'$.config' AS config, e.payload->'$.toolset_ids' AS toolset_ids, s.enabled,
           coalesce(s.trusted, false) AS trusted,
           coalesce(t.payload->'$.trusted_tools', t.payload->'$.tools') AS trusted_tools,
           coalesce(CAST(e.payload->>'$.by_user' AS BOOLEAN), false) AS by_user
    FROM mcp_server_state s JOIN event_log e ON e.position = s.registered_position
    JOIN event_log t ON t.position = s.trust_position
    WHERE s.registered_position > coalesce(s.removed_position, 0)
    """,
    "id",
)
"""The known MCP servers, from toolsets and from the user's settings."""
