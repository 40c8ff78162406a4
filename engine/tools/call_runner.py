"""Runs the calls of one step: their order, their files, and their events (RUN-1, RUN-4, RUN-5).

A call's `ToolCallStarted` is durable before its process begins. Each call has exactly one `ToolCallFinished`, which is
appended together with the resulting state of the files. Calls that run at the same time each get a copy of the files.
Their new files are merged, and their `ToolCallFinished` events appended, in the order in which the model made the
calls.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from engine.chats.chat_folder import ChatFolder, Marker
from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.system.cancellation import Cancellation
from engine.tools.call_execution import CallExecution, stands_apart
from engine.tools.call_log import CallLog
from engine.tools.call_order import Judged, join, runnable
from engine.tools.call_plans import Branch, PlannedCall, effects_of, files_seen, reaches_out
from engine.tools.call_results import Ran
from engine.tools.moments_read import MomentsRead, effects_in_order
from engine.workspace.manifest import Files
from events.catalog.tool_call import CallFailure, FinalStatus
from events.json_value import JSON

__all__ = ["Calls"]

_AT_ONCE = 8
_STOPPED = CallFailure(kind="cancelled", message="Stopped before it began.")


class Calls:
    """Runs calls, appends their events, and notifies watchers."""

    def __init__(
        self, *, chats: Chats, workspaces: Workspaces, log: CallLog, execution: CallExecution
    ) -> None:
        """`execution` runs a call, `log` appends its outcome."""
        self._chats = chats
        self._workspaces = workspaces
        self._log = log
        self._execution = execution
        self._moments = MomentsRead(chats)

    def tell(self, branch: Branch, call: PlannedCall, status: str) -> None:
        """Report a call's status to watchers."""
        self._log.tell(branch, call, status)

    def run(self, branch: Branch, calls: Sequence[PlannedCall], cancel: Cancellation) -> None:
        """Run the `calls` that can run now until they end; `branch` then has their resulting files. If `cancel` is set,
        all these calls end. If the app closes, calls that wait for the user keep waiting. Each call ends in one event,
        even if the engine itself fails; the failure is then raised.
        """
        try:
            for call in calls:
                if call.failure is not None:
                    self._log.end_unrun(branch, call)
                elif call.waits:
                    self.tell(branch, call, "awaiting_confirmation")
            ready = [call for call in calls if call.failure is None]
            for planned in runnable(ready, effects_in_order, _waits):
                if cancel.is_set:
                    break
                group = self._with_moments(branch, planned)
                if len(group) == 1:
                    self._run_in_place(branch, group[0], cancel)
                elif group:
                    self._run_together(branch, group, cancel)
            goes_on = branch.stopped_as() == "interrupted" and any(map(_waits, calls))
            if cancel.is_set and not goes_on:
                self._end_open(branch, calls, _STOPPED, branch.stopped_as())
        except Exception as error:
            message = (
                f"Anabranch itself failed while this call was running ({type(error).__name__}: {error})."
            )
            self._end_open(branch, calls, CallFailure(kind="internal", message=message[:2000]), "error")
            raise

    def _with_moments(self, branch: Branch, group: Sequence[PlannedCall]) -> list[PlannedCall]:
        """Return the calls with the moments that they read. If a call names a moment that does not exist, the call is
        ended and left out.
        """
        found = [self._moments.given(branch, call) for call in group]
        for call in found:
            if call.failure is not None:
                self._log.end_unrun(branch, call)
        return [call for call in found if call.failure is None]

    def _end_open(
        self, branch: Branch, calls: Sequence[PlannedCall], failure: CallFailure, status: FinalStatus
    ) -> None:
        """End the calls that have not ended, with a reason. Otherwise they would stay open forever."""
        with self._chats.locked(branch.chat_id) as state:
            left = [call for call in calls if state.calls[call.call_id].finished is None]
        for call in left:
            self._log.end_unrun(branch, replace(call, failure=failure, status=status))

    def _run_in_place(self, branch: Branch, call: PlannedCall, cancel: Cancellation) -> None:
        pre = branch.manifest_id
        before = self._files(branch.chat_id, pre)
        if stands_apart(call):
            self._log.start(branch, call, pre)
            ran = self._execution.run_apart(branch, call, before, cancel)
            self._log.finish(branch, call, ran, ran.judged, pre)
            return
        if reaches_out(call.tool, call.arguments):
            ran, folder = self._run_copy(branch, call, pre, before, cancel, ())
            self._log.finish(branch, call, ran, ran.judged, pre)
            if folder is not None:
                folder.remove()
            branch.folder.checkout(branch.manifest_id, self._files(branch.chat_id, branch.manifest_id))
            return
        branch.folder.checkout(pre, before)
        branch.folder.mark(Marker(pre, call_id=call.call_id, joins=effects_of(call) == "write"))
        self._log.start(branch, call, pre)
        ran = self._execution.run(branch, call, branch.folder, before, cancel)
        self._log.finish(branch, call, ran, ran.judged, pre)
        after = self._files(branch.chat_id, branch.manifest_id)
        if ran.snapshot.files == after and not ran.snapshot.skipped:
            branch.folder.mark(Marker(branch.manifest_id))
        else:
            branch.folder.checkout(branch.manifest_id, after)

    def _run_together(self, branch: Branch, group: Sequence[PlannedCall], cancel: Cancellation) -> None:
        pre = branch.manifest_id
        before = self._files(branch.chat_id, pre)
        joined: Files = before
        with ThreadPoolExecutor(max_workers=min(len(group), _AT_ONCE)) as threads:
            running = [
                (
                    call,
                    threads.submit(self._run_copy, branch, call, pre, before, cancel, _told(group[:index])),
                )
                for index, call in enumerate(group)
            ]
            for call, future in running:
                joined = self._join(branch, call, future, pre, before, joined)
        branch.folder.checkout(branch.manifest_id, self._files(branch.chat_id, branch.manifest_id))

    def _run_copy(
        self,
        branch: Branch,
        call: PlannedCall,
        pre: str | None,
        before: Files,
        cancel: Cancellation,
        beside: Sequence[JSON],
    ) -> tuple[Ran, ChatFolder | None]:
        if stands_apart(call):
            self._log.start(branch, call, pre)
            return self._execution.run_apart(branch, call, before, cancel), None
        folder = self._workspaces.of_call(branch.chat_id, call.call_id)
        folder.workspace.materialize(files_seen(call.tool, call.arguments, before))
        folder.mark(Marker(pre, call_id=call.call_id, joins=False))
        self._log.start(branch, call, pre)
        return self._execution.run(branch, call, folder, before, cancel, beside), folder

    def _join(
        self,
        branch: Branch,
        call: PlannedCall,
        future: "Future[tuple[Ran, ChatFolder | None]]",
        pre: str | None,
        before: Files,
        joined: Files,
    ) -> Files:
        ran, folder = future.result()
        judged = ran.judged
        if folder is None:
            judged = Judged(joined)
        elif judged.failure is None and judged.aside is None:
            files, clash = join(joined, before, judged.files)
            judged = Judged(files, clash, aside=judged.files if clash else None)
        else:
            judged = replace(judged, files=joined)
        self._log.finish(branch, call, ran, judged, pre)
        if folder is not None:
            folder.remove()
        return judged.files

    def _files(self, chat_id: str, manifest_id: str | None) -> Files:
        with self._chats.locked(chat_id) as state:
            return state.files(manifest_id)


def _waits(call: PlannedCall) -> bool:
    return call.waits


def _told(calls: Sequence[PlannedCall]) -> list[JSON]:
    """Describe the calls before a call in its parallel group; the call's process must not use their names."""
    return [{"tool": call.tool.tool_id if call.tool else "", "arguments": call.arguments} for call in calls]
