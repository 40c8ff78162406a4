"""Light, dark, or the system's theme: a choice for this browser, not recorded as an event."""

from collections.abc import Sequence

from ui.components.assets import component

__all__ = ["theme_choice"]

_mount = component("theme_choice")


def theme_choice(pages: Sequence[str], *, key: str) -> None:
    """Draw the choice; `pages` are the last parts of the addresses of all pages, because Streamlit stores the theme
    for each.
    """
    _mount(key=key, data={"pages": list(pages)}, width="content")
