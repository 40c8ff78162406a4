"""Pictures in an answer: one block, switched with arrows and keys, loaded only from the app, and downloadable."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled
from tests.support.image_endpoints import png

pytestmark = pytest.mark.browser

MANIFEST = """\
manifest_version: "1"
id: painter
name: Painter
version: "1.0.0"
description: Paints.
tools:
  - id: paint
    description: Paint pictures.
    entrypoint: tools.paint:run
    effects: create
    input_schema: {type: object, properties: {caption: {type: string}, names: {type: array, items: {type: string}}}}
    renderer: {type: images, config: {files: $return.images, caption: $args.caption}}
"""
PAINT = """\
from pathlib import Path

def run(workspace, caption="", names=()):
    (workspace / "images").mkdir(exist_ok=True)
    for number, name in enumerate(names):
        data = b"no picture" if "broken" in name else bytes.fromhex(PICTURES[number])
        (workspace / "images" / name).write_bytes(data)
    return {"images": ["images/" + name for name in names]}
"""
CAPTION = 'A <b>fox</b> & "friends"<img src=x onerror=alert(1)>'


@pytest.fixture
def painted(page: Page, served: Served, script: Callable[..., str]) -> Callable[..., Locator]:
    """Ask for pictures of these names; return the block that shows them."""

    def answer(names: list[str]) -> Locator:
        arguments = {"caption": CAPTION, "names": names}
        calls = [{"name": "toolset__painter__paint", "arguments": arguments}]
        model = script([{"calls": calls}, {"text": "There they are."}])
        asked_before(page, served, model, f"Paint {len(names)} {names[0]}")
        block = page.locator("[data-testid=carousel]")
        expect(block).to_be_visible()
        return block

    def first(*names: str) -> Locator:
        install(page, served)
        return answer(list(names))

    return first


def install(page: Page, served: Served) -> None:
    """Install the bundle `painter` once, on the page."""
    page.goto(served.path("toolsets"))
    expect(page.locator(".st-key-toolset-row-data-analyst")).to_be_visible()
    settled(page)
    if page.locator(".st-key-toolset-row-painter").count():
        return
    pictures = [png(shade, 640, 400).hex() for shade in (20, 120, 220)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("toolset.yaml", MANIFEST)
        archive.writestr("tools/paint.py", f"PICTURES = {pictures!r}\n{PAINT}")
    upload: Any = {"name": "painter.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}
    page.locator("[class*=st-key-install-menu-] button:visible").click()
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(upload)
    page.locator(".st-key-look-zip button:visible").click()
    page.locator(".st-key-install button").click()
    expect(page.locator(".st-key-toolset-row-painter")).to_be_visible()
    settled(page)


def shown(block: Locator) -> Locator:
    return block.locator("img.shown")


def is_drawn(block: Locator) -> None:
    """Wait until the visible picture has loaded."""
    expect(shown(block)).to_have_count(1)
    shown(block).evaluate("image => image.decode()")
    assert shown(block).evaluate("image => [image.naturalWidth, image.naturalHeight]") == [640, 400]


@pytest.mark.long
def test_several_pictures_can_be_switched_with_arrows_and_keys_in_both_directions(
    painted: Callable[..., Locator], page: Page, shoot: Callable[[Page, str], None]
) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    block = painted("one.png", "two.png", "three.png")
    counter = block.locator("[data-testid=carousel-counter]")
    expect(counter).to_have_text("1 / 3")
    is_drawn(block)
    sources = [shown(block).get_attribute("src")]
    block.scroll_into_view_if_needed()
    shoot(page, "carousel")
    for place in ("2 / 3", "3 / 3", "1 / 3"):
        block.locator("[data-testid=carousel-next]").click()
        expect(counter).to_have_text(place)
        is_drawn(block)
        sources.append(shown(block).get_attribute("src"))
    assert sources[0] == sources[3]
    assert len(set(sources)) == 3
    block.locator("[data-testid=carousel-back]").click()
    expect(counter).to_have_text("3 / 3")
    block.focus()
    for key, place in (("ArrowRight", "1 / 3"), ("ArrowLeft", "3 / 3"), ("ArrowLeft", "2 / 3")):
        page.keyboard.press(key)
        expect(counter).to_have_text(place)
    origin = page.evaluate("location.origin")
    assert [url for url in fetched if not url.startswith((origin, "data:", "blob:"))] == []
    assert all(url.startswith("http") for url in fetched if "/media/" in url)


@pytest.mark.long
def test_names_and_captions_are_shown_as_text_and_the_picture_has_a_description(
    painted: Callable[..., Locator], page: Page
) -> None:
    block = painted("one.png")
    expect(block.locator(".caption")).to_have_text(CAPTION)
    expect(shown(block)).to_have_attribute("alt", CAPTION)
    assert block.locator("b").count() == 0
    assert block.locator("img").count() == 1


@pytest.mark.long
def test_a_single_picture_has_no_arrows_or_counter_and_downloads_under_its_name(
    painted: Callable[..., Locator], page: Page
) -> None:
    block = painted("only.png")
    is_drawn(block)
    for part in ("carousel-back", "carousel-next", "carousel-counter"):
        expect(block.locator(f"[data-testid={part}]")).to_be_hidden()
    with page.expect_download() as waiting:
        block.locator("[data-testid=carousel-download]").click()
    assert waiting.value.suggested_filename == "only.png"
    assert waiting.value.path().read_bytes() == png(20, 640, 400)


@pytest.mark.long
def test_a_picture_that_cannot_be_shown_says_so_and_the_others_are_shown(
    painted: Callable[..., Locator], page: Page
) -> None:
    block = painted("broken.png", "whole.png")
    expect(block.locator(".broken")).to_be_visible()
    block.locator("[data-testid=carousel-next]").click()
    is_drawn(block)
    expect(block.locator(".broken")).to_be_hidden()


@pytest.mark.long
def test_switching_fades_for_a_fifth_of_a_second_unless_reduced_motion_is_preferred(
    painted: Callable[..., Locator], page: Page
) -> None:
    block = painted("one.png", "two.png")
    seconds = "image => getComputedStyle(image).transitionDuration.split(',')[0]"
    assert shown(block).evaluate(seconds) == "0.2s"
    page.emulate_media(reduced_motion="reduce")
    assert shown(block).evaluate(seconds) == "0s"


@pytest.mark.long
def test_a_carousel_fits_a_phone_in_dark_mode(
    painted: Callable[..., Locator], page: Page, shoot: Callable[[Page, str], None]
) -> None:
    page.emulate_media(color_scheme="dark")
    block = painted("one.png", "two.png")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    is_drawn(block)
    box = block.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert block.evaluate("element => element.scrollWidth <= element.clientWidth")
    for part in ("carousel-back", "carousel-next", "carousel-download"):
        size = block.locator(f"[data-testid={part}]").bounding_box()
        assert size is not None
        assert size["height"] >= 36
    block.scroll_into_view_if_needed()
    shoot(page, "carousel-phone-dark")
