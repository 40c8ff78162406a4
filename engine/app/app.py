"""The composition root: opens a data folder and hands out commands, reads and watching; names the concrete classes.

with open_app(data) as app:
    turn = app.send(BeginChat("average body mass by species", files=[…]))
    app.wait(turn.turn_id)
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.app.log_queries import LogQueries
from engine.app.open_log import open_data_log
from engine.app.storage_errors import translate_storage_errors
from engine.app.upkeep import upkeep_handlers
from engine.chats.definitions import DefinitionBook
from engine.chats.open_chats import Chats, stream_of
from engine.chats.signals import LiveTurn, Signal, Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.chats import ChatCommands
from engine.command_handlers.confirmations import ConfirmationCommands
from engine.command_handlers.definitions import DefinitionCommands
from engine.command_handlers.files import FileCommands
from engine.command_handlers.providers import Providers
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.registry import handlers
from engine.command_handlers.servers import ServerCommands
from engine.command_handlers.settings import SettingCommands
from engine.command_handlers.starting import Starter
from engine.command_handlers.toolsets import Preview, ToolsetCommands
from engine.commands.catalog import Command, Result, TurnStart, Waiting
from engine.config import UNBOUNDED, Bounds, Settings, config_folder
from engine.errors import Unavailable
from engine.maintenance.checkpoints import anchor_of
from engine.maintenance.content_check import ContentCheck
from engine.maintenance.interrupted_work import interrupt_what_ran
from engine.maintenance.retention import Retention
from engine.models.model import ModelRequest
from engine.rendering.charts.renderer import ChartRenderer
from engine.runtime.hosts import Hosts
from engine.runtime.pool import Pool, call_limits
from engine.runtime.protocol import Confinement
from engine.secrets.scrubbed_log import ScrubbedLog
from engine.secrets.scrubber import Scrubber
from engine.secrets.vault import Vault
from engine.system.data_folder import is_read_only
from engine.system.data_folder_lock import DataFolderLock, Holder
from engine.tools.call_runner import Calls
from engine.tools.mcp_calls import RemoteCalls
from engine.tools.query_history import HistoryCalls
from engine.tools.remember import RememberCalls
from engine.tools.servers import mcp_servers
from engine.tools.skills import SkillCalls
from engine.tools.tables import Tables
from engine.tools.tool import Tool
from engine.tools.toolbox import Toolbox, ToolsetRow
from engine.turn.parts import TurnParts
from engine.turn.past_requests import rebuild_request
from engine.turn.running_turns import RunningTurns
from engine.views.chat import ChatView, Queued
from engine.views.chats import ChatReads
from engine.views.past import PastReads
from engine.views.results import ResultReads
from engine.views.toolsets import next_selection
from engine.views.workspace import WorkspaceReads
from events.event import Recorded
from events.identity import Clock, NewId, UuidV7, utc_now

__all__ = ["App", "open_app"]

PRELOAD = ("anabranch_tool.tables", "anabranch_tool.results", "anabranch_tool.opened_ahead")


class App(LogQueries):
    """An open data folder. Safe for several threads."""

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
    ) -> None:
        """Open `data`, bring back what a crash interrupted, and see to the tools that ship.
        Where others run engines beside this one, `bounds` hold it; `hosts` and `charts` serve all of them.

        Raises:
            Unavailable: another process holds the folder (`log_held`), or the disk refused (`disk`).
        """
        self.data = data
        self._environ, self._bounds = environ, bounds
        self._closed, self._shares_charts = False, charts is not None
        self._scratch = TemporaryDirectory(prefix="anabranch-") if is_read_only(data) else None
        self._made = Path(self._scratch.name) if self._scratch else data
        self.charts = charts or ChartRenderer()
        new_id = new_id or UuidV7(clock)
        with translate_storage_errors():
            self._holding = DataFolderLock(self._made)
            self._open_holding(data, clock, new_id, hosts)

    def _open_holding(self, data: Path, clock: Clock, new_id: NewId, hosts: Hosts | None) -> None:
        """Open what stands in the folder; where that fails, let go of all that was taken."""
        with ExitStack() as undo:
            undo.callback(self._holding.release)
            own = self._bounds is UNBOUNDED  # what strangers leave has no mark and no second copy
            self.log = open_data_log(
                data, self._made, clock, new_id,
                anchor=anchor_of(data, self._environ) if own else None,
                keeps=lambda: own and (not hasattr(self, "_settings") or self.settings.keep_journal),
            )  # fmt: skip
            undo.callback(self.log.close)
            self._at_least, most = (lambda: self.settings.sandbox_at_least), call_limits(self._bounds)
            self._pool = Pool(preload=PRELOAD, at_least=self._at_least, most=most, hosts=hosts)
            undo.callback(self._pool.close)
            self._open(clock, new_id)
            undo.pop_all()

    def _open(self, clock: Clock, new_id: NewId) -> None:
        data, held = self.data, self._pool.confinement
        self._pool.warm()
        self.vault = Vault(config_folder(self._environ), self._environ)
        scrubber = Scrubber(self.vault.values)
        self._writing = ScrubbedLog(self.log, scrubber)
        self._settings = SettingCommands(self.read, self._writing.append, self._environ)
        self._signals = Signals(scrubber.text)
        self._chats = Chats(self._writing)
        self.definitions = DefinitionBook(self._writing, self._chats, new_id)
        self._workspaces = Workspaces(data, self._chats, scrubber, new_id)
        self._views = ChatReads(
            self._chat_reads, self.log.head, self.version, self._workspaces.blobs, self.definitions.versions
        )
        vault, environ = self.vault, self._environ
        self._toolbox = Toolbox(self.read, data, vault, environ, self._bounds.withheld, held)
        self.mcp = mcp_servers(self._toolbox, self.read, vault, environ, data, scrubber, self._at_least)
        self.toolsets = ToolsetCommands(
            log=self._writing,
            read=self.read,
            toolbox=self._toolbox,
            data=data,
            vault=self.vault,
            held=held,
            servers=ServerCommands(self._writing, self.read, self.mcp, self.vault),
            ships=self._bounds.ships,
        )
        offline = self._bounds.only_offline
        self.providers = self._settings.providers = Providers(
            self.vault, self._settings.current, only_offline=offline
        )
        self._tables = Tables(
            self._pool, self._made / "cache" / "tables", scrubber, lambda: self.settings.unreadable_values
        )
        self.past = PastReads(self.read, self.log.head, self.log.reader, self.log.stream_version)
        self.results = ResultReads(
            self._workspaces, self._pool, self._made / "cache" / "previews", self._tables
        )
        self.checking = ContentCheck(self.log, self._workspaces, data)
        self.retention = Retention(
            log=self.log,
            chats=self._chats,
            workspaces=self._workspaces,
            data=data,
            removed=self._forget_contents,
        )
        self.workspace = WorkspaceReads(self._chats, self._workspaces, self._tables, self._signals.changed)
        self._wire(clock, new_id)
        self._new_id = new_id
        if self.log.recovery.problem is None:
            self._begin()

    def _begin(self) -> None:
        """End what a crash cut off, and see to the tools that ship."""
        interrupt_what_ran(self._unfinished(), self._chats, self._workspaces, self._new_id)
        self.toolsets.first_run()

    def accept_log(self) -> list[Recorded]:
        """Let the log hold as it is, though it is not what it was, and go on from there; what that recorded.

        Raises:
            Unavailable: the disk refused.
        """
        with translate_storage_errors():
            accepted = self.log.accept()
            if accepted:
                self._begin()
            return accepted

    def _wire(self, clock: Clock, new_id: NewId) -> None:
        calls = Calls(
            chats=self._chats,
            workspaces=self._workspaces,
            pool=self._pool,
            tables=self._tables,
            signals=self._signals,
            granted=self._toolbox.environment_of,
            remote=RemoteCalls(self.mcp, self._workspaces),
            history=HistoryCalls(self._pool, self._write_history, lambda: self.settings.history_of_all_chats),
            skills=SkillCalls(self._toolbox, self.read, self.data),
            remember=RememberCalls(self.definitions), new_id=new_id, charts=self.charts, code=self._toolbox.code,
        )  # fmt: skip
        parts = TurnParts(
            chats=self._chats,
            workspaces=self._workspaces,
            calls=calls,
            tables=self._tables,
            signals=self._signals,
            offer=lambda state: self._toolbox.offered(state.selection) if self.settings.tools_on else (),
            find=self._toolbox.find,
            skills=lambda state: self._toolbox.skills(state.selection),
            definitions=self.definitions.in_force,
            clock=clock,
            new_id=new_id,
        )
        self._turns = RunningTurns(parts, self._signals, after=self.log.checkpoint)
        self._handle(calls, clock, new_id)

    def _handle(self, calls: Calls, clock: Clock, new_id: NewId) -> None:
        starter = Starter(
            chats=self._chats,
            turns=self._turns,
            models=self.providers.models,
            settings=self._settings.current,
            clock=clock,
            new_id=new_id,
            bounds=self._bounds,
        )
        files = FileCommands(
            chats=self._chats, workspaces=self._workspaces, signals=self._signals, new_id=new_id
        )
        chats = ChatCommands(
            log=self._writing,
            chats=self._chats,
            workspaces=self._workspaces,
            turns=self._turns,
            signals=self._signals,
            models=self.providers.models,
            new_id=new_id,
            default_selection=self.next_selection,
            default_model=lambda: self.settings.model,
        )
        questions = QuestionCommands(
            chats=self._chats,
            workspaces=self._workspaces,
            files=files,
            calls=calls,
            toolbox=self._toolbox,
            turns=self._turns,
            signals=self._signals,
            starter=starter,
            begun=chats.begun,
            tools_on=lambda: self.settings.tools_on,
            new_id=new_id,
        )
        confirmations = ConfirmationCommands(
            chats=self._chats,
            workspaces=self._workspaces,
            toolbox=self._toolbox,
            signals=self._signals,
            starter=starter,
        )
        self._questions, self._turns.ended = questions, questions.queue.turn_ended
        self._handlers = handlers(
            chats, files, questions, confirmations, self.toolsets,
            DefinitionCommands(self.definitions, self._signals), self._settings,
        ) | upkeep_handlers(self)  # fmt: skip

    def send(self, command: Command[Result]) -> Result:
        """Do what `command` asks, durably, and return what its docstring says.

        Raises:
            AnabranchError: it was refused, or the disk refused; the message says what is recorded.
        """
        if self._scratch is not None:
            raise Unavailable("log", self.log.recovery.problem or "The data folder can only be read.")
        with translate_storage_errors():
            done: Result = self._handlers[type(command)](command)
            return done

    def chat(self, chat_id: str, *, at: int | None = None) -> ChatView:
        """Return a chat as it is, or was at position `at`: its tree, and the branch that it stands on."""
        with translate_storage_errors():
            return self._views.chat(chat_id, at)

    def queued(self, chat_id: str) -> Queued | None:
        """Return the question that waits in a chat for the end of its turn, or that was refused then.

        Raises:
            NotFound: there is no such chat.
        """
        return self._questions.queue.of(chat_id) if self.chat(chat_id).queued_id is not None else None

    def turn_of(self, waiting: Waiting) -> TurnStart:
        """Wait until a queued question is asked, and return its turn.

        Raises:
            AnabranchError: it was refused or taken back, no such question was queued, or Anabranch is closing.
        """
        return self._questions.queue.turn_of(waiting).result()

    def tools(self) -> tuple[Tool, ...]:
        """Return every tool there is."""
        return self._toolbox.tools()

    def runnable(self, tool_id: str) -> Tool:
        """Return a tool that can run now.

        Raises:
            Refused: there is none of that id, or it is not available.
        """
        return self._questions.runnable(tool_id)

    def request(self, chat_id: str, turn_id: str, step: int) -> ModelRequest:
        """Return the request that a step sent to its model, built again from the log."""
        stream = self.log.read_stream(stream_of(chat_id))
        return rebuild_request(stream, turn_id, step, self._workspaces.blobs(chat_id), self._tables.recall)

    def installed(self) -> list[ToolsetRow]:
        """Return the installed toolsets with their tools, availability and changed files."""
        return self.toolsets.copies.installed()

    def preview_toolset(self, source: Path | bytes, source_ref: str | None = None) -> Preview:
        """Return what installing `source` would ask the user to agree to."""
        return self.toolsets.preview(source, source_ref)

    def fetch_bundle(self, url: str) -> bytes:
        """Return the ZIP at a public address, to look into and to install with `source_ref=url`.

        Raises:
            Refused, Unavailable: the address is not public, or does not give it.
        """
        from engine.toolsets.fetching import fetch  # noqa: PLC0415 - httpx loads when somebody fetches

        return fetch(url)

    @property
    def settings(self) -> Settings:
        """The settings as they stand."""
        return self._settings.current()

    def watch(
        self, chat_id: str, watcher: Callable[[Signal], None]
    ) -> tuple[list[Signal], Callable[[], None]]:
        """Watch a chat: what catches up with it now, then each signal as it comes; and how to stop."""
        return self._signals.watch(chat_id, watcher)

    def running(self, chat_id: str) -> list[LiveTurn]:
        """Return the chat's running turns, as far as they are."""
        return self._signals.running(chat_id)

    def wait(self, turn_id: str, seconds: float | None = None) -> bool:
        """Wait until a turn has ended; returns whether it has."""
        return self._turns.wait(turn_id, seconds)

    def try_tool_process(self) -> Confinement | None:
        """Run a tool process that does next to nothing; returns what held it, or None where none would run."""
        return self._pool.confinement()

    def serve_at(self, address: str) -> None:
        """Say where this process listens, for others that want the same data folder."""
        self._holding.tell(Holder(os.getpid(), address))

    def close(self) -> None:
        """Interrupt running turns, end all tool processes, and let go of the folder. Twice is fine."""
        if self._closed:
            return
        self._closed = True
        self._turns.close()
        self._questions.close()
        self.mcp.close()
        self._pool.close()
        if not self._shares_charts:
            self.charts.close()
        self.log.close()
        self._holding.release()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _forget_contents(self) -> None:
        """Let go of what is made of contents that retention may have removed."""
        self.results.forget()
        self._views.forget()
        self._turns.forget_requests()

    def next_selection(self) -> Mapping[str, list[str]]:
        """What a new chat ticks: the last choice in any chat, and what was installed since; everything at first."""
        return next_selection(self._last_selection(), self._toolbox.everything())


@contextmanager
def open_app(data: Path) -> Iterator[App]:
    """Open `data` for the length of the block."""
    with closing(App(data)) as app:
        yield app
