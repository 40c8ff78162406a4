"""Whole analyses on the page: each chart, table and picture is drawn where the answer places it."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from engine.app.app import open_app
from tests.analyses.all_cases import CASES
from tests.analyses.case import Case, Played, play
from tests.browser.conftest import Served, serving
from tests.browser.steps import open_page, settled

pytestmark = pytest.mark.browser

HEAVY = [pytest.param(case, marks=pytest.mark.long, id=case.title) for case in (CASES[0], *CASES[2:])]
LIGHT = [pytest.param(case, id=case.title) for case in CASES[1:2]]
ORDER = """exchange => [...exchange.querySelectorAll("[data-testid=stMarkdown], .ab-cardtitle b")]
    .filter(one => one.offsetHeight && !one.closest("[class*=st-key-tool-activity-]"))
    .filter(one => one.matches("b") || !one.closest("[class*=st-key-card-]"))
    .map(one => one.matches("b") ? one.textContent : "words")"""
"""The texts and the cards of an answer, as they follow one another on the page."""
DRAWN = "canvas, svg.marks, img.shown, pre"
"""A grid, a chart, a picture, or printed text; the carousel's picture is in its shadow tree."""


@pytest.fixture(scope="module")
def chats() -> dict[str, Played]:
    """The finished analyses, by the title of their case."""
    return {}


@pytest.fixture(scope="module")
def analysed(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest, chats: dict[str, Played]
) -> Iterator[Served]:
    """The app with chats of the analyses that this run checks."""
    folder = tmp_path_factory.mktemp("analysed")
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    wanted = {
        item.callspec.params["case"].title for item in items if "case" in getattr(item, "fixturenames", ())
    }
    with open_app(folder / "data") as app:
        chats.update({case.title: play(app, case) for case in CASES if case.title in wanted})
    with serving(folder) as served:
        yield served


def opened(page: Page, served: Served, played: Played) -> Locator:
    """Open the chat and wait until all of its cards are drawn; returns the answer."""
    open_page(page, served, f"?chat={played.chat_id}")
    answer = page.locator("[class*=st-key-exchange-]").last
    if played.folded:
        answer.get_by_text(f"{played.folded} more result").click()
    cards = answer.locator("[class*=st-key-card-]")
    expect(cards).to_have_count(sum(title != "words" for title in played.shown))
    for card in cards.all():
        card.scroll_into_view_if_needed()
        drawn = card.locator(DRAWN).first
        expect(drawn).to_be_visible()
        picture = card.locator("img.shown")
        if picture.count():
            picture.evaluate("image => image.decode()")
        box = drawn.bounding_box()
        assert box is not None
        assert box["width"] > 100
        assert box["height"] > 20
    settled(page)
    return answer


@pytest.mark.long
@pytest.mark.parametrize("case", [*LIGHT, *HEAVY])
def test_each_result_is_where_the_answer_places_it(
    case: Case,
    page: Page,
    analysed: Served,
    chats: dict[str, Played],
    shoot: Callable[[Page, str], None],
) -> None:
    page.set_viewport_size({"width": 1280, "height": 2600})
    answer = opened(page, analysed, chats[case.title])
    shoot(page, f"analysis-{case.title.lower().replace(' ', '-')}")
    assert tuple(answer.evaluate(ORDER)) == chats[case.title].shown


@pytest.mark.long
@pytest.mark.parametrize(("case", "width"), [(CASES[3], 1280), (CASES[7], 390), (CASES[1], 390)])
def test_an_analysis_fits_a_phone_and_dark_mode(
    case: Case,
    width: int,
    page: Page,
    analysed: Served,
    chats: dict[str, Played],
    shoot: Callable[[Page, str], None],
) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": width, "height": 1800})
    answer = opened(page, analysed, chats[case.title])
    shoot(page, f"analysis-{case.title.lower().replace(' ', '-')}-{width}-dark")
    for card in answer.locator("[class*=st-key-card-]").all():
        box = card.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
