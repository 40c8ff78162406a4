"""The card of an address from a tool: loaded in a frame only when the reader asks for it."""

from urllib.parse import urlsplit

import streamlit as st

from engine.rendering.plans import FramePlan
from engine.rendering.safety import frame_danger
from engine.views.chat import CallView
from ui.components.artifact.component import FramedPage, artifact
from ui.current_app import is_demo, route
from ui.widgets.cards.card import foot, heading
from ui.widgets.failure import failure
from ui.widgets.show_as import show_as

__all__ = ["frame_card"]


def frame_card(chat_id: str, call: CallView, plan: FramePlan, key: str) -> None:
    """Draw the frame card; in a hosted demo, whose visitor is on another machine, it is only a link."""
    danger = frame_danger(plan.url, urlsplit(st.context.url or "").port)
    if danger:
        failure("This page is not shown.", f"{danger[0].upper()}{danger[1:]}.", plan.url)
        st.json(call.result, expanded=1)
        return
    host = urlsplit(plan.url).netloc
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(plan.title or host, "an external page"), width="stretch")
            show_as(chat_id, call, key)
            st.link_button(
                "Open in tab",
                plan.url,
                icon=":material/open_in_new:",
                type="tertiary",
                width="content",
                key=f"tab-{key}",
            )
        if not is_demo():
            source = route(f"artifacts/{chat_id}/{call.call_id}") or plan.url
            artifact(
                FramedPage(plan.title or host, source, kind="address", host=host, height=plan.height),
                key=f"page-{key}",
            )
        st.html(foot(call, note=f"fetched from {host} when you ask; no access to this app"))
