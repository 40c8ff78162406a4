"""Messages and actions happen exactly once, even if a run of the page is interrupted or overtaken by the next one."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import RerunData, StopException
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest

from ui import session, streamlit_runs
from ui.background_task import BackgroundTask
from ui.streamlit_runs import keep_every_click, keep_the_next_page, keep_the_page


def page() -> None:
    """A page that is interrupted before it shows a message; the next run shows it."""
    import streamlit as st  # noqa: PLC0415 - the function is a script of its own

    from ui import session  # noqa: PLC0415

    session.begin_run()
    if "begun" not in st.session_state:
        st.session_state.begun = True
        session.flash("It is saved.")
        session.take_flash()
        st.rerun()
    st.text(session.take_flash() or "nothing")
    session.end_run()


def test_an_interrupted_run_leaves_its_messages_to_the_next_one() -> None:
    shown = AppTest.from_function(page).run()
    assert [text.value for text in shown.text] == ["It is saved."]
    shown.run()
    assert [text.value for text in shown.text] == ["nothing"]


def after_a_fragment() -> None:
    """A run of the whole page in a thread that still has the state of a fragment."""
    import streamlit as st  # noqa: PLC0415 - the function is a script of its own
    from streamlit.delta_generator_singletons import context_dg_stack  # noqa: PLC0415

    from ui.streamlit_runs import begin_at_the_top  # noqa: PLC0415

    with st.container() as fragment:
        st.text("the fragment")
    context_dg_stack.set((*context_dg_stack.get(), fragment))
    begin_at_the_top()
    st.caption("the page")


def test_a_page_drawn_after_a_fragment_in_the_same_thread_starts_at_the_top() -> None:
    shown = AppTest.from_function(after_a_fragment).run()
    assert [shown.main.children[place].type for place in (0, 1)] == ["flex_container", "caption"]


def test_work_is_done_once_and_a_second_run_of_the_page_does_not_wait_for_it() -> None:
    """The second run starts while the first one still works."""
    go_on, done = Event(), list[int]()

    def act() -> str:
        done.append(1)
        assert go_on.wait(600)
        return "outcome"

    work = BackgroundTask[str]()
    with ThreadPoolExecutor(2) as drawings:
        for drawing in [drawings.submit(work.begin, act) for _ in range(2)]:
            drawing.result(600)
    assert (work.is_done, work.seconds) == (False, 0)
    go_on.set()
    assert (work.outcome(), work.is_done) == ("outcome", True)
    work.begin(act)
    assert done == [1]


def test_failed_work_is_not_repeated() -> None:
    tries = list[int]()

    def act() -> None:
        tries.append(1)
        raise ValueError("nobody foresaw this")

    work = BackgroundTask[None]()
    for _ in range(2):
        work.begin(act)
        with pytest.raises(ValueError, match="nobody foresaw this"):
            work.outcome()
    assert tries == [1]


def test_a_callback_is_completed_even_if_another_run_is_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's own access to the state would end the run there, without the consequences of a sent command."""

    def wanted() -> NoReturn:
        raise StopException

    checked = SafeSessionState(SessionState(), wanted)
    monkeypatch.setattr("ui.session.get_script_run_ctx", lambda: SimpleNamespace(session_state=checked))
    with pytest.raises(StopException):
        checked["ab-draft"] = "typed"
    session.remember("draft", "typed")
    assert session.remembered("draft") == "typed"
    session.clear("draft")
    session.clear("draft")
    assert session.remembered("draft", "nothing") == "nothing"


def test_a_click_takes_effect_even_if_the_next_request_has_already_arrived(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streamlit itself would drop the request that contained the click."""

    def wanted() -> NoReturn:
        raise StopException

    click = WidgetStates(widgets=[WidgetState(id="button", trigger_value=True)])
    taken = list[WidgetStates]()
    monkeypatch.setattr(SessionState, "on_script_will_rerun", lambda _, fresh: taken.append(fresh))
    checked: Any = SafeSessionState(SessionState(), wanted)
    with pytest.raises(StopException):
        checked.on_script_will_rerun(click)
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    keep_every_click()
    checked.on_script_will_rerun(click)
    assert taken == [click]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[[RerunData], RerunData]:
    """Answer a request while the page "chat" with its only part "list" is shown; return what Streamlit is to run."""
    taken = list[RerunData]()
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda _, data: taken.append(data))
    keep_the_page()
    runner: Any = SimpleNamespace(
        _pages_manager=SimpleNamespace(current_page_script_hash="chat"),
        _fragment_storage=SimpleNamespace(contains=lambda part: part == "list"),
        _get_script_run_ctx=lambda: SimpleNamespace(query_string="chat=2"),
    )

    def answer(data: RerunData) -> RerunData:
        ScriptRunner._run_script(runner, data)
        return taken[-1]

    return answer


def asks_for(*parts: str, page: str = "chat", **more: Any) -> RerunData:
    return RerunData(query_string="chat=1", page_script_hash=page, fragment_id_queue=list(parts), **more)


@pytest.mark.parametrize("asked", [asks_for("list"), asks_for(), asks_for(page="standing")])
def test_a_request_for_an_existing_page_or_part_is_not_changed(
    run: Callable[[RerunData], RerunData], asked: RerunData
) -> None:
    assert run(asked) is asked


@pytest.mark.parametrize("is_timer", [True, False])
def test_a_request_for_a_part_of_another_page_gets_the_page_that_is_shown(
    run: Callable[[RerunData], RerunData], is_timer: bool
) -> None:
    """Streamlit itself would leave the browser with a blank page."""
    told = run(asks_for("list", page="standing", is_auto_rerun=is_timer))
    assert (told.page_script_hash, told.fragment_id_queue, told.query_string) == ("chat", [], "chat=2")


def test_a_request_for_a_part_that_is_gone_gets_the_whole_page(
    run: Callable[[RerunData], RerunData],
) -> None:
    """It may contain a click, and Streamlit itself would not draw what the click changed."""
    told = run(asks_for("list", "gone", is_fragment_scoped_rerun=True))
    assert (told.fragment_id_queue, told.is_fragment_scoped_rerun, told.query_string) == ([], False, "chat=1")


@pytest.mark.parametrize(
    ("waiting", "asked", "page"),
    [
        (asks_for(page="standing", widget_states=WidgetStates()), asks_for(), "standing"),
        (asks_for(page="standing", widget_states=WidgetStates()), asks_for(page="compare"), "compare"),
        (
            asks_for(page="standing", widget_states=WidgetStates()),
            asks_for(widget_states=WidgetStates()),
            "chat",
        ),
        (asks_for("list", page="standing", widget_states=WidgetStates()), asks_for(), "chat"),
    ],
    ids=["st.rerun", "st.switch_page", "a later click", "a timer of another page"],
)
def test_a_rerun_keeps_the_page_of_a_link_that_was_clicked(
    monkeypatch: pytest.MonkeyPatch, waiting: RerunData, asked: RerunData, page: str
) -> None:
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", ScriptRequests._request_rerun_locked)
    monkeypatch.setattr(
        streamlit_runs, "get_script_run_ctx", lambda **_: SimpleNamespace(page_script_hash="chat")
    )
    keep_the_next_page()
    requests = ScriptRequests()
    requests.request_rerun(waiting)
    requests.request_rerun(asked)
    taken = requests.on_scriptrunner_ready()
    assert (taken.rerun_data.page_script_hash, taken.rerun_data.fragment_id_queue) == (page, [])


def part_of_a_page() -> None:
    """A part that was to be drawn on its own when the whole page was requested."""
    import streamlit as st  # noqa: PLC0415 - the function is a script of its own

    from ui import session  # noqa: PLC0415
    from ui.widgets.parts import fragment  # noqa: PLC0415

    if "begun" in st.session_state:
        session.begin_run()
    st.session_state.begun = True
    fragment(lambda: st.text("the part"))()
    st.text("the page")


def test_a_part_draws_the_whole_page_if_that_was_requested() -> None:
    shown = AppTest.from_function(part_of_a_page)
    shown.session_state["ab-whole-page"] = True
    shown.run()
    assert [text.value for text in shown.text] == ["the part", "the page"]
    assert "ab-whole-page" not in shown.session_state
