"""The pictures of one call in one block, shown one at a time, with a download button, and with arrows if there are
several.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from streamlit import runtime

from ui.components.assets import component

__all__ = ["Picture", "carousel"]

_mount = component("carousel")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to show."""

    name: str
    """The name of the downloaded file."""
    data: bytes
    media_type: str
    caption: str
    """The text below the picture. Screen readers read it in place of the picture."""


def carousel(pictures: Sequence[Picture], *, key: str) -> None:
    """Show `pictures`; the reader's choice of a picture survives a rerun.

    The bytes are put into Streamlit's store of media, as with `st.image`: the browser fetches and caches them by
    their hash, from the app's own address, and a rerun does not send them again.
    """
    shown = [
        {
            "src": _address(picture, f"{key}-{index}"),
            "name": picture.name,
            "caption": picture.caption,
        }
        for index, picture in enumerate(pictures)
    ]
    _mount(key=key, data={"pictures": shown})


def _address(picture: Picture, place: str) -> str:
    """Return a picture's address relative to the page's address, so that the host can serve the page at any path."""
    # An SVG that is opened in its own tab could run scripts with the app's origin. As a data address, it has no origin.
    if picture.media_type == "image/svg+xml" or not runtime.exists():
        return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"
    media = runtime.get_instance().media_file_mgr
    return media.add(picture.data, picture.media_type, place).lstrip("/")
