"""Fixes five faults of Streamlit 1.67 that occur when a request arrives while another is being answered.

Streamlit checks for a newer request before it calls the callbacks of the current one. If there is one, the current
request is dropped. The newer one contains the values of fields, but no clicks: the browser sends each click once.

The first request of a session, for example after a restart of the server, has no callbacks: a question is read only
when the run draws the input field. If a newer request ends the run before that, the question is dropped.

A thread that has drawn a fragment and continues with the whole page is still inside that fragment. The page is then
drawn into the fragment a second time, and the browser's next request refers to elements that no longer exist: the
page goes blank ("Cannot set a node at a delta path").

A request for a part of a page, such as a timer's, may wait until that part is gone. If another page is shown by then,
Streamlit begins a run of the earlier page that draws nothing. The browser then assumes that the earlier page is shown,
removes all elements that only the current page has, and shows a blank page. If the same page is still shown, Streamlit
carries out the clicks in the request but does not draw their effects.

If a run calls `st.rerun` while a request for another page is waiting, the rerun replaces that request, so a click on a
link to the other page has no effect.
"""

from dataclasses import replace
from functools import wraps
from typing import Any

from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    ScriptRequests,
    ScriptRequestType,
    _is_full_app_rerun,
)
from streamlit.runtime.state import SafeSessionState

from ui.unread_question import keep_question, unread_question

__all__ = ["begin_at_the_top", "keep_every_click", "keep_the_next_page", "keep_the_page"]

_PAGE = ("page_script_hash", "page_name", "query_string", "is_history_navigation")


def keep_every_click() -> None:
    """Make Streamlit call the callbacks of each request before it turns to a newer one."""
    setattr(SafeSessionState, "on_script_will_rerun", _call_back_first)  # noqa: B010 - mypy refuses the assignment


def keep_the_page() -> None:
    """Make Streamlit answer a request for a part that no longer exists by drawing the whole current page."""
    run = ScriptRunner._run_script

    @wraps(run)
    def run_what_is_there(self: Any, rerun_data: RerunData) -> None:
        shown = self._pages_manager.current_page_script_hash or rerun_data.page_script_hash
        is_shown = rerun_data.page_script_hash == shown
        parts = rerun_data.fragment_id_queue
        if not parts or (is_shown and all(self._fragment_storage.contains(part) for part in parts)):
            run(self, rerun_data)
            return
        whole = replace(rerun_data, fragment_id_queue=[], is_fragment_scoped_rerun=False)
        query = rerun_data.query_string if is_shown else self._get_script_run_ctx().query_string
        run(self, replace(whole, page_script_hash=shown, page_name="", query_string=query))

    setattr(ScriptRunner, "_run_script", run_what_is_there)  # noqa: B010 - mypy refuses the assignment


def keep_the_next_page() -> None:
    """Make `st.rerun` draw the page that a waiting request asks for, instead of the current one."""
    request = ScriptRequests._request_rerun_locked

    @wraps(request)
    def request_with_page(self: Any, asked: RerunData) -> bool:
        waiting = self._rerun_data if self._state is ScriptRequestType.RERUN else None
        if waiting is not None and _is_full_app_rerun(waiting) and _asks_for_own_page(asked):
            page = {name: getattr(waiting, name) for name in _PAGE}
            return request(self, replace(asked, **page))
        return request(self, asked)

    setattr(ScriptRequests, "_request_rerun_locked", request_with_page)  # noqa: B010 - mypy refuses the assignment


def _asks_for_own_page(asked: RerunData) -> bool:
    """Return whether a request comes from `st.rerun`. Requests from the browser contain the values of fields, and
    requests from `st.switch_page` name another page.
    """
    run = get_script_run_ctx(suppress_warning=True)
    return asked.widget_states is None and run is not None and run.page_script_hash == asked.page_script_hash


def begin_at_the_top() -> None:
    """Draw what follows at the top of the page, wherever this thread drew last. Call it before anything is drawn."""
    context_dg_stack.set(get_default_dg_stack_value())


def _call_back_first(self: Any, fresh: WidgetStates | None, **more: Any) -> None:
    """Do what Streamlit's own method does, but without checking for a newer request first. A question that no run has
    read yet is added to this run's fields.
    """
    with self._lock:
        if unread := unread_question():
            given = more["replay_trigger_states"] or WidgetStates()
            read = self._state._capture_replay_trigger_values(unread)
            more["replay_trigger_states"] = WidgetStates(widgets=[*given.widgets, *unread.widgets])
            more["replay_trigger_values"] = {**(more["replay_trigger_values"] or {}), **(read or {})}
        elif fresh is not None:
            known = self._state._new_widget_state.widget_metadata
            new = [one for one in fresh.widgets if one.HasField("chat_input_value") and one.id not in known]
            if new:
                keep_question(WidgetStates(widgets=new))
        self._state.on_script_will_rerun(fresh, **more)
