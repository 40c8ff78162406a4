"""The user's definitions in Settings: list, edit in place, remove with undo, add."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.commands.catalog import Command, ForgetDefinition, SetDefinition
from engine.errors import AnabranchError
from engine.views.definitions import LONGEST_MEANING, LONGEST_TERM, in_chats, listed
from ui import session
from ui.acts import once
from ui.current_app import app, told
from ui.widgets.failure import failure
from ui.words import escape, label, local_time

__all__ = ["definitions"]

_OPEN = "definition-open"
"""The session key of the open form. Its value is a definition's id, or `_NEW`."""
_NEW = "new"
_PROBLEM = "definition-problem"
_FORGOTTEN = "definition-forgotten"

_Row = Mapping[str, Any]


def definitions() -> None:
    """Draw the group: the definitions for all chats, then each chat's own."""
    rows = app().read("definitions")
    titles = {row["chat_id"]: row["title"] or "New chat" for row in app().chats()}
    st.html('<h2 class="ab-group">Definitions</h2>')
    with st.container(key="definitions"):
        everywhere = listed(rows, None)
        if not rows:
            _note("Say what a word means for your data, and every answer will use that meaning.")
        _list(everywhere, titles)
        for chat_id, own in in_chats(rows).items():
            if chat_id in titles:
                st.html(f'<h3 class="ab-group-of">Only in “{escape(titles[chat_id])}”</h3>')
                _list(own, titles)
        _undo()
        if session.remembered(_OPEN) == _NEW:
            _form(_NEW, {"term": "", "meaning": "", "chat_id": None, "definition_id": None})
        else:
            st.button(
                "Add definition",
                icon=":material/add:",
                key="definition-add",
                type="tertiary",
                on_click=_open,
                args=(_NEW,),
            )


def _list(rows: Sequence[_Row], titles: Mapping[str, str]) -> None:
    for row in rows:
        if session.remembered(_OPEN) == row["definition_id"]:
            _form(row["definition_id"], row)
        else:
            _show(row, titles)


def _show(row: _Row, titles: Mapping[str, str]) -> None:
    key = row["definition_id"]
    with st.container(key=f"definition-row-{key}"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.html(
            f'<div class="ab-setting ab-definition"><b>{escape(row["term"])}</b><p>{escape(row["meaning"])}</p>'
            f"<span>{_since(row, titles)}</span></div>"
        )
        with right, st.container(horizontal=True, horizontal_alignment="right"):
            name = label(row["term"])
            st.button("Edit", key=f"definition-edit-{key}", help=f"Edit {name}", on_click=_open, args=(key,))
            st.button(
                "Forget",
                key=f"definition-forget-{key}",
                type="tertiary",
                help=f"Forget {name}",
                on_click=once(f"forget-{key}", _forget),
                args=(dict(row),),
            )


def _since(row: _Row, titles: Mapping[str, str]) -> str:
    """Return as HTML when a definition was set and, if a model's call set it, in which chat."""
    when = f"Since {local_time(row['set_at'], st.context.timezone_offset)}"
    chat_id = row["from_chat_id"] or (row["chat_id"] if row["call_id"] else None)
    if chat_id is None:
        return f"{when}, set by you"
    if chat_id not in titles:
        return f"{when}, approved by you in a deleted chat"
    link = f'<a href="./?chat={escape(chat_id)}" target="_self">{escape(titles[chat_id])}</a>'
    return f"{when}, approved by you in {link}"


def _form(key: str, row: _Row) -> None:
    with st.container(key=f"definition-form-{key}"):
        problem = session.once(_PROBLEM)
        if problem:
            failure(problem)
        with st.form(key=f"definition-fields-{key}", border=False):
            st.text_input("Term", row["term"], key=f"definition-term-{key}", max_chars=LONGEST_TERM)
            st.text_area(
                "Meaning",
                row["meaning"],
                key=f"definition-meaning-{key}",
                max_chars=LONGEST_MEANING,
                height=100,
                placeholder="For example: net of returns, without tax.",
            )
            st.form_submit_button(
                "Save", type="primary", on_click=once(f"save-{key}", _save), args=(key, dict(row))
            )
        st.button("Cancel", key=f"definition-cancel-{key}", type="tertiary", on_click=_close)


def _undo() -> None:
    """Offer to restore the definition that was forgotten last."""
    gone = session.remembered(_FORGOTTEN)
    if not gone:
        return
    with st.container(key="definition-undo", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-note">{escape(gone["term"])} is no longer defined.</div>', width="stretch")
        st.button(
            "Undo",
            icon=":material/undo:",
            key="definition-undo-forget",
            type="tertiary",
            on_click=once("undo-forget", _restore),
            args=(gone,),
        )


def _note(text: str) -> None:
    st.html(f'<p class="ab-note">{escape(text)}</p>')


def _open(key: str) -> None:
    session.remember(_OPEN, key)
    session.clear(_FORGOTTEN)


def _close() -> None:
    session.clear(_OPEN)
    session.clear(_PROBLEM)


def _save(key: str, row: _Row) -> None:
    """Save what the fields contain; if the definition is refused, the form stays open."""
    term = str(session.widget_value(f"definition-term-{key}") or "")
    meaning = str(session.widget_value(f"definition-meaning-{key}") or "")
    if _sent(SetDefinition(term, meaning, row["chat_id"], row["definition_id"])):
        _close()


def _forget(row: _Row) -> None:
    if _sent(ForgetDefinition(row["term"], row["chat_id"]), "failure"):
        session.remember(_FORGOTTEN, row)


def _restore(row: _Row) -> None:
    if _sent(SetDefinition(row["term"], row["meaning"], row["chat_id"]), "failure"):
        session.clear(_FORGOTTEN)


def _sent(command: Command[Any], problem: str = _PROBLEM) -> bool:
    """Send the command, and return whether it was accepted. If not, store the reason under `problem`, to be shown."""
    try:
        app().send(command)
    except AnabranchError as error:
        session.remember(problem, told(error))
        return False
    return True
