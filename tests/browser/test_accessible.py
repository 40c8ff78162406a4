"""No page has a finding of axe-core that is serious or worse, in light and dark, wide and on a phone."""

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, STILL, Served
from tests.browser.steps import answered, ask, open_page, open_picker, settled, tool_line, unfold

pytestmark = pytest.mark.browser

NOT_OURS = {
    "scrollable-region-focusable",  # Streamlit's own grid and its sidebar
}

FADES = "[data-testid=stTooltipContent]"
"""Tooltips come and go by a clock of Streamlit's, and have no contrast while they fade."""


def findings(page: Page) -> list[str]:
    """Serious and critical findings, each with the elements that it is about."""
    page.mouse.move(0, 0)
    page.evaluate(STILL)
    shown = {"exclude": [[FADES]]}
    found = Axe().run(page, shown, {"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['impact']} {one['id']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in ("serious", "critical") and one["id"] not in NOT_OURS
    ]


def asked(page: Page) -> None:
    """Ask about a file, and wait for the answer."""
    orders = ROOT / "sample_bundles" / "sample-data" / "orders.csv"
    ask(page, "Which region has the highest revenue?", [orders])
    answered(page)


ALSO = [
    pytest.param("dark", 1280, marks=pytest.mark.long),
    pytest.param("light", 390, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), *ALSO])
def test_a_chat_and_its_panels_have_no_serious_findings(
    page: Page, served: Served, scheme: Literal["light", "dark"], width: int
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    told: dict[str, list[str]] = {}
    open_page(page, served)
    told["first page"] = findings(page)
    asked(page)
    told["answer"] = findings(page)
    tool_line(page).click()
    settled(page)
    told["calls"] = findings(page)
    open_picker(page)
    unfold(page, "data-analyst")
    told["picker"] = findings(page)
    page.keyboard.press("Escape")
    for panel in ("files", "branches"):
        page.locator(f".st-key-{panel} button:visible").first.click()
        expect(page.locator(".st-key-side-panel")).to_be_visible()
        settled(page)
        told[f"{panel} panel"] = findings(page)
        page.locator(".st-key-close-panel button:visible").click()
        expect(page.locator(".st-key-side-panel")).to_have_count(0)
    assert {where: what for where, what in told.items() if what} == {}


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), *ALSO])
def test_the_other_pages_have_no_serious_findings(
    page: Page, served: Served, scheme: Literal["light", "dark"], width: int
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    told: dict[str, list[str]] = {}
    open_page(page, served)
    asked(page)
    page.locator("[class*=st-key-pin-] button:visible").first.click()
    expect(page.get_by_text("Pinned to Standing questions.")).to_be_visible()
    page.reload()  # without the toast, whose dialog has no name: it is Streamlit's
    expect(page.locator(".ab-logline")).to_have_count(1)
    settled(page)
    page.locator(".st-key-history-of-chat button:visible").click()
    expect(page.get_by_test_id("history-slider")).to_be_visible()
    settled(page)
    page.keyboard.press("PageUp")
    expect(page.locator(".st-key-past-band")).to_be_visible()
    settled(page)
    told["history"] = findings(page)
    for path in ("standing", "sources", "toolsets", "settings"):
        page.goto(served.path(path))
        expect(page.locator(f".st-key-{path}")).to_be_visible()
        expect(page.locator(".ab-logline")).to_have_count(1)  # the sidebar is drawn last
        settled(page)
        told[path] = findings(page)
    assert {where: what for where, what in told.items() if what} == {}
