"""The outcome of running a branch again with a change."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from events.catalog.replay import RerunCall
from events.event import StoredValue
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["RerunStart", "RerunView", "last_run", "rerun_document", "rerun_starts_of", "reruns_of"]

_STORED: TypeAdapter[StoredValue] = TypeAdapter(StoredValue)


@dataclass(frozen=True, slots=True)
class RerunView:
    """One re-run with a change."""

    rerun_id: str
    leaf: str | None
    """The last message of the new branch."""
    from_leaf: str
    """The last message of the branch that ran again."""
    changed: str
    """The names of the files, or the changed call's id."""
    calls: tuple[RerunCall, ...]
    seconds: float
    at: datetime
    """The time in UTC."""

    @property
    def ran(self) -> int:
        """The number of calls that ran."""
        return sum(call.status == "ran" for call in self.calls)

    @property
    def moved(self) -> int:
        """The number of calls with a different result."""
        return sum(call.moved for call in self.calls)

    @property
    def failed(self) -> bool:
        """Whether a call failed. The calls after it were then left out."""
        return any(call.status in ("failed", "not reached") for call in self.calls)


@dataclass(frozen=True, slots=True)
class RerunStart:
    """The request for a re-run with a change."""

    rerun_id: str
    from_leaf: str
    """The last message of the branch that ran again."""
    call_id: str | None
    arguments: StoredValue | None
    files: Mapping[str, str]
    """Path → hash of the file that the user added."""
    columns: Mapping[str, Mapping[str, str]]
    live: bool
    asked: int
    """The number of calls to run; 0 if that was not recorded."""
    position: int


def rerun_starts_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, RerunStart]:
    """Return the requests for re-runs by id, from rows of `rerun_starts`."""
    return {
        row["rerun_id"]: RerunStart(
            row["rerun_id"],
            row["message_id"],
            row["call_id"],
            _STORED.validate_python(row["arguments"]) if row["arguments"] else None,
            {p: f["sha256"] for p, f in ((row["files"] or {}) | (row["brought"] or {})).items()},
            row["matched_columns"] or {},
            bool(row["live"]),
            row["asked"] or 0,
            row["position"],
        )
        for row in rows
    }


def reruns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, RerunView]:
    """Return the re-runs by id, from rows of `reruns`."""
    return {
        row["rerun_id"]: RerunView(
            row["rerun_id"],
            row["message_id"],
            row["from_message_id"],
            row["changed"] or "",
            tuple(RerunCall.model_validate(call) for call in row["calls"] or ()),
            row["seconds"] or 0.0,
            row["created_at"],
        )
        for row in rows
    }


def last_run(runs: Iterable[RerunView]) -> RerunView | None:
    """Return the run that ended last; None if there is none."""
    return max(runs, key=lambda run: run.at, default=None)


def rerun_document(
    chat_id: str, run: RerunView, tools: Mapping[str, str], numbers: list[JSON], sentences: list[JSON]
) -> JSONObject:
    """Return a run as described in docs/api.md.

    `tools` maps each call to its tool, `numbers` contains the new values of the numbers in the answers, and `sentences`
    says which of their sentences are still true.
    """
    calls: list[JSON] = [
        {
            "id": call.call_id,
            "new_id": call.new_call_id,
            "tool_id": tools.get(call.call_id, ""),
            "status": call.status,
            "moved": call.moved,
            "told": call.told,
            "quotes": list(call.quotes),
        }
        for call in run.calls
    ]
    return {
        "chat_id": chat_id,
        "rerun_id": run.rerun_id,
        "branch_leaf": run.leaf,
        "from_leaf": run.from_leaf,
        "changed": run.changed,
        "calls": calls,
        "numbers": numbers,
        "sentences": sentences,
        "seconds": round(run.seconds, 3),
    }
