"""Identifies this browser tab by a token stored in the tab: a reload keeps it, another tab gets a new one."""

from typing import Any

from ui.components.assets import component

__all__ = ["tab_token"]

_mount = component("tab_token")


def tab_token(offered: str) -> str | None:
    """Return the tab's token: its existing one, or `offered`, which it stores; None until the tab has answered."""
    answered: Any = _mount(
        key="tab-token", data={"offered": offered}, on_token_change=lambda: None, height="content"
    )
    token = answered.token
    return token if isinstance(token, str) and token else None
