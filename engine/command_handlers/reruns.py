"""The command that runs a branch's calls again with something changed, and the progress of each run."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.files import FileCommands
from engine.command_handlers.run_progress import RunProgress, RunsInProgress
from engine.command_handlers.user_calls import UserCalls
from engine.commands.catalog import RerunChat, Upload
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.errors import Invalid, NotFound, Refused
from engine.replay.quoted_values import quoted_values
from engine.replay.recorded_calls import RecordedCall
from engine.replay.rerun_calls import What
from engine.replay.reruns import Reruns
from engine.tools.tables import Tables, TablesSeen
from engine.views.column_changes import TableChange, column_changes
from engine.workspace.manifest import FileEntry, Files
from events.catalog.replay import RerunCall, RerunFinished, RerunStarted
from events.catalog.workspace import File
from events.identity import NewId

__all__ = ["RerunCommands"]


class RerunCommands:
    """Handles it."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        files: FileCommands,
        reruns: Reruns,
        tables: Tables,
        running: UserCalls,
        signals: Signals,
        ended: Callable[[str], None],
        new_id: NewId,
    ) -> None:
        """`running` knows what the user started, so that it can be stopped; `ended` is called with the
        chat when a run has ended."""
        self._chats = chats
        self._workspaces = workspaces
        self._files = files
        self._reruns = reruns
        self._tables = tables
        self._running = running
        self._signals = signals
        self._ended = ended
        self._new_id = new_id
        self._runs: RunsInProgress[RerunCall] = RunsInProgress()

    def progress(self, chat_id: str) -> RunProgress[RerunCall] | None:
        """Return the progress of the run in a chat; None if there is none."""
        return self._runs.of(chat_id)

    def rerun(self, command: RerunChat) -> str:
        """See `RerunChat`."""
        chat_id, rerun_id, began = command.chat_id, self._new_id(), monotonic()
        leaf, what, asked = self._checked(command)

        def report(one: RecordedCall, done: RerunCall | None) -> None:
            self._runs.report(chat_id, one.call_id, done)

        with self._runs.entered(chat_id, asked):
            try:
                with self._running.running(chat_id) as cancel:
                    self._record(chat_id, rerun_id, leaf, what)
                    end, calls = self._reruns.run(chat_id, rerun_id, leaf, what, cancel, report)
                    finished = RerunFinished(
                        rerun_id=rerun_id,
                        message_id=end,
                        from_message_id=leaf,
                        changed=", ".join(what.files) or command.call_id or "",
                        calls=calls,
                        seconds=monotonic() - began,
                    )
                    self._chats.transact(chat_id, lambda _: [finished])
            finally:
                self._signals.changed(chat_id)
                self._ended(chat_id)
        return rerun_id

    def preview(self, chat_id: str, files: Sequence[Upload]) -> list[TableChange]:
        """Return how the tables of new files fit those that they would replace; nothing is kept or recorded."""
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            leaf, present = state.leaf, state.files(state.manifest)
            if leaf is None:
                return []
            calls = self._reruns.calls(chat_id, leaf, What())
        blobs = self._workspaces.blobs(chat_id)
        quoted = {value for one in calls for value in quoted_values(one.arguments(blobs))}
        found: list[TableChange] = []
        with self._workspaces.scratch(chat_id, f"preview-{self._new_id()}") as folder:
            for upload in files:
                old = {upload.name: present[upload.name]} if upload.name in present else {}
                before = self._tables_of(folder, old)
                content = upload.content if isinstance(upload.content, bytes) else None
                store = folder.workspace.blobs
                blob = (
                    store.put_bytes(content)
                    if content is not None
                    else store.put_file(Path(str(upload.content)))
                )
                now = self._tables_of(folder, {upload.name: FileEntry(blob.sha256, blob.size)})
                found += _changes(upload.name, before, now, quoted)
        return found

    def columns(self, chat_id: str, before: Files, now: Files) -> list[TableChange]:
        """Return how the tables of files fit those of the same paths that they replace."""
        with self._workspaces.scratch(chat_id, f"columns-{self._new_id()}") as folder:
            return [
                change
                for path in sorted(now)
                for change in _changes(
                    path,
                    self._tables_of(folder, {path: before[path]}),
                    self._tables_of(folder, {path: now[path]}),
                    frozenset(),
                )
            ]

    def _tables_of(self, folder: ChatFolder, files: Files) -> TablesSeen:
        folder.workspace.materialize(files)
        return self._tables.look(files, folder.workspace.folder)

    def _checked(self, command: RerunChat) -> tuple[str, What, int]:
        """Check what is asked for, keep the files, and count the calls."""
        chat_id = command.chat_id
        self._workspaces.record_edits(chat_id)
        with self._chats.locked(chat_id) as state:
            decide.require_quiet(state, chat_id)
            leaf = command.message_id or state.leaf
            if leaf is None or leaf not in state.messages:
                raise NotFound(
                    "message_not_found", "There is no such message in this chat, so nothing runs again."
                )
            what = _what(state, leaf, command)
            asked = len(self._reruns.calls(chat_id, leaf, what))
            if not asked:
                raise Refused(
                    "nothing_to_rerun", "No tool was called on this branch, so there is nothing to run again."
                )
            kept = self._files.keep(chat_id, command.files, state.files(state.manifest))
            what = replace(what, files=dict(kept))
        return leaf, what, asked

    def _record(self, chat_id: str, rerun_id: str, leaf: str, what: What) -> None:
        """Record that it begins."""
        payloads = self._workspaces.payloads(chat_id)
        started = RerunStarted(
            rerun_id=rerun_id,
            message_id=leaf,
            call_id=what.call_id,
            arguments=payloads.value(what.arguments) if what.arguments is not None else None,
            files={path: File(sha256=entry.sha256, size=entry.size) for path, entry in what.files.items()},
        )
        self._chats.transact(chat_id, lambda _: [started])


def _what(state: ChatState, leaf: str, command: RerunChat) -> What:
    """What is different this time, but for the files, which are not kept yet."""
    if command.call_id is not None:
        if command.files or command.arguments is None:
            raise Invalid("rerun_what", "A changed call needs its new arguments, and no files.")
        on_path = {call.requested.call_id for call in state.calls_on(leaf)}
        if command.call_id not in on_path:
            raise NotFound("call_not_found", f"There is no call {command.call_id} on this branch.")
        return What(call_id=command.call_id, arguments=dict(command.arguments), live=command.live)
    brought = _brought(state, leaf)
    for upload in command.files:
        if upload.name not in brought:
            listed = ", ".join(sorted(brought)) or "none"
            raise NotFound(
                "file_not_on_branch", f"The branch was not given a file {upload.name}. It has: {listed}."
            )
    return What(live=command.live)


def _changes(
    path: str, before: TablesSeen, now: TablesSeen, quoted: Collection[str]
) -> Iterator[TableChange]:
    """Compare the tables of a path, sheet by sheet."""
    if not before.tables or not now.tables:
        why = next(iter(now.unread.values()), "") if before.tables else ""
        told = f"The new file cannot be read as a table: {why}" if before.tables else None
        yield TableChange(
            path, (), problem=told or f"{path} is no table here, so its columns are not compared."
        )
        return
    news = {table.sheet: table for table in now.tables}
    one_each = len(before.tables) == len(now.tables) == 1
    for old in before.tables:
        new = now.tables[0] if one_each else news.get(old.sheet)
        if new is None:
            yield TableChange(path, (), problem=f"{path} has no sheet {old.sheet} any more.")
        else:
            yield column_changes(old, new, quoted)
    olds = {table.sheet for table in before.tables}
    for table in () if one_each else now.tables:
        if table.sheet not in olds:
            yield TableChange(path, (), problem=f"{path} has a new sheet {table.sheet}, which no call uses.")


def _brought(state: ChatState, leaf: str) -> set[str]:
    """The paths that the user brought to a branch."""
    on_path = {None, *(message.message_id for message in state.path(leaf))}
    return {
        path
        for recorded in state.recorded
        if recorded.message_id in on_path and recorded.source in ("user_upload", "edit")
        for path in (*recorded.added, *recorded.changed)
    }
