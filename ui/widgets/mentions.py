"""The lists at `@` and `/` in the question, filled from the chat's data and its tools."""

from collections.abc import Mapping, Sequence

import streamlit as st

from engine.config import sample_data
from engine.views.mentions import commands, mention_document, mentions
from engine.workspace.table_facts import TableProfile
from events.json_value import JSONObject
from ui.components.mentions.component import mention_lists
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.parts import fragment

__all__ = ["name_lists"]

_SOON = 1.0
"""Seconds from the first page until the sample data is read."""
_names = OwnerCache[list[JSONObject]](8)


def name_lists(chat_id: str | None, selection: Mapping[str, Sequence[str]]) -> None:
    """Draw the lists. No file is read for them: tables that were not read yet are listed as files."""
    reads = chat_id is None and _sample() is None
    fragment(_lists, run_every=_SOON if reads else None)(chat_id, selection, [])


def _lists(chat_id: str | None, selection: Mapping[str, Sequence[str]], drawn: list[bool]) -> None:
    """Draw the lists. The very first page lists the sample files at once, and their columns a little later."""
    if drawn:
        app().workspace.tables_in(sample_data())
        st.rerun()
    drawn.append(True)
    _draw(_names_of(chat_id) if chat_id is not None else _names_before_a_chat(), selection)


def _draw(names: list[JSONObject], selection: Mapping[str, Sequence[str]]) -> None:
    engine = app()
    offered = commands(engine.tools(), selection if engine.settings.tools_on else {})
    mention_lists(names, [mention_document(one) for one in offered], key="mentions")


def _names_of(chat_id: str) -> list[JSONObject]:
    engine = app()
    view = engine.chat(chat_id)
    tables = engine.workspace.tables_known_last(chat_id)
    listed = engine.sources.listed()
    sources = {name: shown.tables for name, (_, shown) in listed.items()}
    stamp = tuple((name, shown.read_at) for name, (_, shown) in listed.items())

    def made() -> list[JSONObject]:
        files = engine.workspace.files(chat_id)
        moments = [row["name"] for row in engine.read("moments", chat_id=chat_id)]
        return [mention_document(one) for one in mentions(tables, files, view, moments, sources)]

    return _names.get(engine, (chat_id, engine.version(chat_id), view.leaf, len(tables), stamp), made)


def _sample() -> tuple[TableProfile, ...] | None:
    """Return the tables of the sample data, if it is added with the first question; None if they were not read yet."""
    engine = app()
    return () if engine.chats() else engine.workspace.tables_known_in(sample_data())


def _names_before_a_chat() -> list[JSONObject]:
    """Return the names in sources, and in the sample data if it is added with the first question."""
    engine, tables = app(), _sample()
    listed = engine.sources.listed()
    sources = {name: shown.tables for name, (_, shown) in listed.items()}
    stamp = tuple((name, shown.read_at) for name, (_, shown) in listed.items())

    def made() -> list[JSONObject]:
        files = [path.name for path in sorted(sample_data().iterdir())] if tables is None else ()
        return [mention_document(one) for one in mentions(tables or (), files, None, (), sources)]

    return _names.get(engine, (None, tables is None, bool(tables), stamp), made)
