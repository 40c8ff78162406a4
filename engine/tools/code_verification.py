"""Runs a bundle's code only if its stored files match the installed version, and checks them again after the call."""

from collections.abc import Callable
from dataclasses import replace

from engine.runtime.pool import Pool
from engine.runtime.protocol import Confinement, RunError, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.tool import Tool
from engine.toolsets.stored_code import StoredCode, named

__all__ = ["VerifiedPool"]

_NOTHING_RAN = Confinement(layers=("nothing ran",))


class VerifiedPool:
    """Runs tool calls in a pool, and verifies the code of bundles before and after each call."""

    def __init__(self, pool: Pool, code: StoredCode) -> None:
        self._pool = pool
        self._code = code

    def run(
        self,
        tool: Tool,
        request: RunRequest,
        cancel: Cancellation,
        on_progress: Callable[[float | None, str], None] | None,
    ) -> RunOutcome:
        """See `Pool.run`. A module may be imported late in a call, so the files are also compared after the call."""
        refused = self._refused(tool, "Nothing was run.")
        if refused is not None:
            return RunOutcome("error", error=refused, confinement=_NOTHING_RAN)
        outcome = self._pool.run(request, cancel=cancel, on_progress=on_progress)
        if outcome.status == "cancelled":
            return outcome
        refused = self._refused(tool, "That happened during this call, so its result was dropped.")
        return outcome if refused is None else replace(outcome, status="error", value=None, error=refused)

    def _refused(self, tool: Tool, consequence: str) -> RunError | None:
        if tool.bundle is None:
            return None
        found = self._code.deviations(tool.bundle, tool.artifacts)
        if not found:
            return None
        return RunError(
            "toolset_changed",
            f"{tool.toolset_name} has changed since it was installed: {named(found)}. {consequence} "
            f"To restore its files, run `anabranch toolset restore {tool.toolset_id}`, or choose Restore on the "
            "Toolsets page.",
        )
