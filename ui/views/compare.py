"""Compare: two branches, moments or chats side by side; changes first, then tables, charts, SQL, files and calls."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from engine.commands.catalog import SelectLeaf
from engine.errors import AnabranchError
from engine.views.branches import branch_rows
from engine.views.chat import ChatView
from engine.views.comparison import Comparison, Side
from engine.views.comparisons import SideWanted, side_named
from engine.views.placement import without_places
from ui import session
from ui.acts import once, once_for
from ui.current_app import REFUSED, app, send
from ui.owner_cache import OwnerCache
from ui.widgets import compared_parts as parts
from ui.widgets.failure import failure, pending_failure
from ui.widgets.moments import named_moments
from ui.widgets.page_head import page_head
from ui.words import escape, local_time, unseen

__all__ = ["compare_page"]

_found = OwnerCache[Comparison](10)
_NUMBER = re.compile(r"[−+-]?\d(?:[\d,.\u202f]*\d)?%?")
_LONGEST = 900
"""How many characters of an answer are shown."""


def compare_page() -> None:
    """Draw the comparison that the address names."""
    chat_id = session.selected_chat()
    with st.container(key="compare"):
        pending_failure()
        if chat_id is None:
            failure(
                "No chat is selected.", "Open a chat, choose Branches, and tick two answers to compare them."
            )
            return
        try:
            view = app().chat(chat_id)
            wanted = [_wanted(chat_id, name) for name in session.compared(chat_id)]
            sides = [app().comparisons.side(one) for one in wanted]
        except AnabranchError as error:
            failure("This cannot be compared.", error.message)
            return
        page_head(view, "Compare")
        _sides(view, sides)
        _body(wanted, sides)


def _wanted(chat_id: str, name: str | None) -> SideWanted:
    """Parse a side in the address: a message, a position or `now` of this chat, or `CHAT@…` for another chat."""
    if not name or name == "now":
        return SideWanted(chat_id)
    return side_named(name if "@" in name else f"{chat_id}@{name}")


def _sides(view: ChatView, sides: list[Side]) -> None:
    """Draw the answers of both sides, each with a menu of its chat's other answers, and the button that swaps the
    sides.
    """
    with st.container(key="compare-phone"):  # shown on a phone only
        shown = st.segmented_control(
            "Side", ["A", "B"], default="B", required=True, key="compare-side", label_visibility="collapsed"
        )
        st.html(f'<span class="ab-shows-{str(shown).lower()}"></span>')
    first, middle, second = st.columns([12, 1, 12], vertical_alignment="center")
    with first:
        _side(view, sides, 0)
    with middle:
        st.button(
            unseen("Swap A and B"),
            icon=":material/swap_horiz:",
            key="swap-sides",
            type="tertiary",
            help="Swap A and B",
            shortcut="S",
            on_click=once("swap-sides", session.compare),
            args=(view.chat_id, *reversed(session.compared(view.chat_id))),
        )
    with second:
        _side(view, sides, 1)


def _side(view: ChatView, sides: list[Side], at: int) -> None:
    side, letter = sides[at], "AB"[at]
    with st.container(border=True, key=f"side-{letter.lower()}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(f'<span class="ab-side">{letter}</span>', width="content")
            _choose_side(view, side, at)
            if side.here:
                st.html('<span class="ab-badge ok">you are here</span>', width="content")
            elif side.chat_id == view.chat_id and side.position is None:
                st.button(
                    "Go there",
                    key=f"go-to-{letter}",
                    type="tertiary",
                    on_click=once(f"go-to-{letter}", _go),
                    args=(view.chat_id, side.message_id),
                )
        st.html(f'<div class="ab-compared-answer">{_answer(side, sides[0] if at else None)}</div>')


def _choose_side(view: ChatView, side: Side, at: int) -> None:
    names = session.compared(view.chat_id)
    offered = {row.message_id: row for row in branch_rows(view) if not row.question}
    moments = [one.name for one in named_moments(view)]
    taken = names[at] if names[at] in moments or side.position is not None else side.message_id
    listed = [*offered, *moments]
    if taken is None or taken not in listed:
        taken = names[at] or "now"
        listed.insert(0, taken)
    key = f"side-choice-{at}-{taken}"

    def named(name: str) -> str:
        row = offered.get(name)
        if row is not None:
            return f"{local_time(row.at, st.context.timezone_offset)} · {row.label}"
        if name in moments:
            return f"Moment {name}"
        where = f"{side.title or 'New chat'}, " if side.chat_id != view.chat_id else ""
        return where + (f"as of position {side.position:,}" if side.position is not None else "now")

    labels = _distinct([named(name) for name in listed])

    def choose() -> None:
        sides = list(names)
        sides[at] = session.widget_value(key)
        session.compare(view.chat_id, *sides)

    st.selectbox(
        f"Side {'AB'[at]}",
        listed,
        index=listed.index(taken),
        format_func=lambda name: labels[listed.index(name)],
        key=key,
        label_visibility="collapsed",
        on_change=once_for(key, choose),
    )


def _distinct(labels: Sequence[str]) -> list[str]:
    """Return the labels, with numbers added to repeated ones. A menu identifies its options by their labels, and
    re-runs often repeat an answer.
    """
    seen: Counter[str] = Counter()
    found = []
    for text in labels:
        seen[text] += 1
        found.append(f"{text} ({seen[text]})" if seen[text] > 1 else text)
    return found


def _go(chat_id: str, message_id: str) -> None:
    if send(SelectLeaf(chat_id, message_id)) is not REFUSED:
        session.go_to_page("chat")


def _answer(side: Side, other: Side | None) -> str:
    """Return the answer's text. Numbers that the other answer does not have are marked."""
    words = re.sub(r"[*`]{1,3}|^#+ ", "", without_places(side.answer), flags=re.MULTILINE).strip()
    if not words:
        return '<p class="ab-empty">No answer yet.</p>'
    shown = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    if other is None:
        return escape(shown)
    known = set(_NUMBER.findall(other.answer))
    made, end = [], 0
    for number in _NUMBER.finditer(shown):
        text = escape(number[0])
        made += [
            escape(shown[end : number.start()]),
            text if number[0] in known else f"<b class='moved'>{text}</b>",
        ]
        end = number.end()
    return "".join([*made, escape(shown[end:])])


def _body(wanted: list[SideWanted], sides: list[Side]) -> None:
    engine = app()
    try:
        with st.spinner("Comparing…"):
            found = _found.get(engine, tuple(sides), lambda: engine.comparisons.compare(*wanted))
    except AnabranchError as error:
        failure("This cannot be compared.", error.message)
        return
    if found.same_results:
        st.html(f'<div class="ab-now"><b>{escape(found.told)}</b></div>')
    with st.container(horizontal=True, vertical_alignment="center", key="compare-tabs"):
        face = _tabs(found)
        st.html("<span></span>", width="stretch")
        only = st.toggle("Only differences", value=True, key="only-what-differs")
    _sections(found, face, everything=not only)
    if found.parted_after is not None:
        last = escape(" ".join(found.parted_after.split())[:120])
        st.html(
            f'<p class="ab-note">A and B diverge after “{last}”. Everything before that is the same in both.</p>'
        )
    else:
        st.html('<p class="ab-note">A and B have no message in common.</p>')


def _tabs(found: Comparison) -> str:
    changed = [text for text in found.texts if text.before != text.after]
    counts = {
        "Numbers": len(found.numbers),
        "Tables": sum(table.differs for table in found.tables),
        "Charts": sum(chart.differs for chart in found.charts),
        "SQL": len(changed),
        "Files": sum(file.what != "equal" for file in found.files),
        "Calls": sum(pair.status != "same" for pair in found.calls),
    }
    face = st.segmented_control(
        "Section",
        ["All", *counts],
        default="All",
        format_func=lambda name: f"{name} {counts[name]:,}" if counts.get(name) else name,
        required=True,
        key="compare-face",
        label_visibility="collapsed",
    )
    return str(face or "All")


def _sections(found: Comparison, face: str, *, everything: bool) -> None:
    """Draw the sections that have differences. A chosen section without differences shows a note."""
    chats = found.a.chat_id, found.b.chat_id
    tables = [table for table in found.tables if everything or table.differs]
    charts = [chart for chart in found.charts if everything or chart.differs]
    texts = [text for text in found.texts if everything or text.before != text.after]
    files = [file for file in found.files if everything or file.what != "equal"]
    calls = [pair for pair in found.calls if everything or pair.status != "same"]
    drawn: dict[str, tuple[Sequence[object], Callable[[], None]]] = {
        "Numbers": (found.numbers, lambda: parts.numbers(found.numbers)),
        "Tables": (tables, lambda: parts.tables(tables, everything=everything)),
        "Charts": (charts, lambda: parts.charts(charts, chats)),
        "SQL": (texts, lambda: parts.texts(texts)),
        "Files": (files, lambda: parts.files(files, chats, everything=everything)),
        "Calls": (calls, lambda: parts.calls(calls)),
    }
    for name, (some, draw) in drawn.items():
        if face not in ("All", name):
            continue
        if some:
            with st.container(key=f"compare-{name.lower()}"):
                draw()
        elif face == name:
            st.html(f'<p class="ab-empty">{name}: no differences.</p>')
