"""Texts edited in their cards: drafts are kept, saved as an edit, and never overwrite a newer version."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, ask, asked_before, settled

pytestmark = pytest.mark.browser

SCRIPT = "def run(a, b):\n    return a + b\n"
NOTES = "# Notes\n\n- one\n- two\n"


def writes(path: str, content: str) -> dict[str, object]:
    name = "write_file"
    return {"calls": [{"name": name, "arguments": {"path": path, "content": content}}]}


@pytest.fixture
def written(page: Page, served: Served, script: Callable[..., str]) -> Callable[..., Locator]:
    """Let a script write files, one in each answer; return the card of the first."""

    def made(*files: tuple[str, str]) -> Locator:
        replies = [reply for file in files for reply in (writes(*file), {"text": "Written."})]
        asked_before(page, served, script(replies), "write it")
        return page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first

    return made


def face(card: Locator, name: str) -> None:
    card.get_by_role("radio", name=name).click()
    expect(card.get_by_role("radio", name=name)).to_be_checked()


def text(card: Locator) -> Locator:
    return card.get_by_test_id("editor-text")


def on_disk(served: Served, path: str) -> list[str]:
    """The texts of a file in every chat's folder."""
    return [file.read_text() for file in served.data.glob(f"chats/*/workspace/{path}")]


@pytest.mark.long
def test_a_program_can_be_edited_compared_and_saved(
    page: Page, served: Served, written: Callable[..., Locator], shoot: Callable[[Page, str], None]
) -> None:
    card = written(("saved/run.py", SCRIPT))
    expect(card.locator("[data-testid=stCode]")).to_contain_text("return a + b")
    face(card, "Edit")
    text(card).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("if a:\nprint(1)")
    expect(text(card)).to_have_value(SCRIPT + "if a:\n    print(1)")
    expect(card).to_contain_text("unsaved changes")
    shoot(page, "editing")
    face(card, "Diff")
    expect(card.locator(".ab-diff .added")).to_have_text(["+if a:", "+    print(1)"])
    face(card, "View")
    expect(card.locator("[data-testid=stCode]")).to_contain_text("print(1)")
    assert on_disk(served, "saved/run.py") == [SCRIPT]
    card.locator("[class*=st-key-save-] button:visible").click()
    expect(card).to_contain_text("changed since this call")
    expect(page.get_by_text("Saved saved/run.py.")).to_be_visible()
    assert on_disk(served, "saved/run.py") == [SCRIPT + "if a:\n    print(1)"]
    face(card, "Diff")
    expect(card).to_contain_text("Changed since this call · 2 lines added, 0 removed")


@pytest.mark.long
def test_keyboard_shortcuts_indent_search_and_save(
    page: Page, served: Served, written: Callable[..., Locator]
) -> None:
    card = written(("keys/run.py", SCRIPT.replace("\n", "\r\n")))
    face(card, "Edit")
    text(card).click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Tab")
    expect(text(card)).to_have_value("    def run(a, b):\n        return a + b\n")
    page.keyboard.press("Shift+Tab")
    expect(text(card)).to_have_value(SCRIPT)
    page.keyboard.press("Control+f")
    find = card.get_by_test_id("editor-find")
    expect(find).to_be_focused()
    find.fill("a")
    expect(card.locator(".find .count")).to_have_text("1 / 2")
    find.press("Enter")
    expect(card.locator(".find .count")).to_have_text("2 / 2")
    find.press("Escape")
    expect(text(card)).to_be_focused()
    expect(card.get_by_text("unsaved changes")).to_have_count(0)
    page.keyboard.type("x")
    page.keyboard.press("Control+s")
    expect(card).to_contain_text("changed since this call")
    (file,) = served.data.glob("chats/*/workspace/keys/run.py")
    assert file.read_bytes() == SCRIPT.replace("return a", "return x").replace("\n", "\r\n").encode()
    text(card).focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(text(card)).not_to_be_focused()


@pytest.mark.long
def test_a_draft_survives_a_reload_and_can_be_discarded(page: Page, written: Callable[..., Locator]) -> None:
    card = written(("kept/run.py", SCRIPT))
    face(card, "Edit")
    text(card).fill("mine\n")
    expect(card).to_contain_text("unsaved changes")
    page.reload()
    settled(page)
    face(card, "Edit")
    expect(text(card)).to_have_value("mine\n")
    expect(card).to_contain_text("unsaved changes")
    card.get_by_role("button", name="Discard changes").click()
    expect(text(card)).to_have_value(SCRIPT)
    expect(card.get_by_text("unsaved changes")).to_have_count(0)
    settled(page)
    text(card).fill("mine\n")  # the same again is a draft again
    expect(card).to_contain_text("unsaved changes")


@pytest.mark.long
def test_a_file_that_changed_meanwhile_is_not_overwritten(
    page: Page, served: Served, written: Callable[..., Locator], shoot: Callable[[Page, str], None]
) -> None:
    card = written(("both/run.py", SCRIPT), ("both/run.py", "theirs\n"))
    face(card, "Edit")
    text(card).fill("mine\n")
    expect(card).to_contain_text("unsaved changes")
    ask(page, "write it again")
    answered(page)
    expect(card).to_contain_text("This file changed since you opened it.")
    text(card).focus()
    page.keyboard.press("Control+s")
    settled(page)
    expect(text(card)).to_have_value("mine\n")
    assert on_disk(served, "both/run.py") == ["theirs\n"]
    card.locator("[class*=st-key-both-] label").click()
    expect(card.locator(".ab-diff")).to_contain_text("theirs")
    expect(card.locator(".ab-diff")).to_contain_text("mine")
    shoot(page, "editing-overtaken")
    card.get_by_role("button", name="Save as copy").click()
    expect(page.get_by_text("Saved both/run_1.py.")).to_be_visible()
    assert on_disk(served, "both/run.py") == ["theirs\n"]
    assert on_disk(served, "both/run_1.py") == ["mine\n"]
    face(card, "Edit")
    expect(text(card)).to_have_value("theirs\n")


def large_view(page: Page, card: Locator) -> Locator:
    """A document in the panel's large view, opened from its card."""
    card.locator("[class*=st-key-open-] button:visible").click()
    panel = page.locator(".st-key-side-panel")
    expect(panel.get_by_role("heading", name="Notes")).to_be_visible()
    panel.locator(".st-key-open-file button:visible").click()
    return page.locator("[data-testid=stDialog] [role=dialog]")


@pytest.mark.long
def test_a_document_can_be_edited_in_the_panels_large_view_and_its_draft_stays_in_its_chat(
    page: Page, served: Served, written: Callable[..., Locator]
) -> None:
    dialog = large_view(page, written(("doc/notes.md", NOTES)))
    dialog.get_by_test_id("editor-text").fill("mine\n")
    expect(dialog).to_contain_text("unsaved changes")
    dialog = large_view(page, written(("doc/notes.md", NOTES)))
    field = dialog.get_by_test_id("editor-text")
    expect(field).to_have_value(NOTES)
    settled(page)
    expect(dialog.get_by_text("unsaved changes")).to_have_count(0)
    field.fill(NOTES + "- three\n")
    expect(dialog).to_contain_text("unsaved changes")
    field.press("Control+s")
    expect(dialog.get_by_text("unsaved changes")).to_have_count(0)
    expect(dialog.get_by_role("status")).to_contain_text("saved · 29 B")
    assert sorted(on_disk(served, "doc/notes.md")) == [NOTES, NOTES + "- three\n"]
    settled(page)
    expect(field).to_have_value(NOTES + "- three\n")
    expect(field).to_be_focused()  # what is typed next goes on where one was
    page.keyboard.press("Escape")  # from here Tab leaves the text
    settled(page)
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Saved doc/notes.md.")).to_be_visible()
    settled(page)
    expect(dialog).to_have_count(0)


@pytest.mark.long
def test_an_unsaved_edit_is_not_shown_in_the_file_of_another_answer(
    page: Page, served: Served, written: Callable[..., Locator]
) -> None:
    card = written(("leak/run.py", SCRIPT))
    face(card, "Edit")
    text(card).fill("mine\n")
    expect(card).to_contain_text("unsaved changes")
    page.locator("[class*=st-key-retry-] button:visible").first.click()
    answered(page)
    settled(page)
    again = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first
    expect(again.locator("[data-testid=stCode]")).to_contain_text("return a + b")
    expect(again).not_to_contain_text("unsaved changes")
    assert on_disk(served, "leak/run.py") == [SCRIPT]
