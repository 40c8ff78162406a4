"""The Files panel: the chat's files at the current message, the changes by each call, and the opened file."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st

from engine.commands.catalog import RenameFile, SaveFile
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.workspace import is_link
from engine.workspace.table_facts import TableProfile
from ui import acts, session
from ui.current_app import app
from ui.widgets.failure import failure
from ui.widgets.file_tree import Row, Sign, changed_signs, told_apart, tree_rows
from ui.widgets.file_upload import file_upload
from ui.widgets.file_view import file_view
from ui.widgets.parts import fragment
from ui.widgets.source_tree import source_tree
from ui.words import count, escape, label, local_time, size, unseen

__all__ = ["files_panel"]

_LISTED = 300
"""How many rows of the tree are drawn; other files can be found by name."""
_CHANGES = 50
_COLOURS: Mapping[Sign | None, str] = {"added": "green", "changed": "primary", "removed": "red"}
_SOURCES = {
    "user_upload": "Your upload",
    "edit": "Your edit",
    "branch": "Beginning of the branch",
    "rewind": "Rewound",
}


@fragment
def files_panel(view: ChatView) -> None:
    """Draw the content of the Files panel, which is beside the transcript."""
    if session.remembered("files-changed"):
        session.clear("files-changed")
        st.rerun(scope="app")
    chat_id = view.chat_id
    files = app().workspace.files(chat_id)
    find = _bar(chat_id, files)
    _undo(chat_id)
    if not files:
        st.html(
            '<p class="ab-note">Files that you add or that tools create will be listed here. '
            "Drop a file into the question box, or add one above.</p>"
        )
    shown = app().workspace.seen(chat_id)
    if shown.reading:
        _reading(chat_id)
    by_path = _by_path(shown.tables, files)
    signs = _changes(view) if view.manifests else {}
    wanted = session.remembered(f"panel-file-{chat_id}")
    chosen = wanted if wanted in files else next(iter(by_path), next(iter(files), None))
    shut = session.remembered(f"shut-{chat_id}", frozenset())
    gone = [path for path, sign in signs.items() if sign == "removed" and path not in files]
    rows = tree_rows([*files, *gone], shut, find)
    _tree(chat_id, rows[:_LISTED], files, by_path, signs, chosen, shut)
    if len(rows) > _LISTED:
        st.html(f'<p class="ab-note">{len(rows) - _LISTED:,} more. Search by name to find them.</p>')
    elif find and not rows:
        st.html(f'<p class="ab-note">No file name contains “{escape(find)}”.</p>')
    if chosen is not None:
        file_view(view, chosen, files[chosen], by_path.get(chosen, []), shown)
    source_tree(find)


def _bar(chat_id: str, files: Mapping[str, Any]) -> str:
    """Draw the search and the buttons above the files; return the search text."""
    find = ""
    with st.container(key="files-bar", horizontal=True, vertical_alignment="center"):
        if files:
            find = (
                st.text_input(
                    "Find a file",
                    key=f"find-file-{chat_id}",
                    placeholder=f"Search {count(len(files), 'file name')}",
                    icon=":material/search:",
                    label_visibility="collapsed",
                )
                or ""
            )
        file_upload(chat_id)
        if files:
            st.download_button(
                unseen("Download all as ZIP"),
                partial(app().workspace.zipped, chat_id),
                "files.zip",
                "application/zip",
                icon=":material/folder_zip:",
                key="download-all",
                type="tertiary",
                help="Download all as ZIP",
                on_click="ignore",
            )
    return find


def _tree(
    chat_id: str,
    rows: Sequence[Row],
    files: Mapping[str, Any],
    by_path: Mapping[str, list[TableProfile]],
    signs: Mapping[str, Sign],
    chosen: str | None,
    shut: frozenset[str],
) -> None:
    with st.container(key="files-tree"):
        for row in rows:
            if row.folder:
                _folder(chat_id, row, shut)
            else:
                told = _told(row.path, files, by_path, signs.get(row.path))
                is_back = row.path in files and signs.get(row.path) == "removed"
                _file_row(
                    chat_id, row, told, None if is_back else signs.get(row.path), here=row.path == chosen
                )


def _folder(chat_id: str, row: Row, shut: frozenset[str]) -> None:
    icon = "keyboard_arrow_down" if row.open else "keyboard_arrow_right"
    with st.container(key=f"depth{min(row.depth, 6)}-folder-{row.path}"):
        st.button(
            f"{label(row.name)}  :gray[{count(row.files, 'file')}]",
            icon=f":material/{icon}:",
            key=f"folder-{row.path}",
            type="tertiary",
            width="stretch",
            on_click=session.remember,
            args=(f"shut-{chat_id}", shut ^ {row.path}),
        )


def _file_row(chat_id: str, row: Row, told: str, sign: Sign | None, *, here: bool) -> None:
    name = f":{_COLOURS[sign]}[{label(row.name)}]" if sign else label(row.name)
    kind = "here" if here else "depth"
    with st.container(key=f"{kind}{min(row.depth, 6)}-file-{row.path}"):
        st.button(
            f"{name}  :gray[{told}]",
            key=f"file-{row.path}",
            type="tertiary",
            width="stretch",
            disabled=sign == "removed",
            help=row.path if row.depth else None,
            on_click=session.remember,
            args=(f"panel-file-{chat_id}", row.path),
        )


def _told(
    path: str, files: Mapping[str, Any], by_path: Mapping[str, list[TableProfile]], sign: Sign | None
) -> str:
    facts: list[str] = [sign] if sign else []
    if path in files:
        if sign == "removed":
            facts = ["removed, then restored"]
        tables = by_path.get(path, [])
        if len(tables) > 1:
            facts.append(f"{len(tables)} tables")
        elif tables:
            facts.append(count(tables[0].rows, "row"))
        facts.append("by reference" if is_link(path) else size(files[path].size))
    return " · ".join(facts)


def _by_path(tables: Sequence[TableProfile], files: Mapping[str, Any]) -> dict[str, list[TableProfile]]:
    """Return the tables by file; the table of a folder of Parquet files is listed at each of these files."""
    by_path: dict[str, list[TableProfile]] = {}
    for table in tables:
        parts = (
            [table.path]
            if table.path in files
            else [path for path in files if path.startswith(f"{table.path}/")]
        )
        for path in parts:
            by_path.setdefault(path, []).append(table)
    return by_path


def _reading(chat_id: str) -> None:
    """Show the progress while tables are being read."""

    def draw() -> None:
        shown = app().workspace.seen(chat_id)
        if not shown.reading:
            st.rerun(scope="app")
        st.progress(shown.fraction or 0.0, text=shown.text or "Reading the files")

    fragment(draw, run_every=1.0)()


def _changes(view: ChatView) -> dict[str, Sign]:
    """Draw the menu of states, initially at the current one, and a summary of its changes; return the changes."""
    states = sorted(view.manifests.values(), key=lambda state: state["created_at"], reverse=True)
    states.sort(key=lambda state: state["id"] != view.manifest)
    named = told_apart({state["id"]: _named(view, state) for state in states[:_CHANGES]})
    with st.container(key="files-changes"):
        chosen = st.selectbox(
            "What changed",
            list(named),
            format_func=named.__getitem__,
            key=f"changes-{view.chat_id}-{view.manifest}",
            label_visibility="collapsed",
            required=True,
        )
    signs = changed_signs(view.manifests[chosen]["changes"])
    numbers = [
        f"{sum(sign == kind for sign in signs.values())} {kind}" for kind in ("added", "changed", "removed")
    ]
    st.html(f'<p class="ab-note">{", ".join(numbers)}</p>')
    return signs


def _named(view: ChatView, state: Mapping[str, Any]) -> str:
    call = view.calls.get(str(state.get("source_ref") or ""))
    moment: datetime = state["created_at"]
    when = local_time(moment, st.context.timezone_offset)
    last = "Last change: " if state["id"] == view.manifest else ""
    if call is not None:
        return f"{last}{call.tool_id.rpartition(':')[2]} · {when}"
    return f"{last}{_SOURCES.get(state['source'], 'A tool')} · {when}"


def _undo(chat_id: str) -> None:
    """Offer to undo the last removal or renaming, until something else changes the files."""
    done = session.remembered(f"file-done-{chat_id}")
    problem = session.remembered(f"file-failed-{chat_id}")
    if problem:
        session.clear(f"file-failed-{chat_id}")
        failure(problem)
    if done is None:
        return
    with st.container(key="file-undo", horizontal=True, vertical_alignment="center"):
        st.html(f'<span class="ab-note">{escape(done[0])}</span>', width="stretch")
        st.button(
            "Undo",
            key="undo-file",
            type="tertiary",
            on_click=acts.once("undo-file", _take_back),
            args=(chat_id, done[1]),
        )


def _take_back(chat_id: str, how: tuple[str, str, str]) -> None:
    kind, path, other = how
    session.clear(f"file-done-{chat_id}")
    session.remember(f"panel-file-{chat_id}", path if kind == "removed" else other)
    session.remember("files-changed", True)
    try:
        if kind == "removed":
            app().send(SaveFile(chat_id, path, app().workspace.read(chat_id, other), None))
        else:
            app().send(RenameFile(chat_id, path, other))
    except AnabranchError as error:
        session.remember(f"file-failed-{chat_id}", error.message)
