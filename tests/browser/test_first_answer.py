"""The first answer in a real browser: open the app, ask, inspect the answer, download it."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, serve_apart
from tests.browser.steps import answered, ask, choose_model, open_page, settled, tick_tool, tool_line

pytestmark = pytest.mark.browser
served = serve_apart()

TEAMS = "team,city,points\nReds,Oslo,3\nBlues,Oslo,9\nGreens,Bergen,6\nReds,Bergen,12\n"


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    path = tmp_path / "teams.csv"
    path.write_text(TEAMS)
    return path


def test_the_first_visit_offers_sample_data_and_three_questions_that_work(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    expect(page.get_by_role("heading", name="What do you want to know?")).to_be_visible()
    expect(page.locator(".ab-hero .ab-chip")).not_to_have_count(0)
    suggestions = page.locator(".st-key-suggestions button:visible")
    expect(suggestions).to_have_count(3)
    shoot(page, "first-open")
    field, names = page.locator(".st-key-composer textarea"), page.locator(".st-key-mentions .entries")
    field.press_sequentially("@")
    expect(names).to_contain_text("unit_price")
    field.fill("")
    question = suggestions.first.inner_text().split("\n")[0]
    suggestions.first.click()
    expect(page.locator(".ab-bubble")).to_have_text(question)
    answered(page)
    expect(tool_line(page)).to_contain_text("Used 1 tool")
    expect(page.locator("[class*=st-key-card-]").first).to_be_visible()
    expect(page.locator("[role=alert]")).to_have_count(0)
    shoot(page, "first-answer")


def test_a_question_about_a_dropped_file_gets_the_right_number(
    page: Page, served: Served, teams: Path
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    page.locator(".st-key-composer textarea").press_sequentially("@")
    expect(page.locator(".st-key-mentions .said")).to_contain_text("Add a file or a source first.")
    ask(page, "average points by team", [teams])
    answered(page)
    expect(page.locator(".ab-chip")).to_contain_text("teams.csv")
    tool_line(page).click()
    call = page.locator("[class*=st-key-tool-call-message-]")
    expect(call).to_have_count(1)
    expect(call.locator(".ab-badge")).to_have_text("Completed")
    expect(call).to_contain_text("GROUP BY")
    expect(call).to_contain_text("7.5")
    assert "chat=" in page.url


def test_a_result_shows_its_sql_and_can_be_downloaded_as_csv(page: Page, served: Served, teams: Path) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "total points by city", [teams])
    answered(page)
    card = page.locator("[class*=st-key-card-]").last
    card.get_by_role("radio", name="SQL").click()
    expect(card.get_by_text("SELECT").first).to_be_visible()
    card.get_by_role("radio", name="Data").click()
    settled(page)
    card.locator("[class*=st-key-downloads-] button:visible").click()
    with page.expect_download() as download:
        page.locator("[data-testid=stPopoverBody]").get_by_role("button", name="CSV").click()
    with Path(download.value.path()).open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][0] == "city"
    assert {row[0]: float(row[1]) for row in rows[1:]} == {"Bergen": 18, "Oslo": 12}


@pytest.mark.long
def test_the_files_panel_describes_each_column_of_a_table(
    page: Page, served: Served, teams: Path, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "how many rows are there?", [teams])
    answered(page)
    page.locator(".st-key-files button:visible").click()
    schema = page.locator(".ab-schema")
    expect(schema.locator("tbody tr")).to_have_count(3)
    expect(schema).to_contain_text("points")
    expect(page.locator(".st-key-side-panel")).to_contain_text("4 rows")
    shoot(page, "files-panel")
    page.locator(".st-key-close-panel button:visible").click()
    expect(schema).to_have_count(0)


@pytest.mark.long
def test_a_question_that_cannot_be_read_gets_suggestions_that_work(
    page: Page, served: Served, teams: Path, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "why did the weather change?", [teams])
    answered(page)
    answer = page.locator("[class*=st-key-exchange-]").last
    expect(answer).to_contain_text("You could ask:")
    expect(page.locator("[class*=st-key-tool-activity-]")).to_have_count(0)
    offered = answer.locator(".st-key-suggestions button:visible")
    expect(offered).to_have_count(3)
    question = offered.first.inner_text().removesuffix("arrow_forward").strip()
    shoot(page, "offered-instead")
    offered.first.click()
    expect(page.locator(".ab-bubble").last).to_have_text(question)
    answered(page)
    expect(page.locator("[class*=st-key-tool-activity-]")).to_have_count(1)
    expect(page.locator(".st-key-suggestions")).to_have_count(0)  # they stood in the way of what was asked


def test_a_reload_and_a_second_tab_show_the_same_chat(page: Page, served: Served, teams: Path) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "highest points", [teams])
    answered(page)
    prose = page.locator("[class*=st-key-exchange-] [data-testid=stMarkdown]").first
    told = prose.inner_text()
    page.reload()
    expect(page.locator(".ab-bubble")).to_have_text("highest points")
    settled(page)
    expect(prose).to_have_text(told)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".ab-bubble")).to_have_text("highest points")


@pytest.mark.long
def test_a_chat_can_be_renamed_searched_deleted_and_restored(page: Page, served: Served, teams: Path) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "lowest points", [teams])
    answered(page)
    row = page.locator("[class*=st-key-row-]").first
    row.hover()
    row.locator("[class*=st-key-menu-] button:visible").click()
    title = page.locator("[data-testid=stPopoverBody]").get_by_role("textbox", name="Title")
    title.fill("The smallest team")
    title.press("Enter")
    expect(page.locator(".ab-title b")).to_have_text("The smallest team")
    page.keyboard.press("Escape")
    search = page.locator(".st-key-search input")
    search.fill("smallest")
    search.press("Enter")
    expect(page.locator("[class*=st-key-row-]")).to_have_count(1)
    search.fill("")
    search.press("Enter")
    expect(search).to_have_value("")
    settled(page)
    named = page.locator("[class*=st-key-row-]").filter(has_text="The smallest team")
    named.hover()
    named.locator("[class*=st-key-menu-] button:visible").click()
    page.locator("[data-testid=stPopoverBody]").get_by_role("button", name="Delete chat").click()
    expect(page.locator(".ab-hero")).to_be_visible()
    expect(page.locator(".st-key-sidebar")).not_to_contain_text("The smallest team")
    page.locator(".st-key-undo-delete button:visible").click()
    expect(page.locator(".ab-title b")).to_have_text("The smallest team")


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        pytest.param("light", 1280, marks=pytest.mark.long),
        ("dark", 390),
        pytest.param("dark", 1280, marks=pytest.mark.long),
        pytest.param("light", 390, marks=pytest.mark.long),
    ],
)
def test_nothing_overflows_in_light_and_dark_on_wide_screens_and_phones(
    chromium: Browser,
    served: Served,
    teams: Path,
    shoot: Callable[[Page, str], None],
    scheme: str,
    width: int,
) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 860},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    open_page(page, served, "")
    ask(page, "average points by team", [teams])
    answered(page)
    tool_line(page).click()
    expect(page.locator("[class*=st-key-tool-call-message-]")).to_be_visible()
    settled(page)
    shoot(page, f"answer-{scheme}-{width}")
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
    context.close()


@pytest.mark.long
def test_the_selected_model_and_tools_are_saved_with_the_chat(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    choose_model(page, script([{"text": "Said from a script."}, {"text": "Again."}]))
    ask(page, "anything")
    answered(page)
    expect(page.locator("[class*=st-key-exchange-]")).to_contain_text("Said from a script.")
    badge = page.locator("[data-testid=toolsets-badge]")
    before = int(badge.inner_text())
    tick_tool(page, "app-builder", "run_command")
    expect(badge).to_have_text(str(before - 1))
    page.reload()
    expect(badge).to_have_text(str(before - 1))
    expect(page.locator(".st-key-model-menu button:visible")).to_contain_text("Script")
