"""The Files panel: the tree, changes, previews, and renaming, deleting, restoring and downloading files."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, looked_at, pick_option, settled
from tests.browser.test_editing import writes
from tests.support.pdf import pdf

pytestmark = pytest.mark.browser

ORDERS = "region,units\n" + "".join(f"{'East' if n % 2 else 'West'},{n}\n" for n in range(250))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "notes.md").write_text("# Notes\n\n![x](http://127.0.0.1:9/x.png)\n")
    (tmp_path / "data.json").write_text('{"a": [1, 2]}')
    (tmp_path / "broken.xlsx").write_bytes(b"no workbook")
    (tmp_path / "old.txt").write_bytes("größe ".encode("cp1252") + b"\x81\n")
    return [tmp_path / name for name in ("orders.csv", "notes.md", "data.json", "broken.xlsx", "old.txt")]


def opened(page: Page, served: Served, model: str, files: list[Path]) -> Locator:
    """A chat with these files, in which a script wrote two more; its Files panel."""
    asked_before(page, served, model, "write it", files=files)
    page.locator(".st-key-files button:visible").first.click()
    panel = page.locator(".st-key-side-panel")
    expect(panel.locator(".st-key-file-head")).to_be_visible()
    return panel


@pytest.fixture
def panel(page: Page, served: Served, script: Callable[..., str], files: list[Path]) -> Locator:
    replies = [
        writes("src/deep/tool.py", "x = 1\n"),
        writes("notes.md", "# New notes\n"),
        {"text": "Written."},
    ]
    return opened(page, served, script(replies), files)


def row(panel: Locator, path: str) -> Locator:
    return panel.locator(f"[class*='-file-{path.replace('.', '-').replace('/', '-')}'] button:visible").first


@pytest.mark.long
def test_the_tree_describes_what_each_call_changed(
    page: Page, panel: Locator, shoot: Callable[[Page, str], None]
) -> None:
    expect(panel).to_contain_text("0 added, 1 changed, 0 removed")
    expect(row(panel, "notes.md")).to_contain_text("changed")
    expect(row(panel, "orders.csv")).to_contain_text("250 rows · ")
    shoot(page, "files-tree")
    pick_option(page, panel.locator(".st-key-files-changes input"), "write_file", at=-1)
    expect(panel).to_contain_text("1 added, 0 changed, 0 removed")
    expect(row(panel, "src/deep/tool.py")).to_contain_text("added")
    panel.locator("[class*=st-key-folder-src] button:visible").first.click()
    expect(row(panel, "src/deep/tool.py")).to_have_count(0)
    find = panel.locator("[class*=st-key-find-file-] input")
    find.fill("TOOL")
    find.press("Enter")
    expect(row(panel, "src/deep/tool.py")).to_be_visible()
    expect(row(panel, "orders.csv")).to_have_count(0)


@pytest.mark.long
def test_each_kind_of_file_has_a_preview(page: Page, panel: Locator) -> None:
    row(panel, "orders.csv").click()
    expect(panel.locator(".ab-schema tbody tr")).to_have_count(2)
    expect(panel).to_contain_text("uploaded by you")
    panel.locator(".st-key-open-file button:visible").click()
    dialog = page.locator("[data-testid=stDialog] [role=dialog]")
    expect(dialog).to_contain_text("Rows 1 to 100 of 250")
    settled(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    row(panel, "notes.md").click()
    expect(panel.get_by_role("heading", name="New notes")).to_be_visible()
    expect(panel).to_contain_text("made by write_file")
    row(panel, "broken.xlsx").click()
    expect(panel.locator(".st-key-file-head")).to_contain_text("broken.xlsx")
    row(panel, "old.txt").click()
    expect(panel.locator(".st-key-file-head")).to_contain_text("old.txt")
    panel.locator(".st-key-open-file button:visible").click()
    expect(dialog).to_contain_text("This file contains binary data")
    expect(dialog.locator("[data-testid=stCode]")).to_contain_text("größe")
    expect(dialog.get_by_test_id("editor-text")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
def test_a_pdf_has_pages_json_is_a_tree_and_a_database_shows_its_tables(
    page: Page, served: Served, script: Callable[..., str], tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    (tmp_path / "report.pdf").write_bytes(pdf("The first page", "The second page"))
    nested = {"a": {"b": [{"deep": 4711}]}}
    (tmp_path / "nested.json").write_text(json.dumps([nested, nested]))
    with closing(sqlite3.connect(tmp_path / "till.sqlite")) as database:
        database.executescript(
            "CREATE TABLE sales (n INT); INSERT INTO sales VALUES (1); CREATE TABLE staff (m TEXT);"
        )
    names = ("report.pdf", "nested.json", "till.sqlite")
    asked_before(
        page, served, script([{"text": "Looked."}]), "look", files=[tmp_path / name for name in names]
    )
    page.locator(".st-key-files button:visible").first.click()
    panel = page.locator(".st-key-side-panel")
    row(panel, "report.pdf").click()
    expect(panel).to_contain_text("Page 1 of 2")
    panel.get_by_role("button", name="Next page").click()
    expect(panel).to_contain_text("Page 2 of 2")
    expect(panel.locator("[data-testid=stImage] img")).to_be_visible()
    looked_at(page, shoot, "files-pdf")
    row(panel, "nested.json").click()
    panel.locator(".st-key-open-file button:visible").click()
    dialog = page.locator("[data-testid=stDialog] [role=dialog]")
    dialog.get_by_text("Tree", exact=True).click()
    expect(dialog.locator("[data-testid=stJson]")).to_be_visible()
    looked_at(page, shoot, "files-json-tree")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    row(panel, "till.sqlite").click()
    expect(panel).to_contain_text("sheet sales")
    looked_at(page, shoot, "files-sqlite")


@pytest.mark.long
def test_a_file_can_be_renamed_deleted_and_restored(page: Page, panel: Locator) -> None:
    row(panel, "data.json").click()
    expect(panel.locator(".st-key-file-head")).to_contain_text("data.json")
    panel.locator("[class*=st-key-file-menu-] button:visible").click()
    name = page.locator("[data-testid=stPopoverBody] input")
    name.fill("kept/facts.json")
    name.press("Enter")
    page.locator("[data-testid=stPopoverBody]").get_by_role("button", name="Rename").click()
    expect(row(panel, "kept/facts.json")).to_be_visible()
    expect(panel).to_contain_text("Renamed data.json to kept/facts.json.")
    panel.locator(".st-key-undo-file button:visible").click()
    expect(row(panel, "data.json")).to_be_visible()
    expect(panel.locator(".st-key-file-head")).to_contain_text("data.json")
    settled(page)
    panel.locator("[class*=st-key-file-menu-] button:visible").click()
    page.locator("[data-testid=stPopoverBody]").get_by_role("button", name="Delete").click()
    expect(panel).to_contain_text("Deleted data.json.")
    expect(page.locator("[data-testid=stPopoverBody]")).to_have_count(0)
    expect(row(panel, "data.json")).to_contain_text("removed")
    panel.locator(".st-key-undo-file button:visible").click()
    expect(row(panel, "data.json")).to_be_enabled()
    settled(page)
    pick_option(page, panel.locator(".st-key-files-changes input"), at=1)
    expect(panel).to_contain_text("0 added, 0 changed, 1 removed")
    expect(row(panel, "data.json")).to_contain_text("removed, then restored")
    expect(row(panel, "data.json")).to_be_enabled()


@pytest.mark.long
def test_files_can_be_added_in_the_panel(page: Page, panel: Locator, tmp_path: Path) -> None:
    more = [tmp_path / "more.csv", tmp_path / "plan.md"]
    more[0].write_text("n\n1\n")
    more[1].write_text("# Plan\n")
    panel.locator(".st-key-upload button:visible").click()
    body = page.locator("[data-testid=stPopoverBody]")
    body.locator("input[type=file]").set_input_files([str(path) for path in more])
    expect(page.get_by_text("Added more.csv, plan.md.")).to_be_visible()
    expect(row(panel, "more.csv")).to_be_visible()
    expect(row(panel, "plan.md")).to_be_visible()


@pytest.mark.long
def test_all_files_can_be_downloaded_as_one_archive(page: Page, panel: Locator) -> None:
    with page.expect_download() as packed:
        panel.locator(".st-key-download-all button:visible").click()
    with zipfile.ZipFile(io.BytesIO(Path(packed.value.path()).read_bytes())) as archive:
        assert sorted(archive.namelist()) == [
            "broken.xlsx",
            "data.json",
            "notes.md",
            "old.txt",
            "orders.csv",
            "src/deep/tool.py",
        ]
        assert archive.read("orders.csv").decode() == ORDERS


@pytest.mark.long
@pytest.mark.parametrize(
    ("scheme", "width"), [("dark", 1280), pytest.param("light", 390, marks=pytest.mark.long)]
)
def test_nothing_in_the_panel_overflows(
    chromium: Browser,
    served: Served,
    script: Callable[..., str],
    files: list[Path],
    shoot: Callable[[Page, str], None],
    scheme: str,
    width: int,
) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 860}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    long = writes("a/very/long/path/to/some/file_with_a_long_name.py", "x = 1\n" * 40)
    asked_before(page, served, script([long, {"text": "."}]), "write it", files=files)
    shoot(page, f"code-card-{scheme}-{width}")
    page.locator(".st-key-files button:visible").first.click()
    expect(page.locator(".st-key-side-panel .st-key-file-head")).to_be_visible()
    settled(page)
    shoot(page, f"files-panel-{scheme}-{width}")
    for part in ("document.documentElement", "document.querySelector('.st-key-side-panel')"):
        assert page.evaluate(f"{part}.scrollWidth - {part}.clientWidth") <= 0
    context.close()
