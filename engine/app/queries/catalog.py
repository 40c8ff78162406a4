"""All queries. `answer` answers a query, in the engine's own process or over HTTP.

Documents have the shapes in docs/api.md, with times in ISO 8601. The API describes queries, like commands, by their
fields and docstrings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from engine.app.queries.chats import FindCall, GetCall, GetChat, ListChats
from engine.app.queries.explanations import ExplainCall, ExplainFile, ExplainNumber, ExportRows, FindRows
from engine.app.queries.locations import BrowseFolder, ListLocations
from engine.app.queries.reports import Document, LogState, SheetShown, SignedLog, TurnReport
from engine.app.queries.shaping import FindJoins, PreviewCall, PreviewShape
from engine.app.queries.sources import ListDrivers, ListSources, ListSourceTables
from engine.commands.base import Query
from engine.commands.carried import BundleSource
from engine.commands.values import TurnStart, Upload
from events.late_dataclass import dataclass

__all__ = [
    "BrowseFolder",
    "CheckContents",
    "CompareSides",
    "CountEvents",
    "Document",
    "ExamineFolder",
    "ExplainCall",
    "ExplainFile",
    "ExplainNumber",
    "ExportChat",
    "ExportKind",
    "ExportLog",
    "ExportRows",
    "ExportToolset",
    "FindCall",
    "FindJoins",
    "FindRows",
    "FollowQueued",
    "FollowTurn",
    "GetCall",
    "GetChat",
    "GetLogState",
    "GetRendering",
    "GetReplay",
    "GetRerun",
    "GetState",
    "ListChats",
    "ListDefinitions",
    "ListDrivers",
    "ListKeys",
    "ListLocations",
    "ListMoments",
    "ListServers",
    "ListSourceTables",
    "ListSources",
    "ListStandingQuestions",
    "ListToolsets",
    "LogState",
    "PreviewCall",
    "PreviewRerun",
    "PreviewShape",
    "PreviewToolset",
    "RequireTool",
    "SheetShown",
    "SignLog",
    "SignedLog",
    "TailLog",
    "TurnReport",
    "VerifyLog",
]

ExportKind: TypeAlias = Literal["html", "md", "notebook", "sql"]


@dataclass(frozen=True, slots=True)
class ExportChat(Query[bytes]):
    """Get a chat, a branch or some answers in a form that can be read or run without Anabranch.

    `html` is one page with tables, charts, SQL and sources. It fetches nothing and verifies its own parts. `md` has the
    same content as Markdown. `notebook` and `sql` give a ZIP of a notebook or an SQL script with its data.
    """

    chat_id: str
    kind: ExportKind
    """The form of the export."""
    answers: Sequence[str] = ()
    """The ids of the answers to export, with their questions; empty: all answers of the branch."""
    message_id: str | None = None
    """The last message of the branch; None: the chat's current message."""
    report: str | None = None
    """A report file of the chat: export the report that it describes instead, as `html` or `md`."""
    name: str = "analysis"
    """The file name of the notebook or script, without its ending."""


@dataclass(frozen=True, slots=True)
class CompareSides(Query[Document]):
    """Compare two branches, moments or chats. Lists the numbers, table rows, SQL, files and calls that differ."""

    a: str
    """CHAT, CHAT@now, CHAT@MESSAGE_ID, CHAT@POSITION or CHAT@MOMENT (the name of a moment)."""
    b: str


@dataclass(frozen=True, slots=True)
class GetReplay(Query[Document]):
    """Get the results of a re-run of recorded calls."""

    chat_id: str
    replay_id: str


@dataclass(frozen=True, slots=True)
class GetRerun(Query[Document]):
    """Get the outcome of a re-run of a branch with a change."""

    chat_id: str
    rerun_id: str


@dataclass(frozen=True, slots=True)
class PreviewRerun(Query[list[Document]]):
    """Compare the columns of new files with the columns of the files that they would replace. Nothing is run."""

    chat_id: str
    files: Sequence[Upload]
    message_id: str | None = None
    """The last message of the branch; None: the chat's current message."""
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Columns that are already matched: file → column that the calls use → column of the new file."""


@dataclass(frozen=True, slots=True)
class FollowTurn(Query[TurnReport]):
    """Wait until a turn has ended, and return its outcome."""

    chat_id: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class FollowQueued(Query[TurnStart]):
    """Wait until a queued question is asked. Returns its turn, or the error if the question was refused."""

    chat_id: str
    queued_id: str


@dataclass(frozen=True, slots=True)
class ListDefinitions(Query[list[Document]]):
    """List the definitions for all chats, or the definitions that apply in one chat."""

    chat_id: str | None = None


@dataclass(frozen=True, slots=True)
class ListMoments(Query[list[Document]]):
    """List the named moments of a chat, in the order in which they were named."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class ListStandingQuestions(Query[list[Document]]):
    """List the pinned answers with their values, changes and last checks, the most urgent first."""


@dataclass(frozen=True, slots=True)
class ListToolsets(Query[list[Document]]):
    """List the installed toolsets with their tools and availability."""


@dataclass(frozen=True, slots=True)
class PreviewToolset(Query[SheetShown]):
    """Show the consent sheet that the user would have to accept to install a bundle. Nothing is installed."""

    source: BundleSource
    """The bundle's ZIP, or the path of a ZIP or folder on the app's machine."""
    source_ref: str | None = None


@dataclass(frozen=True, slots=True)
class ListKeys(Query[list[Document]]):
    """List the keys of an installed toolset with the source of each value, but never a secret's value."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class ExportToolset(Query[bytes]):
    """Get a toolset as a ZIP that can be installed elsewhere."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class RequireTool(Query[None]):
    """Check that a tool can run now. Refused if it cannot."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class GetRendering(Query[Document]):
    """Get how a tool's results are shown: `renderer`, `config` and `chosen_by_user`."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class ListServers(Query[list[Document]]):
    """List the MCP servers with their tools. Servers that may run are started first, which takes at most half a
    minute."""


@dataclass(frozen=True, slots=True)
class VerifyLog(Query[Document]):
    """Recompute the hash chain and report the first event that was changed after it was written.

    If the log is intact, a damaged second copy is rewritten. `notices` lists other findings.
    """

    against: str | None = None
    """An older checkpoint to compare the log with."""
    other_key: bool = False
    """Whether the checkpoint was signed on another machine. Its signature is then not checked."""
    read_events: bool = False
    """Also read every event, and list the events that this release cannot read."""


@dataclass(frozen=True, slots=True)
class CountEvents(Query[Document]):
    """Count events by type and by stream, the most frequent first."""


@dataclass(frozen=True, slots=True)
class TailLog(Query[list[Document]]):
    """List the last events."""

    count: int
    """The number of events to list."""


@dataclass(frozen=True, slots=True)
class ExportLog(Query[Path]):
    """Write the whole log as Parquet. Returns a temporary file, which the caller must remove."""


@dataclass(frozen=True, slots=True)
class SignLog(Query[SignedLog]):
    """Sign the log's state with this installation's key. Returns the checkpoint."""


@dataclass(frozen=True, slots=True)
class GetLogState(Query[LogState]):
    """Get whether the log accepts events, and its last position."""


@dataclass(frozen=True, slots=True)
class GetState(Query[Mapping[str, Any]]):
    """Get every read model at a position of the log."""

    position: int
    chat_id: str | None = None
    """The chat to show; None: all chats."""


@dataclass(frozen=True, slots=True)
class CheckContents(Query[Document]):
    """Check that all contents that events refer to, and all stored toolset files, still have their recorded hashes."""


@dataclass(frozen=True, slots=True)
class ExamineFolder(Query[list[Document]]):
    """Check the open data folder, the log, the tool processes, and which protections this system can enforce."""
