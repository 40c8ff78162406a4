"""All read models, ordered so that each depends only on earlier ones."""

from events.projections.answers import NUMBER_REVIEWS, VOUCHED_NUMBERS
from events.projections.cards import RESULTS_PUT_ASIDE, TABLE_VIEWS
from events.projections.chats import CHAT_STATE, CHATS
from events.projections.definitions import (
    DEFINITION_STATE,
    DEFINITION_VERSIONS,
    DEFINITIONS,
    STEP_DEFINITIONS,
)
from events.projections.locations import ALLOWED_LOCATIONS, LOCATION_STATE, PARTS_HASHED
from events.projections.manifests import MANIFEST_FILES, WORKSPACE_MANIFESTS
from events.projections.mcp_servers import MCP_RENDER_STATE, MCP_SERVER_STATE, MCP_SERVERS
from events.projections.messages import MESSAGES
from events.projections.moments import MOMENT_STATE, MOMENTS
from events.projections.registers import Table, View
from events.projections.replays import REPLAYS, RERUN_STARTS, RERUNS
from events.projections.settings import SETTING_STATE, SETTINGS
from events.projections.sources import SOURCE_STATE, SOURCES
from events.projections.standing import PIN_STATE, STANDING_CHECKS, STANDING_QUESTIONS
from events.projections.steps import COMPACTIONS, CURRENT_EVENTS, DATA_PARTS, STEPS
from events.projections.tool_calls import CALL_STATE, TOOL_CALLS
from events.projections.toolsets import (
    RENDER_STATE,
    TOOL_RENDER_CONFIGS,
    TOOL_STATE,
    TOOLS,
    TOOLSET_FILES,
    TOOLSET_MCP_SERVERS,
    TOOLSET_STATE,
    TOOLSETS,
)
from events.projections.turns import TURN_STATE, TURNS

__all__ = ["TABLES", "VIEWS"]

TABLES: tuple[Table, ...] = (
    CHAT_STATE,
    TURN_STATE,
    CALL_STATE,
    TOOLSET_STATE,
    TOOL_STATE,
    RENDER_STATE,
    MCP_SERVER_STATE,
    MCP_RENDER_STATE,
    SETTING_STATE,
    DEFINITION_STATE,
    MOMENT_STATE,
    PIN_STATE,
    LOCATION_STATE,
    SOURCE_STATE,
)

VIEWS: tuple[View, ...] = (
    CURRENT_EVENTS,
    CHATS,
    MESSAGES,
    TURNS,
    STEPS,
    COMPACTIONS,
    TOOL_CALLS,
    VOUCHED_NUMBERS,
    NUMBER_REVIEWS,
    TABLE_VIEWS,
    RESULTS_PUT_ASIDE,
    REPLAYS,
    RERUNS,
    RERUN_STARTS,
    WORKSPACE_MANIFESTS,
    MANIFEST_FILES,
    TOOLSETS,
    TOOLSET_FILES,
    TOOLS,
    TOOL_RENDER_CONFIGS,
    TOOLSET_MCP_SERVERS,
    MCP_SERVERS,
    SETTINGS,
    DEFINITIONS,
    DEFINITION_VERSIONS,
    STEP_DEFINITIONS,
    DATA_PARTS,
    MOMENTS,
    STANDING_QUESTIONS,
    STANDING_CHECKS,
    ALLOWED_LOCATIONS,
    PARTS_HASHED,
    SOURCES,
)
