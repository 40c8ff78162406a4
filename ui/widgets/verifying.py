"""Starts a verification from any page, in a separate thread; it continues if the tab is closed.

The run starts on the Verify page, which shows it. If it started earlier, its first events would make the previous page
draw itself again, and the browser would return to that page.
"""

from collections.abc import Sequence

from engine.commands.catalog import ReplayChat
from ui import session
from ui.background_task import BackgroundTask
from ui.current_app import app

__all__ = ["begin_asked", "replay_task", "verify_now"]


def verify_now(
    chat_id: str, call_ids: Sequence[str] = (), *, live: bool = False, message_id: str | None = None
) -> None:
    """Go to the Verify page and run calls again: all calls of the branch, or some.

    The branch is the current one, or that of `message_id`.
    """
    session.remember(f"to-verify-{chat_id}", ReplayChat(chat_id, message_id, tuple(call_ids), live))
    session.go_to_page("verify")


def begin_asked(chat_id: str) -> None:
    """Start the requested run, if there is one."""
    command: ReplayChat | None = session.remembered(f"to-verify-{chat_id}")
    if command is None:
        return
    session.clear(f"to-verify-{chat_id}")
    task: BackgroundTask[str] = BackgroundTask()
    session.remember(f"replay-{chat_id}", task)
    engine = app()
    task.begin(lambda: engine.send(command))


def replay_task(chat_id: str) -> "BackgroundTask[str] | None":
    """The run that this tab started, while it is running."""
    task: BackgroundTask[str] | None = session.remembered(f"replay-{chat_id}")
    return task if task is not None and not task.is_done else None
