"""Numbers in an answer: marked in the text, counted below it, and explained in the panel."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser

SQL = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY region"
ANSWER = """**West** made 501,775, which is 41.3% more than East (355,020). North made 412,300.

```workings
41.3% = (501775 - 355020) / 355020 | West and East
412,300 = 501775 - 355020 | North
```"""


def test_each_number_shows_its_origin_by_mouse_and_by_key(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nEast,355020\nWest,501775\n")
    query = {"name": "query", "arguments": {"sql": SQL, "title": "Revenue by region"}}
    model = script([{"calls": [query]}, {"text": ANSWER}])
    asked_before(page, served, model, "Which region made most?", files=[orders])

    expect(page.locator(".ab-numbers")).to_contain_text("3 of 4 numbers traced")
    names = [
        "501,775, in a result, from Revenue by region",
        "41.3%, calculated, from Revenue by region",
        "355,020, in a result, from Revenue by region",
        "412,300, not in any result",
    ]
    for name in names:
        expect(page.get_by_role("link", name=name)).to_be_visible()
    expect(page.get_by_text("workings")).to_have_count(0)
    settled(page)
    shoot(page, "numbers")

    page.get_by_role("link", name=names[1]).click()
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_contain_text("Calculated")
    expect(panel).to_contain_text("(501,775 − 355,020) ÷ 355,020")
    expect(panel).to_contain_text("In the model's words")
    expect(panel).to_contain_text("West and East")
    expect(panel).to_contain_text("orders.csv")
    settled(page)
    shoot(page, "number-dossier")
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)
    settled(page)

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    page.locator(".ab-bubble").last.click()
    page.keyboard.press("Shift+n")
    expect(page.get_by_role("link", name=names[3])).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Not in any result")
    expect(panel).to_contain_text("Closest values")
    expect(panel).to_contain_text("The model's calculation was not accepted: it gives 146,755.")
    settled(page)
    shoot(page, "number-unbacked-small")
    panel.get_by_role("button", name="I know this number").click()
    expect(panel).to_contain_text("You said it")
    expect(panel).to_contain_text("You said that this number is right.")
    settled(page)
    shoot(page, "number-vouched-small")
    panel.get_by_role("button", name="Withdraw my confirmation").click()
    expect(panel).to_contain_text("Not in any result")
    settled(page)
    panel.get_by_role("button", name="Use it").first.click()
    expect(panel).to_have_count(0)
    expect(page.locator(".ab-numbers")).to_contain_text("4 numbers traced")
    expect(page.get_by_text("edited by you")).to_be_visible()
    earlier = page.locator("[class*=st-key-actions-] [class*=st-key-sibling-1-] button:visible")
    expect(earlier).to_be_visible()
    settled(page)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})
    settled(page)
    shoot(page, "number-edited")
    earlier.click()
    expect(page.locator(".ab-numbers")).to_contain_text("3 of 4 numbers traced")
    settled(page)
    page.get_by_role("link", name=names[3]).click()
    panel.get_by_role("button", name="Remove the sentence").click()
    expect(page.locator(".ab-numbers")).to_contain_text("3 numbers traced")
    expect(page.get_by_text("North made 412,300.")).to_have_count(0)
    settled(page)
    for shown in ("4 numbers traced", "3 of 4 numbers traced"):
        page.locator("[class*=st-key-actions-] [class*=st-key-sibling-1-] button:visible").click()
        expect(page.locator(".ab-numbers")).to_contain_text(shown)
        settled(page)
    page.get_by_role("link", name=names[3]).click()
    panel.get_by_role("button", name="for its source").click()
    expect(page.locator(".ab-bubble").last).to_contain_text("Where does 412,300 in your answer come from?")


@pytest.mark.long
def test_the_cell_of_an_unclear_number_can_be_confirmed_by_key(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nEast,355020\nWest,501775\n")
    query = {"name": "query", "arguments": {"sql": SQL, "title": "Revenue by region"}}
    text = "East brought 355,020 visitors, and West made 501,775. North made 412,300."
    model = script([{"calls": [query]}, {"text": text}])
    asked_before(page, served, model, "Which region made most?", files=[orders])

    line = page.locator(".ab-numbers")
    expect(line).to_contain_text("1 of 3 numbers traced")
    expect(line).to_contain_text("1 unclear")
    expect(line).to_contain_text("1 not in any result")
    link = page.get_by_role("link", name="355,020, unclear, may be from Revenue by region")
    expect(link).to_have_css("text-decoration-style", "dotted")
    expect(link).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    link.click()
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_contain_text(
        "355,020 is in Revenue by region, East · revenue. The sentence does not name revenue, so check that it is "
        "meant."
    )
    settled(page)
    shoot(page, "number-unclear")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    shoot(page, "number-unclear-small")
    panel.get_by_role("button", name="Yes, this cell").press("Enter")
    expect(panel).to_contain_text("You confirmed that this number comes from this cell.")
    expect(panel).to_contain_text("In a result")
    settled(page)
    shoot(page, "number-confirmed-small")
    panel.get_by_role("button", name="Withdraw my confirmation").press("Enter")
    expect(panel.get_by_role("button", name="Yes, this cell")).to_be_visible()


@pytest.mark.long
def test_a_draft_is_listed_as_a_step_and_a_changed_file_marks_the_answer(
    page: Page, served: Served, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nEast,355020\nWest,501775\n")
    query = {"name": "query", "arguments": {"sql": SQL, "title": "Revenue by region"}}
    edit = {"name": "edit_file", "arguments": {"path": "orders.csv", "old": "501775", "new": "300000"}}
    replies = [{"calls": [query]}, {"text": "West made 510,775."}]
    replies.append(
        {"text": "**West is highest.** West made 501,775, which is 41.3% more than East (355,020)."}
    )
    replies += [{"calls": [edit]}, {"text": "Corrected."}]
    script = tmp_path / "revising.json"
    script.write_text(json.dumps({"replies": replies, "revises": True}))
    asked_before(page, served, f"scripted:{script}", "What did West make?", "West is wrong.", files=[orders])

    expect(page.get_by_text("West made 510,775.")).to_have_count(0)
    page.get_by_text("1 draft sent back").click()
    expect(
        page.get_by_text("It went back to the model because of numbers that no result contains: 510,775.")
    ).to_be_visible()
    expect(page.get_by_text("West made 510,775.")).to_be_visible()
    settled(page)
    shoot(page, "number-draft")
    page.get_by_text("1 draft sent back").click()

    expect(page.get_by_role("link", name="501,775, out of date, from Revenue by region")).to_be_visible()
    expect(page.get_by_text("orders.csv has changed since this answer")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    shoot(page, "number-out-of-date-small")
    page.get_by_role("button", name="Run again", exact=True).click()
    expect(page.locator(".st-key-rerun-band")).to_contain_text("The re-run stopped at edit_file")
    settled(page)
    page.get_by_role("button", name="Show that branch").click()
    expect(page.locator(".st-key-rerun-band")).to_contain_text("Run again with orders.csv")
    expect(page.locator(".st-key-rerun-band")).to_contain_text("2 of 3 numbers moved")
    expect(page.locator(".st-key-rerun-band")).to_contain_text("2 sentences no longer true")
    expect(page.locator("del")).to_have_text(["501,775", "41.3%"])
    expect(page.get_by_role("link", name="300,000, in a result, from Revenue by region")).to_be_visible()
    expect(page.get_by_role("link", name="West is highest.", exact=True)).to_be_visible()
    notes = page.locator(".ab-sentence")
    expect(notes.first).to_have_text(
        "“West is highest.” is no longer true. East is highest in revenue now, with 355,020."
    )
    settled(page)
    notes.first.scroll_into_view_if_needed()
    shoot(page, "number-sentences-small")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})
    settled(page)
    notes.first.scroll_into_view_if_needed()
    shoot(page, "number-sentences")


@pytest.mark.long
def test_a_number_that_the_review_calls_wrong_shows_the_reason(
    page: Page, served: Served, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nEast,355020\nWest,501775\nNorth,212400\n")
    query = {"name": "query", "arguments": {"sql": SQL, "title": "Revenue by region"}}
    text = "West made 501,775. East is the third region by revenue, with 355,020, a third of the total."
    review = {
        "third": "wrong: East is second, North is third",
        "a third": "right = 355020 / sum(revenue)",
        "355,020": "wrong: said only to show a doubt",
    }
    script = tmp_path / "reviewed.json"
    replies = [{"calls": [query]}, {"text": text}, {"text": text}]
    script.write_text(json.dumps({"replies": replies, "revises": True, "review": review}))
    asked_before(page, served, f"scripted:{script}", "How are the regions?", files=[orders])

    page.get_by_text("1 draft sent back").click()
    expect(
        page.get_by_text("numbers that do not fit their sentences: third (East is second, North is third)")
    ).to_be_visible()
    page.get_by_text("1 draft sent back").click()
    expect(page.locator(".ab-numbers")).to_contain_text("reviewed by Script reviewed.json")
    settled(page)
    shoot(page, "number-reviewed")
    page.get_by_role("link", name="third, found wrong").press("Enter")
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_contain_text("found this number wrong: East is second, North is third.")
    panel.get_by_text("Request and reply of the review").click()
    expect(panel).to_contain_text("East is the third[2] region by revenue")
    expect(panel).to_contain_text("2 wrong: East is second, North is third")
    settled(page)
    shoot(page, "number-review")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    shoot(page, "number-review-small")


@pytest.mark.long
def test_a_yearly_total_lists_the_quarters_that_it_sums_up(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    sales = tmp_path / "sales.csv"
    rows = [f"{year}-Q{n},{year * n * 7 + 1_000_000}" for year in (2023, 2024) for n in (1, 2, 3, 4)]
    sales.write_text("quarter,revenue\n" + "\n".join(rows) + "\n")
    query = {"name": "query", "arguments": {"sql": "SELECT * FROM sales", "title": "Revenue by quarter"}}
    # 2,023 × 70 + 4 million, and 2,024 × 70 + 4 million
    text = "Revenue was **4,141,680** in 2024 and 4,141,610 in 2023. In 2024 it was 4,414,680 at first."
    asked_before(page, served, script([{"calls": [query]}, {"text": text}]), "How much?", files=[sales])

    expect(page.locator(".ab-numbers")).to_contain_text("2 of 3 numbers traced")
    page.get_by_role("link", name="4,141,680, calculated, from Revenue by quarter").click()
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_contain_text("sum of 4 cells of revenue")
    expect(panel).to_contain_text("2024-Q3")
    settled(page)
    shoot(page, "number-of-a-year")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    shoot(page, "number-of-a-year-dark-phone")
