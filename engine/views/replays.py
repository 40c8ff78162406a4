"""Results of re-runs: the last verdict on each call, and a whole re-run as a document."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from engine.chats.payloads import value_of
from engine.workspace.blobs import BlobStore
from events.catalog.replay import CallVerdict, ReplayFinished, Verdict
from events.event import StoredValue
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "SAME",
    "VerdictView",
    "last_verdicts",
    "replay_document",
    "verdict_badge",
    "verdict_document",
    "verdict_words",
]

SAME: frozenset[Verdict] = frozenset({"identical", "equal"})
"""The verdicts that mean that a call had the same result."""
_WORDS: Mapping[str, str] = {
    "identical": "identical",
    "equal": "equal to 12 digits",
    "differs": "differs",
    "not_deterministic": "not deterministic",
    "skipped": "skipped",
    "failed": "could not run",
}


@dataclass(frozen=True, slots=True)
class VerdictView:
    """The last verdict on a call."""

    verdict: Verdict
    reason: str
    at: datetime
    """The time in UTC."""
    seconds: float
    environment: tuple[str, ...]
    details: StoredValue | None
    replay_id: str
    reaches_out: bool = False
    """Whether the call was skipped only because it reads a source, or reaches the network or an MCP server."""

    @property
    def badge(self) -> str:
        """The verdict as a short text, such as `re-run identical, 22 Nov`."""
        return f"re-run {verdict_words(self.verdict)}, {self.at.day} {self.at:%b}"


def verdict_words(verdict: str) -> str:
    """Return a verdict in words."""
    return _WORDS.get(verdict, verdict)


def last_verdicts(rows: Iterable[Mapping[str, Any]]) -> dict[str, VerdictView]:
    """Return the last verdict on each call, by its id, from rows of `replays` in order.

    If a re-run skipped a call, the earlier verdict on it stays.
    """
    found: dict[str, VerdictView] = {}
    for row in rows:
        for one in row["calls"] or ():
            call = CallVerdict.model_validate(one)
            if call.verdict == "skipped" and call.call_id in found:
                continue
            found[call.call_id] = VerdictView(
                call.verdict,
                call.reason,
                row["created_at"],
                call.seconds,
                call.environment,
                call.details,
                row["replay_id"],
                call.reaches_out,
            )
    return found


def verdict_badge(verdicts: Iterable[VerdictView | None]) -> str | None:
    """Return the badge of an answer, the worst verdict on its calls; None if a call never ran again."""
    found = list(verdicts)
    if not found or any(one is None for one in found):
        return None
    ran = [one for one in found if one is not None and one.verdict != "skipped"]
    worst = ("failed", "differs", "not_deterministic", "equal", "identical")
    return next((one.badge for kind in worst for one in ran if one.verdict == kind), None)


def replay_document(
    chat_id: str, event: ReplayFinished, tools: Mapping[str, str], blobs: BlobStore
) -> JSONObject:
    """Return the document of a re-run that docs/api.md describes; `tools` maps each call to its tool."""
    return {
        "chat_id": chat_id,
        "replay_id": event.replay_id,
        "leaf": event.message_id,
        "asked": event.asked,
        "seconds": round(event.seconds, 3),
        "calls": [_call(one, tools, blobs) for one in event.calls],
    }


def _call(one: CallVerdict, tools: Mapping[str, str], blobs: BlobStore) -> JSON:
    return {
        "id": one.call_id,
        "tool_id": tools.get(one.call_id, ""),
        **verdict_document(one, blobs),
    }


def verdict_document(one: CallVerdict | VerdictView, blobs: BlobStore) -> JSONObject:
    """Return the verdict on a call with the places where its result and files differ."""
    kept = value_of(one.details, blobs)
    details = kept if isinstance(kept, dict) else {}
    return {
        "verdict": one.verdict,
        "reason": one.reason,
        "reaches_out": one.reaches_out,
        "seconds": round(one.seconds, 3),
        "environment": list(one.environment),
        "result_diff": details.get("result_diff", []),
        "file_diff": details.get("file_diff", []),
    }
