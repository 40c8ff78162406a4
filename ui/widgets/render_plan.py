"""Chooses the card that shows a stored render plan."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from engine.rendering.plans import ChartPlan, ErrorPlan, JsonPlan, PartsPlan, RenderPlan, TablePlan
from engine.views.chart_versions import Version
from engine.views.chat import CallView
from ui.widgets.cards.card import card
from ui.widgets.cards.chart import chart_card
from ui.widgets.cards.frame import frame_card
from ui.widgets.cards.images import images_card
from ui.widgets.cards.page import page_card
from ui.widgets.cards.parts import parts_cards
from ui.widgets.cards.table import table_card
from ui.widgets.cards.text import code_card, document_card
from ui.widgets.failure import failure
from ui.widgets.show_as import plan_for_now, show_as

__all__ = ["CARDS", "render_plan"]


def render_plan(
    chat_id: str,
    call: CallView,
    *,
    key: str,
    drawn: Version | None = None,
    part: RenderPlan | None = None,
    versions: Sequence[Version] = (),
) -> None:
    """Show the render plan of a call, or one `part` of it, with the chart `drawn` from it. Never raises. `versions`
    are the versions of the shown chart.
    """
    try:
        plan = plan_for_now(chat_id, call) if part is None or part == call.plan else part
        if isinstance(plan, TablePlan) and drawn is not None:
            table_card(chat_id, call, plan, key, drawn, versions)
        elif isinstance(plan, ChartPlan) and versions:
            chart_card(chat_id, call, plan, key, versions)
        else:
            _show(chat_id, call, plan, key)
    except Exception as error:
        failure("This result cannot be shown.", f"{type(error).__name__}: {error}")
        st.json(call.result, expanded=1)


def _show(chat_id: str, call: CallView, plan: RenderPlan | None, key: str) -> None:
    if plan is None:
        card("Result", "", key, lambda: st.json(call.result, expanded=2))
    else:
        CARDS[plan.renderer](chat_id, call, plan, key)


def _parts(chat_id: str, call: CallView, plan: PartsPlan, key: str) -> None:
    parts_cards(chat_id, call, plan, key, lambda part, own: _show(chat_id, call, part, own))


def _json(chat_id: str, call: CallView, plan: JsonPlan, key: str) -> None:
    value = call.result if plan.source == "result" else plan.value
    card(
        plan.title or "Result",
        plan.note or "",
        key,
        lambda: st.json(value, expanded=2),
        menu=lambda: show_as(chat_id, call, key),
    )


def _unresolved(chat_id: str, call: CallView, plan: ErrorPlan, key: str) -> None:
    keys = f"Available: {', '.join(plan.keys)}." if plan.keys else ""
    failure(
        f"The {plan.wanted} of this result cannot be shown.", f"{plan.message} {keys}", plan.expression or ""
    )
    show_as(chat_id, call, key)
    st.json(call.result, expanded=1)


CARDS: Mapping[str, Callable[[str, CallView, Any, str], None]] = {
    "table": table_card,
    "chart": chart_card,
    "code": code_card,
    "document": document_card,
    "images": images_card,
    "html": page_card,
    "frame": frame_card,
    "parts": _parts,
    "json": _json,
    "error": _unresolved,
}
"""Name of a plan's renderer → the function that draws its card, given the chat, the call, the plan and a key."""
