"""Two answers are selected in the branches and compared: changed values first, then rows, charts, SQL and files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, at_the_terminal, looked_at, settled
from tests.browser.test_accessible import findings
from tests.support.talk import call

pytestmark = pytest.mark.browser

GROSS = "SELECT region,\n  sum(revenue) AS total\nFROM orders\nGROUP BY region\nORDER BY region"
NET = "SELECT region,\n  sum(revenue - refund) AS total\nFROM orders\nGROUP BY region\nORDER BY region"
ORDERS = "region,revenue,refund\nEast,355020,16806\nNorth,412300,11182\nWest,501775,0\n"


def answers(said: str, sql: str) -> list[dict[str, object]]:
    drawn = call("chart", sql=sql, mark="bar", x="region", y="total", title="Total by region")
    return [{"calls": [call("query", sql=sql), drawn]}, {"text": said}]


@pytest.mark.long
def test_two_answers_are_selected_and_compared(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text(ORDERS)
    gross = answers("**West leads** with 501,775. East has 355,020.", GROSS)
    asked_before(page, served, script(gross), "Revenue by region?", files=[orders])
    chat_id = page.url.partition("chat=")[2]
    shown = json.loads(at_the_terminal(served, "chat show", chat_id))
    question = shown["messages"][0]["message_id"]
    net = answers("**West leads** with 501,775. East has 338,214.", NET)
    at_the_terminal(served, "send SelectModel", f"chat_id={chat_id}", f"model={script(net)}")
    at_the_terminal(served, "send Retry", f"chat_id={chat_id}", f"message_id={question}")
    page.reload()
    expect(page.locator("[class*=st-key-actions-]").last).to_contain_text("2 / 2")
    settled(page)
    page.locator(".st-key-branches button:visible").click()
    settled(page)
    compare = page.locator(".st-key-compare-ticked button:visible")
    expect(compare).to_be_disabled()
    ticks = page.locator("[data-testid=branch-graph] input[type=checkbox]")
    expect(ticks).to_have_count(2)
    for at in range(2):
        ticks.nth(at).check()
        settled(page)
        expect(ticks.nth(at)).to_be_checked()  # the page may draw the branches anew after a tick
    expect(compare).to_be_enabled()
    shoot(page, "compare-ticked")
    assert findings(page) == []
    compare.click()
    expect(page.locator(".st-key-compare-numbers")).to_be_visible()
    settled(page)
    east = page.locator(".st-key-compare-numbers tr", has_text="East, total")
    expect(east).to_contain_text("355,020")
    expect(east).to_contain_text("−16,806")
    expect(page.locator(".st-key-compare-tables")).to_contain_text("matched by region · 2 rows changed")
    expect(page.locator(".st-key-compare-tables")).not_to_contain_text("West")
    expect(page.locator(".st-key-compare-charts [data-testid=stVegaLiteChart]")).to_have_count(2)
    expect(page.locator(".st-key-compare-sql mark").first).to_have_text("- refund")
    expect(page.locator(".st-key-side-b .moved")).to_have_text("338,214")
    page.set_viewport_size({"width": 1440, "height": 1900})
    shoot(page, "compare-whole")
    looked_at(page, shoot, "compare")
    assert findings(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="All differences as CSV").first.click()
    assert "changed,1,1,East,East,355020,338214" in download.value.path().read_text()
    page.locator(".st-key-only-what-differs label").first.click()
    settled(page)
    expect(page.locator(".st-key-compare-tables")).to_contain_text("West")
    address = page.url
    assert "a=" in address
    assert "b=" in address
    page.locator(".st-key-swap-sides button:visible").click()
    settled(page)
    expect(page.locator(".st-key-side-a")).to_contain_text("338,214")
    page.goto(address)
    expect(page.locator(".st-key-side-a")).to_contain_text("355,020")
    settled(page)
    page.locator(".st-key-side-a").get_by_role("button", name="Go there").click()
    expect(page.locator("[class*=st-key-actions-]").last).to_contain_text("1 / 2")


@pytest.mark.long
def test_comparing_two_answers_with_the_same_results_says_so(
    page: Page, served: Served, script: Callable[..., str], tmp_path: Path
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text(ORDERS)
    asked_before(page, served, script(answers("West leads.", GROSS)), "Revenue by region?", files=[orders])
    chat_id = page.url.partition("chat=")[2]
    told = json.loads(at_the_terminal(served, "chat fork", chat_id))
    page.goto(f"{served.url}/compare?chat={chat_id}&b={told['chat_id']}@now")
    expect(page.locator(".st-key-compare")).to_contain_text(
        "A and B give the same results in the same words."
    )
    settled(page)
