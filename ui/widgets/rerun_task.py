"""Starts a re-run with a change in a separate thread; it continues if the tab is closed."""

from engine.commands.catalog import RerunChat
from ui import session
from ui.background_task import BackgroundTask
from ui.current_app import app

__all__ = ["begin_rerun"]


def begin_rerun(command: RerunChat) -> None:
    """Start the re-run, and go to the chat, which shows its progress."""
    session.clear(f"rerun-sheet-{command.chat_id}")
    task: BackgroundTask[str] = BackgroundTask()
    session.remember(f"rerun-{command.chat_id}", task)
    engine = app()
    task.begin(lambda: engine.send(command))
    session.go_to_page("chat")
