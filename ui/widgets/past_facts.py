"""Details of an earlier state: its events, one of which is open, and its branches, files and tools at that time."""

import json
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from engine.views.branches import rows_at
from engine.views.chat import ChatView
from engine.views.model_info import model_title
from engine.views.moments import MomentView, moments_by_row
from events.catalog.tool_call import ToolCallFinished
from events.event import Event
from events.event_summaries import EventSummary, VerifiedEvent
from ui.components.branch_graph.component import branch_graph
from ui.components.copy_text.component import copy_text
from ui.components.event_list.component import event_list
from ui.current_app import app
from ui.words import count, escape, local, local_time, size

__all__ = ["past_facts"]

_LINES = 60
_LISTED = 300


def past_facts(
    view: ChatView,
    now: ChatView,
    named: Sequence[MomentView],
    summaries: Sequence[EventSummary],
    here: EventSummary,
    on_move: Callable[[int], None],
) -> None:
    """Draw the chosen list: Events, Branches, Files or Tools."""
    faces = ["Events", "Branches", "Files", "Tools"]
    chosen = st.segmented_control(
        "What to list",
        faces,
        default=faces[0],
        required=True,
        key="past-face",
        label_visibility="collapsed",
    )
    if chosen == "Branches":
        _branches(view, now, named, here, on_move)
    elif chosen == "Files":
        _files(view)
    elif chosen == "Tools":
        _tools(view, here)
    else:
        event_list(summaries, here.position, key=f"events-{view.chat_id}", on_move=on_move)
        _inspector(view.chat_id, summaries, app().past.event(here.position), on_move)


def _branches(
    view: ChatView,
    now: ChatView,
    named: Sequence[MomentView],
    here: EventSummary,
    on_move: Callable[[int], None],
) -> None:
    rows, later = rows_at(view, now, here.position)
    positions = {row.message_id: row.position for row in (*rows, *later)}
    branch_graph(
        rows,
        tag="as it was",
        offset=st.context.timezone_offset,
        key=f"past-graph-{view.chat_id}",
        on_choose=lambda message_id: on_move(positions[message_id]),
        later=later,
        named=moments_by_row(named, now),
    )
    note = (
        f"{count(len(later), 'later message')} {'is' if len(later) == 1 else 'are'} drawn in a lighter colour. "
        if later
        else ""
    )
    st.html(f'<p class="ab-note">{note}Click a message to see that moment.</p>')


def _inspector(
    chat_id: str, summaries: Sequence[EventSummary], found: VerifiedEvent, on_move: Callable[[int], None]
) -> None:
    recorded = found.recorded
    text = json.dumps(recorded.event.payload(), ensure_ascii=False, indent=2)
    with st.container(key="inspector"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f'<div class="ab-cardtitle"><b>{escape(recorded.event.type)}</b>'
                f"<span>schema {recorded.event.schema_version}</span></div>",
                width="stretch",
            )
            copy_text(text, key="copy-event")
        chain = (
            '<span class="ok">chain intact</span>' if found.holds else '<span class="err">chain broken</span>'
        )
        rows = {
            "Position": f"{recorded.position:,} of {app().log.head():,}",
            "Stream": f"<code>{escape(recorded.stream)}</code> · version {recorded.version:,}",
            "Time": f"{local(recorded.occurred_at, st.context.timezone_offset):%Y-%m-%d %H:%M:%S}",
            "Hash": f'<code title="{recorded.hash}">{recorded.hash[:6]}…{recorded.hash[-4:]}</code> {chain}',
        }
        cells = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows.items())
        st.html(f'<dl class="ab-facts-list">{cells}</dl>')
        _cause(summaries, recorded.causation_id, on_move)
        _environment(chat_id, recorded.event)
        lines = text.splitlines()
        whole = len(lines) <= _LINES or st.toggle(f"Show all {len(lines):,} lines", key="whole-event")
        st.code(text if whole else "\n".join([*lines[:_LINES], "…"]), language="json", wrap_lines=True)


def _environment(chat_id: str, event: Event) -> None:
    """Draw the facts about the environment that a call ran in, under their hash."""
    if not isinstance(event, ToolCallFinished) or event.environment is None:
        return
    found = st.expander(f"Environment {event.environment.sha256[:8]}", key="environment", on_change="rerun")
    if found.open:
        with found:
            st.json(json.loads(app().workspace.read(chat_id, event.environment.sha256)), expanded=1)


def _cause(
    summaries: Sequence[EventSummary], causation_id: str | None, on_move: Callable[[int], None]
) -> None:
    cause = app().past.cause(causation_id) if causation_id else None
    if cause is None:
        return
    caused, position = cause.recorded.event.type, cause.recorded.position
    time = local_time(cause.recorded.occurred_at, st.context.timezone_offset, with_seconds=True)
    if any(tick.position == position for tick in summaries):
        st.button(
            f"Caused by {caused}, {time}", key="cause", type="tertiary", on_click=on_move, args=(position,)
        )
    else:
        st.html(
            f'<p class="ab-note">Caused by {escape(caused)} of <code>{escape(cause.recorded.stream)}</code></p>'
        )


def _files(view: ChatView) -> None:
    files = app().workspace.files(view.chat_id, view.manifest) if view.manifest else {}
    if not files:
        st.html('<p class="ab-note">There were no files yet.</p>')
        return
    changes = view.manifests.get(view.manifest or "", {}).get("changes", {})
    marks = {path: kind for kind in ("added", "changed") for path in changes.get(kind, {})}
    rows = [
        f'<tr class="{marks.get(path, "")}"><td>{escape(path)}</td><td>{marks.get(path, "")}</td>'
        f'<td class="n">{size(entry.size)}</td></tr>'
        for path, entry in list(files.items())[:_LISTED]
    ]
    gone = [
        f'<tr class="removed"><td>{escape(p)}</td><td>removed</td><td></td></tr>'
        for p in changes.get("removed", ())
    ]
    st.html(
        '<table class="ab-schema ab-then"><thead><tr><th>File</th><th>Last change</th>'
        '<th class="n">Size</th></tr></thead>'
        f"<tbody>{''.join(rows + gone)}</tbody></table>"
    )
    if len(files) > _LISTED:
        st.html(f'<p class="ab-note">{len(files) - _LISTED:,} more files.</p>')
    chosen = st.selectbox(
        "Download one of these files",
        list(files),
        key=f"then-{view.chat_id}",
        index=None,
        placeholder="Choose a file",
    )
    if chosen is not None and chosen in files:
        st.download_button(
            f"Download {chosen.rpartition('/')[2]}",
            partial(app().workspace.read, view.chat_id, files[chosen].sha256),
            chosen.rpartition("/")[2],
            icon=":material/download:",
            key="download-then",
            on_click="ignore",
        )


def _tools(view: ChatView, here: EventSummary) -> None:
    rows = [row for row in app().read("toolsets", at=here.position) if row["installed_at"] is not None]
    versions = {row["id"]: row for row in rows}
    st.html(f'<p class="ab-note">Answered by {escape(model_title(view.model))}.</p>')
    lines = []
    for home, tools in sorted(view.selection.items()):
        row = versions.get(home)
        name = "Built-in" if home == "builtin" else row["name"] if row else home
        version = f" {row['version']}" if row else ""
        off = "" if row is None or row["enabled"] else " · switched off"
        ticked = ", ".join(tools) or "none ticked"
        lines.append(f"<dt>{escape(name)}<small>{escape(version)}{off}</small></dt><dd>{escape(ticked)}</dd>")
    st.html(f'<dl class="ab-facts-list wide">{"".join(lines)}</dl>')
