"""Clicks, answers and uploads take effect exactly once, whatever other requests the page sends meanwhile."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.browser.conftest import Served
from tests.browser.steps import ask, asked_before, open_page, settled
from tests.browser.test_files_panel import row
from tests.browser.test_models_answers import asks

pytestmark = pytest.mark.browser

CROWD = 20
"""Requests for another run that follow each click at once, as those of a turn that ends do under load."""


def without_triggers(message: bytes) -> bytes | None:
    """The same request without its click; None if there was none."""
    asked = BackMsg()
    asked.ParseFromString(message)
    widgets = asked.rerun_script.widget_states.widgets
    kept = [one for one in widgets if one.WhichOneof("value") != "trigger_value"]
    if len(kept) == len(widgets):
        return None
    del widgets[:]
    widgets.extend(kept)
    return asked.SerializeToString()


def crowded(page: Page) -> None:
    """Let other requests follow each click before the server has processed it."""

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def passed_on(message: str | bytes) -> None:
            server.send(message)
            other = without_triggers(message) if isinstance(message, bytes) else None
            for _ in range(CROWD if other is not None else 0):
                server.send(other)

        socket.on_message(passed_on)

    page.route_web_socket("**/_stcore/stream", route)


@pytest.mark.long
def test_no_answer_is_lost_if_other_requests_follow_at_once(
    page: Page, served: Served, script: Callable[[list[dict[str, Any]]], str]
) -> None:
    crowded(page)
    asked_before(page, served, script([asks("One?"), asks("Two?"), {"text": "So be it."}]), "What?")
    field = page.locator("[class*=st-key-answer-text-] input").last
    for question, answer in (("One?", "First"), ("Two?", "Second")):
        expect(page.locator(".ab-asked").last).to_have_text(question)
        settled(page)
        field.fill(answer)
        field.press("Enter")
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("So be it.")


def question_in(asked: BackMsg) -> WidgetState | None:
    """The question that a request submits."""
    widgets = asked.rerun_script.widget_states.widgets
    return next((one for one in widgets if one.HasField("chat_input_value")), None)


@pytest.mark.parametrize("others", [0, pytest.param(CROWD, marks=pytest.mark.long)])
def test_a_question_that_is_the_first_request_of_a_session_is_asked(
    others: int, page: Page, served: Served
) -> None:
    """`others` is the number of requests that follow the first one at once."""
    kept: list[WidgetState] = []
    held: list[WidgetState] = []

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        new = bool(kept)  # the session that begins once the question is known

        def passed_on(message: str | bytes) -> None:
            asked = BackMsg()
            asked.ParseFromString(message if isinstance(message, bytes) else b"")
            if (question := question_in(asked)) is not None:
                kept.append(question)
            first = new and bool(held) and asked.HasField("rerun_script")
            if first:
                asked.rerun_script.widget_states.widgets.append(held.pop())
            server.send(asked.SerializeToString())
            for _ in range(others if first else 0):
                server.send(message)

        socket.on_message(passed_on)

    page.route_web_socket("**/_stcore/stream", route)
    open_page(page, served)
    ask(page, "How many rows are there?")
    settled(page)
    (question,) = kept
    question.chat_input_value.data = "How many rows did nobody see?"
    held.append(question)
    page.goto(served.url)  # a new session, whose first request holds the question
    asked = page.locator("[class*=st-key-exchange-]").filter(has_text="How many rows did nobody see?")
    expect(asked).to_have_count(1)
    settled(page)
    expect(asked).to_have_count(1)
    assert not held


def with_files(message: bytes) -> bytes | None:
    """The same request as another widget would send it; None if it contains no uploads."""
    asked = BackMsg()
    asked.ParseFromString(message)
    widgets = asked.rerun_script.widget_states.widgets
    if not any(one.file_uploader_state_value.uploaded_file_info for one in widgets):
        return None
    asked.rerun_script.fragment_id = ""
    return asked.SerializeToString()


def is_drawn(message: bytes) -> bool:
    """Whether the server has reported that the page is drawn."""
    said = ForwardMsg()
    said.ParseFromString(message)
    drawn: bool = said.WhichOneof("type") == "script_finished" and said.script_finished == 0
    return drawn


def late(page: Page) -> list[bytes]:
    """Send uploads again once the server has drawn the page without their field; returns those sent again."""
    waiting, again = list[bytes](), list[bytes]()

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def from_page(message: str | bytes) -> None:
            uploads = with_files(message) if isinstance(message, bytes) else None
            if uploads is not None and not again:
                waiting[:] = [uploads]
            server.send(message)

        def from_server(message: str | bytes) -> None:
            socket.send(message)
            if waiting and isinstance(message, bytes) and is_drawn(message):
                again.append(waiting.pop())
                server.send(again[-1])

        socket.on_message(from_page)
        server.on_message(from_server)

    page.route_web_socket("**/_stcore/stream", route)
    return again


@pytest.mark.long
def test_files_are_added_once_even_if_a_late_request_contains_them_again(
    page: Page, served: Served, script: Callable[[list[dict[str, Any]]], str], tmp_path: Path
) -> None:
    again = late(page)
    asked_before(page, served, script([{"text": "Said."}]), "What?")
    page.locator(".st-key-files button:visible").first.click()
    panel = page.locator(".st-key-side-panel")
    panel.locator(".st-key-upload button:visible").click()
    plan = tmp_path / "plan.md"
    plan.write_text("# Plan")
    page.locator("[data-testid=stPopoverBody] input[type=file]").set_input_files(str(plan))
    expect(row(panel, "plan.md")).to_be_visible()
    expect(page.get_by_text("Added plan.md.")).to_be_visible()
    settled(page)
    assert len(again) == 1
    page.reload()
    settled(page)
    page.locator(".st-key-files button:visible").first.click()
    expect(row(panel, "plan.md")).to_be_visible()
    expect(row(panel, "plan_1.md")).to_have_count(0)
