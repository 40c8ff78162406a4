"""A click, a field or an upload takes effect only once, even if the browser sends it again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest

from engine.app.app import App
from engine.app.process_state import close_app, shared_app
from engine.commands.catalog import Ask, CreateChat, RenameChat, Upload, UploadFiles
from tests.support.talk import script

PAGE = str(Path(__file__).resolve().parents[2] / "ui" / "main.py")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setenv("ANABRANCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("ANABRANCH_KEYRING", "off")
    yield shared_app(tmp_path / "data")
    close_app()


def opened(chat_id: str) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=600)
    page.query_params["chat"] = chat_id
    page.session_state["ab-panel"] = "files"
    return page.run()


def request(page: AppTest) -> WidgetStates:
    """Return a browser's request: all fields, and only the button that was clicked."""
    widgets = page._tree.get_widget_states().widgets
    return WidgetStates(
        widgets=[one for one in widgets if one.WhichOneof("value") != "trigger_value" or one.trigger_value]
    )


def send(page: AppTest, widgets: WidgetStates) -> None:
    """Run the page for a request; sending it again imitates a browser that has not redrawn the page since."""
    page._run(widgets)
    assert not page.exception


@pytest.mark.long
def test_files_are_added_once(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryUploadedFileManager("/uploads")
    monkeypatch.setattr(
        "streamlit.testing.v1.local_script_runner.MemoryUploadedFileManager", lambda _: store
    )  # a server keeps uploads for longer than a run
    chat_id = app.send(CreateChat())
    page = opened(chat_id)
    page.session_state["upload"] = True
    page.run()
    files = [("more.md", b"# More", "text/markdown"), ("plan.md", b"# Plan", "text/markdown")]
    page.file_uploader[0].set_value(files)
    sent = request(page)
    send(page, sent)
    assert list(app.workspace.files(chat_id)) == ["more.md", "plan.md"]
    page.run()
    send(page, sent)
    assert list(app.workspace.files(chat_id)) == ["more.md", "plan.md"]


@pytest.mark.long
def test_a_second_click_on_fork_makes_no_second_fork(app: App, tmp_path: Path) -> None:
    model = script(tmp_path / "replies.json", [{"text": "Said."}])
    chat_id = app.send(CreateChat(model=model))
    app.wait(app.send(Ask(chat_id, "Question")).turn_id)
    page = opened(chat_id)
    fork = next(button for button in page.button if (button.key or "").startswith("fork-"))
    fork.click()
    sent = request(page)
    send(page, sent)
    assert len(app.chats()) == 2
    send(page, sent)
    assert len(app.chats()) == 2
    page.button(key=f"open-{chat_id}").click().run()
    page.button(key=fork.key).click().run()
    assert len(app.chats()) == 3


def test_a_title_is_not_set_again_after_its_field_is_gone(app: App) -> None:
    chat_id = app.send(CreateChat())
    page = opened(chat_id)
    page.session_state[f"menu-{chat_id}-0"] = True
    page.run()
    page.text_input(key=f"title-{chat_id}").set_value("Mine")
    sent = request(page)
    send(page, sent)
    assert app.chat(chat_id).title == "Mine"
    app.send(RenameChat(chat_id, "Theirs"))
    send(page, sent)
    assert app.chat(chat_id).title == "Theirs"


def saving() -> None:
    """A page that was drawn before a file was saved, and on which the save key is pressed twice."""
    import streamlit as st  # noqa: PLC0415 - AppTest runs this body as a script of its own

    from ui import session  # noqa: PLC0415
    from ui.widgets import editing  # noqa: PLC0415

    chat_id = st.query_params["chat"]
    if "drawn" not in st.session_state:
        st.session_state.drawn = editing.editing(chat_id, "notes.md", "notes")
    st.button("Save", on_click=editing._keep_and_save, args=(st.session_state.drawn, "Mine"))
    st.text(session.remembered(f"draft-{chat_id}-notes.md"))


@pytest.mark.long
def test_a_text_that_is_saved_twice_in_a_row_is_saved(app: App) -> None:
    chat_id = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [Upload("notes.md", b"Theirs")]))
    page = AppTest.from_function(saving)
    page.query_params["chat"] = chat_id
    page.run()
    for _ in range(2):
        page.button[0].click().run()
        assert not page.exception
        assert page.text[0].value == "None", "nothing is left to save"
    assert app.workspace.read(chat_id, app.workspace.files(chat_id)["notes.md"].sha256) == b"Mine"


def cut_off() -> None:
    """A page whose drawing may be interrupted by another request."""
    import streamlit as st  # noqa: PLC0415 - AppTest runs this body as a script of its own

    from ui import acts, session  # noqa: PLC0415

    acts.begin_drawing()
    st.button("Fork", key="fork", on_click=acts.once("fork", session.remember), args=("forked", object()))
    st.text(id(session.remembered("forked")))
    if st.session_state.get("cut"):
        st.stop()
    acts.end_drawing()


def test_a_button_works_again_after_the_page_was_drawn_completely() -> None:
    page = AppTest.from_function(cut_off).run()
    seen = [page.text[0].value]
    for cut in (True, True, False, False):
        page.session_state["cut"] = cut
        page.button[0].click().run()
        seen.append(page.text[0].value)
    nothing, first, second, third, fourth = seen
    assert nothing != first == second == third != fourth
