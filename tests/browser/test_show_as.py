"""“Show as …”: how a tool's results are shown is the user's choice, on the card and on the toolsets page (RND-7)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, ask, choose_model, open_page, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    path.write_text("order_id,units\n" + "\n".join(f"{n},{n % 9}" for n in range(40)) + "\n")
    return path


@pytest.fixture
def cards(page: Page, served: Served, script: Callable[..., str], orders: Path) -> Locator:
    """The cards of a chat in which the model made a query, and makes another one when asked again."""
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    queries = [
        {"calls": [{"name": "toolset__data-analyst__query", "arguments": {"sql": sql, "title": title}}]}
        for sql, title in (
            ("SELECT * FROM orders", "First"),
            ("SELECT order_id FROM orders", "Second"),
            ("SELECT units FROM orders", "Third"),
        )
    ]
    said = {"text": "There it is."}
    choose_model(page, script([queries[0], said, queries[1], said, queries[2], said]))
    ask(page, "the first", [orders])
    answered(page)
    return page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")


def show_as(page: Page, where: Locator, way: str) -> None:
    """Open the menu in `where`, and choose an option."""
    where.locator("[class*=st-key-showas-] button:visible").click()
    page.locator("[data-testid=stPopoverBody]").get_by_text(way).click()
    expect(page.locator("[data-testid=stPopoverBody]")).to_have_count(0)
    settled(page)


def chosen(page: Page, where: Locator, shoot: Callable[[Page, str], None] | None = None) -> str:
    """The selected option in the menu in `where`."""
    where.locator("[class*=st-key-showas-] button:visible").click()
    body = page.locator("[data-testid=stPopoverBody]")
    marked = body.locator("label:has(input:checked)")
    expect(marked).to_have_count(1)
    text = marked.inner_text()
    if shoot:
        shoot(page, "show-as")
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 800})
        shoot(page, "show-as-phone-dark")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 900})
    page.keyboard.press("Escape")
    expect(body).to_have_count(0)
    return text


def test_a_choice_applies_at_once_and_to_later_results_until_it_is_withdrawn(
    page: Page, cards: Locator, shoot: Callable[[Page, str], None]
) -> None:
    expect(cards).to_contain_text("40 rows · 2 columns")
    assert chosen(page, cards, shoot) == "Table, set by the toolset"
    show_as(page, cards, "Code")
    expect(page.get_by_text("Results of query will be shown as code, from the next call on.")).to_be_visible()
    expect(cards.locator("[data-testid=stCode]")).to_be_visible()
    assert chosen(page, cards) == "Code"
    ask(page, "the second")
    answered(page)
    expect(cards.nth(1).locator("[data-testid=stCode]")).to_contain_text('"table": "second"')
    page.reload()
    settled(page)
    expect(cards.first).to_contain_text("40 rows · 2 columns")
    show_as(page, cards.nth(1), "set by the toolset")
    ask(page, "the third")
    answered(page)
    expect(cards.nth(2)).to_contain_text("40 rows · 1 column")
    assert chosen(page, cards.nth(2)) == "Table, set by the toolset"
    shoot(page, "show-as-taken-back")


def test_a_result_shown_as_json_can_be_changed_back_on_its_card(page: Page, cards: Locator) -> None:
    show_as(page, cards, "JSON")
    expect(cards.locator("[data-testid=stJson]")).to_be_visible()
    show_as(page, cards, "set by the toolset")
    expect(cards).to_contain_text("40 rows · 2 columns")


def test_the_history_does_not_offer_to_change_how_results_are_shown(page: Page, cards: Locator) -> None:
    expect(cards.locator("[class*=st-key-showas-] button:visible")).to_have_count(1)
    chat = page.url.partition("chat=")[2]
    events = page.request.get(f"{page.url.partition('?')[0]}v1/events?limit=1000").json()["events"]
    last = max(event["position"] for event in events if event["stream"] == f"chat-{chat}")
    page.goto(f"{page.url.partition('?')[0]}history?chat={chat}&at={last}")
    card = page.locator("[class*=st-key-card-]").filter(has_text="First")
    expect(card).to_contain_text("40 rows")
    settled(page)
    expect(card.locator("[class*=st-key-showas-]")).to_have_count(0)


def test_the_toolsets_page_offers_show_as_for_each_tool(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    page.goto(served.path("toolsets"))
    page.locator(".st-key-tools-of-data-analyst summary").click()
    tool = page.locator(".st-key-manage-data-analyst-query")
    assert chosen(page, tool) == "Table, set by the toolset"
    show_as(page, tool, "JSON")
    expect(page.get_by_text("Results of query will be shown as JSON, from the next call on.")).to_be_visible()
    page.reload()
    settled(page)
    page.locator(".st-key-tools-of-data-analyst summary").click()
    assert chosen(page, tool) == "JSON"
    shoot(page, "toolsets-show-as")
    show_as(page, tool, "set by the toolset")
    assert chosen(page, tool) == "Table, set by the toolset"
