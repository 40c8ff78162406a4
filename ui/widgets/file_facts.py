"""Facts about a file in the Files panel: its table's columns, and the location of a linked file."""

import streamlit as st

from engine.views.workspace import FileEntry
from engine.workspace.table_facts import TableProfile
from ui.current_app import app
from ui.words import count, escape, size

__all__ = ["schema", "where_it_is"]


def where_it_is(chat_id: str, path: str, entry: FileEntry) -> None:
    """Draw the location of a linked file; draw nothing for other files."""
    link = app().workspace.link(chat_id, path, entry.sha256)
    if link is None:
        return
    facts = (
        count(len(link.parts), "file"),
        size(link.size),
        _hashed(len(app().workspace.hashed(link)), len(link.parts)),
    )
    place = f"<code>{escape(link.location)}</code>"
    st.html(f'<p class="ab-note">Read in place: {place} · {" · ".join(facts)}</p>')


def _hashed(known: int, of: int) -> str:
    return "content hashed" if known == of else f"{known:,} of {count(of, 'file')} hashed so far"


def schema(table: TableProfile) -> None:
    """Draw the columns of a table, and what was assumed or lost when it was read."""
    loses = any(column.unreadable for column in table.columns)
    rows = "".join(
        f"<tr><td>{escape(c.name)}</td><td>{escape(c.type)}</td>"
        f'<td class="n">{"about " if c.distinct_estimated else ""}{c.distinct:,}</td><td class="n">{c.missing:,}</td>'
        + (f'<td class="n">{c.unreadable:,}</td></tr>' if loses else "</tr>")
        for c in table.columns
    )
    unreadable = '<th class="n">Unreadable</th>' if loses else ""
    title = f"{escape(table.name)} · {count(table.rows, 'row')}" + (
        f" · sheet {escape(table.sheet)}" if table.sheet else ""
    )
    lost = {note for column in table.columns if column.unreadable for note in column.notes}
    note = "".join(
        f'<p class="{"ab-warning" if text in lost else "ab-note"}">{escape(text)}</p>'
        for text in table.all_notes
    )
    st.html(
        f'<div class="ab-note">Table {title}</div>{note}<table class="ab-schema"><thead><tr><th>Column</th>'
        f'<th>Type</th><th class="n">Distinct</th><th class="n">Empty</th>{unreadable}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
