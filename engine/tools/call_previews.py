"""Runs a tool's call in a separate folder and records nothing, so that an editor can show the result before saving."""

from dataclasses import replace
from threading import Timer
from time import monotonic

from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.deciders import chat as decide
from engine.errors import Refused
from engine.rendering.plans import RenderPlan
from engine.system.cancellation import Cancellation
from engine.tools.arguments import require_arguments, schema_problem
from engine.tools.call_execution import CallExecution, stands_apart
from engine.tools.call_order import verdict
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.call_results import CallResults, ResultRefused
from engine.tools.tool import Tool
from engine.workspace.manifest import Files
from events.identity import NewId
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["CallPreview", "CallPreviews"]


@dataclass(frozen=True, slots=True)
class CallPreview:
    """The previewed result of a call."""

    problem: str
    """The reason why the call fails, in the tool's words; empty if it succeeds."""
    result: JSON
    plan: RenderPlan | None
    seconds: float


class CallPreviews:
    """Runs previews of calls. Thread-safe."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        execution: CallExecution,
        results: CallResults,
        new_id: NewId,
    ) -> None:
        """`results` must not make pictures, because the page draws the charts itself."""
        self._chats = chats
        self._workspaces = workspaces
        self._execution = execution
        self._results = results
        self._new_id = new_id

    def run(
        self,
        chat_id: str,
        tool: Tool,
        arguments: JSONObject,
        seconds: float | None,
        cancel: Cancellation | None = None,
    ) -> CallPreview:
        """Run the call on the chat's current files, for at most `seconds` and the tool's own time limit.

        Raises:
            NotFound: there is no such chat.
            Invalid: the arguments are not JSON, or are too deep or too large.
            Refused: the tool asks before it runs, reaches the network or changes files (`not_previewed`).
        """
        _require_harmless(tool)
        require_arguments(dict(arguments))
        fault = schema_problem(arguments, tool.input_schema)
        if fault is not None:
            return CallPreview(fault.message, None, None, 0.0)
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            leaf, manifest, files = state.leaf, state.manifest, state.files(state.manifest)
        call_id, limit = f"preview-{self._new_id()}", min(tool.timeout, seconds or tool.timeout)
        call = PlannedCall(call_id, tool.name, replace(tool, timeout=limit), arguments)
        began, cancel = monotonic(), cancel or Cancellation()
        stops = Timer(limit + 1, cancel.set)
        stops.daemon = True
        # otherwise only the tool's time limit applies, which begins when its process is ready
        if seconds is not None:
            stops.start()
        try:
            with self._workspaces.scratch(chat_id, call_id) as folder:
                folder.workspace.materialize(files)
                branch = Branch(chat_id, call_id, leaf, manifest, folder)
                problem, result, plan = self._ran(branch, call, files, cancel)
        finally:
            stops.cancel()
        return CallPreview(problem, result, plan, monotonic() - began)

    def _ran(
        self, branch: Branch, call: PlannedCall, files: Files, cancel: Cancellation
    ) -> tuple[str, JSON, RenderPlan | None]:
        ran = self._execution.run(branch, call, branch.folder, files, cancel, [])
        _, failure = verdict(ran.outcome, ran.judged, lambda: "timed_out")
        scrubber = self._workspaces.payloads(branch.chat_id).scrubber
        if failure is None:
            left = ran.judged.files if ran.judged.aside is None else ran.judged.aside
            try:
                made = self._results.made(branch.chat_id, call, ran, left, branch.folder.workspace.blobs)
            except ResultRefused as error:
                failure = error.failure
            else:
                return "", scrubber.json(made.result), made.plan
        return scrubber.text(failure.message), None, None


def _require_harmless(tool: Tool) -> None:
    call = PlannedCall("preview", tool.name, tool, {})
    if tool.requires_confirmation or tool.network or tool.effects == "write" or stands_apart(call):
        raise Refused(
            "not_previewed",
            f"{tool.title} cannot be previewed: it asks before it runs, changes files or reaches the network. "
            "Run it instead.",
        )
