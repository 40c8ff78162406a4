"""Adding files to a chat from its Files panel."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from engine.commands.catalog import Upload, UploadFiles
from engine.errors import AnabranchError
from ui import acts, session
from ui.current_app import app
from ui.words import unseen

__all__ = ["file_upload"]

_LIMIT = (
    "A browser can send files of up to 1 GiB. To use larger files without copying, press the folder button "
    "below the input, or add them with `anabranch ask --chat ID --file PATH`."
)


def file_upload(chat_id: str) -> None:
    """Draw the menu with the field for files."""
    menu = st.popover(
        unseen("Add files"),
        icon=":material/upload:",
        key="upload",
        help="Add files",
        type="tertiary",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        key = f"uploads-{chat_id}-{session.remembered(f'uploads-{chat_id}', 0)}"
        st.file_uploader(
            "Add files to this chat",
            accept_multiple_files=True,
            help=_LIMIT,
            key=key,
            on_change=_add,
            args=(chat_id, key),
        )


def _add(chat_id: str, key: str) -> None:
    """Add the files that were dropped, each once; if they are refused, they stay in their field."""
    given = [
        file
        for file in session.widget_value(key) or ()
        if isinstance(file, UploadedFile) and not acts.is_done(f"upload-{file.file_id}")
    ]
    if not given:
        return
    try:
        names = app().send(UploadFiles(chat_id, [Upload(file.name, file.getvalue()) for file in given]))
    except AnabranchError as error:
        session.remember(f"file-failed-{chat_id}", f"These files were not added. {error.message}")
        return
    for file in given:
        acts.note(f"upload-{file.file_id}")
    session.remember(f"uploads-{chat_id}", session.remembered(f"uploads-{chat_id}", 0) + 1)
    session.remember(f"panel-file-{chat_id}", names[0])
    session.flash(f"Added {', '.join(names[:5])}{' and more' if len(names) > 5 else ''}.")
    session.remember("files-changed", True)
