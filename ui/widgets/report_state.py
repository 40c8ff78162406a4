"""The report that this tab puts together for a chat: kept until the tab is closed, saved only on request."""

from collections.abc import Callable

from engine.views.reports.report_draft import ReportDraft
from ui import session

__all__ = ["change_draft", "draft_now", "set_draft"]


def draft_now(chat_id: str) -> ReportDraft | None:
    """Return the draft; None before one was begun."""
    draft: ReportDraft | None = session.remembered(f"report-draft-{chat_id}")
    return draft


def set_draft(chat_id: str, draft: ReportDraft) -> None:
    """Replace the draft."""
    session.remember(f"report-draft-{chat_id}", draft)


def change_draft(chat_id: str, change: Callable[[ReportDraft], ReportDraft]) -> None:
    """Change the draft as it is now: what was typed just before a click is in it already."""
    draft = draft_now(chat_id)
    if draft is not None:
        set_draft(chat_id, change(draft))
