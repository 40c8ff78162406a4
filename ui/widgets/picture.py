"""A picture embedded in the page, so that a later run cannot remove it before the browser has fetched it."""

import base64

import streamlit as st

__all__ = ["picture"]


def picture(data: bytes, media_type: str) -> None:
    """Draw a picture at the full width of its container.

    `st.image` would give it an address on the server, and a run that follows at once, such as the run for the next page
    of a PDF, would remove the picture from there before the browser has fetched it.
    """
    st.image(f"data:{media_type};base64,{base64.b64encode(data).decode()}", width="stretch")
