"""A chart's card: the drawing, and the SQL behind it."""

from typing import Any

import streamlit as st

from engine.rendering.plans import ChartPlan
from engine.views.chat import CallView
from ui.widgets.cards.card import choose_face, foot, heading

__all__ = ["chart_card"]


def chart_card(call: CallView, plan: ChartPlan, key: str) -> None:
    """Draw it."""
    spec: dict[str, Any] = dict(plan.spec) | {"background": "transparent"}
    if plan.title:
        spec.pop("title", None)
    given = spec.get("config")
    spec["config"] = {"axisX": {"labelAngle": 0, "labelOverlap": True}} | (
        given if isinstance(given, dict) else {}
    )
    if plan.data is not None:
        spec["data"] = {"values": list(plan.data)}
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(plan.title or "Chart", ""), width="stretch")
            face = choose_face(["Chart", "SQL"] if plan.sql else ["Chart"], key)
        with st.container(key=f"cardpad-{key}"):
            if face == "SQL" and plan.sql:
                st.code(plan.sql, language="sql", wrap_lines=True)
            else:
                st.vega_lite_chart(
                    spec=spec, width="stretch", height=320, key=f"chart-{key}", alt=plan.title or "Chart"
                )
        st.html(foot(call))
