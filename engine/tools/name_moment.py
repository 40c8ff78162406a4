"""The tool `name_moment` (RUN-8): names the files as they are before the next call."""

from collections.abc import Callable

from engine.errors import AnabranchError
from engine.rendering.plans import RenderPlan
from engine.runtime.protocol import Confinement, RunError, RunOutcome
from engine.system.cancellation import Cancellation
from engine.tools.call_plans import Branch
from engine.tools.moment_names import MomentNames
from engine.tools.tool import Tool
from events.canonical import JSONObject

__all__ = ["MomentCalls"]

_HELD = Confinement(layers=("nothing ran",))


class MomentCalls:
    """Answers its calls."""

    def __init__(self, names: MomentNames) -> None:
        self._names = names

    def run(
        self,
        branch: Branch,
        _tool: Tool,
        arguments: JSONObject,
        _cancel: Cancellation,
        _progress: Callable[[float | None, str], None],
        call_id: str,
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Name the branch's files and return how later calls read them."""
        try:
            moment, moved = self._names.name(
                branch.chat_id,
                str(arguments["name"]),
                lambda _: (branch.message_id, branch.manifest_id),
                description=str(arguments.get("description") or ""),
                call_id=call_id,
                correlation_id=branch.turn_id,
            )
        except AnabranchError as error:
            return RunOutcome("error", error=RunError(error.code, error.message), confinement=_HELD), None
        result: JSONObject = {
            "named": moment.name,
            "use": f"SQL and python read its tables as {moment.name}.TABLE.",
        }
        if moved:
            result["note"] = f"{moment.name} was the name of an earlier moment, which has no name now."
        return RunOutcome("success", result, confinement=_HELD), None
