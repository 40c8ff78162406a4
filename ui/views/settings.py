"""The settings that there are: each saved at once."""

import streamlit as st

from engine.commands import ChangeSetting
from ui import session
from ui.shared import app, send
from ui.widgets.failure import pending_failure

__all__ = ["settings_page"]


def settings_page() -> None:
    """Draw the form."""
    settings = app().settings
    st.title("Settings")
    pending_failure()
    st.number_input(
        "Tool steps in one turn",
        1,
        200,
        settings.max_tool_iterations,
        key="max-tool-iterations-input",
        help="After so many replies with tool calls the model must answer.",
        disabled=not settings.max_tool_iterations_on,
        on_change=_save,
        args=("max_tool_iterations", "max-tool-iterations-input"),
    )
    st.toggle(
        "Hold to that limit",
        settings.max_tool_iterations_on,
        key="max-tool-iterations-switch",
        help="Off leaves a safety cap of 200.",
        on_change=_save,
        args=("max_tool_iterations_on", "max-tool-iterations-switch"),
    )
    st.toggle(
        "Offer tools to models",
        settings.tools_on,
        key="tools-on",
        help="Off makes a plain chat.",
        on_change=_save,
        args=("tools_on", "tools-on"),
    )
    st.text_area(
        "Your own instructions",
        settings.instructions,
        key="instructions",
        placeholder="For example: always round to two decimals.",
        help="Sent to the model with every question.",
        on_change=_save,
        args=("instructions", "instructions"),
    )
    st.html(f'<p class="ab-note">Data stands in <code>{app().data}</code></p>')


def _save(name: str, key: str) -> None:
    send(ChangeSetting(name, session.widget_value(key)))
