"""Named moments on the page: naming the current moment, renaming it, and forgetting its name."""

import re
from collections.abc import Sequence

import streamlit as st

from engine.commands.catalog import ForgetMoment, NameMoment
from engine.views.chat import ChatView
from engine.views.moments import MomentView, moments_of, names_here
from ui import session
from ui.acts import once
from ui.current_app import app, send
from ui.words import escape

__all__ = ["moment_names", "named_moments"]


def named_moments(view: ChatView) -> tuple[MomentView, ...]:
    """Return the named moments of a chat; `view` is its current state."""
    return moments_of(app().read("moments", chat_id=view.chat_id), view)


def moment_names(view: ChatView, moments: Sequence[MomentView], position: int) -> None:
    """Draw the names of the moment that `view` shows, at `position`, with the actions for each."""
    here = names_here(moments, view)
    with st.container(key="moment-names", horizontal=True, vertical_alignment="center"):
        for one in here:
            with st.popover(one.name, icon=":material/bookmark:", key=f"named-{one.name}"):
                _named(view.chat_id, one)
        with st.popover("Name this moment", icon=":material/bookmark_add:", key="name-moment"):
            key = f"moment-name-{view.chat_id}-{position}"
            st.text_input("Name", key=key, placeholder="before_cleaning", max_chars=60)
            st.caption("SQL and Python can then read these files, for example as before_cleaning.orders.")
            st.button(
                "Save name",
                key="save-moment-name",
                type="primary",
                on_click=once("save-moment-name", _name),
                args=(view.chat_id, key, position),
            )


def _named(chat_id: str, moment: MomentView) -> None:
    if moment.description:
        st.html(f"<p>{escape(moment.description)}</p>")
    st.html(
        f'<p class="ab-note">SQL and Python read these files as <code>{escape(moment.name)}.TABLE</code>.</p>'
    )
    key = f"moment-rename-{chat_id}-{moment.name}"
    st.text_input("Name", value=moment.name, key=key, max_chars=60)
    with st.container(horizontal=True):
        st.button(
            "Rename",
            key=f"moment-save-{moment.name}",
            on_click=once(f"moment-save-{moment.name}", _rename),
            args=(chat_id, key, moment),
        )
        st.button(
            "Forget name",
            key=f"moment-forget-{moment.name}",
            on_click=once(f"moment-forget-{moment.name}", _forget),
            args=(chat_id, moment.name),
        )


def _name(chat_id: str, key: str, position: int) -> None:
    send(NameMoment(chat_id, _plain(session.widget_value(key)), position))


def _rename(chat_id: str, key: str, moment: MomentView) -> None:
    name = _plain(session.widget_value(key))
    if name != moment.name:
        send(NameMoment(chat_id, name, description=moment.description, renames=moment.name))


def _forget(chat_id: str, name: str) -> None:
    send(ForgetMoment(chat_id, name))


def _plain(text: str) -> str:
    """Return the typed text as a name: lower case, with underscores for spaces."""
    return re.sub(r"[\s-]+", "_", text.strip().lower())
