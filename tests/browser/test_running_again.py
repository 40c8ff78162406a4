"""Running recorded calls again, one short test for each use."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, at_the_terminal, open_page, settled

pytestmark = pytest.mark.browser

BY_REGION = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY revenue DESC"


def sheet_for(page: Page, new: Path) -> Locator:
    """Open the sheet that replaces orders.csv, and give it another file."""
    page.locator(".st-key-files button:visible").first.click()
    settled(page)
    page.locator("[class*=st-key-file-]", has_text="orders.csv").get_by_role(
        "button", name="orders.csv"
    ).first.click()
    page.locator(".st-key-rerun-with button").click()
    sheet = page.get_by_role("dialog")
    sheet.locator("input[type=file]").set_input_files(new)
    return sheet


@pytest.mark.long
def test_a_renamed_column_can_be_matched_in_the_sheet(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    orders, restated = tmp_path / "orders.csv", tmp_path / "orders-restated.csv"
    orders.write_text("region,revenue\nEast,100\nWest,200\n")
    restated.write_text(
        "region,revenue_eur,tier\nEast,90\nWest,260\n".replace("\n", ",a\n").replace("tier,a", "tier")
    )
    query = {"name": "query", "arguments": {"sql": BY_REGION, "title": "By region"}}
    asked_before(
        page, served, script([{"calls": [query]}, {"text": "West leads."}]), "Who leads?", files=[orders]
    )

    sheet = sheet_for(page, restated)
    expect(sheet).to_contain_text("the name is similar")
    expect(sheet).to_contain_text("new, not used")
    settled(page)
    shoot(page, "rerun-columns")
    sheet.get_by_role("button", name="Run 1 call again").click()
    band = page.locator(".st-key-rerun-band")
    expect(band).to_contain_text("1 of 1 call ran")
    expect(band).to_contain_text("1 result moved")


@pytest.mark.long
def test_a_rerun_that_cannot_succeed_needs_a_second_click_and_a_failed_one_leaves_the_chat(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    """The second click is needed if a column is missing; the branch with the calls that ran can be shown."""
    chat_id = asked(page, served, script([{"calls": [query()]}, {"text": "West leads."}]), tmp_path)
    before = json.loads(at_the_terminal(served, "chat show", chat_id))["messages"][-1]["message_id"]
    lacking = tmp_path / "lacking.csv"
    lacking.write_text("region,colour\nEast,red\n")
    sheet = sheet_for(page, lacking)
    again = sheet.get_by_role("button", name="Run 1 call again")
    expect(again).to_be_disabled()
    expect(sheet).to_contain_text("Calls that use it will fail.")
    settled(page)
    shoot(page, "rerun-held-back")
    sheet.get_by_text("Run it anyway").click()
    expect(again).to_be_enabled()
    again.click()
    band = page.locator(".st-key-rerun-band")
    expect(band).to_contain_text("The re-run stopped at query")
    expect(band).to_contain_text("0 of 1 call ran")
    shown = json.loads(at_the_terminal(served, "chat show", chat_id))
    assert shown["messages"][-1]["message_id"] == before
    settled(page)
    shoot(page, "rerun-stopped")
    band.get_by_role("button", name="Show that branch").click()
    expect(band).to_contain_text("stopped at a call that failed")


Write = Callable[..., str]
DICE = {"name": "python", "arguments": {"code": "import os; int.from_bytes(os.urandom(4))"}}
NAMED = {"name": "name_moment", "arguments": {"name": "before"}}


def query(sql: str = BY_REGION, title: str = "By region") -> dict[str, object]:
    return {"name": "query", "arguments": {"sql": sql, "title": title}}


def asked(page: Page, served: Served, model: str, folder: Path) -> str:
    """Open a chat about orders.csv in which one question was answered; return its id."""
    orders = folder / "orders.csv"
    orders.write_text("region,revenue\nEast,100\nWest,200\n")
    asked_before(page, served, model, "Which region leads?", files=[orders])
    return page.url.partition("chat=")[2]


def head(page: Page) -> Locator:
    return page.locator(".ab-verify-head")


@pytest.mark.long
def test_a_single_card_can_be_verified(page: Page, served: Served, script: Write, tmp_path: Path) -> None:
    """Only its call runs; the others stay unchanged."""
    asked(
        page,
        served,
        script([{"calls": [query(), query("SELECT 1 AS n", "One")]}, {"text": "West."}]),
        tmp_path,
    )
    expect(page.locator("[class*=st-key-card] [data-testid=stDataFrame]").first).to_be_visible()
    settled(page)
    page.locator("[class*=st-key-verify-card-] button").first.click()
    expect(head(page)).to_contain_text("1 call ran again; 1 gave the same result")
    page.get_by_role("button", name="Open the chat").click()
    expect(page.get_by_text("re-run identical")).to_have_count(1)


def test_a_single_answer_can_be_verified(page: Page, served: Served, script: Write, tmp_path: Path) -> None:
    """With the actions below it."""
    asked(page, served, script([{"calls": [query()]}, {"text": "West leads."}]), tmp_path)
    page.locator(
        "[class*=st-key-verify-]:not([class*=card]):not(.st-key-verify-chat) button:visible"
    ).first.click()
    expect(head(page)).to_contain_text("1 call ran again; 1 gave the same result")
    page.get_by_role("button", name="Open the chat").click()
    expect(page.locator(".ab-meta", has_text="re-run identical")).to_be_visible()


@pytest.mark.long
def test_random_results_and_skipped_calls_have_a_reason(
    page: Page, served: Served, script: Write, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    """A call with random results is distinguished from a change; one that is not run again has its reason."""
    asked(page, served, script([{"calls": [DICE, NAMED, query()]}, {"text": "West leads."}]), tmp_path)
    page.locator(".st-key-verify-chat button:visible").click()
    page.locator(".st-key-verify-all button").click()
    expect(head(page)).to_contain_text("2 calls ran again; 1 gave the same result")
    rows = page.locator("[class*=st-key-verdict-]")
    expect(rows.filter(has_text="Not deterministic")).to_have_count(1)
    skipped = rows.filter(has_text="Skipped")
    skipped.locator("summary").click()
    expect(skipped).to_contain_text("It named a moment")
    expect(page.locator(".st-key-verify-live")).to_have_count(0)
    settled(page)
    shoot(page, "verify-dice")


@pytest.mark.long
def test_after_an_unchanged_rerun_the_model_can_be_asked_again(
    page: Page, served: Served, script: Write, tmp_path: Path
) -> None:
    """The same file gives the same results; then the model answers the question on the new branch."""
    model = script([{"calls": [query()]}, {"text": "West leads."}])
    chat_id = asked(page, served, model, tmp_path)
    at_the_terminal(served, "rerun", chat_id, "--file", f"orders.csv={tmp_path / 'orders.csv'}")
    open_page(page, served, f"?chat={chat_id}")
    band = page.locator(".st-key-rerun-band")
    expect(band).to_contain_text("1 of 1 call ran")
    expect(band).to_contain_text("all results are the same")
    expect(page.locator(".ab-warning", has_text="This text was written before")).to_have_count(0)
    band.get_by_role("button", name="Ask the model again").click()
    expect(page.locator("[class*=st-key-actions-]").last).to_contain_text("2 / 2")


@pytest.mark.long
def test_a_comparison_has_keyboard_shortcuts(
    page: Page, served: Served, script: Write, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    """Digits choose a section, brackets step through the differences, S swaps; a phone shows one side at a time."""
    chat_id = asked(page, served, script([{"calls": [query()]}, {"text": "West leads."}]), tmp_path)
    before = json.loads(at_the_terminal(served, "chat show", chat_id))["messages"][-1]["message_id"]
    restated = tmp_path / "restated.csv"
    restated.write_text("region,revenue\nEast,300\nWest,260\n")
    sheet_for(page, restated).get_by_role("button", name="Run 1 call again").click()
    page.locator(".st-key-rerun-band").get_by_role("button", name="Compare").click()
    expect(page.locator(".st-key-compare-numbers")).to_be_visible()
    settled(page)
    page.keyboard.press("2")
    expect(page.locator(".st-key-compare-numbers")).to_have_count(0)
    expect(page.locator(".st-key-compare-tables")).to_be_visible()
    settled(page)
    for key, row in (("]", "West"), ("]", "East"), ("[", "West")):
        page.keyboard.press(key)
        expect(page.locator("[data-here]")).to_contain_text(row)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".st-key-side-b")).to_be_visible()
    expect(page.locator(".st-key-side-a")).to_be_hidden()
    page.locator(".st-key-compare-side").get_by_role("radio", name="A").click()
    expect(page.locator(".st-key-side-a")).to_be_visible()
    expect(page.locator(".st-key-side-b")).to_be_hidden()
    settled(page)
    shoot(page, "compare-phone")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.keyboard.press("g")
    expect(page).to_have_url(re.compile(f"chat={chat_id}"))
    expect(page.locator(".st-key-composer textarea")).to_be_visible()
    shown = json.loads(at_the_terminal(served, "chat show", chat_id))
    assert shown["messages"][-1]["message_id"] == before
