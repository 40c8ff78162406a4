"""Unexpected errors are reported in their place with a plain message, and the rest of the page is drawn."""

from streamlit.testing.v1 import AppTest


def test_an_error_in_a_part_of_the_page_is_shown_in_its_place_and_the_rest_is_drawn() -> None:
    def script() -> None:
        import streamlit as st  # noqa: PLC0415 - AppTest runs this function's source by itself

        from ui.widgets.parts import fragment  # noqa: PLC0415

        @fragment
        def part() -> None:
            if st.button("Break"):
                raise ZeroDivisionError("of this part")
            st.text("whole")

        st.text("before")
        part()
        st.text("after")

    page = AppTest.from_function(script).run()
    assert [one.value for one in page.text] == ["before", "whole", "after"]
    page.button[0].click().run()
    assert not page.exception
    assert [one.value for one in page.text] == ["before", "after"]
    (told,) = (one.proto.body for one in page.get("html"))
    assert "This part of the page could not be displayed." in told
    assert "ZeroDivisionError" in told
    assert "of this part" not in told
