"""Adds the stylesheet to the page, with the colour scheme of the current theme."""

from functools import cache
from pathlib import Path

import streamlit as st

__all__ = ["apply_style"]


@cache
def _sheet() -> str:
    return (Path(__file__).parent / "style.css").read_text("utf-8")


def apply_style() -> None:
    """Add the stylesheet. Dialogs and popovers are outside the app's element, so the scheme is set on the root."""
    scheme = st.context.theme.type or "light dark"
    st.html(f"<style>:root{{color-scheme:{scheme}}}\n{_sheet()}</style>")
