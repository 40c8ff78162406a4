"""Every fact there is, as one tagged union."""

from typing import Annotated, get_args

from pydantic import Field, TypeAdapter

from events.catalog.chat import (
    ChatCreated,
    ChatDeleted,
    ChatForked,
    ChatRenamed,
    ChatRestored,
    ConfirmationRuleSet,
    DepthSelected,
    LeafSelected,
    MessageAdded,
    ModelSelected,
    QuestionQueued,
    QuestionRefused,
    QuestionUnqueued,
    SendRuleSet,
    ToolsAdded,
    ToolsSelected,
)
from events.catalog.definition import DefinitionForgotten, DefinitionSet
from events.catalog.log import LogAccepted
from events.catalog.mcp import (
    McpServerDisabled,
    McpServerEnabled,
    McpServerRegistered,
    McpServerRemoved,
    McpServerTrustSet,
)
from events.catalog.settings import SettingChanged
from events.catalog.toolset import (
    BuiltinToolsRegistered,
    RenderConfigSet,
    ToolDisabled,
    ToolEnabled,
    ToolsetConfigured,
    ToolsetDisabled,
    ToolsetEnabled,
    ToolsetInstalled,
    ToolsetUninstalled,
    ToolsetUpgraded,
    ToolsetVariablesAllowed,
)
from events.catalog.turn import (
    ContextCompacted,
    StepStarted,
    ToolCallApproved,
    ToolCallDenied,
    ToolCallFinished,
    ToolCallRequested,
    ToolCallStarted,
    ToolsPicked,
    TurnFinished,
    TurnResumed,
    TurnStarted,
)
from events.catalog.workspace import ContentsRemoved, ManifestRecorded
from events.event import Event

__all__ = ["EVENT_TYPES", "AnyEvent", "any_event"]

AnyEvent = Annotated[
    ChatCreated
    | ChatRenamed
    | ChatForked
    | ChatDeleted
    | ChatRestored
    | ToolsSelected
    | ToolsAdded
    | ModelSelected
    | DepthSelected
    | ConfirmationRuleSet
    | LeafSelected
    | QuestionQueued
    | QuestionRefused
    | QuestionUnqueued
    | SendRuleSet
    | MessageAdded
    | TurnStarted
    | TurnResumed
    | StepStarted
    | ContextCompacted
    | TurnFinished
    | ToolCallRequested
    | ToolCallApproved
    | ToolCallDenied
    | ToolCallStarted
    | ToolCallFinished
    | ToolsPicked
    | ManifestRecorded
    | ContentsRemoved
    | ToolsetInstalled
    | ToolsetUpgraded
    | ToolsetEnabled
    | ToolsetDisabled
    | ToolsetConfigured
    | ToolsetUninstalled
    | ToolsetVariablesAllowed
    | ToolEnabled
    | ToolDisabled
    | RenderConfigSet
    | BuiltinToolsRegistered
    | McpServerRegistered
    | McpServerEnabled
    | McpServerDisabled
    | McpServerRemoved
    | McpServerTrustSet
    | DefinitionSet
    | DefinitionForgotten
    | SettingChanged
    | LogAccepted,
    Field(discriminator="type"),
]

any_event: TypeAdapter[Event] = TypeAdapter(AnyEvent)

EVENT_TYPES: dict[str, type[Event]] = {
    event.model_fields["type"].default: event for event in get_args(get_args(AnyEvent)[0])
}
"""Stored name → class."""
