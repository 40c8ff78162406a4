"""Connects to a source in a tool process, but not for a call: to test it, to profile a table, or to stop a query
there."""

import tempfile
from pathlib import Path
from typing import Any

from engine.chats.sources import SourceBook
from engine.deciders.sources import Source
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.sources.access import Access, access_to
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Look", "SourceProbe"]

_LOOKING = 90.0
_STOPPING = 15.0
"""The time limit for stopping a statement, in seconds."""


@dataclass(frozen=True, slots=True)
class Look:
    """The answer of a source."""

    server: str | None = None
    tables: tuple[dict[str, Any], ...] = ()
    left_out: int = 0
    """The number of tables that are not listed."""
    kind: str | None = None
    """The reason why the source did not answer."""
    message: str | None = None
    code: str | None = None


class SourceProbe:
    """Connects to sources. Thread-safe."""

    def __init__(self, pool: Pool, book: SourceBook) -> None:
        self._pool = pool
        self._book = book

    def look(self, source: Source) -> Look:
        """Connect to a source; return its server and tables, or the reason if it does not answer."""
        value = self._run(access_to(self._book, source, "look"), "look", {}, _LOOKING)
        problem = value.get("problem")
        if problem is not None:
            return Look(kind=problem["kind"], message=problem["message"], code=problem["code"] or None)
        return Look(value["server"], tuple(value["tables"]), value["left_out"])

    def profile(self, source: Source, schema: str, table: str) -> dict[str, Any]:
        """Return the profile of a table from its first rows, as `anabranch_tool.source_probe.profile` does."""
        more: dict[str, JSON] = {"table": {"schema": schema, "name": table}}
        seconds = source.facts.max_seconds + _LOOKING
        return self._run(access_to(self._book, source, "profile"), "profile", more, seconds)

    def stop(self, source: Source, call_id: str) -> None:
        """Stop a call's statements in a source; if the source cannot be reached, the source's own time limit stops
        them.
        """
        self._run(access_to(self._book, source, "stop"), "stop_call", {"stop": call_id}, _STOPPING)

    def _run(self, access: Access, function: str, more: dict[str, JSON], seconds: float) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="anabranch-source-") as folder:
            request = RunRequest(
                call_id=function,
                bundle=None,
                entrypoint=f"anabranch_tool.source_probe:{function}",
                workspace=Path(folder),
                arguments={},
                limits=Limits(seconds=seconds, result_bytes=64 << 20),
                network=access.network,
                readable=access.readable,
                context={"source": access.told, **more},
                runtime="source",
            )
            outcome = self._pool.run(request, cancel=Cancellation())
        if outcome.value is not None:
            return dict(outcome.value)
        kind = "too_slow" if outcome.status == "timed_out" else "failed"
        said = outcome.error.message if outcome.error else outcome.status
        return {"problem": {"kind": kind, "message": f"The driver did not answer: {said}", "code": ""}}
