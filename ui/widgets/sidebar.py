"""The sidebar: name, new chat, search, the chats by day, and the log's line at its foot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st
from streamlit.navigation.page import Page

from engine.commands.catalog import RestoreChat
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send
from ui.widgets.chat_menu import chat_menu
from ui.words import count, day_of, escape, label, local, local_time

__all__ = ["follow", "note_of", "sidebar"]

_LISTED = 60
_ORDERS = {"updated_at": "Recently used", "created_at": "Newest first", "title": "By title"}
"""Column of a chat → the label for sorting by this column."""


def follow(*, here: Page, pages: Mapping[str, Page]) -> None:
    """Go to the page that was requested by a click or by a link to a moment."""
    wanted = session.page_wanted()
    if wanted is None and here is pages["chat"]:
        wanted = session.just_arrived()
    if wanted is None and here is pages["chat"] and session.names_moment():
        st.switch_page(pages["history"], query_params=dict(st.query_params))
    if wanted is not None:
        if here is not pages[wanted]:
            st.switch_page(pages[wanted], query_params=session.chat_query(wanted))
        if wanted == "compare":
            st.query_params.from_dict(session.chat_query(wanted))
        session.arrive(wanted)


def sidebar(standing: Page, others: Sequence[Page]) -> None:
    """Draw the sidebar, with the pages at its foot. Call it after the page is drawn, because turns that the page shows
    may just have ended."""
    with st.sidebar, st.container(key="sidebar"):
        st.html('<div class="ab-mark"><i></i><b>Anabranch</b></div>')
        st.button(
            "New chat",
            icon=":material/edit_square:",
            key="new-chat",
            on_click=_new_chat,
            width="stretch",
            shortcut="Alt+N",
        )
        wanted = st.text_input(
            "Search chats", placeholder="Search chats", key="search", label_visibility="collapsed"
        )
        _undo()
        _chats(app().chats(), " ".join(wanted.split()))
        _foot(standing, others)


def _chats(every: list[dict[str, Any]], wanted: str) -> None:
    """Draw the list of chats, and the archive below it. A search finds archived chats too."""
    found, archived = _found(every, wanted), [row for row in every if row["archived_at"]]
    rows = found if wanted else [row for row in found if not row["archived_at"]]
    with st.container(key="chats"):
        order = _order() if len(every) > 1 else "updated_at"
        if not rows:
            nothing = "No chat matches." if wanted else "Your chats will be listed here."
            st.html(f'<div class="ab-day">{nothing}</div>')
        _list(rows, order)
        if archived and not wanted:
            shown = session.remembered("archive-open", False)
            st.button(
                f"Archive  :gray[{len(archived):,}]",
                icon=f":material/keyboard_arrow_{'down' if shown else 'right'}:",
                key="archive",
                type="tertiary",
                on_click=session.remember,
                args=("archive-open", not shown),
            )
            if shown:
                _list(archived, order)


def _order() -> str:
    """Draw the choice of the sort order; return the column that chats are sorted by."""
    with st.container(key="chats-order"):
        return st.selectbox(
            "Sort chats",
            list(_ORDERS),
            format_func=_ORDERS.__getitem__,
            key="order-of-chats",
            label_visibility="collapsed",
            required=True,
        )


def _found(rows: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """Return the chats whose title contains the words, then those with the words only in a message, with that text."""
    if not wanted:
        return rows
    titled = [row for row in rows if wanted.casefold() in (row["title"] or "").casefold()]
    known, said = {row["chat_id"] for row in titled}, _said(wanted)
    others = [row for row in rows if row["chat_id"] in said and row["chat_id"] not in known]
    return titled + [row | {"said": said[row["chat_id"]]} for row in others]


def _said(wanted: str) -> dict[str, str]:
    """Return the chats with a message that contains the words; they are searched again only after new events."""
    head = app().log.head()
    words, at, found = session.remembered("said", ("", 0, {}))
    if (words, at) != (wanted, head):
        found = app().past.chats_that_say(wanted)
        session.remember("said", (wanted, head, found))
    return dict(found)


def _list(rows: list[dict[str, Any]], order: str) -> None:
    offset = st.context.timezone_offset
    now = local(datetime.now(UTC), offset)
    last = None
    dated = order != "title"
    rows = sorted(rows, key=lambda row: row[order], reverse=True) if dated else sorted(rows, key=_title)
    titles = Counter(row["title"] for row in rows)
    named = {row["chat_id"]: row["title"] for row in rows}
    for row in rows[:_LISTED]:
        day = day_of(local(row[order], offset), now) if dated else None
        if day is not None and day != last:
            st.html(f'<div class="ab-day">{escape(day)}</div>')
            last = day
        _row(row, note_of(row, named, twice=titles[row["title"]] > 1, offset=offset))
    if len(rows) > _LISTED:
        st.html(f'<div class="ab-day">{len(rows) - _LISTED:,} more: use the search to find them.</div>')


def _title(row: Mapping[str, Any]) -> str:
    return (row["title"] or "").casefold()


def note_of(row: dict[str, Any], named: Mapping[str, str | None], *, twice: bool, offset: int | None) -> str:
    """Return a note that identifies a chat: the search hit, its origin if forked, or its start time and size."""
    if row.get("said"):
        return str(row["said"])
    origin = row["origin_chat_id"]
    if origin:
        return f"Fork of {named.get(origin) or 'a chat that is not listed'}, {_size(row)}"
    return f"{local_time(row['created_at'], offset)}, {_size(row)}" if twice else ""


def _size(row: dict[str, Any]) -> str:
    return count(row["message_count"], "message")


def _row(row: dict[str, Any], note: str) -> None:
    chat_id = row["chat_id"]
    here = "here" if chat_id == session.selected_chat() else "chat"
    with st.container(horizontal=True, key=f"row-{chat_id}"):
        with st.container(key=f"{here}-{chat_id}"):
            title = label(row["title"] or "New chat")
            waits = row["ended_as"] == "awaiting_confirmation"
            dot = ":orange[●] " if row["running_turn_id"] else ":violet[●] " if waits else ""
            st.button(
                dot + title,
                key=f"open-{chat_id}",
                type="tertiary",
                on_click=_open,
                args=(chat_id,),
                width="stretch",
            )
            if note:
                st.html(f'<div class="ab-chatnote">{escape(note)}</div>')
        chat_menu(row)


def _undo() -> None:
    deleted = session.remembered("deleted")
    if deleted:
        st.button(
            "Undo delete",
            icon=":material/undo:",
            key="undo-delete",
            on_click=once("undo-delete", _restore),
            args=(deleted,),
            width="stretch",
        )


def _foot(standing: Page, others: Sequence[Page]) -> None:
    with st.container(key="foot"):
        found = app().standing_attention()
        waiting = found.moved + found.needs_you
        st.page_link(
            standing,
            label=f"Standing questions :orange-badge[{waiting}]" if waiting else "Standing questions",
        )
        for page in others:
            st.page_link(page)
    opened = app()
    head = opened.log.head()
    broken = opened.upkeep.problem
    dot = "ab-dot err" if broken else "ab-dot"
    text = "recording stopped: read only" if broken else count(head, "event")
    st.html(
        f'<div class="ab-logline" title="{escape(broken or "")}"><span class="{dot}"></span>{escape(text)}</div>'
    )


def _new_chat() -> None:
    session.go_to_chat(None)
    session.go_to_page("chat")
    session.clear("deleted")


def _open(chat_id: str) -> None:
    session.go_to_chat(chat_id)
    session.go_to_page("chat")
    session.clear("deleted")


def _restore(chat_id: str) -> None:
    if send(RestoreChat(chat_id)) is not REFUSED:
        session.clear("deleted")
        session.go_to_chat(chat_id)
