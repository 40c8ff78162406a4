"""The bytes of a file of the chat, or the reason why they are not shown; and its picture."""

import mimetypes
from pathlib import PurePosixPath

import streamlit as st

from engine.errors import AnabranchError, NotFound
from engine.views.workspace import FileEntry
from ui.components.carousel.component import Picture, carousel
from ui.current_app import app
from ui.widgets.editing import MOST
from ui.widgets.failure import failure
from ui.words import size

__all__ = ["content_of", "picture"]

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def content_of(chat_id: str, path: str, entry: FileEntry) -> bytes | None:
    """Return the bytes; if they cannot be shown, draw the reason and return None."""
    if entry.size > 20 * MOST:
        st.html(
            f'<p class="ab-note">This file is too large to show here ({size(entry.size)}). Download it to open it.</p>'
        )
        return None
    try:
        return app().workspace.read(chat_id, entry.sha256)
    except NotFound:
        failure(
            "The content of this file is no longer stored.",
            f"{path}: the content was removed by `anabranch gc`. The history of the file is kept.",
        )
    except AnabranchError as error:
        failure("This file cannot be read.", error.message)
    return None


def picture(chat_id: str, path: str, data: bytes, key: str) -> bool:
    """Draw the file as a picture and return True if its name is that of a picture; otherwise return False."""
    media_type = mimetypes.guess_type(path)[0] or ""
    if media_type not in _PICTURES:
        return False
    name = PurePosixPath(path).name
    carousel(
        [Picture(name=name, data=data, media_type=media_type, caption=name)], key=f"{key}-{chat_id}-{path}"
    )
    return True
