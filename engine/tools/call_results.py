"""The outcome of a successful call: its result, its render plan, and its pictures.

The log stores this outcome when a call ends. A re-run compares its own outcome with the stored outcome, so this module
makes both.
"""

from collections.abc import Sequence
from functools import partial

from engine.chats.workspaces import Workspaces
from engine.rendering.plan import USERS_OWN, CallFacts, make_plan, plan_from_json, plan_to_json
from engine.rendering.plans import FileRef, Image, ImagesPlan, RenderPlan, plan_files
from engine.runtime.protocol import RunOutcome
from engine.tools.call_order import Judged
from engine.tools.call_plans import PlannedCall
from engine.tools.chart_pictures import ChartFailed, DrawsCharts, draw_charts
from engine.tools.file_tables import TableReads
from engine.tools.tool_output import BadPicture, RawPicture, Returned, split_returned
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import Files
from engine.workspace.snapshot import Snapshot
from events.catalog.tool_call import CallFailure, Picture
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = ["CallResult", "CallResults", "Ran", "ResultRefused"]


@dataclass(frozen=True, slots=True)
class Ran:
    """How a call ran, and its resulting files."""

    outcome: RunOutcome
    snapshot: Snapshot
    judged: Judged
    holding: tuple[str, ...] = ()
    """Files that the call wrote and that contain a secret."""
    plan: RenderPlan | None = None
    """The plan to show, if the plan does not come from the tool's renderer. If the user has chosen a renderer, the
    choice takes precedence.
    """


@dataclass(frozen=True, slots=True)
class CallResult:
    """The parts of a call's record that exist only if it succeeded."""

    result: JSONObject
    plan: RenderPlan
    pictures: tuple[Picture, ...] = ()


class ResultRefused(Exception):
    """Raised if a call's result cannot be stored. The call then fails."""

    def __init__(self, failure: CallFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class CallResults:
    """Makes the results of calls. Secrets are removed before anything is drawn or stored."""

    def __init__(
        self, workspaces: Workspaces, charts: DrawsCharts | None, reads: TableReads | None = None
    ) -> None:
        """Without `charts`, no charts are drawn as pictures. Without `reads`, charts whose rows are in a file are not
        drawn."""
        self._workspaces = workspaces
        self._charts = charts
        self._reads = reads

    def warm(self, call: PlannedCall) -> None:
        """Prepare for drawing if the call's result will be drawn as a chart."""
        tool = call.tool
        drawn = tool is not None and tool.render is not None and tool.render.renderer == "chart"
        if drawn and self._charts is not None:
            self._charts.warm()

    def made(self, chat_id: str, call: PlannedCall, ran: Ran, files: Files, blobs: BlobStore) -> CallResult:
        """Return the result of `ran`; `files` are the files after the call, and `blobs` stores its pictures.

        Raises:
            ResultRefused: a picture is not valid, or a chart cannot be drawn.
        """
        try:
            return self._made(chat_id, call, ran, files, blobs)
        except BadPicture as error:
            raise ResultRefused(CallFailure(kind="bad_picture", message=str(error))) from error
        except ChartFailed as error:
            raise ResultRefused(CallFailure(kind="bad_chart", message=str(error))) from error

    def _made(self, chat_id: str, call: PlannedCall, ran: Ran, files: Files, blobs: BlobStore) -> CallResult:
        scrubber = self._workspaces.payloads(chat_id).scrubber
        returned, plan = _returned(call, ran.outcome), ran.plan
        pictures = tuple(_picture(blobs, one) for one in returned.pictures)
        chosen = call.tool.render if call.tool else None
        if plan is None and chosen is None and pictures:
            plan = _pictures_plan(call, pictures)
        if plan is None or (chosen and chosen.priority >= USERS_OWN):
            plan = _plan(chat_id, call, returned.whole, files, blobs)
        # secrets are removed from the plan before it is drawn, so that no picture shows them
        plan = plan_from_json(scrubber.json(plan_to_json(plan)))
        drawn = draw_charts(plan, self._charts, partial(self._rows, chat_id, blobs, ran.holding))
        pictures += tuple(_picture(blobs, one) for one in drawn.pictures)
        return CallResult(drawn.said(returned.result), drawn.plan, pictures)

    def _rows(
        self, chat_id: str, blobs: BlobStore, holding: Sequence[str], file: FileRef
    ) -> list[JSONObject] | None:
        """Return the rows of a chart's file; None if the file contains a secret, because the picture would show it."""
        if self._reads is None or file.path in holding:
            return None
        return self._reads.first_rows(chat_id, file, blobs)


def _returned(call: PlannedCall, outcome: RunOutcome) -> Returned:
    """Split a tool's return value into its parts. An MCP server's answer is not split, since it has no special keys."""
    value = outcome.value or {}
    if call.tool is not None and call.tool.server is not None:
        return Returned(dict(value), dict(value))
    return split_returned(value)


def _plan(chat_id: str, call: PlannedCall, result: JSONObject, files: Files, blobs: BlobStore) -> RenderPlan:
    """Return the plan to show, with the bundle's files that it names copied into the chat's store."""
    tool = call.tool
    assert tool is not None
    facts = CallFacts(args=call.arguments, result=result, chat_id=chat_id)
    plan = make_plan(tool.render, facts, files, tool.artifacts)
    for file in plan_files(plan):
        if file.origin == "toolset" and tool.bundle is not None:
            blobs.put_file(tool.bundle / file.path)
    return plan


def _picture(blobs: BlobStore, picture: RawPicture) -> Picture:
    blob = blobs.put_bytes(picture.content)
    return Picture(sha256=blob.sha256, media_type=picture.media_type, size=blob.size, caption=picture.caption)


def _pictures_plan(call: PlannedCall, pictures: Sequence[Picture]) -> RenderPlan:
    """Return a plan that shows the pictures of a tool that has no renderer."""
    images = []
    for number, picture in enumerate(pictures, 1):
        name = f"{call.name}-{number}.{picture.media_type.rpartition('/')[2]}"
        file = FileRef(
            path=name, sha256=picture.sha256, size=picture.size, media_type=picture.media_type, origin="call"
        )
        images.append(Image(file=file, caption=picture.caption or None))
    only = images[0].caption if len(images) == 1 else None
    return ImagesPlan(images=tuple(images), title=only)
