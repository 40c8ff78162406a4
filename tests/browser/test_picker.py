"""The chat's tools: three-state checkboxes, saved per chat, inherited by new chats, no rerun while browsing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Served, serve_apart
from tests.browser.steps import answered, ask, open_page, open_picker, settled, tick_tool, unfold

pytestmark = pytest.mark.browser
served = serve_apart()

RUNS = """() => { window.runs = 0; new MutationObserver((all) => { for (const one of all) if (one.target.getAttribute(
    "data-test-script-state") === "running") window.runs++; }).observe(document.querySelector("[data-testid=stApp]"),
    { attributes: true, attributeFilter: ["data-test-script-state"] }); }"""
RAN = (
    "() => new Promise((done) => { const look = () => window.runs ? done() : setTimeout(look, 20); look(); })"
)


def begin_chat(page: Page, served: Served) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "/help")
    answered(page)


def choices(page: Page, served: Served) -> int:
    """How often the selection of tools changed in the current chat."""
    stream = f"chat-{page.url.partition('chat=')[2]}"
    events = page.request.get(served.path("v1/events?limit=1000")).json()["events"]
    return [e["type"] for e in events if e["stream"] == stream].count("ToolsSelected")


@pytest.mark.long
def test_a_toolsets_checkbox_is_on_off_or_mixed_like_its_tools(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    begin_chat(page, served)
    content = open_picker(page)
    box = content.get_by_test_id("toolset-checkbox-data-analyst")
    row = content.get_by_test_id("toolset-row-data-analyst")
    expect(box).to_have_attribute("aria-checked", "true")
    unfold(page, "data-analyst")
    tools = content.locator("[data-testid^='tool-checkbox-data-analyst-']")
    total = tools.count()
    expect(row).to_contain_text(f"({total}/{total})")
    content.get_by_test_id("tool-checkbox-data-analyst-chart").click()
    expect(box).to_have_attribute("aria-checked", "mixed")
    assert box.evaluate("box => box.indeterminate")
    expect(row).to_contain_text(f"({total - 1}/{total})")
    shoot(page, "picker")
    box.click()
    expect(box).to_have_attribute("aria-checked", "false")
    expect(row).to_contain_text(f"(0/{total})")
    box.click()
    expect(box).to_have_attribute("aria-checked", "true")
    assert all(tools.nth(n).is_checked() for n in range(total))


@pytest.mark.long
def test_browsing_the_picker_runs_no_script_and_closing_it_records_one_event(
    page: Page, served: Served
) -> None:
    begin_chat(page, served)
    chosen_before = choices(page, served)
    badge = page.get_by_test_id("toolsets-badge")
    before = int(badge.inner_text())
    content = open_picker(page)
    page.evaluate(RUNS)
    for toolset in ("builtin", "data-analyst", "app-builder"):
        unfold(page, toolset)
    content.get_by_test_id("toolset-expand-builtin").click()
    content.get_by_test_id("toolsets-find").fill("comm")
    expect(content.get_by_test_id("tool-row-app-builder-run_command")).to_be_visible()
    expect(content.get_by_test_id("toolset-row-data-analyst")).to_have_count(0)
    content.get_by_test_id("toolsets-find").fill("")
    content.get_by_test_id("tool-checkbox-app-builder-run_command").click()
    content.get_by_test_id("tool-checkbox-app-builder-report").click()
    expect(badge).to_have_text(str(before - 2))
    assert page.evaluate("window.runs") == 0
    page.keyboard.press("Escape")
    expect(content).to_be_hidden()
    page.evaluate(RAN)
    settled(page)
    assert choices(page, served) == chosen_before + 1


@pytest.mark.long
def test_the_selection_is_saved_per_chat_and_is_inherited_by_the_next_new_chat(
    page: Page, served: Served, context: BrowserContext
) -> None:
    begin_chat(page, served)
    first = page.url
    badge = page.get_by_test_id("toolsets-badge")
    before = int(badge.inner_text())
    tick_tool(page, "data-analyst", "describe")
    expect(badge).to_have_text(str(before - 1))
    page.reload()
    expect(badge).to_have_text(str(before - 1))
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    expect(badge).to_have_text(str(before - 1))
    tick_tool(page, "data-analyst", "describe")
    expect(badge).to_have_text(str(before))
    ask(page, "/help")
    answered(page)
    expect(badge).to_have_text(str(before))
    other = context.new_page()
    other.goto(first)
    expect(other.get_by_test_id("toolsets-badge")).to_have_text(str(before - 1))
    content = open_picker(other)
    expect(content.get_by_test_id("toolset-checkbox-data-analyst")).to_have_attribute("aria-checked", "mixed")


@pytest.mark.long
def test_the_picker_can_be_used_with_only_the_keyboard(page: Page, served: Served) -> None:
    begin_chat(page, served)
    badge = page.get_by_test_id("toolsets-badge")
    before = int(badge.inner_text())
    page.get_by_test_id("toolsets-popover-trigger").focus()
    page.keyboard.press("Enter")
    content = page.get_by_test_id("toolsets-popover-content")
    expect(content.get_by_test_id("toolsets-find")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(content.get_by_test_id("toolset-row-builtin")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    first = content.locator("[data-testid^='tool-row-builtin-']").first
    expect(first).to_be_focused()
    page.keyboard.press("Space")
    expect(first).to_have_attribute("aria-checked", "false")
    page.keyboard.press("Escape")
    expect(content).to_be_hidden()
    expect(page.get_by_test_id("toolsets-popover-trigger")).to_be_focused()
    expect(badge).to_have_text(str(before - 1))


@pytest.mark.long
def test_on_a_phone_the_picker_fills_the_screen_and_has_a_close_button(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark")
    open_page(page, served)
    content = open_picker(page)
    unfold(page, "data-analyst")
    assert content.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 800}
    shoot(page, "picker-phone-dark")
    content.get_by_role("button", name="Close").click()
    expect(content).to_be_hidden()


@pytest.mark.long
def test_escape_closes_the_picker_but_not_the_panel_below_it(page: Page, served: Served) -> None:
    begin_chat(page, served)
    page.locator(".st-key-files button:visible").first.click()
    settled(page)
    content = open_picker(page)
    page.keyboard.press("Escape")
    expect(content).not_to_be_visible()
    settled(page)
    expect(page.locator(".st-key-side-panel")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-side-panel")).to_have_count(0)
