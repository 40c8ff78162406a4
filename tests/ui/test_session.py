"""Which chat a tab shows, even if the browser's address arrives late."""

import pytest
from streamlit.testing.v1 import AppTest

from ui import session


def script() -> None:
    import streamlit as st  # noqa: PLC0415 - AppTest runs this body as a script of its own

    from ui import session as tab  # noqa: PLC0415

    tab.begin_run()
    st.button("go", on_click=tab.go_to_chat, args=("chosen",))
    st.text(tab.selected_chat())


def opened() -> AppTest:
    page = AppTest.from_function(script)
    page.query_params["chat"] = "first"
    return page.run()


def test_the_address_decides_which_chat_is_shown() -> None:
    page = opened()
    assert page.text[0].value == "first"
    page.query_params["chat"] = "another"
    assert page.run().text[0].value == "another"


def test_an_outdated_address_does_not_undo_a_choice() -> None:
    page = opened()
    page.button[0].click().run()
    assert page.text[0].value == "chosen"
    page.query_params["chat"] = "first"
    assert page.run().text[0].value == "chosen"


def test_going_back_later_shows_the_previous_chat(monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened()
    page.button[0].click().run()
    monkeypatch.setattr(session, "_STALE", 0.0)
    page.query_params["chat"] = "first"
    assert page.run().text[0].value == "first"
