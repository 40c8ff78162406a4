"""Edits and saves one text file of a chat. The draft survives reruns and switching to another view, such as Diff."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from engine.commands.catalog import SaveFile
from engine.errors import AnabranchError
from ui import acts, session
from ui.components.editor.component import editor
from ui.current_app import app
from ui.widgets.diff import diff
from ui.widgets.failure import failure
from ui.widgets.files import text_of
from ui.widgets.text_file import TextFile, Unwritable, text_file

__all__ = ["MOST", "Editing", "edit", "editing", "only_to_view", "save_button"]

MOST = 1_000_000
"""Up to this many bytes, a text can be edited or shown whole."""


@dataclass(frozen=True, slots=True)
class Editing:
    """An opened file, and the user's edits since then."""

    chat_id: str
    path: str
    key: str
    opened: str | None
    """Hash of the version that the draft is based on; None for a file that does not exist."""
    file: TextFile
    """The text of the file, and how the file stores it."""
    text: str
    """The draft; the same as `original` if nothing was typed."""
    present: str | None
    """Hash of the current file."""

    @property
    def original(self) -> str:
        """The text when the file was opened."""
        return self.file.text

    @property
    def changed(self) -> bool:
        """Whether there are changes to save."""
        return self.text != self.original

    @property
    def overtaken(self) -> bool:
        """Whether the file changed since it was opened."""
        return self.opened != self.present


def editing(chat_id: str, path: str, key: str, *, of_call: bool = False) -> Editing | None:
    """Return the current file with this tab's draft of it; None if the file is gone, too large, or not text.

    With `of_call`, a draft counts only if it was started in the card `key`, so that the cards of other answers do not
    show it. A file with unreadable bytes cannot be edited, because saving would change them.
    """
    present = app().workspace.files(chat_id).get(path)
    draft = session.remembered(_draft(chat_id, path))
    if draft is not None and of_call and draft[2] != key:
        draft = None  # the draft was started in another answer's card or in the panel
    opened = draft[0] if draft is not None else present.sha256 if present is not None else None
    if opened is None or (present is not None and present.size > MOST):
        return None
    try:
        file = text_file(app().workspace.read(chat_id, opened))
    except AnabranchError:
        return None
    if file is None or not file.is_whole:
        return None
    text = draft[1] if draft is not None else file.text
    return Editing(chat_id, path, key, opened, file, text, present.sha256 if present else None)


def only_to_view(data: bytes) -> str:
    """Return the reason why a text cannot be edited, in words; empty if it can."""
    file = text_file(data)
    if file is None or file.is_whole:
        return ""
    return "This file contains binary data that saving would change, so it opens read-only."


def save_button(open_: Editing) -> None:
    """Draw the Save button; it is highlighted only while there are changes to save."""
    mark = "ab-unsaved" if open_.changed else "ab-saved"
    st.html(f'<i class="{mark}"></i>', width="content")
    st.button("Save", key=f"save-{open_.key}", on_click=_save, args=(open_,), help="Save (Ctrl S)")


def edit(open_: Editing, language: str, tallest: int = 480) -> None:
    """Draw the editor. If the file changed after the user started to edit it, a warning above it offers the ways to
    save.
    """
    _overtaken(open_)
    editor(
        open_.text,
        original=open_.original,
        base=f"{open_.path} {open_.opened}",
        language=language,
        label=f"Text of {open_.path}",
        key=f"editor-{open_.key}",
        on_draft=lambda typed: _keep(open_, typed),
        on_done=lambda typed: _keep_and_save(open_, typed),
        tallest=tallest,
        taken_back=session.remembered(f"taken-back-{open_.key}", 0),
    )
    problem = session.remembered(f"unsaved-{open_.key}")
    if problem:
        session.clear(f"unsaved-{open_.key}")
        failure("This file was not saved. Your text is kept here.", problem)
    if open_.changed:
        with st.container(key=f"editbar-{open_.key}", horizontal=True, vertical_alignment="center"):
            st.button(
                "Discard changes",
                key=f"discard-{open_.key}",
                type="tertiary",
                on_click=_discard,
                args=(open_,),
            )


def _overtaken(open_: Editing) -> None:
    if not (open_.changed and open_.overtaken):
        return
    key = open_.key
    gone = open_.present is None
    with st.container(key=f"overtaken-{key}"):
        what = "was removed" if gone else "changed"
        st.html(
            f'<div class="ab-warning" role="alert">This file {what} since you opened it. '
            "Your text is not lost: compare both versions, then save.</div>"
        )
        with st.container(key=f"ways-{key}", horizontal=True):
            both = st.toggle("Diff", key=f"both-{key}")
            st.button("Save as copy", key=f"copyof-{key}", on_click=_save, args=(open_, "copy"))
            st.button(
                "Recreate file" if gone else "Overwrite",
                key=f"over-{key}",
                on_click=_save,
                args=(open_, "over"),
            )
        if both:
            theirs = (
                "" if open_.present is None else text_of(app().workspace.read(open_.chat_id, open_.present))
            )
            diff(theirs or "", open_.text, "Changes from the current file to your text")


def _draft(chat_id: str, path: str) -> str:
    return f"draft-{chat_id}-{path}"


def _keep(open_: Editing, typed: str) -> None:
    if typed == open_.original:
        session.clear(_draft(open_.chat_id, open_.path))
    else:
        session.remember(_draft(open_.chat_id, open_.path), (open_.opened, typed, open_.key))


def _keep_and_save(open_: Editing, typed: str) -> None:
    if acts.is_done(f"saved-{open_.key}", (open_.opened, typed)):
        return  # Ctrl S was pressed twice before the page was drawn
    _keep(open_, typed)
    _save(open_)


def _discard(open_: Editing) -> None:
    session.clear(_draft(open_.chat_id, open_.path))
    _forget_typed(open_)


def _save(open_: Editing, way: Literal["plain", "copy", "over"] = "plain") -> None:
    """Save the newest draft; if it is refused, the draft stays and the reason is shown next to it."""
    draft = session.remembered(_draft(open_.chat_id, open_.path))
    if draft is None:
        return
    base, text, _ = draft
    try:
        content = open_.file.written(text)
    except Unwritable as error:
        session.remember(f"unsaved-{open_.key}", str(error))
        return
    files = app().workspace.files(open_.chat_id)
    path, opened = open_.path, base
    if way == "copy":
        path, opened = _copy_name(list(files), open_.path), None
    elif way == "over":
        opened = files[path].sha256 if path in files else None
    # Done before saving, because saving makes the page draw itself again at once, in parallel.
    session.clear(_draft(open_.chat_id, open_.path))
    session.flash(f"Saved {path}.")
    session.remember(f"saved-{open_.key}", True)
    if way == "copy":
        _forget_typed(open_)
    try:
        app().send(SaveFile(open_.chat_id, path, content, opened))
    except AnabranchError as error:
        session.clear("flash")
        session.clear(f"saved-{open_.key}")
        session.remember(_draft(open_.chat_id, open_.path), draft)
        if error.code != "file_changed":
            session.remember(f"unsaved-{open_.key}", error.message)
        return
    acts.note(f"saved-{open_.key}", (base, text))


def _forget_typed(open_: Editing) -> None:
    name = f"taken-back-{open_.key}"
    session.remember(name, session.remembered(name, 0) + 1)


def _copy_name(taken: list[str], path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, dot + ending) if stem else (name, "")
    lowered = {one.casefold() for one in taken}
    number = 1
    while f"{folder}{slash}{stem}_{number}{ending}".casefold() in lowered:
        number += 1
    return f"{folder}{slash}{stem}_{number}{ending}"
