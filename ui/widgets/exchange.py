"""Actions on a question and its answer: whether the chat is at that message, and answering again."""

from engine.commands.catalog import Retry
from engine.views.chat import ChatView
from engine.views.exchanges import Exchange
from ui import session
from ui.current_app import send

__all__ = ["is_latest", "retry"]


def is_latest(view: ChatView, exchange: Exchange) -> bool:
    """Whether this is the chat's current message, and the page does not show a past state."""
    here = {exchange.question.message_id, *(step.message_id for step in exchange.steps)}
    return not session.looks_back() and view.leaf in here


def retry(view: ChatView, exchange: Exchange) -> None:
    """Answer the question again; the new answer is another version beside the existing ones."""
    send(Retry(view.chat_id, exchange.question.message_id))
