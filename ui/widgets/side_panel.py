"""The panel beside the transcript: the chat's files, branches or moments, or the origin of a number."""

import streamlit as st

from engine.commands.catalog import SelectLeaf
from engine.views.branches import branch_rows
from engine.views.chat import ChatView
from engine.views.moments import moments_by_row
from ui import session
from ui.acts import once_for
from ui.components.branch_graph.component import branch_graph
from ui.current_app import send
from ui.widgets.files_panel import files_panel
from ui.widgets.moments import named_moments
from ui.widgets.number_panel import number_panel
from ui.widgets.shape_panel import shape_panel
from ui.words import count, escape, local_time, seconds, unseen

__all__ = ["side_panel"]

_FACES = {"files": "Files", "branches": "Branches", "moments": "Moments"}
_TITLES = {"number": "Where this number comes from", "shape": "Clean a table"}
"""The titles of panels that are opened from the transcript."""


def side_panel(view: ChatView) -> None:
    """Draw the open panel, if any."""
    opened = session.panel()
    if opened is None:
        return
    with st.container(key="side-panel"):
        with st.container(key="panel-head", horizontal=True, vertical_alignment="center"):
            if opened in _TITLES:
                st.html(f'<h3 class="ab-panel-title">{_TITLES[opened]}</h3>')
            else:
                _choice(opened)
            st.html("<span></span>", width="stretch")
            st.button(
                unseen("Close"),
                icon=":material/close:",
                key="close-panel",
                type="tertiary",
                help="Close",
                on_click=session.toggle_panel,
                args=(opened,),
            )
        if opened == "files":
            files_panel(view)
        elif opened == "number":
            number_panel(view)
        elif opened == "shape":
            shape_panel(view)
        elif opened == "branches":
            _branches(view)
        else:
            _moments(view)


def _choice(opened: str) -> None:
    st.segmented_control(
        "Panel",
        list(_FACES),
        default=opened,
        format_func=_FACES.__getitem__,
        required=True,
        key=f"panel-face-{opened}",
        label_visibility="collapsed",
        on_change=once_for(f"panel-face-{opened}", _show),
        args=(opened,),
    )


def _show(opened: str) -> None:
    session.remember("panel", session.widget_value(f"panel-face-{opened}"))


def _branches(view: ChatView) -> None:
    rows = branch_rows(view)
    if not rows:
        st.html('<p class="ab-note">Your branches will appear here.</p>')
        return
    branch_graph(
        rows,
        tag="you are here",
        offset=st.context.timezone_offset,
        key=f"graph-{view.chat_id}",
        named=moments_by_row(named_moments(view), view),
        on_choose=lambda message_id: _stand(view, message_id),
        ticked=_ticked(view),
        on_tick=lambda ids: session.remember(f"ticked-{view.chat_id}", ids),
    )
    st.html(
        '<p class="ab-note">Click a message to go to it. The chat and its files switch to that branch.</p>'
    )
    if (branches := len({row.lane for row in rows})) > 1:
        st.html(
            '<p class="ab-note">In SQL and Python, the tables of other branches are <code>"branch 1".TABLE</code> to '
            f'<code>"branch {branches}".TABLE</code>, numbered from left to right.</p>'
        )
    _compare(view)


def _ticked(view: ChatView) -> list[str]:
    """Return the answers that are ticked to be compared, at most two."""
    ticked = session.remembered(f"ticked-{view.chat_id}", ())
    return [message_id for message_id in ticked if message_id in view.messages][-2:]


def _compare(view: ChatView) -> None:
    """Offer to compare the two answers that are ticked; the older one is A."""
    ticked = sorted(_ticked(view), key=lambda message_id: view.messages[message_id].position)
    st.button(
        "Compare",
        icon=":material/compare_arrows:",
        key="compare-ticked",
        disabled=len(ticked) < 2,
        help="Tick two answers to compare them.",
        on_click=session.compare,
        args=(view.chat_id, *ticked) if len(ticked) == 2 else (),
    )


def _stand(view: ChatView, message_id: str) -> None:
    """Go to an answer; for a question, to its latest answer."""
    at = message_id
    if at in view.messages and view.messages[at].role == "user":
        turns = sorted((t for t in view.turns.values() if t.message_id == at), key=lambda t: t.started_at)
        steps = [m for m in view.messages.values() if turns and m.turn_id == turns[-1].turn_id]
        at = max(steps, key=lambda m: m.position).message_id if steps else at
    send(SelectLeaf(view.chat_id, at))


def _moments(view: ChatView) -> None:
    """Draw one line for each turn of this branch, the latest first."""
    path = {message.turn_id for message in view.branch()}
    turns = sorted(
        (t for t in view.turns.values() if t.turn_id in path), key=lambda t: t.started_at, reverse=True
    )
    if not turns:
        st.html('<p class="ab-note">Each answer will be listed here so that you can return to it.</p>')
    for turn in turns[:100]:
        question = view.messages.get(turn.message_id)
        steps = [m for m in view.messages.values() if m.turn_id == turn.turn_id and m.role != "user"]
        used = sum(len(step.calls) for step in steps)
        facts = [
            local_time(turn.started_at, st.context.timezone_offset),
            seconds(turn.seconds),
            count(used, "call") if used else "",
        ]
        with st.container(key=f"moment-{turn.turn_id}", horizontal=True, vertical_alignment="center"):
            st.html(
                f'<div class="ab-moment"><b>{escape(question.text[:120] if question else "")}</b>'
                f"<span>{escape(' · '.join(fact for fact in facts if fact))}</span></div>",
                width="stretch",
            )
            if steps:
                st.button(
                    unseen("Go to this moment in the history"),
                    icon=":material/history:",
                    help="Go to this moment in the history",
                    key=f"moment-stand-{turn.turn_id}",
                    type="tertiary",
                    on_click=_look,
                    args=(view.chat_id, max(step.position for step in steps)),
                )


def _look(chat_id: str, position: int) -> None:
    session.stand_at(chat_id, position)
    session.go_to_page("history")
