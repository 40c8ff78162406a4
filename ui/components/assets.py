"""Reads the files of our own components: plain HTML, CSS and JavaScript next to their Python code, without a build."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

__all__ = ["component"]

_HERE = Path(__file__).parent


def component(name: str):  # type: ignore[no-untyped-def]
    """Register the component in the folder `name` and return its mount function; Streamlit has no type for it."""
    folder = _HERE / name

    def text(suffix: str) -> str | None:
        file = folder / f"{name}.{suffix}"
        return file.read_text("utf-8") if file.exists() else None

    mount = st.components.v2.component(f"anabranch_{name}", html=text("html"), css=text("css"), js=text("js"))

    def mounted(*, data: Mapping[str, Any] | None = None, **how: Any) -> Any:
        return mount(data=None if data is None else _without_lists(data), **how)

    return mounted


def _without_lists(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with each list as a tuple. For a list, Streamlit would import pandas to check for a table."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
