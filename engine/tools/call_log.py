"""What a call leaves in the log: that it started, the files it left, its result, its render plan and its end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.chats.open_chats import Chats
from engine.chats.signals import LiveCall, Signals
from engine.chats.workspaces import Workspaces, left_out
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.rendering.plan import USERS_OWN, CallFacts, make_plan, plan_from_json, plan_to_json
from engine.rendering.plans import FileRef, Image, ImagesPlan, RenderPlan, plan_files
from engine.runtime.protocol import RunOutcome
from engine.tools.call_order import Judged, verdict
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.chart_pictures import ChartFailed, DrawsCharts, draw_charts
from engine.tools.file_tables import TableReads
from engine.tools.tool_output import BadPicture, RawPicture, Returned, split_returned
from engine.workspace.manifest import Files
from engine.workspace.snapshot import Snapshot
from events.canonical import JSONObject, canonical_json
from events.catalog.tool_call import CallFailure, Confined, Picture, ToolCallFinished, ToolCallStarted
from events.catalog.workspace import LeftOut
from events.event import Event, StoredValue
from events.identity import NewId

__all__ = ["CallLog", "Ran"]


@dataclass(frozen=True, slots=True)
class Ran:
    """How a call ran, and the files it left."""

    outcome: RunOutcome
    snapshot: Snapshot
    judged: Judged
    holding: tuple[str, ...] = ()
    """Files that it wrote and that hold a secret."""
    plan: RenderPlan | None = None
    """What to show, where that is not made by the tool's own renderer; the user's own choice goes before it."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """The part of a call's record that only success has."""

    result: StoredValue | None = None
    plan: StoredValue | None = None
    pictures: tuple[Picture, ...] = ()


class CallLog:
    """Appends the events of calls, and tells those who watch how each one stands."""

    def __init__(
        self,
        chats: Chats,
        workspaces: Workspaces,
        signals: Signals,
        new_id: NewId,
        charts: DrawsCharts | None,
        reads: TableReads | None = None,
    ) -> None:
        """Without `charts`, calls have no pictures of their charts; without `reads`, none of charts of a file."""
        self._chats = chats
        self._workspaces = workspaces
        self._signals = signals
        self._new_id = new_id
        self._charts = charts
        self._reads = reads

    def start(self, branch: Branch, call: PlannedCall, pre: str | None) -> None:
        """Append that a call starts from the files `pre`; durable before its process begins."""
        tool = call.tool
        assert tool is not None
        if self._charts is not None and tool.render is not None and tool.render.renderer == "chart":
            self._charts.warm()
        started = ToolCallStarted(
            call_id=call.call_id,
            pre_manifest_id=pre,
            toolset_version=tool.version,
            content_hash=tool.content_hash,
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
        """Append the state that a call left, and its end, in one batch; the branch moves to that state."""
        payloads = self._workspaces.payloads(branch.chat_id)
        status, failure = verdict(ran.outcome, judged, branch.stopped_as)
        shown = _Shown()
        if failure is None:
            try:
                shown = self._shown(branch, call, ran, judged.files)
            except BadPicture as error:
                status, failure = "error", CallFailure(kind="bad_picture", message=str(error))
            except ChartFailed as error:
                status, failure = "error", CallFailure(kind="bad_chart", message=str(error))
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
        """What a call that succeeded is recorded with; raises BadPicture and ChartFailed."""
        payloads = self._workspaces.payloads(branch.chat_id)
        returned, plan = _returned(call, ran.outcome), ran.plan
        pictures = tuple(self._picture(branch, one) for one in returned.pictures)
        chosen = call.tool.render if call.tool else None
        if plan is None and chosen is None and pictures:
            plan = _pictures_plan(call, pictures)
        if plan is None or (chosen and chosen.priority >= USERS_OWN):
            plan = self._plan(branch, call, returned.whole, files)
        # drawn as it is kept: a secret that was taken out of the plan is in no picture either
        plan = plan_from_json(payloads.scrubber.json(plan_to_json(plan)))
        drawn = draw_charts(plan, self._charts, partial(self._rows, branch.chat_id, ran.holding))
        pictures += tuple(self._picture(branch, one) for one in drawn.pictures)
        result = drawn.said(returned.result)
        return _Shown(payloads.value(result), payloads.value(plan_to_json(drawn.plan)), pictures)

    def _rows(self, chat_id: str, holding: Sequence[str], file: FileRef) -> list[JSONObject] | None:
        """The rows of a chart's file; None for a file that holds a secret, which would be in the picture."""
        if self._reads is None or file.path in holding:
            return None
        return self._reads.first_rows(chat_id, file)

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
                self._workspaces.blobs(branch.chat_id).put_file(tool.bundle / file.path)
        return plan

    def _picture(self, branch: Branch, picture: RawPicture) -> Picture:
        blob = self._workspaces.blobs(branch.chat_id).put_bytes(picture.content)
        return Picture(
            sha256=blob.sha256, media_type=picture.media_type, size=blob.size, caption=picture.caption
        )

    def _append(self, branch: Branch, decide: Callable[[ChatState], Sequence[Event]]) -> None:
        self._chats.transact(branch.chat_id, decide, correlation_id=branch.turn_id)

    def progress(self, branch: Branch, call: PlannedCall) -> Callable[[float | None, str], None]:
        """Return how a running call reports how far it is."""

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


def _returned(call: PlannedCall, outcome: RunOutcome) -> Returned:
    """What a tool returned, taken apart; an MCP server's answer has no keys of ours."""
    value = outcome.value or {}
    if call.tool is not None and call.tool.server is not None:
        return Returned(dict(value), dict(value))
    return split_returned(value)


def _pictures_plan(call: PlannedCall, pictures: Sequence[Picture]) -> RenderPlan:
    """What to show of a tool without a renderer that returned pictures: these."""
    images = []
    for number, picture in enumerate(pictures, 1):
        name = f"{call.name}-{number}.{picture.media_type.rpartition('/')[2]}"
        file = FileRef(
            path=name, sha256=picture.sha256, size=picture.size, media_type=picture.media_type, origin="call"
        )
        images.append(Image(file=file, caption=picture.caption or None))
    only = images[0].caption if len(images) == 1 else None
    return ImagesPlan(images=tuple(images), title=only)
