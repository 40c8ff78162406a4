"""Streamlit's own secrets, for users who store keys there (LOG-6). They are passed on and never shown or logged."""

from collections.abc import Mapping

import streamlit as st

__all__ = ["given_secrets"]


def given_secrets() -> Mapping[str, str]:
    """Return the texts at the top level of `secrets.toml`; none if the file is missing or not TOML."""
    try:
        if not st.secrets.load_if_toml_exists():
            return {}
        return {str(name): value for name, value in st.secrets.items() if isinstance(value, str)}
    except Exception:  # a bad file must not make requests for keys fail, and its text must not get into a log
        return {}
