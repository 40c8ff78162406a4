"""An app's queries about its chats and their running turns."""

from collections.abc import Callable, Mapping, Sequence

from engine.app.storage_errors import translate_storage_errors
from engine.app.tool_queries import ToolQueries
from engine.chats.open_chats import stream_of
from engine.chats.payloads import value_of
from engine.chats.signals import LiveTurn, Signal, Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.replays import ReplayCommands
from engine.command_handlers.rerun_previews import RerunPreviews
from engine.command_handlers.reruns import RerunCommands
from engine.command_handlers.run_progress import RunProgress
from engine.command_handlers.standing import StandingCommands
from engine.commands.catalog import RerunChat, TurnStart, Upload, Waiting
from engine.errors import NotFound
from engine.models.model import ModelRequest
from engine.tools.tables import Tables
from engine.turn.past_requests import rebuild_request
from engine.turn.running_turns import RunningTurns
from engine.views.chat import ChatView
from engine.views.chats import ChatReads
from engine.views.column_changes import TableChange
from engine.views.queued import Queued
from engine.views.replays import replay_document, verdict_document
from engine.views.standing import (
    Attention,
    Standing,
    StandingQuestion,
    attention,
    questions_of,
    standing_of,
)
from engine.views.workspace import WorkspaceReads
from events.catalog.replay import CallVerdict, ReplayFinished, RerunCall
from events.json_value import JSONObject

__all__ = ["ChatQueries"]


class ChatQueries(ToolQueries):
    """The part of `App` that shows chats and watches turns."""

    _views: ChatReads
    _workspaces: Workspaces
    workspace: WorkspaceReads
    _tables: Tables
    _signals: Signals
    _turns: RunningTurns
    _replays: ReplayCommands
    _reruns: RerunCommands
    _previews: RerunPreviews
    _standing: StandingCommands

    def chat(self, chat_id: str, *, at: int | None = None) -> ChatView:
        """Return a chat as it is, or as it was at position `at`: its tree and its current branch."""
        with translate_storage_errors():
            return self._views.chat(chat_id, at)

    def version(self, chat_id: str) -> int:
        """Return the number of a chat's events; a view that is drawn after this call includes all of them."""
        return self.log.stream_version(stream_of(chat_id))

    def queued(self, chat_id: str) -> tuple[Queued, ...]:
        """Return a chat's queued questions in order. The first one may have failed to start and then stays queued.

        Raises:
            NotFound: there is no such chat.
        """
        return self._questions.queue.of(chat_id) if self.chat(chat_id).waiting else ()

    def replaying(self, chat_id: str) -> RunProgress[CallVerdict] | None:
        """Return the progress of the re-run that verifies a chat; None if no such re-run is running."""
        return self._replays.progress(chat_id)

    def replay(self, chat_id: str, replay_id: str) -> JSONObject:
        """Return the results of a re-run as a document.

        Raises:
            NotFound: there is no such re-run.
        """
        calls = self.chat(chat_id).calls
        for recorded in self.log.read_stream(stream_of(chat_id)):
            event = recorded.event
            if isinstance(event, ReplayFinished) and event.replay_id == replay_id:
                tools = {call_id: call.tool_id for call_id, call in calls.items()}
                return replay_document(chat_id, event, tools, self._workspaces.blobs(chat_id))
        raise NotFound("replay_not_found", f"There is no replay {replay_id} in this chat.")

    def preview_rerun(
        self,
        chat_id: str,
        files: Sequence[Upload],
        message_id: str | None = None,
        columns: Mapping[str, Mapping[str, str]] | None = None,
    ) -> list[TableChange]:
        """Return how the columns of new files match the columns of the files that they would replace.

        `columns` lists columns that are already matched: file → column that the calls use → column of the new file.

        Raises:
            NotFound: there is no such chat or message, or the branch has no such file.
        """
        with translate_storage_errors():
            return self._previews.preview(chat_id, message_id, files, columns or {})

    def rerun_again(self, chat_id: str, rerun_id: str) -> RerunChat:
        """Return the command that repeats a re-run with a change.

        Raises:
            NotFound: there is no such re-run, or its files or arguments are no longer stored.
        """
        start = self.chat(chat_id).rerun_starts.get(rerun_id)
        if start is None:
            raise NotFound("rerun_not_found", f"There is no rerun {rerun_id} in this chat.")
        arguments = value_of(start.arguments, self._workspaces.blobs(chat_id))
        return RerunChat(
            chat_id,
            start.from_leaf,
            [
                Upload(path, self._workspaces.blobs(chat_id).read(sha256))
                for path, sha256 in start.files.items()
            ],
            start.columns,
            start.call_id,
            arguments if isinstance(arguments, dict) else None,
            start.live,
            anyway=True,  # the first run was accepted in spite of the differences, so this one is too
        )

    def rerunning(self, chat_id: str) -> RunProgress[RerunCall] | None:
        """Return the progress of a chat's re-run with a change; None if no such re-run is running."""
        return self._reruns.progress(chat_id)

    def standing_questions(self) -> list[StandingQuestion]:
        """Return the pinned answers of all chats that are not deleted; answers that need attention come first."""
        with translate_storage_errors():
            standing = self._standing_now()
            listed = {one.chat_id for one in standing}
            views = {
                row["chat_id"]: self.chat(row["chat_id"]) for row in self.chats() if row["chat_id"] in listed
            }
            return questions_of(standing, views, self._standing.checks.running)

    def standing_attention(self) -> Attention:
        """Return how many standing questions have moved, and how many need the user's attention."""
        with translate_storage_errors():
            standing = self._standing_now()
            chats = {row["chat_id"] for row in self.chats()} if standing else set()
            return attention(one for one in standing if one.chat_id in chats)

    def _standing_now(self) -> list[Standing]:
        pins = self.read("standing_questions")
        running = self._standing.checks.running
        return standing_of(pins, self.read("standing_checks") if pins else (), running)

    def follow_files(self) -> None:
        """From now on, check standing questions when a file changes. Only for processes that stay open."""
        self._standing.triggers.begin()

    def verdict(self, chat_id: str, call_id: str) -> JSONObject:
        """Return the last verdict on a call, with the places where its result and files differ.

        Raises:
            NotFound: the call was never run again.
        """
        found = self.chat(chat_id).verdicts.get(call_id)
        if found is None:
            raise NotFound(
                "replay_not_found", f"Call {call_id} has never been run again. There is nothing to compare."
            )
        return verdict_document(found, self._workspaces.blobs(chat_id))

    def turn_of(self, waiting: Waiting) -> TurnStart:
        """Wait until a queued question is asked, and return its turn.

        Raises:
            AnabranchError: the question was refused or removed, no such question was queued, or Anabranch is closing.
        """
        return self._questions.queue.turn_of(waiting).result()

    def request(self, chat_id: str, turn_id: str, step: int) -> ModelRequest:
        """Return the request that a step sent to its model, rebuilt from the log."""
        stream = self.log.read_stream(stream_of(chat_id))
        return rebuild_request(stream, turn_id, step, self._workspaces.blobs(chat_id), self._tables.recall)

    def watch(
        self, chat_id: str, watcher: Callable[[Signal], None]
    ) -> tuple[list[Signal], Callable[[], None]]:
        """Watch a chat: return its current state and a function that stops watching. `watcher` gets each later
        signal."""
        return self._signals.watch(chat_id, watcher)

    def running(self, chat_id: str) -> list[LiveTurn]:
        """Return the chat's running turns, with their progress."""
        return self._signals.running(chat_id)

    def wait(self, turn_id: str, seconds: float | None = None) -> bool:
        """Wait until a turn has ended, or for `seconds`; return whether it has ended."""
        return self._turns.wait(turn_id, seconds)
