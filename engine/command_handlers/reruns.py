"""Handles the command that runs a branch's calls again with a change, and reports the progress of each run."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.files import FileCommands
from engine.command_handlers.rerun_previews import RerunPreviews
from engine.command_handlers.rerun_requests import required_leaf, what_changes
from engine.command_handlers.run_progress import RunProgress, RunsInProgress
from engine.command_handlers.user_calls import UserCalls
from engine.commands.catalog import RerunChat
from engine.deciders import chat as decide
from engine.errors import Refused
from engine.replay.recorded_calls import RecordedCall
from engine.replay.rerun_calls import What
from engine.replay.reruns import Reruns
from engine.tools.column_renaming import ColumnRenaming
from engine.workspace.manifest import Files
from events.catalog.replay import RerunCall, RerunFinished, RerunStarted
from events.catalog.workspace import File
from events.identity import NewId

__all__ = ["RerunCommands"]


class RerunCommands:
    """Handles the command that runs a branch again with a change."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        files: FileCommands,
        reruns: Reruns,
        previews: RerunPreviews,
        renaming: ColumnRenaming,
        running: UserCalls,
        signals: Signals,
        ended: Callable[[str], None],
        new_id: NewId,
    ) -> None:
        """`running` keeps track of the user's own runs, so that they can be stopped. When a run has ended, `ended` is
        called with the chat's id."""
        self._chats = chats
        self._workspaces = workspaces
        self._files = files
        self._reruns = reruns
        self._previews = previews
        self._renaming = renaming
        self._running = running
        self._signals = signals
        self._ended = ended
        self._new_id = new_id
        self._runs: RunsInProgress[RerunCall] = RunsInProgress()

    def progress(self, chat_id: str) -> RunProgress[RerunCall] | None:
        """Return the progress of the run in a chat; None if no run is in progress."""
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
                    self._record(chat_id, rerun_id, leaf, what, asked)
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

    def _checked(self, command: RerunChat) -> tuple[str, What, int]:
        """Check the request and store its files. Return the branch's last message, the changes, and how many calls
        will run."""
        chat_id = command.chat_id
        self._workspaces.record_edits(chat_id)
        with self._chats.locked(chat_id) as state:
            decide.require_quiet(state, chat_id)
            leaf = required_leaf(state, chat_id, command.message_id)
            what = what_changes(state, leaf, command)
            asked = len(self._reruns.calls(chat_id, leaf, what))
            if not asked:
                raise Refused(
                    "nothing_to_rerun", "No tool was called on this branch, so there is nothing to run again."
                )
            brought = dict(self._files.keep(chat_id, command.files, state.files(state.manifest)))
        self._require_arguments(chat_id, leaf, what)
        blobs = self._workspaces.blobs(chat_id)
        columns = {path: dict(names) for path, names in command.columns.items() if names}
        named = {
            path: self._renaming.renamed(path, brought[path], {new: old for old, new in names.items()}, blobs)
            for path, names in columns.items()
        }
        self._require_fitting(command, leaf)
        what = replace(what, files=brought | named, columns=columns, brought={p: brought[p] for p in columns})
        return leaf, what, asked

    def _require_arguments(self, chat_id: str, leaf: str, what: What) -> None:
        """Refuse a changed call that cannot run with its new arguments."""
        if what.call_id is not None:
            problem = self._reruns.why_not_changed(chat_id, leaf, what)
            if problem is not None:
                raise Refused(problem.kind, f"No call ran. {problem.message}")

    def _require_fitting(self, command: RerunChat, leaf: str) -> None:
        """Refuse new files that would make calls fail."""
        if not command.files or command.anyway:
            return
        tables = self._previews.preview(command.chat_id, leaf, command.files, command.columns)
        blocks = [told for table in tables for told in table.blocks]
        if blocks:
            raise Refused(
                "files_do_not_fit",
                f"No call ran. {' '.join(blocks)} Give a file that fits, match its columns (`columns`), or run it "
                "anyway (`anyway`).",
            )

    def _record(self, chat_id: str, rerun_id: str, leaf: str, what: What, asked: int) -> None:
        """Record that the run begins."""
        payloads = self._workspaces.payloads(chat_id)
        started = RerunStarted(
            rerun_id=rerun_id,
            message_id=leaf,
            call_id=what.call_id,
            arguments=payloads.value(what.arguments) if what.arguments is not None else None,
            files=_files(what.files),
            columns=what.columns,
            brought=_files(what.brought),
            live=what.live,
            asked=asked,
        )
        self._chats.transact(chat_id, lambda _: [started])


def _files(files: Files) -> dict[str, File]:
    return {path: File(sha256=entry.sha256, size=entry.size) for path, entry in files.items()}
