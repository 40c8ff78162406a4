"""The summaries that models read instead of a branch's older messages."""

from datetime import datetime
from typing import Any

from engine.errors import NotFound
from engine.workspace.blobs import BlobStore
from events.late_dataclass import dataclass

__all__ = ["CompactionView", "compaction_sentence", "compaction_view"]


@dataclass(frozen=True, slots=True)
class CompactionView:
    """One summary."""

    through_id: str
    """The last message that the summary covers."""
    summary: str
    """The text that models read."""
    messages: int
    """The number of messages that the summary covers."""
    written_by: str
    """The author of the summary: `model` or `rules`."""
    model: str
    reason: str
    """The reason for the summary: `window` or `refused`."""
    window_tokens: int
    """The token limit for requests at that time."""
    problem: str | None
    """The reason why the model did not write the summary."""
    created_at: datetime

    @property
    def sentence(self) -> str:
        """The description for the user."""
        return compaction_sentence(self.messages)

    @property
    def facts(self) -> str:
        """The model that wrote the summary and the reason, for display."""
        why = "a longer request was refused" if self.reason == "refused" else "its window was nearly full"
        wrote = "It wrote the summary itself."
        if self.written_by != "model":
            problem = self.problem or "no reason is known"
            wrote = (
                f"It could not write the summary, so shortened questions and answers are quoted. {problem}"
            )
        return f"{self.model} reads at most {self.window_tokens:,} tokens, and {why}. {wrote} No message was deleted."


def compaction_sentence(messages: int) -> str:
    """Return the user's description of a summary that covers this many messages."""
    return f"From here on, the model reads a summary of the {messages:,} messages above"


def compaction_view(row: dict[str, Any], blobs: BlobStore) -> CompactionView:
    """Return the view of a row of `compactions`, with its text."""
    try:
        summary = blobs.read(row["summary"]["sha256"]).decode()
    except NotFound:
        summary = f"{row['summary']['head']}…"
    names = (name for name in CompactionView.__slots__ if name != "summary")
    return CompactionView(**{name: row[name] for name in names}, summary=summary)
