"""The icon of the page in the browser's tab."""

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.commands import page_config
from streamlit.elements.lib.image_utils import image_to_url

__all__ = ["page_icon", "send_addresses_as_they_are"]

_MARK = Path(__file__).parent / "assets" / "mark.svg"


@cache
def page_icon() -> str:
    """Return the icon as a `data:` address. If the page had no icon, Streamlit would fetch a view's icon from another
    host.
    """
    return f"data:image/svg+xml;base64,{b64encode(_MARK.read_bytes()).decode()}"


def send_addresses_as_they_are() -> None:
    """Let Streamlit send a `data:` address to the browser without loading numpy and PIL, which delays the first page
    by a seventh of a second.
    """

    def sent(image: Any, **more: Any) -> str:
        is_address = isinstance(image, str) and image.startswith("data:")
        return image if is_address else image_to_url(image, **more)

    setattr(page_config, "image_to_url", sent)  # noqa: B010 - mypy refuses the assignment
