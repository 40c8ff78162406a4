"""Begins every run of the page: sets the title, the icon and the stylesheet."""

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.commands import page_config
from streamlit.elements.lib.image_utils import image_to_url

from ui.streamlit_runs import begin_at_the_top
from ui.style import apply_style

__all__ = ["begin_page", "send_addresses_as_they_are"]

_MARK = Path(__file__).parent / "assets" / "mark.svg"


def begin_page() -> None:
    """Begin to draw the page from its top."""
    begin_at_the_top()
    st.set_page_config(page_title="Anabranch", page_icon=_icon(), layout="wide")
    apply_style()


@cache
def _icon() -> str:
    """Return the icon as a `data:` address. If the page had no icon, Streamlit would fetch a view's icon from another
    host.
    """
    return f"data:image/svg+xml;base64,{b64encode(_MARK.read_bytes()).decode()}"


def send_addresses_as_they_are() -> None:
    """Let Streamlit send a `data:` address to the browser without loading numpy and PIL. Loading them would delay the
    first page by a seventh of a second.
    """

    def sent(image: Any, **more: Any) -> str:
        is_address = isinstance(image, str) and image.startswith("data:")
        return image if is_address else image_to_url(image, **more)

    setattr(page_config, "image_to_url", sent)  # noqa: B010 - mypy refuses the assignment
