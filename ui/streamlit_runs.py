"""Fixes two faults of Streamlit 1.67 that occur when a request arrives while another is being answered.

Streamlit checks for a newer request before it calls the callbacks of the current one. If there is one, the current
request is dropped. The newer one contains the values of fields, but no clicks: the browser sends each click once.

A thread that has drawn a fragment and continues with the whole page is still inside that fragment. The page is then
drawn into the fragment a second time, and the browser's next request refers to elements that no longer exist: the
page goes blank ("Cannot set a node at a delta path").
"""

from typing import Any

from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.state import SafeSessionState

__all__ = ["begin_at_the_top", "keep_every_click"]


def keep_every_click() -> None:
    """Make Streamlit call the callbacks of each request before it turns to a newer one."""
    setattr(SafeSessionState, "on_script_will_rerun", _call_back_first)  # noqa: B010 - mypy refuses the assignment


def begin_at_the_top() -> None:
    """Draw what follows at the top of the page, wherever this thread drew last. Call it before anything is drawn."""
    context_dg_stack.set(get_default_dg_stack_value())


def _call_back_first(self: Any, *values: Any, **more: Any) -> None:
    """Do what Streamlit's own method does, without looking for a newer request first."""
    with self._lock:
        self._state.on_script_will_rerun(*values, **more)
