"""The field of the question. Imports neither the engine nor the views, because the page shows it before they load."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.components.composing.component import UploadLimit

__all__ = ["NEW_CHAT", "browser_limit", "question_field"]

NEW_CHAT = "Ask about your files"
"""The placeholder of the field on the page of a new chat."""


def browser_limit() -> UploadLimit:
    """Return the message for a file that a browser cannot upload, without an alternative."""
    return UploadLimit(int(st.get_option("server.maxUploadSize")) << 20, "a browser can send files of up to")


def question_field(placeholder: str, on_submit: Callable[..., None], *args: Any) -> Any:
    """Draw the field, and return what was submitted. Its text stays if it is drawn again with the same placeholder."""
    return st.chat_input(placeholder, key="question", accept_file="multiple", on_submit=on_submit, args=args)
