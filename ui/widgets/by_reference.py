"""The dialog "Use a file from this computer": type a path or browse folders. Nothing is copied."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath

import streamlit as st

from engine.commands.catalog import AllowLocation, Upload
from engine.errors import AnabranchError
from engine.workspace.locations import FILE_ENDINGS, Entry
from ui import session
from ui.acts import drawing, once
from ui.components.composing.component import UploadLimit
from ui.current_app import app, is_demo
from ui.widgets.failure import failure
from ui.widgets.parts import dialog
from ui.widgets.question_field import browser_limit
from ui.words import count, escape, label, size, unseen

__all__ = ["by_reference", "refer_to", "upload_limit"]

_SHOWN = 200
_OPEN, _PATH, _FIND, _PROBLEM = "location-open", "location-path", "location-find", "location-problem"
_ELSEWHERE = (
    "Save it as Parquet or CSV to use it without copying, or add it with `anabranch ask --file PATH`."
)
OnAdd = Callable[[str, list[Upload]], None]


def by_reference(on_add: OnAdd) -> None:
    """Draw the button that adds a file by reference, and its dialog while it is open.

    `on_add` receives the link in the same form as an uploaded file.
    """
    if is_demo():
        return
    st.button(
        unseen("Use a file from this computer without copying it"),
        icon=":material/drive_folder_upload:",
        key="by-reference",
        help="Use a file from this computer without copying it",
        on_click=_opened,
    )
    if session.remembered(_OPEN):
        dialog("Use a file from this computer", width="medium", on_dismiss=_closed)(_choose)(on_add)


def upload_limit() -> UploadLimit:
    """Return the message for a file that is too large to be uploaded; a demo has no alternative."""
    limit = browser_limit()
    if is_demo():
        return replace(limit, sends="this demo accepts files of up to")
    return replace(limit, endings=FILE_ENDINGS, elsewhere=_ELSEWHERE)


def refer_to(name: str, size: int) -> None:
    """Open the dialog for a file with this name and size. If the file is in a usual folder, such as Downloads, its path
    is filled in."""
    _opened()
    home, plain = Path.home(), PurePath(name).name
    usual = (
        session.remembered("location-last"),
        home / "Downloads",
        home / "Desktop",
        home / "Documents",
        home,
    )
    places = [Path(folder) / plain for folder in usual if folder]
    found = next((place for place in places if _is_of(place, size)), None)
    if found is not None:
        session.prefill(_PATH, str(found))
    session.prefill(_FIND, "" if found is not None else plain)


def _is_of(place: Path, size: int) -> bool:
    """Return whether the path is a file of this size; False if the path is not valid, because the browser can send any
    name."""
    try:
        return place.is_file() and place.stat().st_size == size
    except OSError:
        return False


def _opened() -> None:
    session.remember(_OPEN, True)
    session.prefill(_PATH, str(session.remembered("location-last") or Path.home()))
    session.prefill(_FIND, "")


def _closed() -> None:
    for name in (_OPEN, _PROBLEM):
        session.clear(name)


def _choose(on_add: OnAdd) -> None:
    if not session.remembered(_OPEN):  # a file was chosen, so the page is drawn without the dialog
        st.rerun()
    with drawing():
        _chooser(on_add)


def _chooser(on_add: OnAdd) -> None:
    st.html(
        '<p class="ab-note">Parquet, CSV and newline-delimited JSON can be used without copying: a file, a folder of '
        "files with the same columns, or a pattern such as <code>/data/*.parquet</code>. Each question reads the files "
        "as they are at that time.</p>"
    )
    path = st.text_input("Path", key=_PATH, on_change=session.clear, args=(_PROBLEM,))
    if problem := session.remembered(_PROBLEM):
        failure(problem)
    with st.container(key="location-foot", horizontal=True):
        st.button(
            "Use it",
            key="location-use",
            type="primary",
            disabled=not path.strip(),
            on_click=once("location-use", _use),
            args=(on_add,),
        )
        st.html(f'<p class="ab-note">{_told(path)}</p>', width="stretch")
    _folder(path)


def _told(path: str) -> str:
    """For a pattern or a folder, return which of its files would be used; for a single file, return an empty text."""
    place = Path(path).expanduser()
    if any(sign in path for sign in "*?["):
        return "Every file that matches the pattern, as one table."
    return "Every table file in this folder, as one table." if place.is_dir() else ""


def _folder(path: str) -> None:
    """Draw the content of the folder in the path: folders to open and files to choose."""
    place = Path(path).expanduser()
    folder = next((one for one in (place, *place.parents) if one.is_absolute() and one.is_dir()), Path.home())
    try:
        entries = app().browse_folder(str(folder))
    except AnabranchError as error:
        failure(error.message)
        return
    find = (
        st.text_input("Find here", key=_FIND, placeholder=f"Find in {folder}", label_visibility="collapsed")
        or ""
    ).casefold()
    shown = [entry for entry in entries if find in entry.name.casefold()]
    with st.container(key="location-entries", height=300):
        if folder != folder.parent:
            _row(Entry("..", str(folder.parent), is_folder=True))
        for entry in shown[:_SHOWN]:
            _row(entry)
        if len(shown) > _SHOWN:
            st.html(f'<p class="ab-note">{count(len(shown) - _SHOWN, "more entry", "more entries")}.</p>')
        if not shown:
            what = f"No name here contains “{escape(find)}”." if find else "No folders or table files here."
            st.html(f'<p class="ab-note">{what}</p>')


def _row(entry: Entry) -> None:
    told = "" if entry.is_folder else f"  :gray[{size(entry.size)}]"
    st.button(
        f"{label(entry.name)}{told}",
        icon=":material/folder:" if entry.is_folder else ":material/table:",
        key=f"location-{entry.path}-{entry.name}",
        type="tertiary",
        width="stretch",
        on_click=_went,
        args=(entry.path,),
    )


def _went(path: str) -> None:
    session.prefill(_PATH, path)
    session.prefill(_FIND, "")
    session.clear(_PROBLEM)


def _use(on_add: OnAdd) -> None:
    path = str(session.widget_value(_PATH) or "").strip()
    try:
        linked = app().send(AllowLocation(path))
    except AnabranchError as error:
        session.remember(_PROBLEM, error.message)
        return
    _closed()
    place = Path(linked.location)
    session.remember("location-last", str(place.parent))
    session.flash(
        f"{linked.name} refers to {count(linked.files, 'file')} ({size(linked.bytes)}) at {linked.location}. "
        "Nothing was copied."
    )
    on_add("", [Upload(linked.name, linked.text.encode())])
