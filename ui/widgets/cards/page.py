"""The card of a page that a tool made: always in a sandbox."""

from functools import partial

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.page import nested_page
from engine.rendering.plans import HtmlPlan
from engine.views.artifacts import Artifact, artifact_of
from engine.views.chat import CallView
from ui.components.artifact.component import FramedPage, artifact
from ui.current_app import app, route
from ui.widgets.cards.card import file_name, foot, heading
from ui.widgets.failure import failure
from ui.widgets.show_as import show_as

__all__ = ["page_card"]

_CLOSED = "no network, no access to this app"
_GRANTED = "may reach https addresses, because its toolset has that permission; no access to this app"


def page_card(chat_id: str, call: CallView, plan: HtmlPlan, key: str) -> None:
    """Draw the page card: from an address, or nested in two frames if the browser cannot reach the API's routes."""
    title = plan.title or file_name(plan.artifact)
    address = route(f"artifacts/{chat_id}/{call.call_id}")
    try:
        made = artifact_of(call, plan, partial(app().workspace.read, chat_id), app().tools())
    except AnabranchError as error:
        _gone(title, call, error, key)
        return
    network = made.network and address is not None
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(title, "sandboxed page"), width="stretch")
            show_as(chat_id, call, key)
            if address is not None:
                st.link_button(
                    "Open in tab",
                    address,
                    icon=":material/open_in_new:",
                    type="tertiary",
                    width="content",
                    key=f"tab-{key}",
                )
        artifact(_framed(made, title, plan.height, address), key=f"page-{key}")
        st.html(foot(call, note=_GRANTED if network else _CLOSED))


def _framed(made: Artifact, title: str, height: int | None, address: str | None) -> FramedPage:
    if address is not None:
        return FramedPage(title, src=address, height=height)
    return FramedPage(title, srcdoc=nested_page(made.page), height=height)


def _gone(title: str, call: CallView, error: AnabranchError, key: str) -> None:
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}"):
            st.html(heading(title, "sandboxed page"))
        with st.container(key=f"cardpad-{key}"):
            failure(
                "This page is no longer available.", f"{error.message} Run its tool again to recreate it."
            )
            st.json(call.result, expanded=1)
        st.html(foot(call))
