"""The message below the chat after a rewind, with a button to undo it."""

import streamlit as st

from engine.commands.catalog import RewindChat
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, send
from ui.words import escape, unseen

__all__ = ["rewound"]


def rewound(chat_id: str) -> None:
    """Draw the message after a rewind, with a button to undo it."""
    told = session.remembered(f"rewound-{chat_id}")
    if told is None:
        return
    before, sentence = told
    with st.container(key="rewound", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-note">{escape(sentence)}</div>', width="stretch")
        st.button(
            "Undo",
            icon=":material/undo:",
            key="undo-rewind",
            type="tertiary",
            on_click=once("undo-rewind", _undo_rewind),
            args=(chat_id, before),
        )
        st.button(
            unseen("Close"),
            icon=":material/close:",
            key="close-rewound",
            type="tertiary",
            help="Close",
            on_click=session.clear,
            args=(f"rewound-{chat_id}",),
        )


def _undo_rewind(chat_id: str, before: int) -> None:
    if send(RewindChat(chat_id, before)) is not REFUSED:
        session.clear(f"rewound-{chat_id}")
        session.flash("The rewind was undone.")
