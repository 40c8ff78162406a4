"""Keeps Streamlit from dropping a click or an Enter that another request follows at once.

Streamlit 1.67 asks whether a newer request has come before it calls the callbacks of the present one. If one has, the
present request is dropped. The newer one carries what fields hold, but no clicks: the browser sends each click once.
"""

from typing import Any

from streamlit.runtime.state import SafeSessionState

__all__ = ["keep_every_click"]


def keep_every_click() -> None:
    """Have Streamlit call the callbacks of each request before it turns to a newer one."""
    setattr(SafeSessionState, "on_script_will_rerun", _call_back_first)  # noqa: B010 - mypy refuses the assignment


def _call_back_first(self: Any, *values: Any, **more: Any) -> None:
    """Do what Streamlit's own method does, without looking for a newer request first."""
    with self._lock:
        self._state.on_script_will_rerun(*values, **more)
