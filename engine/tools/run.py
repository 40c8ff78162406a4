"""Running the calls of one step: their order, their files, and the events of each (RUN-1, RUN-4, RUN-5).

A call's `ToolCallStarted` is durable before its process begins, and it ends in exactly one `ToolCallFinished`, appended
together with the state of the files that it left. Calls that run at the same time each have a copy of the files; what
they made is joined, and their ends are recorded, in the model's order.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from engine.cancel import Cancel
from engine.chats import Chats
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError
from engine.folders import ChatFolder, Folders, Marker, left_out
from engine.rendering.plan import USERS_OWN, CallFacts, make_plan, plan_to_json
from engine.rendering.plans import RenderPlan, plan_files
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunError, RunOutcome, RunRequest
from engine.signals import LiveCall, Signals
from engine.tools.builtin import READ_SKILL
from engine.tools.history import QUERY_HISTORY, HistoryCalls
from engine.tools.order import Judged, join, judge, runnable, verdict
from engine.tools.planned import Branch, PlannedCall, effects_of
from engine.tools.remote import RemoteCalls
from engine.tools.skills import SkillCalls
from engine.tools.tool import Tool
from engine.workspace.manifest import Files, difference
from engine.workspace.snapshot import Snapshot
from events.canonical import JSONObject
from events.catalog.turn import (
    CallFailure,
    Confined,
    FinalStatus,
    ToolCallFinished,
    ToolCallStarted,
)
from events.catalog.workspace import LeftOut
from events.event import Event
from events.identity import NewId

__all__ = ["Calls"]

_AT_ONCE = 8
_STOPPED = CallFailure(kind="cancelled", message="Stopped before it began.")


@dataclass(frozen=True, slots=True)
class _Ran:
    outcome: RunOutcome
    snapshot: Snapshot
    judged: Judged
    holding: tuple[str, ...] = ()
    """Files that it wrote and that hold a secret."""
    plan: RenderPlan | None = None
    """What to show, where that is not made by the tool's own renderer; the user's own choice goes before it."""


class Calls:
    """Runs calls, appends what happened, and tells who watches."""

    def __init__(
        self,
        *,
        chats: Chats,
        folders: Folders,
        pool: Pool,
        signals: Signals,
        granted: Callable[[Tool], Mapping[str, str]],
        remote: RemoteCalls,
        history: HistoryCalls,
        skills: SkillCalls,
        new_id: NewId,
    ) -> None:
        """`granted` tells which variables a tool's process gets.

        `remote` runs the tools of MCP servers, `history` SQL over a chat's past, and `skills` reads instructions: all
        apart from the workspace.
        """
        self._chats = chats
        self._folders = folders
        self._pool = pool
        self._signals = signals
        self._granted = granted
        self._remote = remote
        self._history = history
        self._skills = skills
        self._new_id = new_id

    def run(self, branch: Branch, calls: Sequence[PlannedCall], cancel: Cancel) -> None:
        """Run those of `calls` that can run now to their ends; `branch` then stands on the files that they left.

        Where `cancel` is set all of them end; if the app closes, those that wait for the user wait on. Each call ends
        in one event, also where the engine itself fails under it; that is then raised.
        """
        try:
            for call in calls:
                if call.failure is not None:
                    self._end_unrun(branch, call)
                elif call.waits:
                    self.tell(branch, call, "awaiting_confirmation")
            for group in runnable([call for call in calls if call.failure is None], effects_of, _waits):
                if cancel.is_set:
                    break
                if len(group) == 1:
                    self._run_in_place(branch, group[0], cancel)
                else:
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

    def _end_open(
        self, branch: Branch, calls: Sequence[PlannedCall], failure: CallFailure, status: FinalStatus
    ) -> None:
        """End what has not ended: a call that hangs open for ever would be worse than one that says why."""
        with self._chats.locked(branch.chat_id) as state:
            left = [call for call in calls if state.calls[call.call_id].finished is None]
        for call in left:
            self._end_unrun(branch, replace(call, failure=failure, status=status))

    def _end_unrun(self, branch: Branch, call: PlannedCall) -> None:
        assert call.failure is not None
        finished = ToolCallFinished(call_id=call.call_id, status=call.status, error=call.failure)
        self._append(branch, lambda _: [finished])
        self.tell(branch, call, call.status)

    def _run_in_place(self, branch: Branch, call: PlannedCall, cancel: Cancel) -> None:
        pre = branch.manifest_id
        before = self._files(branch.chat_id, pre)
        if _stands_apart(call):
            self._start(branch, call, pre)
            ran = self._run_apart(branch, call, before, cancel)
            self._finish(branch, call, ran, ran.judged, pre)
            return
        branch.folder.bring(pre, before)
        branch.folder.mark(Marker(pre, call_id=call.call_id, joins=effects_of(call) == "write"))
        self._start(branch, call, pre)
        ran = self._execute(branch, call, branch.folder, before, cancel)
        self._finish(branch, call, ran, ran.judged, pre)
        after = self._files(branch.chat_id, branch.manifest_id)
        if ran.snapshot.files == after and not ran.snapshot.skipped:
            branch.folder.mark(Marker(branch.manifest_id))
        else:
            branch.folder.bring(branch.manifest_id, after)

    def _run_together(self, branch: Branch, group: Sequence[PlannedCall], cancel: Cancel) -> None:
        pre = branch.manifest_id
        before = self._files(branch.chat_id, pre)
        joined: Files = before
        with ThreadPoolExecutor(max_workers=min(len(group), _AT_ONCE)) as threads:
            running = [
                (call, threads.submit(self._run_copy, branch, call, pre, before, cancel)) for call in group
            ]
            for call, future in running:
                joined = self._join(branch, call, future, pre, before, joined)
        branch.folder.bring(branch.manifest_id, self._files(branch.chat_id, branch.manifest_id))

    def _run_copy(
        self, branch: Branch, call: PlannedCall, pre: str | None, before: Files, cancel: Cancel
    ) -> tuple[_Ran, ChatFolder | None]:
        if _stands_apart(call):
            self._start(branch, call, pre)
            return self._run_apart(branch, call, before, cancel), None
        folder = self._folders.of_call(branch.chat_id, call.call_id)
        folder.workspace.materialize(before)
        folder.mark(Marker(pre, call_id=call.call_id, joins=False))
        self._start(branch, call, pre)
        return self._execute(branch, call, folder, before, cancel), folder

    def _join(
        self,
        branch: Branch,
        call: PlannedCall,
        future: "Future[tuple[_Ran, ChatFolder | None]]",
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
        self._finish(branch, call, ran, judged, pre)
        if folder is not None:
            folder.remove()
        return judged.files

    def _files(self, chat_id: str, manifest_id: str | None) -> Files:
        with self._chats.locked(chat_id) as state:
            return state.files(manifest_id)

    def _start(self, branch: Branch, call: PlannedCall, pre: str | None) -> None:
        tool = call.tool
        assert tool is not None
        started = ToolCallStarted(
            call_id=call.call_id,
            pre_manifest_id=pre,
            toolset_version=tool.version,
            content_hash=tool.content_hash,
        )
        self._append(branch, lambda _: [started])
        self.tell(branch, call, "running")

    def _execute(
        self, branch: Branch, call: PlannedCall, folder: ChatFolder, before: Files, cancel: Cancel
    ) -> _Ran:
        tool = call.tool
        assert tool is not None
        assert isinstance(call.arguments, dict)
        request = RunRequest(
            call_id=call.call_id,
            bundle=tool.bundle,
            entrypoint=tool.entrypoint,
            workspace=folder.workspace.folder,
            arguments=call.arguments,
            environment=self._granted(tool),
            limits=Limits(seconds=tool.timeout),
            network=tool.network,
            packages=tool.packages,
        )
        try:
            outcome = self._pool.run(request, cancel=cancel, on_progress=self._progress(branch, call))
        except AnabranchError as error:
            outcome = RunOutcome("error", error=RunError(error.code, error.message))
        try:
            snapshot = folder.workspace.snapshot()
        except (AnabranchError, OSError) as error:
            kind = error.code if isinstance(error, AnabranchError) else "files_unkept"
            failure = CallFailure(kind=kind, message=f"{error} What this call wrote was not kept.")
            return _Ran(outcome, Snapshot({}), Judged(before, failure))
        succeeded = outcome.status == "success"
        judged = judge(tool.effects, before, snapshot.files, succeeded=succeeded)
        return _Ran(outcome, snapshot, judged, self._holding_secrets(branch, folder, before, snapshot.files))

    def _run_apart(self, branch: Branch, call: PlannedCall, before: Files, cancel: Cancel) -> _Ran:
        """Run a call that no file can be changed by."""
        assert call.tool is not None
        assert isinstance(call.arguments, dict)
        progress = self._progress(branch, call)
        own = self._skills.run if call.tool.tool_id == READ_SKILL.tool_id else self._history.run
        run = self._remote.run if call.tool.server is not None else own
        outcome, plan = run(branch.chat_id, call.tool, call.arguments, cancel, progress)
        return _Ran(outcome, Snapshot(before), Judged(before), plan=plan)

    def _holding_secrets(
        self, branch: Branch, folder: ChatFolder, before: Files, after: Files
    ) -> tuple[str, ...]:
        """The files that a call wrote and that hold a secret: kept as they are, for they are the user's, but named."""
        changes = difference(before, after)
        scrubber = self._folders.keeper(branch.chat_id).scrubber
        written = [*changes.added, *changes.changed]
        return tuple(path for path in written if scrubber.file_holds(folder.workspace.folder / path))[:100]

    def _finish(self, branch: Branch, call: PlannedCall, ran: _Ran, judged: Judged, pre: str | None) -> None:
        """Append the state that a call left, and its end, in one batch; the branch moves to that state."""
        keeper = self._folders.keeper(branch.chat_id)
        status, failure = verdict(ran.outcome, judged, branch.stopped_as)
        result: JSONObject | None = None if failure else dict(ran.outcome.value or {})
        plan = ran.plan
        chosen = call.tool.render if call.tool else None
        if result is not None and (plan is None or (chosen and chosen.priority >= USERS_OWN)):
            plan = self._plan(branch, call, result, judged.files)
        finished = ToolCallFinished(
            call_id=call.call_id,
            status=status,
            result=keeper.value(result) if result is not None else None,
            error=failure,
            render_plan=keeper.value(plan_to_json(plan)) if plan is not None else None,
            stdout=keeper.short(ran.outcome.stdout),
            stderr=keeper.short(ran.outcome.stderr),
            seconds=ran.outcome.seconds,
            peak_bytes=ran.outcome.peak_bytes,
            confined=Confined(level=ran.outcome.confinement.level, layers=ran.outcome.confinement.layers),
            files_with_secrets=ran.holding,
            note=call.tool.note if call.tool else None,
        )
        skipped = left_out(ran.snapshot)
        self._append(branch, lambda s: self._ending(s, branch, call, finished, judged, pre, skipped))
        self.tell(branch, call, status)

    def _ending(
        self,
        state: ChatState,
        branch: Branch,
        call: PlannedCall,
        finished: ToolCallFinished,
        judged: Judged,
        pre: str | None,
        skipped: list[LeftOut],
    ) -> list[Event]:
        """What a call leaves aside is a state on the one that it began from; what is joined, on the branch's."""
        aside = judged.aside is not None
        states = record_state(
            state,
            judged.files if judged.aside is None else judged.aside,
            self._new_id,
            parent_id=pre if aside else branch.manifest_id,
            message_id=branch.message_id,
            source="tool_run",
            source_ref=call.call_id,
            call_id=call.call_id,
            active=not aside and state.leaf == branch.message_id,
            joined=not aside,
            left_out=skipped,
        )
        post = states[-1].manifest_id if states else pre
        if states and not aside:
            branch.manifest_id = post
        return [*states, finished.model_copy(update={"post_manifest_id": post})]

    def _plan(self, branch: Branch, call: PlannedCall, result: JSONObject, files: Files) -> RenderPlan:
        """What to show, with the bundle's files that it names copied into the chat's store."""
        tool = call.tool
        assert tool is not None
        facts = CallFacts(args=call.arguments, result=result, chat_id=branch.chat_id)
        plan = make_plan(tool.render, facts, files, tool.artifacts)
        for file in plan_files(plan):
            if file.origin == "toolset" and tool.bundle is not None:
                self._folders.blobs(branch.chat_id).put_file(tool.bundle / file.path)
        return plan

    def _append(self, branch: Branch, decide: Callable[[ChatState], Sequence[Event]]) -> None:
        self._chats.transact(branch.chat_id, decide, correlation_id=branch.turn_id)

    def _progress(self, branch: Branch, call: PlannedCall) -> Callable[[float | None, str], None]:
        def report(fraction: float | None, text: str) -> None:
            live = replace(self._live(call, "running"), fraction=fraction, text=text)
            self._signals.call(branch.chat_id, branch.turn_id, live)

        return report

    def tell(self, branch: Branch, call: PlannedCall, status: str) -> None:
        """Tell those who watch how a call stands."""
        self._signals.call(branch.chat_id, branch.turn_id, self._live(call, status))

    @staticmethod
    def _live(call: PlannedCall, status: str) -> LiveCall:
        tool = call.tool
        name, toolset = (tool.name, tool.toolset_name) if tool else (call.name, "")
        return LiveCall(call.call_id, name, toolset, status, call.commentary)


def _stands_apart(call: PlannedCall) -> bool:
    """Whether it has nothing to do with the workspace's files."""
    tool = call.tool
    return tool is not None and (
        tool.server is not None or tool.tool_id in (QUERY_HISTORY, READ_SKILL.tool_id)
    )


def _waits(call: PlannedCall) -> bool:
    return call.waits
