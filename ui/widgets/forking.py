"""Forks a chat at the message or moment on view."""

from engine.commands.catalog import ForkChat
from ui import session
from ui.current_app import REFUSED, send

__all__ = ["fork"]


def fork(command: ForkChat) -> None:
    """Make the fork, report it, and show it."""
    forked = send(command)
    if forked is not REFUSED:
        session.flash("Forked. This is the new chat.")
        session.go_to_chat(forked)
        session.go_to_page("chat")
