"""Beginning a re-run from anywhere on the page: it works in a thread of its own, and goes on if the tab is closed."""

from collections.abc import Sequence

from engine.commands.catalog import ReplayChat
from ui import session
from ui.background_task import BackgroundTask
from ui.current_app import app

__all__ = ["replay_task", "verify_now"]


def verify_now(
    chat_id: str, call_ids: Sequence[str] = (), *, live: bool = False, message_id: str | None = None
) -> None:
    """Begin to run calls again, all of the branch or some, and go to the page that shows it.

    The branch is the one on which the chat stands, or that of `message_id`.
    """
    task: BackgroundTask[str] = BackgroundTask()
    session.remember(f"replay-{chat_id}", task)
    engine, command = app(), ReplayChat(chat_id, message_id, tuple(call_ids), live)
    task.begin(lambda: engine.send(command))
    session.go_to_page("verify")


def replay_task(chat_id: str) -> "BackgroundTask[str] | None":
    """The run that this tab began, while it is under way."""
    task: BackgroundTask[str] | None = session.remembered(f"replay-{chat_id}")
    return task if task is not None and not task.is_done else None
