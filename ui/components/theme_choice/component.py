"""Light, dark, or the system's theme: a choice for this browser, not recorded as an event."""

from collections.abc import Sequence

from ui.components.assets import component

__all__ = ["theme_choice"]

_mount = component("theme_choice")


def theme_choice(pages: Sequence[str], *, key: str) -> None:
    """Draw the choice; `pages` contains the last part of each page's address, because Streamlit stores a theme for
    each page.
    """
    _mount(key=key, data={"pages": list(pages)}, width="content")
