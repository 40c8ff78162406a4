"""Shows a page in a frame: a page that a tool made, in a sandbox; or the page at an address that a tool returned, which
is loaded only when the reader clicks.
"""

from dataclasses import dataclass
from typing import Literal

from ui.components.assets import component

__all__ = ["FramedPage", "artifact"]

_mount = component("artifact")


@dataclass(frozen=True, slots=True)
class FramedPage:
    """The content of the frame."""

    title: str
    """The text that screen readers read out for the frame."""
    src: str | None = None
    srcdoc: str | None = None
    """The page's HTML, if the page has no address."""
    kind: Literal["artifact", "address"] = "artifact"
    """An `artifact` loads at once and reports its height; an external `address` loads only after a click."""
    host: str = ""
    """The host of an external address, shown before the click."""
    height: int | None = None
    """The height in pixels; None: the height that the page requests, within bounds."""


def artifact(page: FramedPage, *, key: str) -> None:
    """Show `page`; it is loaded once, and reruns do not change it."""
    _mount(
        key=key,
        data={
            "kind": page.kind,
            "title": page.title,
            "src": page.src,
            "srcdoc": page.srcdoc,
            "host": page.host,
            "height": page.height,
        },
    )
