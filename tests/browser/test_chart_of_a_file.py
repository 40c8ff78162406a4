"""A chart that refers to a workspace file draws its rows, as many as a browser can, and says so."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.hostile_chat import free_port, hostile_chat, page_served

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_chart_of_a_file_draws_its_rows(tmp_path: Path, chromium: Browser) -> None:
    """Also if a column has a name that tooltips treat as a picture; of many rows only the first, and it says so."""
    spec = {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": "image", "type": "nominal"},
            "y": {"field": "units", "type": "quantitative", "aggregate": "sum"},
        },
    }
    more = [f"c{n}" for n in range(98)]
    rows = ",".join(["image", "units", *more]) + "\n"
    rows += "".join(f"{'abc'[n % 3]},1{',0' * len(more)}\n" for n in range(1_500))
    calls = [("chart", {"write": {"long.csv": rows}, "spec": spec, "data": "long.csv", "title": "Units"})]
    chat = hostile_chat(tmp_path / "data", calls)
    with page_served(tmp_path / "data", free_port(), routes=False) as url:
        page = chromium.new_page()
        page.goto(f"{url}/?chat={chat}")
        card = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").last
        expect(card.get_by_text("The first 1,000 of 1,500 rows of long.csv are drawn.")).to_be_visible()
        marks = card.locator("[data-testid=stVegaLiteChart] [aria-roledescription=bar]")
        expect(marks).to_have_count(3)
        expect(marks.first).to_have_attribute("aria-label", "image : a; Sum of units: 334")
        page.close()
