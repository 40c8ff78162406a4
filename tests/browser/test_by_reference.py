"""Linked files on the page: chosen in a folder or by path, queried, changed, and refused."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, serving
from tests.browser.steps import answered, ask, looked_at, open_page, settled

pytestmark = pytest.mark.browser


def choose(page: Page) -> None:
    page.locator(".st-key-by-reference button:visible").click()
    settled(page)
    expect(page.get_by_role("dialog")).to_contain_text("can be used without copying")


@pytest.mark.long
def test_a_folder_is_chosen_and_queried_and_queried_again_after_a_change(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    folder = tmp_path / "sales"
    folder.mkdir()
    (folder / "jan.csv").write_text("region,revenue\nEast,100\nWest,200\n")
    (tmp_path / "notes.docx").write_text("x")
    open_page(page, served)
    choose(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Path").fill(str(tmp_path / "notes.docx"))
    dialog.get_by_label("Path").press("Enter")
    settled(page)
    dialog.get_by_role("button", name="Use it").click()
    expect(dialog).to_contain_text("notes.docx cannot be used in place")
    looked_at(page, shoot, "by-reference-refused")

    dialog.get_by_label("Path").fill(str(tmp_path))
    dialog.get_by_label("Path").press("Enter")
    settled(page)
    dialog.get_by_role("button", name="sales", exact=True).click()
    settled(page)
    expect(dialog.get_by_role("button", name="jan.csv")).to_be_visible()
    looked_at(page, shoot, "by-reference")
    dialog.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("sales.link refers to 1 file")).to_be_visible()
    settled(page)
    ask(page, "total revenue by region")
    answered(page)
    expect(page.get_by_text("West 200")).to_be_visible()
    page.get_by_role("button", name="Files", exact=True).click()
    settled(page)
    expect(page.locator(".st-key-files-tree")).to_contain_text("sales")
    looked_at(page, shoot, "by-reference-files")

    (folder / "feb.csv").write_text("region,revenue\nEast,1000\n")
    ask(page, "total revenue by region")
    answered(page)
    expect(page.get_by_text("East 1,100").first).to_be_visible()
    looked_at(page, shoot, "by-reference-changed")


_SMALL = """
import os
import sys
become = os.execv
os.execv = lambda program, words: become(program, [*words, "--server.maxUploadSize", "1"])
from engine.cli.main import main
main()
"""
"""The command line, with another option for the server that it starts. Settings of other Streamlit apps are ignored."""


@pytest.fixture
def small_limit(tmp_path: Path) -> Iterator[Served]:
    """The app with an upload limit of 1 MiB; its user's home is `tmp_path`."""
    with serving(tmp_path, program=[sys.executable, "-c", _SMALL], HOME=str(tmp_path)) as app:
        yield app


@pytest.mark.long
def test_a_file_above_the_limit_is_refused_before_its_upload_and_linked_instead(
    page: Page, small_limit: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if "upload_file" in asked.url else None)
    downloads = tmp_path / "Downloads"
    downloads.mkdir()
    large, small, other = downloads / "sales.csv", tmp_path / "small.csv", tmp_path / "slides.pdf"
    large.write_text("region,revenue\n" + "East,1\nWest,2\n" * 100_000)
    small.write_text("region,revenue\nEast,1\n")
    other.write_bytes(b"%PDF-1.4" + bytes(2_000_000))
    open_page(page, small_limit)
    field, said = page.locator("[data-testid=stChatInput] input[type=file]"), page.get_by_test_id("too-large")
    field.set_input_files([large])
    expect(said).to_contain_text(
        "sales.csv (1.4 MB) was not added: a browser can send files of up to 1.05 MB."
    )
    looked_at(page, shoot, "upload-too-large")
    assert sent == []
    with page.expect_request("**/upload_file/**"):
        field.set_input_files([other, small])
    expect(said).to_contain_text("slides.pdf (2 MB) was not added")
    expect(said).to_contain_text("anabranch ask --file PATH")
    expect(said.get_by_role("button", name="Use it in place")).to_be_hidden()
    expect(page.locator("[data-testid=stFileChip]")).to_have_text(re.compile("small.csv"))
    page.reload()
    settled(page)
    field.set_input_files([large])
    said.get_by_role("button", name="Use it in place").click()
    expect(said).to_be_hidden()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Path")).to_have_value(str(large))
    dialog.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("sales.link refers to 1 file")).to_be_visible()
    settled(page)
    ask(page, "total revenue by region")
    answered(page)
    expect(page.get_by_text("West 200,000")).to_be_visible()
    page.get_by_role("button", name="Files", exact=True).click()
    settled(page)
    page.locator(".st-key-upload button:visible").click()
    page.locator("[class*=st-key-uploads-] input[type=file]").set_input_files([large])
    expect(said).to_contain_text("sales.csv (1.4 MB) was not added")
    drop(page, "[data-testid=stChatInput]", "dropped.parquet", 3_000_000)
    expect(said).to_contain_text("dropped.parquet (3 MB) was not added")
    expect(page.locator("[data-testid=stFileChip]")).to_have_count(0)


def drop(page: Page, where: str, name: str, size: int) -> None:
    page.locator(where).evaluate(
        """(place, [name, size]) => {
            const given = new DataTransfer();
            given.items.add(new File([new Uint8Array(size)], name));
            for (const kind of ["dragenter", "dragover", "drop"])
                place.dispatchEvent(new DragEvent(kind, { dataTransfer: given, bubbles: true, cancelable: true }));
        }""",
        [name, size],
    )
