"""Streamlit's own secrets, for whoever keeps keys there (LOG-6). They are handed on and never shown or logged."""

from collections.abc import Mapping

import streamlit as st

__all__ = ["given_secrets"]


def given_secrets() -> Mapping[str, str]:
    """Return the texts that stand at the top of `secrets.toml`; none where there is no such file, or it is no TOML."""
    try:
        if not st.secrets.load_if_toml_exists():
            return {}
        return {str(name): value for name, value in st.secrets.items() if isinstance(value, str)}
    except (
        Exception
    ):  # a key asked for in some thread must not fail over it, nor may the file's text get into a log
        return {}
