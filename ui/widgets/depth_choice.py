"""The depth menu in the composer: how many steps the model may take for each question of the chat."""

import streamlit as st

from engine.commands.catalog import SelectDepth
from ui import session
from ui.acts import once_for
from ui.current_app import app, send
from ui.words import count

__all__ = ["depth_choice"]

_TITLES = {"quick": "Quick", "thorough": "Thorough"}


def depth_choice(chat_id: str | None, depth: str) -> None:
    """Draw the depth choice next to the model. Do not call this for the offline analyst, which takes only one step."""
    settings = app().settings
    quick = count(settings.max_tool_iterations, "step") if settings.max_tool_iterations_on else "no limit"
    key = f"depth-{chat_id or 'new'}"
    st.segmented_control(
        "Depth",
        list(_TITLES),
        default=depth,
        required=True,
        format_func=_TITLES.__getitem__,
        key=key,
        label_visibility="collapsed",
        help=f"Steps with tool calls for each question. Quick: {quick}. "
        f"Thorough: {count(settings.thorough_steps, 'step')}. You can change both in Settings.",
        on_change=once_for(key, _choose),
        args=(chat_id, key),
    )


def _choose(chat_id: str | None, key: str) -> None:
    depth = session.widget_value(key)
    if depth not in _TITLES:
        return
    if chat_id is None:
        session.remember("new-depth", depth)
    else:
        send(SelectDepth(chat_id, depth))
