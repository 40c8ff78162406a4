"""Reads the files of our own components: plain HTML, CSS and JavaScript beside their Python, no build step."""

from pathlib import Path

import streamlit as st

__all__ = ["component"]

_HERE = Path(__file__).parent


def component(name: str):  # type: ignore[no-untyped-def]
    """Register the component in the folder `name` and return its mount function; Streamlit has no type for it."""
    folder = _HERE / name

    def text(suffix: str) -> str | None:
        file = folder / f"{name}.{suffix}"
        return file.read_text("utf-8") if file.exists() else None

    return st.components.v2.component(f"anabranch_{name}", html=text("html"), css=text("css"), js=text("js"))
