"""The tool `query_history` (LOG-7): SQL over a chat's own events and read models, in an isolated process.

The process gets a Parquet snapshot of this chat, which is made only for this call. The snapshot contains all chats only
if the user allowed that.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from engine.errors import AnabranchError
from engine.rendering.plans import RenderPlan
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunError, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.call_plans import Branch
from engine.tools.tool import Tool
from events.json_value import JSONObject

__all__ = ["QUERY_HISTORY", "HistoryCalls", "WriteHistory"]

QUERY_HISTORY = "query_history"


class WriteHistory(Protocol):
    """Writes the events and read models of one chat (None: of all chats) as Parquet files into a folder."""

    def __call__(self, folder: Path, chat_id: str | None) -> None: ...


class HistoryCalls:
    """Runs calls of the tool."""

    def __init__(self, pool: Pool, write: WriteHistory, all_chats: Callable[[], bool]) -> None:
        self._pool = pool
        self._write = write
        self._all_chats = all_chats

    def run(
        self,
        branch: Branch,
        tool: Tool,
        arguments: JSONObject,
        cancel: Cancellation,
        progress: Callable[[float | None, str], None],
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Run one query over a snapshot of the current state."""
        folder: AbstractContextManager[str] = TemporaryDirectory(prefix="anabranch-history-")
        with folder as place:
            try:
                self._write(Path(place), None if self._all_chats() else branch.chat_id)
                request = RunRequest(
                    call_id="history",
                    bundle=None,
                    entrypoint=tool.entrypoint,
                    workspace=Path(place),
                    arguments=arguments,
                    limits=Limits(seconds=tool.timeout),
                )
                return self._pool.run(request, cancel=cancel, on_progress=progress), None
            except AnabranchError as error:
                return RunOutcome("error", error=RunError(error.code, error.message)), None
