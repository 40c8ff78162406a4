"""The banner of a public demo: what it is, when it is deleted, and how to download the log."""

from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from engine.errors import AnabranchError
from ui import session
from ui.demo_visit import demo_visitors, limits, visitor_app
from ui.widgets.failure import failure
from ui.widgets.parts import dialog
from ui.words import count

__all__ = ["demo_banner", "demo_style"]

_STYLE = Path(__file__).parent.parent / "demo.css"
_ENDING = "anabranch"
_UNKNOWN = "The file matches its hashes; who wrote it is unknown."
"""The note after a restore. The hashes prove that the file was not changed, but not who wrote it."""


def demo_banner() -> None:
    """Draw the demo banner; it cannot be closed."""
    minutes = f"{limits().idle_minutes:g} minutes"
    with st.container(key="demo-banner", horizontal=True, vertical_alignment="center"):
        st.html(
            '<p class="ab-demo"><b>Public demo.</b> Your files stay in this tab’s private session and are wiped '
            f"after {minutes} without use, or soon after you close the tab. No shell tools, no API keys."
            f"{_restored()}</p>",
            width="stretch",
        )
        st.download_button(
            "Download the log",
            visitor_app().packed,
            f"anabranch-{datetime.now(UTC):%Y-%m-%d}.{_ENDING}",
            "application/octet-stream",
            key="download-log",
            type="tertiary",
            help="Download all chats and files as one file that you can restore later",
            on_click="ignore",
        )
        if st.button(
            "Restore a log", key="bring-back", type="tertiary", help="Restore a log that you downloaded here"
        ):
            _bring_back()


def _restored() -> str:
    return f" <b>Restored from a file.</b> {_UNKNOWN}" if visitor_app().was_restored else ""


def demo_style() -> None:
    """Add the few style rules of the demo."""
    st.html(f"<style>{_STYLE.read_text('utf-8')}</style>")


@dialog("Restore a log", width="medium")
def _bring_back() -> None:
    """Draw the dialog that restores a downloaded log, and warn that the current chats will be lost."""
    chats = len(visitor_app().chats())
    here = (
        f" The {count(chats, 'chat')} that you have here will be lost: download them first." if chats else ""
    )
    st.html(
        "<p>Choose a file that you downloaded from this demo. Its chats, files and history are then restored here. "
        f"Its hashes must match, but they do not show who wrote it.{here}</p>"
    )
    given = st.file_uploader(
        "A downloaded log",
        type=_ENDING,
        key="log-file",
        max_upload_size=max(1, limits().brought_bytes >> 20),
        label_visibility="collapsed",
    )
    if given is None:
        return
    if st.button("Restore", key="really-bring-back", type="primary"):
        _bring(given.getvalue())


def _bring(content: bytes) -> None:
    token = session.visitor()
    assert token is not None
    try:
        with st.spinner("Checking every hash"):
            brought = demo_visitors().bring_back(token, content)
    except AnabranchError as error:
        failure("Nothing was restored. Your chats here are unchanged.", error.message)
        return
    session.go_to_chat(None)
    session.flash(
        f"{count(brought.chats, 'chat')} with {count(brought.events, 'event')} "
        f"{'was' if brought.chats == 1 else 'were'} restored. {_UNKNOWN}"
    )
    st.rerun()
