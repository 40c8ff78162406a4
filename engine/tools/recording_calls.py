"""Tools that record something in Anabranch itself; they run without a process."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from engine.errors import AnabranchError
from engine.rendering.plans import RenderPlan
from engine.runtime.protocol import Confinement, RunError, RunOutcome
from engine.system.cancellation import Cancellation
from engine.tools.call_plans import Branch
from engine.tools.tool import Tool
from events.json_value import JSONObject

__all__ = ["RecordingCalls"]

_HELD = Confinement(layers=("nothing ran",))


class RecordingCalls(ABC):
    """Answers the calls of one tool that records something in Anabranch. An error of Anabranch becomes the call's
    failure."""

    def run(
        self,
        branch: Branch,
        _tool: Tool,
        arguments: JSONObject,
        _cancel: Cancellation,
        _progress: Callable[[float | None, str], None],
        call_id: str,
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Record the call's request and return its result."""
        try:
            result = self.record(branch, arguments, call_id)
        except AnabranchError as error:
            return RunOutcome("error", error=RunError(error.code, error.message), confinement=_HELD), None
        return RunOutcome("success", result, confinement=_HELD), None

    @abstractmethod
    def record(self, branch: Branch, arguments: JSONObject, call_id: str) -> JSONObject:
        """Record the request, and return the call's result."""
