"""Handles clicks on the numbers of answers, which are links within the page and open the number's origin."""

from collections.abc import Callable, Mapping

from ui import session
from ui.components.assets import component

__all__ = ["number_links"]

_mount = component("number_links")


def number_links(names: Mapping[str, str], *, key: str, on_open: Callable[[str], None]) -> None:
    """Listen for clicks. `names` maps a number's reference to its text for screen readers; `on_open` gets the
    reference.
    """
    _mount(
        key=key,
        data={"names": dict(names)},
        on_opened_change=lambda: on_open(str(session.widget_value(key).opened or "")),
        width="content",
    )
