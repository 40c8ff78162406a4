"""The dialog for a toolset's keys and settings; secrets are stored in the keyring or a private file."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.commands.catalog import ConfigureToolset
from engine.errors import AnabranchError, Invalid
from ui import session
from ui.current_app import app
from ui.widgets.failure import failure
from ui.widgets.parts import dialog
from ui.words import escape, label

__all__ = ["configure"]

_FROM = {
    "settings": "Currently set.",
    "keyring": "Set in your system's keyring.",
    "file": "Set in your private settings file.",
    "environment": "Set by an environment variable.",
    "streamlit": "Set by Streamlit's secrets.",
}


@dialog("Configure", width="small")
def configure(toolset_id: str, name: str) -> None:
    """Ask for every key that the toolset declares; empty fields change nothing."""
    st.html(
        f"<p>{escape(name)} uses these settings. Keys are never shown again and never written to the log.</p>"
    )
    states = app().toolsets.configuration(toolset_id).states()
    given: dict[str, str | None] = {}
    with st.form(f"configure-{toolset_id}", border=False):
        for state in states:
            given[state.name] = _field(toolset_id, state)
        variables = _variables(toolset_id, states)
        sent = st.form_submit_button("Save", type="primary")
    if sent:
        plain = {state.name: state.value or "" for state in states if not state.secret}
        values = {
            key: value or None
            for key, value in given.items()
            if (value if key not in plain else value != plain[key])
        }
        if _saved(toolset_id, values, variables):
            session.flash(f"{name} is configured.")
            st.rerun()
    for state in states:
        if state.secret and state.source in ("keyring", "file"):
            st.button(
                f"Forget {state.name}",
                key=f"forget-{toolset_id}-{state.name}",
                type="tertiary",
                on_click=_forget,
                args=(toolset_id, state.name),
            )


def _field(toolset_id: str, state: Any) -> str:
    need = "required" if state.required else "optional"
    if state.required and state.unless:
        need = f"required unless {' or '.join(state.unless)} is set"
    described = state.description.strip().rstrip(".")
    told = f"{described} ({need}). {_FROM.get(state.source or '', '')}".strip()
    return st.text_input(
        state.name,
        "" if state.secret else state.value or "",
        type="password" if state.secret else "default",
        placeholder="Unchanged" if state.secret and state.source else "",
        help=label(told),
        key=f"config-{toolset_id}-{state.name}",
    )


def _forget(toolset_id: str, key: str) -> None:
    _saved(toolset_id, {key: None})


def _variables(toolset_id: str, states: Sequence[Any]) -> list[str]:
    """Ask which of this machine's environment variables the toolset may use; their values are never shown."""
    here = [state for state in states if state.withheld or state.source in ("environment", "streamlit")]
    allowed = app().toolsets.configuration(toolset_id).allowed
    ticked = [
        state.env
        for state in here
        if st.checkbox(
            f"Let the toolset use `{state.env}`, which is set on this machine",
            not state.withheld,
            key=f"give-{toolset_id}-{state.name}",
        )
    ]
    return [*ticked, *(allowed - {state.env for state in here})]


def _saved(toolset_id: str, values: dict[str, str | None], variables: list[str] | None = None) -> bool:
    try:
        app().send(ConfigureToolset(toolset_id, values, variables))
    except Invalid as error:
        failure(error.message, details="\n".join(map(str, error.problems)))
        return False
    except AnabranchError as error:
        failure(error.message)
        return False
    return True
