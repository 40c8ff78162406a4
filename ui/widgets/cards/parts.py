"""The cards of a call with several results: one card each, then its printed output and its code."""

from collections.abc import Callable

import streamlit as st

from engine.rendering.plans import PartsPlan, RenderPlan
from engine.views.chat import CallView
from ui.components.copy_text.component import copy_text
from ui.widgets.cards.card import choose_face, heading, show_foot
from ui.widgets.parts import fragment
from ui.words import count, escape

__all__ = ["parts_cards"]

_LINES = 60
"""How many lines of the output are shown at first."""


def parts_cards(
    chat_id: str, call: CallView, plan: PartsPlan, key: str, show: Callable[[RenderPlan, str], None]
) -> None:
    """Draw a card for each part by calling `show`, and one card for the printed output and the code."""
    for number, part in enumerate(plan.parts):
        show(part, f"{key}-{part.name or number}")
    for note in plan.notes:
        st.html(f'<p class="ab-note">{escape(note)}</p>')
    if plan.output:
        _output(chat_id, call, plan, f"{key}-output")
    elif plan.code:
        with st.expander("Code", icon=":material/code:", key=f"code-{key}"):
            st.code(plan.code, language=plan.language, wrap_lines=True)


@fragment
def _output(chat_id: str, call: CallView, plan: PartsPlan, key: str) -> None:
    """Draw the printed output, and the code as the other view of the same card."""
    output = plan.output or ""
    lines = output.splitlines()
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            title = "Output" if plan.parts else plan.title or "Output"
            st.html(heading(title, count(len(lines), "line")), width="stretch")
            face = choose_face(["Output", "Code"] if plan.code else ["Output"], key)
            copy_text(plan.code or "" if face == "Code" else output, key=f"copytext-{key}")
        with st.container(key=f"cardpad-{key}"):
            if face == "Code":
                st.code(plan.code or "", language=plan.language, wrap_lines=True)
            else:
                whole = len(lines) <= _LINES or st.toggle(f"Show all {len(lines):,} lines", key=f"all-{key}")
                st.code(output if whole else "\n".join([*lines[:_LINES], "…"]), language=None)
        show_foot(chat_id, call, key)
