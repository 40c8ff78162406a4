"""Forks a chat at the displayed message or moment."""

from engine.commands.catalog import ForkChat
from ui import session
from ui.current_app import REFUSED, send

__all__ = ["fork"]


def fork(command: ForkChat) -> None:
    """Fork the chat, and show the new one with a message."""
    forked = send(command)
    if forked is not REFUSED:
        session.flash("Forked. This is the new chat.")
        session.go_to_chat(forked)
        session.go_to_page("chat")
