"""The sources in the Files panel: schemas and tables as a tree, and the columns of the selected table."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.commands.catalog import ProfileSourceTable
from ui import session
from ui.acts import once
from ui.current_app import app, is_demo, send
from ui.words import count, escape, label, local_time

__all__ = ["source_tree"]

_SHOWN = 15
"""How many tables of a schema are drawn without a search."""
_FOUND = 60
_OPEN, _CHOSEN = "source-tree-open", "source-table"
_READS = "Reads up to 100,000 rows once, so that you can build queries and ask the offline analyst about this table"
_DRAFT = "question"
"""The key of the question field."""


def source_tree(find: str) -> None:
    """Draw the sources below the chat's files; draw nothing if there are none. `find` is the search text."""
    listed = {} if is_demo() else app().sources.listed()
    if not listed:
        return
    open_now = session.remembered(_OPEN, frozenset())
    chosen = session.remembered(_CHOSEN)
    with st.container(key="files-tree-sources"):
        st.html('<p class="ab-group">Sources</p>')
        for name, (source, tables) in listed.items():
            state = source.state
            found = [t for t in tables.tables if find.casefold() in f"{name}.{t.full_name}".casefold()]
            if find and not found:
                continue
            broken = state is not None and not state.connected
            total = count(len(tables.tables) + tables.left_out, "table")
            told = ":red[not connected]" if broken else f":gray[{total if tables.read_at else 'not tested'}]"
            is_open = name in open_now or bool(find)
            _toggle(0, name, label(name), told, name, is_open, open_now)
            if is_open:
                _schemas(name, found, open_now, chosen, searched=bool(find))
    if chosen is not None:
        _table(chosen[0], chosen[1], listed)


def _schemas(
    name: str, tables: Sequence[Any], open_now: frozenset[str], chosen: Any, *, searched: bool
) -> None:
    schemas: dict[str, list[Any]] = {}
    for table in tables:
        schemas.setdefault(table.schema, []).append(table)
    for schema, inside in schemas.items():
        key = f"{name}.{schema}"
        is_open = key in open_now or searched or len(schemas) == 1
        _toggle(1, key, label(schema), f":gray[{len(inside):,}]", key, is_open, open_now)
        if is_open:
            _tables(name, inside, chosen, _FOUND if searched else _SHOWN)


def _tables(name: str, tables: Sequence[Any], chosen: Any, most: int) -> None:
    for table in tables[:most]:
        here = chosen == (name, table.full_name)
        key = f"{name}.{table.full_name}"
        with st.container(key=f"{'here' if here else 'depth'}2-file-source-{key}"):
            st.button(
                f"{label(table.name)}  :gray[{_rows(table)}]",
                key=f"source-table-{key}",
                type="tertiary",
                width="stretch",
                help=key,
                on_click=session.remember,
                args=(_CHOSEN, (name, table.full_name)),
            )
    if len(tables) > most:
        st.html(
            f'<p class="ab-note">{count(len(tables) - most, "more table")}. Search by name above to find them.</p>'
        )


def _toggle(
    depth: int, key: str, shown: str, told: str, name: str, is_open: bool, open_now: frozenset[str]
) -> None:
    icon = "keyboard_arrow_down" if is_open else "keyboard_arrow_right"
    with st.container(key=f"depth{depth}-folder-source-{key}"):
        st.button(
            f"{shown}  {told}",
            icon=f":material/{icon}:",
            key=f"source-open-{key}",
            type="tertiary",
            width="stretch",
            on_click=session.remember,
            args=(_OPEN, open_now ^ {name}),
        )


def _rows(table: Any) -> str:
    """Return the approximate number of rows of a table, as in `2.1 M rows`; if it is unknown, the table's kind."""
    if table.rows is None:
        return str(table.kind)
    if table.rows >= 1_000_000:
        return f"{table.rows / 1_000_000:.1f} M rows"
    return count(table.rows, "row")


def _table(name: str, full_name: str, listed: Mapping[str, tuple[Any, Any]]) -> None:
    """Draw the columns of the chosen table."""
    if name not in listed:
        return
    source, tables = listed[name]
    table = next((one for one in tables.tables if one.full_name == full_name), None)
    if table is None:
        return
    shown = f"{name}.{full_name}"
    with st.container(key="source-table-head", horizontal=True, vertical_alignment="center"):
        st.html(f"<b>{escape(shown)}</b>", width="stretch")
        st.button(
            "Use in question",
            icon=":material/alternate_email:",
            key="source-mention",
            type="tertiary",
            help=f"Begin a question with {shown}",
            on_click=_mention,
            args=(shown,),
        )
        st.button(
            "Prepare for questions",
            icon=":material/query_stats:",
            key="source-profile",
            type="tertiary",
            help=_READS,
            on_click=once("source-profile", send),
            args=(ProfileSourceTable(name, full_name),),
        )
    profile = tables.profile(table)
    rows = "" if table.rows is None else f"About {count(table.rows, 'row')} · "
    when = local_time(tables.read_at, st.context.timezone_offset) if tables.read_at else ""
    listed_at = f"{rows}{escape(source.driver.title)} · read only · table list from {escape(when)}"
    st.html(f'<p class="ab-note">{listed_at}</p>{_columns(table)}')
    told = "<br>".join(escape(note) for note in profile.all_notes) if profile else f"{_READS}."
    st.html(f'<p class="ab-note">{told}</p>')


def _columns(table: Any) -> str:
    rows = (
        f'<tr><td>{escape(c.name)}</td><td>{escape(c.type)}</td><td class="n">{escape(c.note)}</td></tr>'
        for c in table.columns
    )
    head = '<tr><th>Column</th><th>Type</th><th class="n">Note</th></tr>'
    return f'<table class="ab-schema"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _mention(shown: str) -> None:
    session.prefill(_DRAFT, f"{shown} ")
    session.remember("files-changed", True)
