"""The Files panel: what the chat holds where it stands, what the last call changed, and a table's schema."""

import streamlit as st

from engine.commands import Upload, UploadFiles
from engine.errors import AnabranchError
from engine.tables import TableProfile
from engine.views.chat import ChatView
from ui import session
from ui.shared import app, send
from ui.words import count, escape, label, size

__all__ = ["files_panel"]

_LISTED = 200


def files_panel(view: ChatView) -> None:
    """Draw it beside the transcript."""
    with st.container(key="side-panel"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html("<b>Files</b>", width="stretch")
            _upload(view.chat_id)
            st.button(
                "",
                icon=":material/close:",
                key="close-panel",
                type="tertiary",
                help="Close",
                on_click=session.toggle_panel,
            )
        files = app().workspace.files(view.chat_id, view.manifest)
        if not files:
            st.html('<p class="ab-note">No files yet. Drop one into the question box, or add one here.</p>')
            return
        tables = _tables(view)
        by_path: dict[str, list[TableProfile]] = {}
        for table in tables:
            by_path.setdefault(table.path, []).append(table)
        wanted = session.panel_file()
        chosen = wanted if wanted is not None and wanted in files else next(iter(by_path), next(iter(files)))
        for path, entry in list(files.items())[:_LISTED]:
            rows = f" · {count(by_path[path][0].rows, 'row')}" if path in by_path else ""
            st.button(
                f"{label(path)}  :gray[{size(entry.size)}{rows}]",
                key=f"file-{path}",
                type="tertiary",
                width="stretch",
                on_click=session.remember,
                args=("panel-file", path),
            )
        if len(files) > _LISTED:
            st.html(f'<p class="ab-note">{len(files) - _LISTED:,} more files.</p>')
        _last_change(view)
        _file(view.chat_id, chosen, by_path.get(chosen, []))


def _tables(view: ChatView) -> tuple[TableProfile, ...]:
    try:
        return app().workspace.tables(view.chat_id, view.manifest)
    except AnabranchError as error:
        st.html(f'<p class="ab-note">{escape(error.message)}</p>')
        return ()


def _upload(chat_id: str) -> None:
    with st.popover("", icon=":material/upload:", key="upload", help="Add files", type="tertiary"):
        given = st.file_uploader(
            "Add files to this chat",
            accept_multiple_files=True,
            key=f"uploads-{session.remembered('uploads', 0)}",
        )
        if given and st.button(f"Add {count(len(given), 'file')}", key="add-files", type="primary"):
            names = send(UploadFiles(chat_id, [Upload(file.name, file.getvalue()) for file in given]))
            if names:
                session.remember("uploads", session.remembered("uploads", 0) + 1)
                session.flash(f"Added {', '.join(names)}.")
            st.rerun()


def _last_change(view: ChatView) -> None:
    if view.manifest is None or view.manifest not in view.manifests:
        return
    changes = view.manifests[view.manifest]["changes"]
    numbers = [len(changes["added"]), len(changes["changed"]), len(changes["removed"])]
    st.html(
        f'<p class="ab-note">Last change: {numbers[0]} added, {numbers[1]} changed, {numbers[2]} removed</p>'
    )


def _file(chat_id: str, path: str, tables: list[TableProfile]) -> None:
    entry = app().workspace.files(chat_id)[path]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-cardtitle"><b>{escape(path)}</b></div>', width="stretch")
        st.download_button(
            "",
            lambda: app().workspace.read(chat_id, entry.sha256),
            path.rsplit("/", 1)[-1],
            icon=":material/download:",
            key="download-file",
            type="tertiary",
            help="Download",
            on_click="ignore",
        )
    for table in tables:
        _schema(table)
    st.html(f'<div class="ab-facts"><span>sha256 <code>{escape(entry.sha256[:8])}</code></span></div>')


def _schema(table: TableProfile) -> None:
    rows = "".join(
        f"<tr><td>{escape(c.name)}</td><td>{escape(c.type)}</td>"
        f'<td class="n">{c.distinct:,}</td><td class="n">{c.missing:,}</td></tr>'
        for c in table.columns
    )
    title = f"{escape(table.name)} · {count(table.rows, 'row')}" + (
        f" · sheet {escape(table.sheet)}" if table.sheet else ""
    )
    note = f'<p class="ab-note">{escape(table.note)}</p>' if table.note else ""
    st.html(
        f'<div class="ab-note">Table {title}</div>{note}<table class="ab-schema"><thead><tr><th>Column</th>'
        f'<th>Type</th><th class="n">Distinct</th><th class="n">Empty</th></tr></thead><tbody>{rows}</tbody></table>'
    )
