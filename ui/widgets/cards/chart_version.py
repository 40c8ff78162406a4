"""Which version of an edited chart is shown."""

from collections.abc import Sequence

import streamlit as st

from engine.views.chart_versions import Version
from ui import session

__all__ = ["chosen_key", "shown_version", "version_choice"]


def version_choice(versions: Sequence[Version], shown: str, key: str) -> None:
    """Let the reader choose which version of a chart is shown; draw nothing if there is only one."""
    if len(versions) < 2:
        return
    names = {one.call.call_id: f"Version {number}" for number, one in enumerate(versions, 1)}
    chosen = chosen_key(versions)
    field = f"version-{key}-{shown}"

    def choose() -> None:
        session.remember(chosen, session.widget_value(field))
        session.remember("version-chosen", True)

    if session.remembered("version-chosen"):
        session.clear("version-chosen")
        st.rerun(scope="app")
    st.selectbox(
        "Version of this chart",
        list(names),
        index=list(names).index(shown),
        format_func=lambda one: f"{names[one]} of {len(names)}",
        key=field,
        on_change=choose,
        label_visibility="collapsed",
        width=140,
    )


def shown_version(versions: Sequence[Version]) -> Version:
    """Return the version that the reader chose, or the last one."""
    wanted = session.remembered(chosen_key(versions))
    return next((one for one in versions if one.call.call_id == wanted), versions[-1])


def chosen_key(versions: Sequence[Version]) -> str:
    """Return the name under which this tab stores the choice.

    While the past is shown, each set of versions has its own choice.
    """
    name = f"chart-version-{versions[0].call.call_id}"
    return f"{name}-{versions[-1].call.call_id}" if session.looks_back() else name
