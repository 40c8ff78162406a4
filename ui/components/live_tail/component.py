"""The running turn of a chat, token by token, without a rerun; when it ends the page reruns once."""

from collections.abc import Sequence

from engine.chats.signals import Signal
from ui.components.assets import component
from ui.current_app import app
from ui.words import BADGES

__all__ = ["live_tail"]

_mount = component("live_tail")


def live_tail(
    chat_id: str,
    running_turns: Sequence[str],
    ended_turns: Sequence[str],
    last_question: str | None,
    version: int,
    *,
    path: str | None,
    live: Sequence[Signal] = (),
) -> None:
    """Watch `chat_id`. `running_turns` were running when the page was drawn; `ended_turns` are shown already.

    `version` is the number of the chat's events that the page shows, so that no event is missed.

    `path` is the address of the WebSocket that reports the turns; if there is none, `live` reports them at each run.

    The page is scrolled to `last_question` if the last question has changed.
    """
    _mount(
        key=f"live-tail-{chat_id}",
        data={
            "chat": chat_id,
            "path": path,
            "live": list(live),
            "running": bool(running_turns),
            "turns": list(running_turns),
            "question": last_question,
            "version": version,
            "ended": list(ended_turns),
            "pictures": _makers_of_pictures(),
            "badges": {status: list(shown) for status, shown in BADGES.items()},
        },
        on_refresh_change=lambda: None,
    )


def _makers_of_pictures() -> list[str]:
    """Return the tools whose calls return pictures, as `toolset:name`. While such a call runs, the page reserves space
    for them.
    """
    tools = (tool for tool in app().tools() if tool.render is not None)
    return [
        f"{tool.toolset_name}:{tool.name}"
        for tool in tools
        if tool.render and tool.render.renderer == "images"
    ]
