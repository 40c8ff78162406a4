"""The inputs from which the parts of an app are built."""

from collections.abc import Callable, Mapping
from pathlib import Path

from engine.chats.definitions import DefinitionBook
from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.providers import Providers
from engine.command_handlers.settings import SettingCommands
from engine.command_handlers.toolsets import ToolsetCommands
from engine.config import Bounds
from engine.rendering.charts.renderer import ChartRenderer
from engine.runtime.pool import OnProgress, Pool
from engine.tools.call_execution import CallExecution
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.call_results import CallResults
from engine.tools.call_runner import Calls
from engine.tools.mcp.servers import McpServers
from engine.tools.sources.sources import Sources
from engine.tools.table_comparison import TableComparisons
from engine.tools.tables import Tables
from engine.tools.toolbox import ReadModels, Toolbox
from engine.views.numbers import AnswerNumbers
from events.identity import Clock, NewId
from events.late_dataclass import dataclass
from events.log import EventLog
from events.read_store import ReadStore

__all__ = ["PRELOAD", "CallParts", "Foundation"]

PRELOAD = (
    "anabranch_tool.tables",
    "anabranch_tool.results",
    "anabranch_tool.compare_tables",
    "anabranch_tool.opened_ahead",
)
"""Modules that a tool host imports before it forks."""


@dataclass(frozen=True, slots=True)
class Foundation:
    """The parts that turns and command handlers use."""

    data: Path
    bounds: Bounds
    clock: Clock
    new_id: NewId
    log: EventLog
    """The log as the engine writes it: with secrets removed."""
    reads: ReadStore
    read: ReadModels
    numbers: AnswerNumbers
    chats: Chats
    workspaces: Workspaces
    definitions: DefinitionBook
    signals: Signals
    settings: SettingCommands
    providers: Providers
    toolbox: Toolbox
    toolsets: ToolsetCommands
    mcp: McpServers
    pool: Pool
    tables: Tables
    sources: Sources
    charts: ChartRenderer
    comparisons: TableComparisons
    default_selection: Callable[[], Mapping[str, list[str]]]


@dataclass(frozen=True, slots=True)
class CallParts:
    """The parts that run calls and make their results."""

    calls: Calls
    execution: Callable[[Callable[[Branch, PlannedCall], OnProgress]], CallExecution]
    """Returns a call execution that reports its progress to the given function."""
    results: CallResults
