"""Which chat a tab shows, also when the browser's address comes late."""

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


def test_the_address_says_which_chat_is_shown() -> None:
    page = opened()
    assert page.text[0].value == "first"
    page.query_params["chat"] = "another"
    assert page.run().text[0].value == "another"


def test_an_address_from_before_a_choice_does_not_take_it_back() -> None:
    page = opened()
    page.button[0].click().run()
    assert page.text[0].value == "chosen"
    page.query_params["chat"] = "first"
    assert page.run().text[0].value == "chosen"


def test_going_back_later_shows_the_chat_from_before(monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened()
    page.button[0].click().run()
    monkeypatch.setattr(session, "_STALE", 0.0)
    page.query_params["chat"] = "first"
    assert page.run().text[0].value == "first"
