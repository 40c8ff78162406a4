"""The MCP servers on the toolsets page: status, on or off, and whether their tools ask first."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from engine.commands.catalog import DisableServer, EnableServer, TrustServer
from engine.views.model_info import BY_ADMINISTRATOR
from ui import session
from ui.acts import once_for
from ui.current_app import app, send
from ui.widgets.parts import fragment
from ui.words import count, escape, label

__all__ = ["servers"]

_BADGES = {
    "ready": ("ok", "Connected"),
    "connecting": ("run", "Connecting…"),
    "not_configured": ("off", "Not configured"),
    "failed": ("err", "Not running"),
    "off": ("off", "Off"),
}


def servers() -> None:
    """List the servers; draw nothing if there are none."""
    states = app().mcp.states()
    if not states:
        return
    st.html('<h2 class="ab-group">MCP servers</h2>')
    if _connecting(states):
        _until_connected()
    else:
        _list(states)


@partial(fragment, run_every=1.0)
def _until_connected() -> None:
    """Check every second while a server is connecting; then draw the page and stop checking."""
    states = app().mcp.states()
    _list(states)
    if not _connecting(states):
        st.rerun()


def _connecting(states: Sequence[Any]) -> bool:
    return any(state.state == "connecting" for state in states)


def _list(states: Sequence[Any]) -> None:
    for state in states:
        _server(state)
    st.button("Check again", icon=":material/refresh:", key="servers-again", type="tertiary")


def _server(state: Any) -> None:
    kind, word = _BADGES.get(state.state, ("off", state.state))
    banned = BY_ADMINISTRATOR in state.detail
    source = f"from {', '.join(state.toolset_ids)}" if state.toolset_ids else "from your settings"
    facts = [source, count(len(state.tools), "tool") if state.tools else "", state.how_held, state.detail]
    told = " · ".join(fact for fact in facts if fact)
    with (
        st.container(key=f"toolset-row-server-{state.id}"),
        st.container(horizontal=True, vertical_alignment="center", key=f"toolset-line-server-{state.id}"),
    ):
        st.html(
            f'<div class="ab-setting"><b>{escape(state.id)} <span class="ab-badge {kind}">{escape(word)}</span></b>'
            f"<span><code>{escape(state.runs)}</code></span><span>{escape(told)}</span></div>",
            width="stretch",
        )
        st.toggle(
            "Trusted",
            state.trusted,
            key=f"trust-{state.id}",
            help="Trusted: its tools run without asking, as long as they do not change.",
            on_change=once_for(f"trust-{state.id}", _trust),
            args=(state.id,),
        )
        st.toggle(
            f"{label(state.id)}: {BY_ADMINISTRATOR.lower()}" if banned else f"{label(state.id)} on or off",
            state.enabled and not banned,
            key=f"server-on-{state.id}" + ("-locked" if banned else ""),
            label_visibility="collapsed",
            disabled=banned,
            on_change=once_for(f"server-on-{state.id}", _switch),
            args=(state.id,),
        )


def _trust(server_id: str) -> None:
    send(TrustServer(server_id, bool(session.widget_value(f"trust-{server_id}"))))


def _switch(server_id: str) -> None:
    on = session.widget_value(f"server-on-{server_id}")
    send(EnableServer(server_id) if on else DisableServer(server_id))
