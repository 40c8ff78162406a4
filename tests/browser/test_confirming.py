"""A call that needs approval, on the page: shown with its arguments, approved, edited, denied; and at a limit."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, serve_apart
from tests.browser.steps import answered, ask, asked_before, open_page, settled, tick_tool, tool_line

pytestmark = pytest.mark.browser
served = serve_apart()

ASKS = [
    {
        "text": "One file is to be written.",
        "calls": [
            {"name": "list_files", "arguments": {}},
            {"name": "toolset__app-builder__run_command", "arguments": {"command": "echo East > east.txt"}},
        ],
    },
    {"text": "Written.", "tokens_in": 1204, "tokens_out": 310},
]


def waiting(page: Page, served: Served, model: str) -> None:
    asked_before(page, served, model, "Export the East numbers")
    expect(tool_line(page)).to_contain_text("Waiting for you: run_command")
    settled(page)


def test_a_call_that_needs_approval_shows_what_it_may_do_and_still_waits_after_a_reload(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    waiting(page, served, script(ASKS))
    card = page.locator("[class*=st-key-tool-call-message-]").last
    expect(card).to_contain_text("Waiting for you")
    expect(card).to_contain_text("echo East > east.txt")
    expect(card).to_contain_text("may change this workspace")
    shoot(page, "confirm")
    page.set_viewport_size({"width": 390, "height": 844})
    shoot(page, "confirm-phone")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.reload()
    expect(tool_line(page)).to_contain_text("Waiting for you: run_command")
    settled(page)
    page.locator("[class*=st-key-approve-] button:visible").click()
    exchange = page.locator("[class*=st-key-exchange-]").last
    expect(exchange).to_contain_text("Written.")
    answered(page)
    expect(tool_line(page)).to_contain_text("Used 2 tools")
    expect(exchange).to_contain_text("1,204 tokens in, 310 out")


@pytest.mark.long
def test_arguments_can_be_edited_before_approval(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    waiting(page, served, script(ASKS))
    page.locator("[class*=st-key-edit-args-] label:visible").click()
    field = page.locator("[class*=st-key-edited-] textarea")
    field.fill("{")
    field.press("Control+Enter")
    expect(page.locator("[class*=st-key-tool-call-message-]").last).to_contain_text("Not valid JSON yet")
    expect(page.locator("[class*=st-key-approve-]")).to_have_count(0)
    field.fill('{"command": "echo East > east.txt"}')
    field.press("Control+Enter")
    expect(page.locator("[class*=st-key-approve-] button:visible")).to_be_visible()
    settled(page)
    field.fill(
        '{"command": "echo West > west.txt"}'
    )  # and pressed at once: what stands there is what is approved
    page.locator("[class*=st-key-approve-] button:visible").click()
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("Written.")
    answered(page)
    tool_line(page).click()
    expect(page.locator("[class*=st-key-tool-call-message-]").last).to_contain_text("echo West > west.txt")


@pytest.mark.long
def test_a_denied_call_is_not_run_and_the_model_continues(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    waiting(page, served, script(ASKS))
    page.locator("[class*=st-key-deny-] button:visible").click()
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("Written.")
    answered(page)
    tool_line(page).click()
    expect(page.locator("[class*=st-key-tool-call-message-]").last).to_contain_text("Denied")


@pytest.mark.long
def test_a_turn_at_its_limit_can_be_continued(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    steps = [
        {"text": f"Step {n}.", "calls": [{"name": "read_file", "arguments": {"path": f"{n}"}}]}
        for n in range(5)
    ]
    model = script([*steps, {"text": "I had to stop."}, {"text": "And on."}])
    asked_before(page, served, model, "Read five files")
    exchange = page.locator("[class*=st-key-exchange-]").last
    expect(exchange).to_contain_text("Stopped at the limit of tool steps.")
    shoot(page, "limit")
    page.locator("[class*=st-key-continue-] button:visible").click()
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("And on.")


@pytest.mark.long
def test_a_command_whose_tool_is_not_selected_can_be_selected_and_run_with_one_click(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "/help")
    answered(page)
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("/list-files")
    tick_tool(page, "builtin", "list_files")
    field = page.locator("[data-testid=stChatInput] textarea")
    field.fill("/list-files")
    field.press("Enter")
    expect(page.locator(".st-key-refused")).to_contain_text("List files is not ticked in this chat")
    shoot(page, "command-refused")
    page.locator(".st-key-tick-and-run button:visible").click()
    expect(page.locator(".ab-bubble").last).to_have_text("/list-files")
    answered(page)
    expect(tool_line(page)).to_contain_text("Used 1 tool")
    result = page.locator("[class*=st-key-exchange-]").last.locator("[class*=st-key-tool-call-message-]")
    expect(result).to_contain_text("Result")
    expect(result.locator("[data-testid=stCode]").last).to_be_visible()
    ask(page, "/preview nothing.html")
    answered(page)
    failed = page.locator("[class*=st-key-exchange-]").last.locator(".ab-failure")
    expect(failed).to_contain_text("the workspace has no file nothing.html")
    shoot(page, "command-failed")


@pytest.mark.long
def test_a_file_of_any_kind_can_be_asked_about(page: Page, served: Served, tmp_path: Path) -> None:
    """A dropped file is part of the question: a page for its preview, as well as a table."""
    file = tmp_path / "hello.html"
    file.write_text("<h1>Hello from a page</h1>")
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "/preview hello.html", [file])
    answered(page)
    expect(page.frame_locator("[data-testid=artifact] iframe").locator("h1")).to_have_text(
        "Hello from a page"
    )
