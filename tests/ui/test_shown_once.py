"""What is said once is said, also where the run that would have said it is cut off by the next one."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    """Asks to say something and is cut off; the next run says it."""
    import streamlit as st

    from ui import session

    session.begin_run()
    if "begun" not in st.session_state:
        st.session_state.begun = True
        session.flash("It is saved.")
        session.take_flash()
        st.rerun()
    st.text(session.take_flash() or "nothing")
    session.end_run()


def test_a_run_that_is_cut_off_leaves_what_it_had_to_say_to_the_next() -> None:
    shown = AppTest.from_function(page).run()
    assert [text.value for text in shown.text] == ["It is saved."]
    shown.run()
    assert [text.value for text in shown.text] == ["nothing"]
