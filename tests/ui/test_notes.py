"""A card says what its result leaves out."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from engine.app.app import open_app
from engine.commands.catalog import CreateChat, RunTool, Upload, UploadFiles
from engine.rendering.plans import TablePlan

DRAW = """
import streamlit as st
from ui.widgets.cards.card import show_notes
show_notes(st.session_state["notes"])
"""


def test_a_query_over_values_that_could_not_be_read_says_so_on_its_card(tmp_path: Path) -> None:
    """The card does not say that only the first rows went to the model, since it shows every row."""
    rows = "".join(f"{n},{n}\n" for n in range(400))
    with open_app(tmp_path) as app:
        chat_id = app.send(CreateChat())
        app.send(UploadFiles(chat_id, [Upload("energy.csv", f"day,kwh\n{rows}401,abt 900\n".encode())]))
        call_id = app.send(RunTool(chat_id, "data-analyst:query", {"sql": "SELECT day, kwh FROM energy"}))
        call = app.chat(chat_id).calls[call_id]
        assert isinstance(call.plan, TablePlan)
        (note,) = call.plan.notes
        assert "1 of 401" in note
        assert "abt 900" in note
        assert isinstance(call.result, dict)
        assert len(call.result["notes"]) == 2


def test_notes_are_shown_as_text() -> None:
    """They quote files, which may be hostile."""
    page = AppTest.from_string(DRAW)
    page.session_state["notes"] = ("kwh: 1 value is <b>no</b> number.",)
    page.run()
    (shown,) = page.get("html")
    assert "&lt;b&gt;no&lt;/b&gt;" in shown.proto.body
