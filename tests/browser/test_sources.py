"""The page of sources: added, tested, corrected, browsed, queried, removed and restored."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, asked_before, at_the_terminal, looked_at, open_page, settled
from tests.browser.test_reading_chips import choose
from tests.support.postgres import READER_KEY, running_postgres

pytestmark = pytest.mark.browser


def to_sources(page: Page, served: Served) -> None:
    open_page(page, served)
    page.get_by_role("link", name="Sources").click()
    settled(page)
    expect(page.get_by_role("heading", name="Sources")).to_be_visible()


def filled(page: Page, **fields: str) -> None:
    """Fill in the fields of the open dialog, and save."""
    dialog = page.get_by_role("dialog")
    for label, value in fields.items():
        field = dialog.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Tab")
        settled(page)
    dialog.get_by_role("button", name="Save and connect").click()


@pytest.mark.long
def test_a_sqlite_file_can_be_added_as_a_source_removed_and_restored(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    file = tmp_path / "till.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript("CREATE TABLE sales (id INTEGER PRIMARY KEY, amount REAL)")
    to_sources(page, served)
    expect(page.get_by_text("No sources yet")).to_be_visible()
    looked_at(page, shoot, "sources-none")
    page.get_by_role("button", name="Add source").click()
    settled(page)
    page.get_by_role("dialog").get_by_role("radio", name="SQLite file").click()
    settled(page)
    filled(page, Name="Till!", File=str(file))
    expect(page.get_by_role("dialog")).to_contain_text("cannot be the name of a source")
    looked_at(page, shoot, "sources-add")
    filled(page, Name="till")

    row = page.locator(".st-key-source-row-till")
    expect(row).to_contain_text("Connected")
    expect(row).to_contain_text("1 schema, 1 table")
    settled(page)
    page.get_by_role("button", name="More about till").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("till was removed. Recorded results stay.")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Undo").click()
    expect(row).to_contain_text("Connected")


@pytest.mark.long
def test_a_rejected_password_can_be_corrected_in_its_dialog(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    with running_postgres() as server:
        server.run(f"CREATE ROLE reader LOGIN PASSWORD '{READER_KEY}'", "CREATE TABLE orders (id int)",
                   "GRANT SELECT ON orders TO reader")  # fmt: skip
        to_sources(page, served)
        page.get_by_role("button", name="Add source").click()
        settled(page)
        told = {
            "Name": "warehouse",
            "Address": server.address,
            "User": "reader",
            "Password or token": "not-this-one",
        }
        filled(page, **told)
        row = page.locator(".st-key-source-row-warehouse")
        expect(row).to_contain_text("warehouse refused the password for “reader”")
        settled(page)
        looked_at(page, shoot, "sources-refused")
        row.get_by_label("New password for warehouse").fill(READER_KEY)
        row.get_by_role("button", name="Connect").click()
        expect(row).to_contain_text("PostgreSQL 16.14")
        settled(page)
        looked_at(page, shoot, "sources")
        assert READER_KEY not in page.content()

        page.get_by_role("button", name="New chat").click()
        settled(page)
        field = page.locator(".st-key-composer textarea")
        field.press_sequentially("@ware")
        expect(page.locator(".st-key-mentions .entry").first).to_contain_text("warehouse.public.orders")
        field.fill('/query {"sql": "SELECT count(*) AS orders FROM orders", "source": "warehouse"}')
        field.press("Enter")
        card = page.locator('[class*="st-key-cardfoot-"]')
        expect(card).to_contain_text("from warehouse.public.orders, read ")
        expect(card).to_contain_text("✓ 1 row recorded")
        settled(page)
        page.get_by_role("button", name="Files", exact=True).click()
        settled(page)
        tree = page.locator(".st-key-files-tree-sources")
        tree.get_by_role("button", name="warehouse").click()
        settled(page)
        tree.get_by_role("button", name="orders").click()
        settled(page)
        expect(page.get_by_text("PostgreSQL · read only")).to_be_visible()
        looked_at(page, shoot, "source-tables")
        page.get_by_role("button", name="Use in question").click()
        expect(page.locator(".st-key-composer textarea")).to_have_value("warehouse.public.orders ")


@pytest.mark.long
def test_a_source_can_be_prepared_for_questions_queried_and_cleaned(
    page: Page,
    served: Served,
    script: Callable[..., str],
    tmp_path: Path,
    shoot: Callable[[Page, str], None],
) -> None:
    """The chat has a file whose table has the same name as the source's."""
    file = tmp_path / "visits.csv"
    file.write_text("region,units\nNorth,1\n")
    place = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(place)) as database:
        database.execute("CREATE TABLE visits (id INTEGER, region TEXT, units INTEGER)")
        rows = ((n, ("East", "West")[n % 2], n) for n in range(60))
        database.executemany("INSERT INTO visits VALUES (?, ?, ?)", rows)
        database.commit()
    at_the_terminal(served, "source add", "shop", "--driver", "sqlite", "--address", str(place))
    told = {"sql": "SELECT * FROM visits", "source": "shop", "name": "copied"}
    calls = [{"calls": [{"name": "toolset__data-analyst__query", "arguments": told}]}, {"text": "Here."}]
    asked_before(page, served, script(calls), "show the shop's visits", files=[file])

    page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first.get_by_role(
        "button", name="Clean"
    ).first.click()
    expect(page.locator(".st-key-side-panel").get_by_label("Column of copied")).to_be_visible()
    settled(page)

    page.get_by_role("button", name="Files", exact=True).click()
    settled(page)
    tree = page.locator(".st-key-files-tree-sources")
    tree.get_by_role("button", name="shop").click()
    settled(page)
    tree.get_by_role("button", name="visits").click()
    settled(page)
    page.get_by_role("button", name="Prepare for questions").click()
    expect(page.get_by_text("Read from shop on")).to_be_visible()
    settled(page)
    looked_at(page, shoot, "source-read-for-questions")

    page.keyboard.press("Control+b")
    settled(page)
    choose(page, "Table: visits", "shop", "shop.main.visits")
    settled(page)
    choose(page, "Add: Measure", "total units", "total units")
    settled(page)
    choose(page, "Add: Group", "region", "region")
    settled(page)
    page.keyboard.press("Control+Enter")
    answered(page)
    expect(page.locator('[class*="st-key-cardfoot-"]').last).to_contain_text("from shop.main.visits, read ")
