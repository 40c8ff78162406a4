"""A PDF of the chat, a page at a time."""

import streamlit as st

from engine.errors import AnabranchError
from engine.views.pdf_pages import PdfPage
from ui import session
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.failure import failure
from ui.widgets.picture import picture
from ui.words import escape, unseen

__all__ = ["is_pdf", "pdf_view"]

_pages = OwnerCache[PdfPage](20)


def is_pdf(path: str) -> bool:
    """Return whether a file is a PDF by its name."""
    return path.lower().endswith(".pdf")


def pdf_view(chat_id: str, path: str, sha256: str, key: str) -> None:
    """Draw the current page, with buttons for the previous and next pages."""
    at = f"pdf-page-{key}-{sha256}"
    number, engine = int(session.remembered(at, 1)), app()
    try:
        shown = _pages.get(
            engine, (sha256, number), lambda: engine.results.pdf_page(chat_id, path, sha256, number)
        )
    except AnabranchError as error:
        failure("This PDF cannot be shown.", error.message)
        return
    with st.container(key=f"pdf-bar-{key}", horizontal=True, vertical_alignment="center"):
        _turn("Previous page", "chevron_left", f"pdf-back-{key}", at, number - 1, off=number == 1)
        st.html(f'<span class="ab-note" role="status">Page {number:,} of {shown.pages:,}</span>')
        _turn("Next page", "chevron_right", f"pdf-on-{key}", at, number + 1, off=number == shown.pages)
    picture(shown.picture, shown.media_type)
    if shown.text:
        with st.expander("Text of this page", key=f"pdf-text-{key}"):
            st.html(f'<div class="ab-pdftext">{escape(shown.text)}</div>')


def _turn(name: str, icon: str, key: str, at: str, number: int, *, off: bool) -> None:
    st.button(
        unseen(name),
        icon=f":material/{icon}:",
        key=key,
        type="tertiary",
        help=name,
        disabled=off,
        on_click=session.remember,
        args=(at, number),
    )
