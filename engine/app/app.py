"""The composition root: opens a data folder and provides commands, queries and live updates.

with open_app(data) as app:
    turn = app.send(BeginChat("average body mass by species", files=[…]))
    app.wait(turn.turn_id)
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.app.maintenance.checkpoints import anchor_of
from engine.app.maintenance.content_check import ContentCheck
from engine.app.maintenance.interrupted_work import interrupt_what_ran
from engine.app.maintenance.retention import Retention
from engine.app.number_queries import NumberQueries
from engine.app.open_log import keeps_copy, open_data_log
from engine.app.opened_log import OpenLog
from engine.app.shape_queries import ShapeQueries
from engine.app.storage_errors import translate_storage_errors
from engine.app.upkeep_commands import upkeep_handlers
from engine.app.wired_exports import wired_exports
from engine.app.wired_sources import wired_sources
from engine.app.wiring import wired_calls, wired_commands, wired_turns
from engine.app.wiring_parts import PRELOAD, Foundation
from engine.chats.definitions import DefinitionBook
from engine.chats.locations import LocationBook
from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.providers import Providers
from engine.command_handlers.servers import ServerCommands
from engine.command_handlers.settings import SETTINGS, SettingCommands
from engine.command_handlers.toolsets import ToolsetCommands
from engine.commands.catalog import Command, Result
from engine.config import UNBOUNDED, Bounds, Settings, config_folder
from engine.errors import Unavailable
from engine.rendering.charts.renderer import ChartRenderer
from engine.runtime.hosts import Hosts
from engine.runtime.pool import Pool, call_limits
from engine.runtime.protocol import Confinement
from engine.secrets.scrubbed_log import ScrubbedLog
from engine.secrets.scrubber import Scrubber
from engine.secrets.vault import Vault
from engine.system.data_folder import is_read_only
from engine.system.data_folder_lock import DataFolderLock, Holder
from engine.tools.file_tables import TableReads
from engine.tools.servers import mcp_servers
from engine.tools.table_comparison import TableComparisons
from engine.tools.tables import Tables
from engine.tools.toolbox import Toolbox
from engine.views.chats import ChatReads
from engine.views.comparisons import Comparisons
from engine.views.numbers import AnswerNumbers
from engine.views.past import PastReads
from engine.views.results import ResultReads
from engine.views.workspace import WorkspaceReads
from events.event import Recorded
from events.identity import Clock, NewId, UuidV7, utc_now

__all__ = ["App", "open_app"]


class App(ShapeQueries, NumberQueries):
    """An open data folder. Thread-safe."""

    def __init__(
        self,
        data: Path,
        *,
        clock: Clock = utc_now,
        new_id: NewId | None = None,
        environ: Mapping[str, str] = os.environ,
        bounds: Bounds = UNBOUNDED,
        hosts: Hosts | None = None,
        charts: ChartRenderer | None = None,
        open_log: OpenLog = open_data_log,
        folder_lock: DataFolderLock | None = None,
    ) -> None:
        """Open `data`, end the work that a crash interrupted, and install the tools that ship with Anabranch.

        If several engines run in this process, `bounds` limits this one, and `hosts` and `charts` serve all of them.
        `open_log` opens the log; the default opens the log in the folder. `folder_lock` is a lock that is already held.

        Raises:
            Unavailable: another process is using the folder (`log_held`), or the disk reported an error (`disk`).
        """
        self.data, self._environ, self._bounds = data, environ, bounds
        self._closed, self._shares_charts = False, charts is not None
        self._scratch = TemporaryDirectory(prefix="anabranch-") if is_read_only(data) else None
        self._made = Path(self._scratch.name) if self._scratch else data
        self.charts = charts or ChartRenderer()
        new_id = new_id or UuidV7(clock)
        with translate_storage_errors():
            self._folder_lock = folder_lock or DataFolderLock(self._made)
            self._open_locked(data, clock, new_id, hosts, open_log)

    def _open_locked(
        self, data: Path, clock: Clock, new_id: NewId, hosts: Hosts | None, open_log: OpenLog
    ) -> None:
        """Open everything in the folder; if that fails, release everything that was acquired."""
        with ExitStack() as undo:
            undo.callback(self._folder_lock.release)
            own = self._bounds is UNBOUNDED  # a demo visitor's log has no mark and no second copy
            opened = open_log(
                data, self._made, clock, new_id,
                anchor=anchor_of(data, self._environ) if own else None,
                keeps=lambda cursor: own and keeps_copy(cursor, self._environ),
            )  # fmt: skip
            self.log, self.reads, self.upkeep = opened.log, opened.reads, opened.upkeep
            self._close_log = opened.close
            undo.callback(opened.close)
            self._at_least, most = (lambda: self.settings.sandbox_at_least), call_limits(self._bounds)
            self._pool = Pool(preload=PRELOAD, at_least=self._at_least, most=most, hosts=hosts)
            undo.callback(self._pool.close)
            self._new_id = new_id
            self._open_chats()
            self._open_tools(clock)
            self._open_reads(clock)
            self._open_commands(clock)
            undo.callback(self.log.watch(self._follow))
            if self.upkeep.damage is None:
                self._begin()
            undo.pop_all()

    def _open_chats(self) -> None:
        """Open the chats, and the parts that keep secrets out of them."""
        self.vault = Vault(config_folder(self._environ), self._environ)
        self._scrubber = Scrubber(self.vault.values)
        self._writing = ScrubbedLog(self.log, self._scrubber)
        self._settings = SettingCommands(self.read, self._writing, self._environ)
        self._signals, self._chats = Signals(self._scrubber.text), Chats(self._writing)
        self.definitions = DefinitionBook(self._writing, self._chats, self._new_id)
        places = LocationBook(self._writing, (self.data, config_folder(self._environ)))
        self._workspaces = Workspaces(self.data, self._chats, self._scrubber, self._new_id, places)

    def _open_tools(self, clock: Clock) -> None:
        """Open the tools, the MCP servers that offer more tools, and the providers of models."""
        data, vault, environ, held = self.data, self.vault, self._environ, self._pool.confinement
        self.sources = wired_sources(self._writing, self.read, vault, self._pool, self._made, clock)
        offered = self.sources.all
        self._toolbox = Toolbox(self.read, data, vault, environ, self._bounds.withheld, held, offered)
        self.mcp = mcp_servers(self._toolbox, self.read, vault, environ, data, self._scrubber, self._at_least)
        self.toolsets = ToolsetCommands(
            log=self._writing, read=self.read, toolbox=self._toolbox, data=data, vault=vault, held=held,
            servers=ServerCommands(self._writing, self.read, self.mcp, vault), ships=self._bounds.ships,
        )  # fmt: skip
        offline = self._bounds.only_offline
        self.providers = self._settings.providers = Providers(
            vault, self._settings.current, only_offline=offline
        )
        self._tables = Tables(
            self._pool, self._made / "cache" / "tables", self._scrubber,
            lambda: self.settings.unreadable_values, self._workspaces.locations.allowed,
        )  # fmt: skip

    def _open_reads(self, clock: Clock) -> None:
        """Open the parts that read chats, their past, their results and files, and the parts for maintenance."""
        blobs, versions = self._workspaces.blobs, self.definitions.versions
        self._views = ChatReads(self._chat_reads, self.log.head, self.version, blobs, versions)
        self.past, self._numbers = PastReads(self.read, self.log, self.reads), AnswerNumbers(self.chat, blobs)
        shared, changed, views = (self._workspaces, self._pool), self._signals.changed, self._views
        self.results = ResultReads(*shared, self._made / "cache" / "previews", self._tables)
        self.table_comparisons = TableComparisons(self._workspaces, TableReads(*shared, self._tables))
        self.workspace = WorkspaceReads(self._chats, views, self._workspaces, self._tables, changed)
        self.comparisons = Comparisons(views, self.read, self.workspace, self.table_comparisons)
        self.exports = wired_exports(
            self.chat, self.log, self._numbers, self.workspace, self.results, self._workspaces, self.charts,
            self._scrubber, lambda chat_id: self.read("moments", chat_id=chat_id), clock,
        )  # fmt: skip
        self.checking = ContentCheck(self.log, self.reads, self._workspaces, self.data)
        self.retention = Retention(
            log=self.log,
            upkeep=self.upkeep,
            reads=self.reads,
            chats=self._chats,
            workspaces=self._workspaces,
            data=self.data,
            removed=self._forget_contents,
        )

    def _open_commands(self, clock: Clock) -> None:
        """Open the turns and the handlers of commands."""
        foundation = Foundation(
            data=self.data,
            bounds=self._bounds,
            clock=clock,
            new_id=self._new_id,
            log=self._writing,
            reads=self.reads,
            read=self.read,
            numbers=self._numbers,
            chats=self._chats,
            workspaces=self._workspaces,
            definitions=self.definitions,
            signals=self._signals,
            settings=self._settings,
            providers=self.providers,
            toolbox=self._toolbox,
            toolsets=self.toolsets,
            mcp=self.mcp,
            pool=self._pool,
            tables=self._tables,
            sources=self.sources,
            charts=self.charts,
            comparisons=self.table_comparisons,
            default_selection=self.next_selection,
        )
        parts = wired_calls(foundation)
        self._turns = wired_turns(foundation, parts.calls, after=self.upkeep.checkpoint)
        commands = wired_commands(foundation, parts, self._turns)
        self._questions, self._standing, self._rows = commands.questions, commands.standing, commands.rows
        self._replays, self._reruns, self._previews = commands.replays, commands.reruns, commands.previews
        self._shaping, self._handlers = commands.shaping, commands.handlers | upkeep_handlers(self)

    def _follow(self, recorded: Sequence[Recorded]) -> None:
        """Drop the cached states of streams that got new events, even if another part of the app appended them."""
        for record in recorded:
            if record.stream == SETTINGS:
                self._settings.forget()
            elif record.stream.startswith(("toolset-", "mcp-", "source-")):
                self.sources.book.forget()
                self._toolbox.forget()
        self._standing.triggers.noticed(recorded)

    def _begin(self) -> None:
        """End the work that a crash interrupted, and install or update the tools that ship with Anabranch."""
        interrupt_what_ran(self._unfinished(), self._chats, self._workspaces, self._new_id)
        self.toolsets.first_run()

    def accept_log(self) -> list[Recorded]:
        """Accept a log that differs from its mark outside the data folder, and return the event that records this.

        Raises:
            Unavailable: the disk reported an error.
        """
        with translate_storage_errors():
            accepted = self.upkeep.accept()
            if accepted:
                self._begin()
            return accepted

    def send(self, command: Command[Result]) -> Result:
        """Execute `command` durably, and return the result that the command's docstring describes.

        Raises:
            AnabranchError: the command was refused, or writing to the disk failed; the message says what is recorded.
        """
        if self._scratch is not None:
            raise Unavailable("log", self.upkeep.damage or "You cannot write to the data folder.")
        with translate_storage_errors():
            done: Result = self._handlers[type(command)](command)
            return done

    @property
    def settings(self) -> Settings:
        """Return the current settings."""
        return self._settings.current()

    def load_tools(self) -> None:
        """Start loading the modules that tool processes need, without waiting. Every turn does this when it starts."""
        self._pool.warm()

    def try_tool_process(self) -> Confinement | None:
        """Run a minimal tool process; return how it was confined, or None if it could not run."""
        return self._pool.confinement()

    def serve_at(self, address: str | None) -> None:
        """Record this process's address so that other processes find it; None: this process is about to close."""
        self._folder_lock.tell(Holder(os.getpid(), address, serves=True))

    def close(self) -> None:
        """Interrupt running turns, end all tool processes, and release the folder. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        hashing = self._workspaces.locations.hashes
        for part in (self._standing.triggers, hashing, self._turns, self._questions, self.mcp, self._pool):
            part.close()
        if not self._shares_charts:
            self.charts.close()
        self._close_log()
        self._folder_lock.release()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _forget_contents(self) -> None:
        """Drop data that was cached from stored contents, because retention has removed some of them."""
        for kept in (self.results, self._views, self._numbers, self._rows):
            kept.forget()
        self._turns.forget_requests()


@contextmanager
def open_app(data: Path) -> Iterator[App]:
    """Open `data` for the duration of the block."""
    with closing(App(data)) as app:
        yield app
