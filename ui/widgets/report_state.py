"""The report draft of this tab for a chat: kept until the tab is closed, saved only on request."""

from collections.abc import Callable
from typing import TypeVar

from engine.views.reports.report_draft import ReportDraft
from ui import session

__all__ = ["change_draft", "draft_now", "first_value", "set_draft"]


Value = TypeVar("Value", str, bool)


def draft_now(chat_id: str) -> ReportDraft | None:
    """Return the draft; None if none was started."""
    draft: ReportDraft | None = session.remembered(f"report-draft-{chat_id}")
    return draft


def set_draft(chat_id: str, draft: ReportDraft) -> None:
    """Replace the draft."""
    session.remember(f"report-draft-{chat_id}", draft)


def change_draft(
    chat_id: str, change: Callable[[ReportDraft], ReportDraft], revision: int | None = None
) -> None:
    """Change the current draft, which includes text typed just before a click.

    A field gives the `revision` that it was drawn for. A late value of a field that no longer exists changes nothing.
    """
    draft = draft_now(chat_id)
    if draft is not None and revision in (None, draft.revision):
        set_draft(chat_id, change(draft))


def first_value(key: str, value: Value) -> Value:
    """Return the value with which the field `key` was first drawn. If a field's initial value changes, the browser
    treats it as a new field, and the cursor is lost.
    """
    first: Value = session.remembered(f"first-{key}", value)
    session.remember(f"first-{key}", first)
    return first
