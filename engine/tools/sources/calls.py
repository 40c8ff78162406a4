"""Gives a tool's call access to a source, and stops its query there if the call ends early."""

from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from threading import Thread

from engine.deciders.sources import Source
from engine.errors import AnabranchError
from engine.runtime.protocol import RunOutcome
from engine.tools.sources.offer import QUERY, source_named
from engine.tools.sources.sources import Sources
from engine.tools.tool import Tool
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["NO_SOURCE", "SourceCalls", "SourceUse"]

_AROUND = 30.0
"""The seconds for connecting and writing the result, in addition to the seconds that the query may take in the source.
"""


@dataclass(frozen=True, slots=True)
class SourceUse:
    """The source access of one call."""

    context: JSONObject = field(default_factory=dict, repr=False)
    """Facts for the process. For a query they include the key, so pass them only to the process."""
    network: bool = False
    readable: tuple[Path, ...] = ()
    seconds: float = 0.0
    """The minimum time limit of the call, in seconds."""
    source: Source | None = None
    """The source in which a statement may have to be stopped."""


NO_SOURCE = SourceUse()


class SourceCalls:
    """Gives calls access to sources. Thread-safe."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def given(self, tool: Tool, call_id: str, arguments: Mapping[str, JSON]) -> SourceUse:
        """Return a call's source access. It is empty if the call's tool cannot read sources or its arguments name no
        source.

        Raises:
            NotFound, Unavailable: there is no such source, or it does not answer.
        """
        name = source_named(tool, dict(arguments))
        if name is None:
            return NO_SOURCE
        source = self._sources.book.find(name)
        if tool.tool_id != QUERY:
            return SourceUse({"source_tables": self._listed(source)})
        access = self._sources.access(source, call_id)
        seconds = source.facts.max_seconds + _AROUND
        return SourceUse({"source": access.told}, access.network, access.readable, seconds, source)

    def ended(self, use: SourceUse, call_id: str, outcome: RunOutcome) -> None:
        """Stop the call's statements in the source if the call's process ended before it could stop them. Does not
        wait.

        The server itself notices within a second that the process is gone, but this is faster.
        """
        cut = outcome.status in ("cancelled", "timed_out") or (
            outcome.error is not None and outcome.error.kind in ("crashed", "too_much", "host")
        )
        if use.source is not None and use.network and cut:
            Thread(target=self._stop, args=(use.source, call_id), name="stop at source", daemon=True).start()

    def _stop(self, source: Source, call_id: str) -> None:
        try:
            self._sources.probe.stop(source, call_id)
        except AnabranchError:  # the app is closing; the server notices that the process has ended
            return

    def _listed(self, source: Source) -> JSONObject:
        """Return the tables of a source for `describe`, whose process does not connect to the source."""
        listed = self._sources.tables(source)
        tables: list[JSON] = [
            {
                "name": table.full_name,
                "kind": table.kind,
                "rows": table.rows,
                "columns": [asdict(column) for column in table.columns],
            }
            for table in listed.tables
        ]
        return {
            "name": source.name,
            "language": source.language,
            "read_at": listed.read_at.isoformat() if listed.read_at else None,
            "left_out": listed.left_out,
            "tables": tables,
        }
