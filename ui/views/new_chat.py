"""The page of a new chat, which is the first page that is drawn. It loads nothing that only other pages need."""

from collections.abc import Mapping
from typing import Any

from engine.commands.catalog import BeginChat, CreateChat, Upload, UploadFiles
from engine.config import sample_data
from engine.views.workspace import TablesShown
from events.json_value import JSON
from ui import session
from ui.current_app import REFUSED, app, send
from ui.widgets.askable_tables import with_sources
from ui.widgets.composer import composer
from ui.widgets.empty import empty, sample_uploads
from ui.widgets.failure import pending_failure
from ui.widgets.question_field import NEW_CHAT
from ui.widgets.refused_question import show_begun, submit_question

__all__ = ["new_chat_page"]


def new_chat_page() -> None:
    """Draw the page of a new chat: sample questions, and the composer."""
    first = not app().chats()
    pending_failure()
    empty(with_sample=first, on_pick=_ask_sample)
    selection = session.remembered("new-selection") or app().next_selection()
    composer(
        chat_id=None,
        running=False,
        selection=selection,
        model=session.remembered("new-model") or app().settings.model,
        base_url=session.remembered("new-base-url"),
        depth=session.remembered("new-depth", "quick"),
        on_ask=_ask_new,
        on_ask_form=_ask_form_new,
        tables=lambda: with_sources(TablesShown(app().workspace.tables_in(sample_data()))),
        placeholder=NEW_CHAT,
    )


def _ask_new(text: str, uploads: list[Upload]) -> None:
    """Begin a chat with its first question. If there are no chats and no uploads, the sample data is added."""
    first = not app().chats()
    _begin(text, uploads or (sample_uploads() if first else []))


def _ask_sample(text: str) -> None:
    _begin(text, sample_uploads())


def _ask_form_new(text: str, form: Mapping[str, JSON]) -> None:
    """Begin a chat with a query over the sample data, which is added to the chat."""
    _begin(text, sample_uploads(), form)


def _begin(text: str, uploads: list[Upload], form: Mapping[str, JSON] | None = None) -> None:
    """Begin a chat with its first question, or with files only."""
    chosen: dict[str, Any] = {
        "model": session.remembered("new-model"),
        "base_url": session.remembered("new-base-url"),
        "depth": session.remembered("new-depth", "quick"),
        "selection": session.remembered("new-selection"),
    }
    if text.strip():
        submit_question(BeginChat(text, uploads, form=form, **chosen))
        return
    chat_id = send(CreateChat(**chosen))
    if chat_id is not REFUSED:
        send(UploadFiles(chat_id, uploads))
        show_begun(chat_id)
