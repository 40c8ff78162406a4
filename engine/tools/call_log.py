"""Records a call in the log: its start, its resulting files, its result, its render plan and its end."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.chats.open_chats import Chats
from engine.chats.signals import MOST_ARGUMENTS, LiveCall, Signals
from engine.chats.workspaces import Workspaces, left_out
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.rendering.plan import plan_to_json
from engine.tools.call_order import Judged, verdict
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.call_results import CallResults, Ran, ResultRefused
from engine.workspace.manifest import Files
from events.canonical import canonical_json
from events.catalog.tool_call import Confined, Picture, ToolCallFinished, ToolCallStarted
from events.catalog.workspace import LeftOut
from events.event import Event, StoredValue
from events.identity import NewId
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["CallLog"]


@dataclass(frozen=True, slots=True)
class _Shown:
    """The part of a call's record that exists only if the call succeeded."""

    result: StoredValue | None = None
    plan: StoredValue | None = None
    pictures: tuple[Picture, ...] = ()


class CallLog:
    """Appends the events of calls, and reports their status to watchers."""

    def __init__(
        self,
        chats: Chats,
        workspaces: Workspaces,
        signals: Signals,
        new_id: NewId,
        results: CallResults,
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._signals = signals
        self._new_id = new_id
        self._results = results

    def start(self, branch: Branch, call: PlannedCall, pre: str | None) -> None:
        """Append the event for the start of a call with the files of the state `pre`. The event is durable before the
        call's process begins."""
        tool = call.tool
        assert tool is not None
        self._results.warm(call)
        started = ToolCallStarted(
            call_id=call.call_id,
            pre_manifest_id=pre,
            toolset_version=tool.version,
            content_hash=tool.content_hash,
            moments=call.moments,
        )
        self._append(branch, lambda _: [started])
        self.tell(branch, call, "running")

    def end_unrun(self, branch: Branch, call: PlannedCall) -> None:
        """Append the end of a call that never ran."""
        assert call.failure is not None
        finished = ToolCallFinished(call_id=call.call_id, status=call.status, error=call.failure)
        self._append(branch, lambda _: [finished])
        self.tell(branch, call, call.status)

    def finish(self, branch: Branch, call: PlannedCall, ran: Ran, judged: Judged, pre: str | None) -> None:
        """Append the call's resulting state of the files and its end in one batch. If the branch continues from these
        files, it moves to that state; otherwise the state is only recorded.
        """
        payloads = self._workspaces.payloads(branch.chat_id)
        status, failure = verdict(ran.outcome, judged, branch.stopped_as)
        shown = _Shown()
        if failure is None:
            try:
                shown = self._shown(branch, call, ran, judged.files)
            except ResultRefused as error:
                status, failure = "error", error.failure
        finished = ToolCallFinished(
            call_id=call.call_id,
            status=status,
            result=shown.result,
            error=failure,
            render_plan=shown.plan,
            stdout=payloads.short(ran.outcome.stdout),
            stderr=payloads.short(ran.outcome.stderr),
            seconds=ran.outcome.seconds,
            peak_bytes=ran.outcome.peak_bytes,
            confined=Confined(level=ran.outcome.confinement.level, layers=ran.outcome.confinement.layers),
            files_with_secrets=ran.holding,
            note=call.tool.note if call.tool else None,
            pictures=shown.pictures,
            environment=payloads.text(canonical_json(dict(facts)))
            if (facts := ran.outcome.environment)
            else None,
        )
        skipped = left_out(ran.snapshot)
        self._append(branch, lambda s: self._ending(s, branch, call, finished, judged, pre, skipped))
        self.tell(branch, call, status)

    def _shown(self, branch: Branch, call: PlannedCall, ran: Ran, files: Files) -> "_Shown":
        """Store the result and the plan of a call that succeeded; return references to them, or raise ResultRefused."""
        payloads = self._workspaces.payloads(branch.chat_id)
        made = self._results.made(branch.chat_id, call, ran, files, payloads.blobs)
        return _Shown(payloads.value(made.result), payloads.value(plan_to_json(made.plan)), made.pictures)

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
        """Return the events that record the files that a call left, and the end of the call.

        If the branch does not continue from these files, they are recorded as changes to the files from which the call
        started; otherwise as changes to the branch's current files.
        """
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

    def _append(self, branch: Branch, decide: Callable[[ChatState], Sequence[Event]]) -> None:
        self._chats.transact(branch.chat_id, decide, correlation_id=branch.turn_id)

    def progress(self, branch: Branch, call: PlannedCall) -> Callable[[float | None, str], None]:
        """Return the function that a running call uses to report its progress."""

        def report(fraction: float | None, text: str) -> None:
            live = replace(self._live(call, "running"), fraction=fraction, text=text)
            self._signals.call(branch.chat_id, branch.turn_id, live)

        return report

    def tell(self, branch: Branch, call: PlannedCall, status: str) -> None:
        """Report a call's status to watchers."""
        self._signals.call(branch.chat_id, branch.turn_id, self._live(call, status))

    @staticmethod
    def _live(call: PlannedCall, status: str) -> LiveCall:
        tool = call.tool
        name, toolset = (tool.name, tool.toolset_name) if tool else (call.name, "")
        given = _given(call.arguments)
        return LiveCall(call.call_id, name, toolset, status, call.commentary, given)


def _given(arguments: JSON) -> str:
    """Return the input of a call as readable text: its SQL or code, else all of its arguments."""
    values = arguments if isinstance(arguments, dict) else {}
    program = next((values[key] for key in ("sql", "code") if isinstance(values.get(key), str)), None)
    text = program if isinstance(program, str) else json.dumps(values, ensure_ascii=False) if values else ""
    return text if len(text) <= MOST_ARGUMENTS else f"{text[:MOST_ARGUMENTS]}…"
