"""The parts of every card: a head with a title and views, a body, and a foot that shows where the result came from."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import streamlit as st

from engine.errors import AnabranchError
from engine.models.messages import OFFLINE
from engine.rendering.plans import FileRef
from engine.views.chat import CallView
from engine.views.replays import SAME
from engine.views.source_readings import source_reading
from engine.views.workspace import FileEntry
from ui import session
from ui.acts import once
from ui.current_app import app
from ui.widgets.verifying import verify_now
from ui.words import count, escape, local_time, unseen

__all__ = [
    "card",
    "changed_since",
    "choose_face",
    "drawn_from",
    "file_name",
    "foot",
    "heading",
    "made_by",
    "open_button",
    "show_foot",
    "show_notes",
]


def card(
    title: str,
    note: str,
    key: str,
    body: Callable[[], Any],
    foot: str = "",
    menu: Callable[[], Any] | None = None,
) -> None:
    """Draw a card with only one view. `body` draws the part between its head and its foot; `menu` draws the end of the
    head.
    """
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(title, note), width="stretch")
            if menu is not None:
                menu()
        with st.container(key=f"cardpad-{key}"):
            body()
        if foot:
            st.html(foot)


def heading(title: str, note: str) -> str:
    """A card's title and the note beside it, as HTML."""
    return f'<div class="ab-cardtitle"><b>{escape(title)}</b><span>{escape(note)}</span></div>'


def choose_face(faces: list[str], key: str, first: str | None = None) -> str:
    """Let the reader choose among a card's views, such as Data and Chart; return the current one, initially `first`."""
    if len(faces) == 1:
        return faces[0]
    chosen = st.segmented_control(
        "View",
        faces,
        default=first or faces[0],
        required=True,
        key=f"face-{key}",
        label_visibility="collapsed",
    )
    return chosen or faces[0]


def foot(call: CallView, *, note: str = "") -> str:
    """Return the foot as HTML: tool, version, a `note`, and the id of the manifest (the files after the call)."""
    facts = [made_by(call)]
    if note:
        facts.append(escape(note))
    if call.post_manifest_id:
        facts.append(f"file state <code>m·{escape(call.post_manifest_id[-8:])}</code>")
    return '<div class="ab-foot">' + "".join(f"<span>{fact}</span>" for fact in facts) + "</div>"


def made_by(call: CallView) -> str:
    """Return a call's tool and version as HTML, as in `query · data-analyst 1.3.0`."""
    toolset, _, tool = call.tool_id.rpartition(":")
    version = f" {call.toolset_version}" if call.toolset_version else ""
    mine = " · run by you" if call.from_call_id else ""
    return f"{escape(tool)} · {escape(toolset or 'built-in')}{escape(version)}{mine}"


def show_foot(
    chat_id: str,
    call: CallView,
    key: str,
    shown_to_model: Any = None,
    rows: int | None = None,
    path: str | None = None,
) -> None:
    """Draw the foot of a card: tool and version, inputs by name and hash, what the model saw, and a button for its
    file.
    """
    facts = [made_by(call), *_read_from(call), *drawn_from(chat_id, call), *_verified(chat_id, call)]
    with st.container(key=f"cardfoot-{key}", horizontal=True, vertical_alignment="center"):
        st.html("".join(f"<span>{fact}</span>" for fact in facts), width="content")
        # results of the user's runs from a card are not sent to a model
        told_to_model = call.from_call_id is None
        if told_to_model and isinstance(shown_to_model, int) and rows is not None:
            to = "read by the offline analyst" if _is_offline(chat_id, call) else "sent to the model"
            label = f"{_sent(shown_to_model, rows)} {to}"
            with st.popover(label, key=f"saw-{key}", type="tertiary", on_change="rerun") as told:
                if told.open:
                    st.html(f'<div class="ab-label">The result as {to}</div>')
                    st.json(call.result, expanded=1)
        if path is not None:
            open_button(chat_id, path, key)
        _verify_button(chat_id, call, key)


def _is_offline(chat_id: str, call: CallView) -> bool:
    """Return whether the offline analyst requested a call."""
    view = app().chat(chat_id)
    message = view.messages.get(call.message_id or "")
    turn = view.turns.get(message.turn_id or "") if message is not None else None
    return turn is not None and turn.model == OFFLINE


def _sent(sent: int, rows: int) -> str:
    """Return how many of the result's rows the model or the offline analyst received, in words."""
    if sent < rows:
        return f"{sent:,} of {count(rows, 'row')}"
    return {0: "no rows", 1: "1 row"}.get(rows, f"all {rows:,} rows")


def _verify_button(chat_id: str, call: CallView, key: str) -> None:
    """Offer to run this one call again; draw nothing for a user's call or in a past state."""
    if call.message_id is None or call.finished_at is None or session.looks_back():
        return
    st.button(
        unseen("Verify: run this call again and compare its result"),
        icon=":material/fact_check:",
        key=f"verify-card-{key}",
        type="tertiary",
        help="Verify: run this call again and compare its result",
        on_click=once(f"verify-card-{key}", verify_now),
        args=(chat_id, (call.call_id,)),
        kwargs={"message_id": call.message_id},
    )


def _read_from(call: CallView) -> list[str]:
    """Return texts such as `from warehouse.sales.refunds, read 14:52`, and how many rows are recorded; none if the call
    read no source.
    """
    reading = source_reading(call)
    if reading is None:
        return []
    tables = ", ".join(reading.tables[:2]) or reading.name
    more = f" and {len(reading.tables) - 2} more" if len(reading.tables) > 2 else ""
    when = local_time(reading.read_at, st.context.timezone_offset)
    return [
        f"from {escape(tables)}{more}, read {escape(when)}",
        f"✓ {escape(count(reading.rows, 'row'))} recorded",
    ]


def _verified(chat_id: str, call: CallView) -> list[str]:
    """Return a text such as `re-run identical, 22 Nov`; none if the call never ran again."""
    known = None if session.looks_back() else app().chat(chat_id).verdicts.get(call.call_id)
    if known is None or known.verdict == "skipped":
        return []
    kind = "" if known.verdict in SAME else ' class="ab-stale"'
    return [f"<span{kind}>{escape(known.badge)}</span>"]


def show_notes(notes: Sequence[str]) -> None:
    """Above a card's foot, show the notes about values that were left out or assumed, if there are any."""
    if notes:
        st.html('<div class="ab-warning">' + "<br>".join(escape(note) for note in notes) + "</div>")


def open_button(chat_id: str, path: str, key: str) -> None:
    """Open a file of the workspace in the Files panel (RND-7)."""
    if not session.looks_back() and st.button(
        "Open",
        icon=":material/open_in_full:",
        key=f"open-{key}",
        type="tertiary",
        help="Open in the Files panel",
    ):
        session.remember("panel", "files")
        session.remember(f"panel-file-{chat_id}", path)
        st.rerun(scope="app")


def drawn_from(chat_id: str, call: CallView) -> list[str]:
    """Return each input as HTML, such as `from orders.csv a41f09c2`; changed inputs are marked as stale."""
    inputs = _inputs(chat_id, call)
    facts = []
    if inputs:
        named = ", ".join(
            f"{escape(path)} <code>{escape(entry.sha256[:8])}</code>"
            for path, entry in list(inputs.items())[:4]
        )
        facts.append(f"from {named}" + (f" and {len(inputs) - 4} more" if len(inputs) > 4 else ""))
    other = changed_since(chat_id, call)
    if other and not session.looks_back():
        told = f"stale: {', '.join(other[:3])} {'has' if len(other) == 1 else 'have'} changed since this call"
        facts.append(f'<span class="ab-stale">{escape(told)}</span>')
    return facts


def changed_since(chat_id: str, call: CallView) -> list[str]:
    """Return the files named in a call's SQL or chart that have changed or no longer exist."""
    inputs = _inputs(chat_id, call)
    present = app().workspace.files(chat_id) if inputs else {}
    return [
        path for path, entry in inputs.items() if path not in present or present[path].sha256 != entry.sha256
    ]


def _inputs(chat_id: str, call: CallView) -> Mapping[str, FileEntry]:
    """Return the files that a call's SQL or chart names, as they were before the call."""
    args = call.args if isinstance(call.args, dict) else {}
    sql = args.get("sql") or args.get("table")
    if not isinstance(sql, str) or source_reading(call) is not None:
        return {}
    try:
        return app().workspace.named_in(chat_id, call.pre_manifest_id, sql)
    except AnabranchError:
        return {}


def file_name(file: FileRef | None) -> str:
    """A file's name without its folders."""
    return PurePosixPath(file.path).name if file is not None else "Text"
