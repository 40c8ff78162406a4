"""What a model's answer shows: questions, results in their places, formulas, links, and the parts of a call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, asked_before, looked_at, settled, tool_line
from tests.support.pdf import pdf

pytestmark = pytest.mark.browser

QUERY, PYTHON = "toolset__data-analyst__query", "toolset__data-analyst__python"
READINGS = ["Net of returns", "Gross"]
CODE = """import matplotlib.pyplot as plt
print("one line")
show(tables["sales"], title="All sales", name="all_sales")
tables["sales"].plot(x="n", y="amount")
plt.title("Growth")
tables["sales"].amount.sum()
"""
ANSWER = """Sales went up, as $x^2$ does, from $5 to $250.

![](result:sales_by_region)

The file is [the sales](sales.csv), and [nothing](gone.csv) is there.

![](result:sales_by_regoin)
"""


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": arguments}]}


def asks(question: str) -> dict[str, Any]:
    return calls("ask_user", question=question, answers=READINGS)


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A file with two values that are not numbers."""
    path = tmp_path / "sales.csv"
    rows = [f"{n},{'East' if n % 2 else 'West'},{n * 5}" for n in range(1, 61)]
    path.write_text("\n".join(["n,region,amount", *rows, "61,East,abt 9", "62,West,~12"]) + "\n")
    return path


@pytest.mark.long
def test_a_models_question_can_be_answered_by_click_or_in_words_or_skipped(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    replies = [
        asks("What does revenue mean?"),
        asks("Which year?"),
        asks("Any other wish?"),
        {"text": "So be it."},
    ]
    asked_before(page, served, script(replies), "What is the revenue?")
    asked = page.locator(".ab-asked").last
    expect(tool_line(page)).to_contain_text("A question for you")
    expect(asked).to_have_text("What does revenue mean?")
    looked_at(page, shoot, "ask-user")
    page.get_by_role("button", name="Net of returns", exact=True).click()
    expect(asked).to_have_text("Which year?")
    settled(page)
    field = page.locator("[class*=st-key-answer-text-] input").last
    field.fill("The last one")
    field.press("Enter")
    expect(asked).to_have_text("Any other wish?")
    settled(page)
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("So be it.")
    answered(page)
    tool_line(page).click()
    messages = page.locator("[class*=st-key-tool-call-message-]")
    expect(messages.nth(0)).to_contain_text("You answered: Net of returns")
    expect(messages.nth(1)).to_contain_text("You answered: The last one")
    expect(messages.nth(2)).to_contain_text("You skipped this question.")
    expect(page.get_by_text("ask_user")).to_have_count(0)
    looked_at(page, shoot, "ask-user-answered")


@pytest.mark.long
def test_tables_that_an_answer_does_not_mention_are_behind_one_line_with_readable_titles(
    page: Page, served: Served, script: Callable[..., str], sales: Path
) -> None:
    """Helper queries used to be listed below the answer as "Result" and "Result 2"."""
    asked = [
        {"sql": "SELECT region, count(*) AS sales FROM sales GROUP BY 1", "title": "Sales by region"},
        {"sql": "SELECT max(n) AS latest FROM sales"},
        {"sql": "SELECT region, sum(n) AS total FROM sales GROUP BY 1"},
    ]
    made = [{"name": QUERY, "arguments": arguments} for arguments in asked]
    chart = {"sql": "SELECT n, amount FROM sales LIMIT 9", "mark": "point", "x": "n", "y": "amount"}
    made.append({"name": QUERY.replace("query", "chart"), "arguments": chart})
    replies = [{"calls": made}, {"text": "See:\n\n![](result:sales_by_region)"}]
    asked_before(page, served, script(replies), "How did sales go?", files=[sales])
    exchange = page.locator("[class*=st-key-exchange-]").last
    titles = exchange.locator(".ab-cardtitle b")
    expect(titles).to_have_text(["Sales by region", "Amount by n"])
    exchange.get_by_text("2 more results").click()
    expect(titles).to_have_text(["Sales by region", "Amount by n", "Latest from sales", "Total by region"])


def test_results_are_shown_where_the_answer_places_them_and_links_open_files(
    page: Page, served: Served, script: Callable[..., str], sales: Path, shoot: Callable[[Page, str], None]
) -> None:
    sql = "SELECT region, count(*) AS sales FROM sales GROUP BY 1 ORDER BY 1"
    replies = [calls(QUERY, sql=sql, title="Sales by region"), {"text": ANSWER}]
    asked_before(page, served, script(replies), "How did sales go?", files=[sales])
    exchange = page.locator("[class*=st-key-exchange-]").last
    card = exchange.locator("[class*=st-key-card-]")
    expect(card).to_have_count(1)
    expect(exchange.locator(".katex").first).to_be_visible()
    expect(exchange).to_contain_text("from $5 to $250.")
    words, after = exchange.get_by_text("Sales went up"), exchange.get_by_text("The file is")
    assert top(words) < top(card) < top(after)
    expect(exchange.locator(".ab-warning")).to_contain_text("Did it mean sales_by_region?")
    expect(after).to_contain_text("there is no file gone.csv")
    looked_at(page, shoot, "placed")
    exchange.locator("[class*=st-key-links-] button:visible").click()
    head = page.locator(".st-key-side-panel .st-key-file-head")
    expect(head).to_contain_text("sales.csv")


def top(where: Locator) -> float:
    box = where.bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.long
def test_each_part_of_a_python_call_has_its_own_card(
    page: Page, served: Served, script: Callable[..., str], sales: Path, shoot: Callable[[Page, str], None]
) -> None:
    replies = [calls(PYTHON, code=CODE, title="Growth of sales"), {"text": "It grew."}]
    asked_before(page, served, script(replies), "Draw the growth", files=[sales])
    exchange = page.locator("[class*=st-key-exchange-]").last
    expect(exchange.locator("[class*=st-key-card-]").filter(has_text="All sales")).to_be_visible()
    expect(exchange.get_by_test_id("carousel").locator("visible=true").first).to_be_visible()
    expect(exchange).to_contain_text("one line")
    looked_at(page, shoot, "python-parts")


@pytest.mark.long
def test_the_files_panel_shows_which_values_could_not_be_read(
    page: Page, served: Served, script: Callable[..., str], sales: Path, shoot: Callable[[Page, str], None]
) -> None:
    asked_before(page, served, script([{"text": "I see it."}]), "Look at it", files=[sales])
    page.locator(".st-key-files button:visible").first.click()
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_contain_text("62 rows")
    expect(panel.locator(".ab-warning")).to_contain_text("abt 9")
    amount = panel.locator(".ab-schema tbody tr", has_text="amount")
    expect(amount.locator("td").last).to_have_text("2")
    looked_at(page, shoot, "files-unreadable")


@pytest.mark.long
def test_a_picture_and_a_pdf_page_that_the_model_views_are_shown(
    page: Page,
    served: Served,
    script: Callable[..., str],
    tmp_path: Path,
    shoot: Callable[[Page, str], None],
) -> None:
    files = [tmp_path / "plan.png", tmp_path / "report.pdf"]
    Image.new("RGB", (400, 200), "teal").save(files[0])
    files[1].write_bytes(pdf("First page", "Second page"))
    replies = [
        calls("view", path="plan.png"),
        calls("view", path="report.pdf", page=2),
        {"text": "I saw both."},
    ]
    asked_before(page, served, script(replies), "Look at them", files=files)
    exchange = page.locator("[class*=st-key-exchange-]").last
    cards = exchange.locator("[class*=st-key-card-]")
    expect(cards).to_have_count(2)
    expect(exchange.get_by_test_id("carousel")).to_have_count(2)
    expect(cards.last).to_contain_text("report.pdf, page 2 of 2")
    looked_at(page, shoot, "viewed")
