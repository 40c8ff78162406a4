"""Puts the stylesheet on the page, with the colour scheme of the theme that is in use."""

from functools import cache
from pathlib import Path

import streamlit as st

__all__ = ["apply_style"]


@cache
def _sheet() -> str:
    return (Path(__file__).parent / "style.css").read_text("utf-8")


def apply_style() -> None:
    """Emit the stylesheet. Dialogs and popovers live outside the app's element, so the scheme stands on the root."""
    scheme = st.context.theme.type or "light dark"
    st.html(f"<style>:root{{color-scheme:{scheme}}}\n{_sheet()}</style>")
