"""The sources page: add, test, change and remove databases and query engines."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import streamlit as st

from engine.commands.catalog import AddSource, ChangeSource, RemoveSource, TestSource
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, is_demo, send
from ui.widgets.failure import failure, pending_failure
from ui.widgets.source_form import open_form, source_form
from ui.words import count, escape, local, unseen

__all__ = ["sources_page"]

_TESTING, _REMOVED = "source-testing", "source-removed"
_ICONS = {"postgresql": "database", "sqlite": "save", "flightsql": "hub"}


def sources_page() -> None:
    """Draw the list, and the dialog that a click opened."""
    with st.container(key="sources"):
        with st.container(horizontal=True, vertical_alignment="center", key="sources-head"):
            st.title("Sources", width="stretch")
            if not is_demo():
                st.button(
                    "Add source",
                    icon=":material/add:",
                    key="source-add",
                    type="primary",
                    on_click=open_form,
                    args=("",),
                )
        st.html(
            '<p class="ab-note">Databases and query engines that your questions can read. Your data stays there; '
            "results are recorded in the chat.</p>"
        )
        if is_demo():
            st.html('<p class="ab-note">This is a public demo, so it cannot read databases.</p>')
            return
        pending_failure()
        _test_asked()
        _undo()
        rows = app().source_rows()
        for row in rows:
            _row(row)
        if not rows:
            _empty()
        _foot()
        source_form()


def _row(row: Mapping[str, Any]) -> None:
    name = row["name"]
    with st.container(key=f"source-row-{name}"):
        with st.container(horizontal=True, vertical_alignment="top", key=f"source-line-{name}"):
            st.html(_head(row), width="stretch")
            st.button(
                "Test", key=f"source-test-{name}", on_click=session.remember, args=(_TESTING, name),
                help=f"Connect to {name} and list its tables",
            )  # fmt: skip
            _menu(name)
        if row["connected"] is False or not row["installed"]:
            _problem(row)


def _head(row: Mapping[str, Any]) -> str:
    kind, word = {True: ("ok", "Connected"), False: ("err", "Not connected"), None: ("off", "Not tested")}[
        row["connected"]
    ]
    user = f" as <code>{escape(row['user'])}</code>" if row["user"] else ""
    what = escape(row["server"] or row["title"])
    found = (
        f"{count(row['schemas'], 'schema')}, {count(row['tables'], 'table')} · "
        if row["tables"] is not None and row["connected"]
        else ""
    )
    allowed = f" · only {escape(', '.join(row['allowed']))}" if row["allowed"] else ""
    rows, seconds = f"{row['max_rows']:,}", row["max_seconds"]
    limits = f"read only, {escape(row['read_only'])} · at most {rows} rows and {seconds} s per query{allowed}"
    icon = "cloud_off" if row["connected"] is False else _ICONS.get(row["driver"], "database")
    return (
        f'<div class="ab-source"><i class="ab-source-icon" aria-hidden="true">{icon}</i><div class="ab-setting">'
        f'<b>{escape(row["name"])} <span class="ab-badge {kind}">{word}</span></b>'
        f"<span>{what} at <code>{escape(row['address'])}</code>{user}</span><span>{found}{limits}</span></div></div>"
    )


def _menu(name: str) -> None:
    times = session.remembered(f"source-more-{name}", 0)
    with st.popover(
        unseen(f"More about {name}"),
        icon=":material/more_horiz:",
        key=f"source-more-{name}-{times}",
        type="tertiary",
        help=f"More about {name}",
    ):
        st.button("Edit", icon=":material/edit:", key=f"source-edit-{name}", on_click=_edit, args=(name,))
        st.button(
            "Refresh tables",
            icon=":material/refresh:",
            key=f"source-refresh-{name}",
            on_click=_refresh,
            args=(name,),
        )
        st.button(
            "Remove", icon=":material/delete:", key=f"source-remove-{name}",
            on_click=once(f"source-remove-{name}", _remove), args=(name,),
        )  # fmt: skip


def _problem(row: Mapping[str, Any]) -> None:
    """Draw the problem, and the one field that fixes it."""
    name = row["name"]
    with st.container(key=f"source-problem-{name}"):
        if not row["installed"]:
            failure(
                f"{row['title']} needs a driver",
                "Install it in Anabranch's Python environment:",
                row["install"],
            )
            return
        first, _, rest = str(row["problem"] or "").partition(". ")
        failure(first, rest)
        st.html(f'<p class="ab-note">Tried {_at(row["tested_at"])}. Recorded results stay readable.</p>')
        if row["kind"] == "wrong_key":
            with (
                st.form(f"source-key-form-{name}", border=False),
                st.container(horizontal=True, vertical_alignment="bottom"),
            ):
                st.text_input(
                    f"New password for {name}", type="password", key=f"source-key-{name}",
                    placeholder="New password", label_visibility="collapsed",
                )  # fmt: skip
                st.form_submit_button("Connect", type="primary", on_click=_give_key, args=(name,))


def _at(text: str) -> str:
    return f"{local(datetime.fromisoformat(text), st.context.timezone_offset):%d %b %H:%M}"


def _test_asked() -> None:
    """Run the test that was requested by a click, and show its progress."""
    name = session.remembered(_TESTING)
    if name is None:
        return
    with st.spinner(f"Connecting to {name}"):
        answer = send(TestSource(name))
    if answer is not REFUSED and answer.connected:
        session.flash(f"Connected to {name}: {answer.server}, {count(answer.tables, 'table')}.")
    session.clear(_TESTING)  # cleared last, so that an interrupted run tests again


def _edit(name: str) -> None:
    _close_menu(name)
    open_form(name)


def _refresh(name: str) -> None:
    _close_menu(name)
    session.remember(_TESTING, name)


def _close_menu(name: str) -> None:
    session.remember(f"source-more-{name}", session.remembered(f"source-more-{name}", 0) + 1)


def _give_key(name: str) -> None:
    key = str(session.widget_value(f"source-key-{name}") or "")
    if key and send(ChangeSource(name, key=key)) is not REFUSED:
        session.remember(_TESTING, name)


def _remove(name: str) -> None:
    row = next((one for one in app().source_rows() if one["name"] == name), None)
    if row is not None and send(RemoveSource(name)) is not REFUSED:
        session.remember(_REMOVED, row)


def _undo() -> None:
    """Offer to add a removed source again. Its password is gone for good."""
    row = session.remembered(_REMOVED)
    if row is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="source-undo"):
        again = " You will be asked for its password again." if row["has_key"] else ""
        st.html(f"<p>{escape(row['name'])} was removed. Recorded results stay.{again}</p>", width="stretch")
        st.button(
            "Undo", key="source-undo-button", on_click=once("source-undo-button", _add_again), args=(row,)
        )
        st.button(
            "Dismiss", key="source-undo-dismiss", on_click=session.clear, args=(_REMOVED,), type="tertiary"
        )


def _add_again(row: Mapping[str, Any]) -> None:
    session.clear(_REMOVED)
    same = {name: row[name] for name in ("user", "allowed", "max_rows", "max_bytes", "max_seconds")}
    dialect = row["own_dialect"]
    if send(AddSource(row["name"], row["driver"], row["address"], dialect=dialect, **same)) is not REFUSED:
        session.remember(_TESTING, row["name"])


def _empty() -> None:
    st.html(
        '<div class="ab-empty"><b>No sources yet</b><span>Add a PostgreSQL database, a SQLite file or a Flight SQL '
        "engine. Ask about its tables by name; the SQL runs in the source, read only.</span></div>"
    )


def _foot() -> None:
    drivers = app().source_drivers()
    there = ", ".join(d["title"] for d in drivers if d["installed"])
    missing = "; ".join(f"{d['title']}: {d['install']}" for d in drivers if not d["installed"])
    more = f"<span>To install: <code>{escape(missing)}</code></span>" if missing else ""
    st.html(
        '<div class="ab-source-foot"><span>Passwords are stored in your keyring or a private file, never in the log.'
        "</span>"
        f"<span>Drivers installed: {escape(there)}</span>{more}</div>"
    )
