"""Runs the calls behind an answer with the chat's current files, without keeping anything.

Unlike in a re-run on a branch, nothing is recorded: the calls work in a temporary folder, which is deleted afterwards.
Unlike in a verification, each call starts with the files that the earlier calls made in this run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.deciders.chat_state import ChatState
from engine.deciders.manifest_changes import changes_of
from engine.errors import AnabranchError
from engine.rendering.plan import plan_to_json
from engine.replay.past_tools import PastTools, why_not_run
from engine.replay.recorded_calls import Came, RecordedCall, came_before, recorded_calls
from engine.replay.replay_calls import ComparesTables
from engine.replay.rerun_branch import by_user
from engine.replay.verdicts import compared
from engine.system.cancellation import Cancellation
from engine.tools.builtin import ASK_USER, NAME_MOMENT, PICK_TOOLS, READ_RESULT, READ_SKILL, REMEMBER
from engine.tools.call_execution import CallExecution, stands_apart
from engine.tools.call_order import verdict
from engine.tools.call_plans import Branch, PlannedCall, files_seen
from engine.tools.call_results import CallResults, ResultRefused
from engine.tools.tool import Tool
from engine.workspace.manifest import Changes, FileEntry, Files, difference
from events.catalog.workspace import ManifestRecorded
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["CannotRun", "DryRun", "DryRuns", "Stands", "stands_on"]

_ABOUT_THE_CHAT = frozenset(
    {ASK_USER, NAME_MOMENT, PICK_TOOLS.tool_id, READ_RESULT, READ_SKILL.tool_id, REMEMBER}
)
"""Tools that show the model the contents of the chat, ask the user, or save something. No other call's result depends
on them.
"""


@dataclass(frozen=True, slots=True)
class Stands:
    """The calls and files behind an answer."""

    calls: tuple[RecordedCall, ...]
    """All ended calls of the answer's branch, in the order of the log."""
    own: tuple[str, ...]
    """Ids of the answer's own calls."""
    brought: tuple[ManifestRecorded, ...]
    """The files that the user added or changed on the branch."""
    path: tuple[str, ...]
    """The messages of the branch."""
    files: Mapping[str, FileEntry]
    """The files that the user added and that no call changed before the answer."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """The outcomes of the answer's calls."""

    results: tuple[JSON, ...]
    """The result of each of the answer's own calls; None for a call that had already failed in the answer."""
    differs: tuple[bool, ...]
    """Whether each of these results differs from the result in the answer."""
    ran: int
    """The number of calls that ran, including calls that made files for the answer's calls."""


class CannotRun(Exception):
    """Raised if a call behind the answer cannot run."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def stands_on(chats: Chats, state: ChatState, chat_id: str, message_id: str) -> Stands:
    """Return the calls and files behind an answer; call it while the chat is locked."""
    question = state.question_of(message_id)
    asked = question.message_id if question is not None else ""
    ended = [
        one
        for one in recorded_calls(chats.recorded(chat_id), state, message_id)
        if one.call.finished is not None
    ]
    path = tuple(message.message_id for message in state.path(message_id))
    before = (None, *path[:-1])  # the user's changes at the answer's last message came after the answer
    brought = tuple(
        recorded for recorded in state.recorded if recorded.message_id in before and by_user(state, recorded)
    )
    last: dict[str, FileEntry] = {}
    for recorded in brought:
        changes = changes_of(recorded)
        last |= {**changes.added, **changes.changed}
    own = [one for one in ended if one.question_id == asked]
    left = [one.call.finished.post_manifest_id for one in own if one.call.finished is not None]
    there = state.files(next((manifest for manifest in reversed(left) if manifest is not None), None))
    files = {path_: entry for path_, entry in last.items() if there.get(path_) == entry}
    return Stands(tuple(ended), tuple(one.call_id for one in own), brought, path, files)


class DryRuns:
    """Runs the calls behind answers. Thread-safe."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        execution: CallExecution,
        results: CallResults,
        tools: PastTools,
        tables: ComparesTables,
    ) -> None:
        """See `Replays`."""
        self._chats = chats
        self._workspaces = workspaces
        self._execution = execution
        self._results = results
        self._tools = tools
        self._tables = tables

    def why_not(self, stands: Stands) -> str | None:
        """Return the reason why the answer's calls cannot run without the user; None if they can."""
        for one in _needed(stands):
            tool = self._tools.find(one)
            why = why_not_run(one, tool, live=False)
            if why is not None:
                return f"{_name(one)} did not run. {why.reason}"
            if tool is not None and tool.requires_confirmation:
                return f"{_name(one)} asks before it runs, so it does not run here."
            if one.call.started is not None and one.call.started.moments:
                return f"{_name(one)} reads an earlier state of the files. Run the chat again instead."
        return None

    def run(
        self, chat_id: str, name: str, stands: Stands, files: Files, cancel: Cancellation
    ) -> DryRun | None:
        """Run the calls in order with `files` in place of the answer's files; return None if stopped.

        Raises:
            CannotRun: a call that succeeded fails now.
        """
        with self._workspaces.scratch(chat_id, name) as folder:
            work = _Work(self, chat_id, folder, stands, files, cancel)
            return work.run()


@dataclass(slots=True)
class _Work:
    """One run in one folder."""

    of: DryRuns
    chat_id: str
    folder: ChatFolder
    stands: Stands
    replaced: Files
    cancel: Cancellation
    files: dict[str, FileEntry] = field(default_factory=dict)
    """The files after the calls so far."""
    came: dict[str, Came] = field(default_factory=dict)

    def run(self) -> DryRun | None:
        needed = {one.call_id for one in _needed(self.stands)}
        for message_id in (None, *self.stands.path):
            self._bring(message_id)
            for one in self.stands.calls:
                if one.call.requested.message_id != message_id or message_id is None:
                    continue
                if self.cancel.is_set:
                    return None
                if one.call_id in needed:
                    self._call(one)
        if self.cancel.is_set:
            return None
        return self._compared(len(needed))

    def _bring(self, message_id: str | None) -> None:
        """Apply the changes that the user made to the files at a message, with the new contents of replaced files."""
        for recorded in self.stands.brought:
            if recorded.message_id == message_id:
                changes = changes_of(recorded)
                for path in changes.removed:
                    self.files.pop(path, None)
                for path, entry in {**changes.added, **changes.changed}.items():
                    self.files[path] = self.replaced.get(path, entry)

    def _call(self, one: RecordedCall) -> None:
        tool = self.of._tools.find(one)
        if tool is None:
            raise CannotRun(f"The version of {one.tool_id} that it ran with is not known here.")
        try:
            came, left = self._again(one, tool)
        except (AnabranchError, OSError) as error:
            raise CannotRun(str(error)) from error
        if self.cancel.is_set:
            return
        if came.failure is not None:
            raise CannotRun(came.failure.message)
        self.came[one.call_id] = came
        if one.joined:
            for path in left.removed:
                self.files.pop(path, None)
            self.files |= {**left.added, **left.changed}

    def _again(self, one: RecordedCall, tool: Tool) -> tuple[Came, Changes]:
        payloads = self.of._workspaces.payloads(self.chat_id)
        arguments = one.arguments(payloads.blobs)
        call = PlannedCall(one.call_id, tool.name, tool, arguments)
        before = dict(self.files)
        pre = one.call.started.pre_manifest_id if one.call.started is not None else None
        branch = Branch(self.chat_id, one.call_id, one.call.requested.message_id, pre, self.folder)
        if stands_apart(call):
            ran = self.of._execution.run_apart(branch, call, before, self.cancel)
        else:
            self.folder.workspace.materialize(files_seen(tool, arguments, before))
            ran = self.of._execution.run(branch, call, self.folder, before, self.cancel, [])
        status, failure = verdict(ran.outcome, ran.judged, lambda: "cancelled")
        left: Files = ran.judged.files if ran.judged.aside is None else ran.judged.aside
        changes = difference(before, left)
        if failure is None:
            try:
                made = self.of._results.made(self.chat_id, call, ran, left, self.folder.workspace.blobs)
            except ResultRefused as error:
                failure = error.failure
        if failure is not None:
            failure = failure.model_copy(update={"message": payloads.scrubber.text(failure.message)})
            return Came(status, failure, None, None, changes, (), ran.outcome.seconds), changes
        result, plan = payloads.scrubber.json(made.result), payloads.scrubber.json(plan_to_json(made.plan))
        pictures = tuple(picture.sha256 for picture in made.pictures)
        return Came(status, None, result, plan, changes, pictures, ran.outcome.seconds), changes

    def _compared(self, ran: int) -> DryRun:
        blobs = self.of._workspaces.blobs(self.chat_id)
        tables = self.of._tables(self.chat_id, self.folder.workspace.blobs)
        by_id = {one.call_id: one for one in self.stands.calls}
        results: list[JSON] = []
        differs: list[bool] = []
        for call_id in self.stands.own:
            came = self.came.get(call_id)
            results.append(came.result if came is not None else None)
            try:
                before = came_before(by_id[call_id], blobs)
            except AnabranchError:
                # the recorded result is no longer stored, so only the value can be compared
                differs.append(False)
                continue
            differs.append(came is not None and compared(before, came, tables).verdict == "differs")
        return DryRun(tuple(results), tuple(differs), ran)


def _needed(stands: Stands) -> Sequence[RecordedCall]:
    """Return the answer's calls that succeeded, and the earlier calls that made files for them.

    Calls that the user ran are left out, so the files that they made are not made again.
    """
    return [
        one
        for one in stands.calls
        if one.call.requested.message_id is not None
        and one.call.finished is not None
        and one.call.finished.status == "success"
        and one.tool_id not in _ABOUT_THE_CHAT
        and (one.call_id in stands.own or _made_files(one))
    ]


def _made_files(one: RecordedCall) -> bool:
    changes = one.changes
    return one.joined and bool(changes.added or changes.changed or changes.removed)


def _name(one: RecordedCall) -> str:
    return one.tool_id.rpartition(":")[2]
