"""A chart is edited on its card: every control, with the keyboard only, on a phone; reloads and forks keep it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import (
    answered,
    asked_before,
    at_the_terminal,
    looked_at,
    open_page,
    paused,
    pick_option,
    settled,
)
from tests.browser.test_accessible import findings

pytestmark = pytest.mark.browser
MONTHS = "SELECT month, line, revenue FROM sales ORDER BY month, line"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    rows = [
        f"2026-{month:02d}-01,{line},{100 * month + 10 * at},{month * 3 + at}"
        for month in range(1, 10)
        for at, line in enumerate(("Beans", "Gear", "Drinks"))
    ]
    path.write_text("month,line,revenue,units\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def chart(page: Page, served: Served, script: Callable[..., str], sales: Path) -> Locator:
    """The card of a line chart with three lines."""
    arguments = {
        "sql": MONTHS,
        "mark": "line",
        "x": "month",
        "y": "revenue",
        "color": "line",
        "title": "Revenue",
    }
    calls = [{"calls": [{"name": "toolset__data-analyst__chart", "arguments": arguments}]}, {"text": "Here."}]
    asked_before(page, served, script(calls), "draw it", files=[sales])
    return page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").last


def edit(page: Page, card: Locator) -> None:
    card.locator("[class*=st-key-editchart-] button:visible").click()
    expect(card.locator("[class*=st-key-charteditor-] svg.marks")).to_be_visible()
    settled(page)


def choose_unseen(page: Page, card: Locator, name: str, label: str, option: str) -> None:
    """Choose an option without waiting until the page reacts."""
    field = row(card, name).get_by_label(label, exact=True)
    field.evaluate("one => one.scrollIntoView({ block: 'center' })")
    field.click()
    page.get_by_role("option", name=option, exact=True).click()


def row(card: Locator, name: str) -> Locator:
    return card.locator(f"[class*=st-key-edrow-{name}-]")


def choose(page: Page, card: Locator, name: str, label: str, option: str) -> None:
    pick_option(page, row(card, name).get_by_label(label, exact=True), option, exact=True)


def saved(page: Page, card: Locator) -> None:
    card.get_by_role("button", name="Save chart").click()
    expect(page.locator("[class*=st-key-charteditor-]")).to_have_count(0)
    settled(page)


def last_arguments(page: Page, served: Served) -> dict[str, object]:
    chat_id = page.url.partition("chat=")[2]
    events = json.loads(at_the_terminal(served, "log tail", "-n", "400"))
    asked = [e for e in events if e["type"] == "ToolCallRequested" and e["stream"] == f"chat-{chat_id}"]
    found: dict[str, object] = asked[-1]["payload"]["arguments"]["value"]
    return found


@pytest.mark.long
def test_chosen_columns_are_drawn_at_once(
    page: Page, served: Served, chart: Locator, shoot: Callable[[Page, str], None]
) -> None:
    edit(page, chart)
    choose(page, chart, "rows", "Rows", "All of sales")
    expect(chart).to_contain_text("Each mark is the sum of revenue for one month of month of one line.")
    choose(page, chart, "x", "Group times by", "quarter")
    choose(page, chart, "y", "Combine rows", "mean")
    choose(page, chart, "y", "Up", "units")
    choose(page, chart, "color", "Colour", "none")
    choose(page, chart, "facet", "Panels", "line")
    expect(chart).to_contain_text("Each mark is the mean of units for one quarter of month of one line.")
    chart.get_by_role("radio", name="Bar").click()
    settled(page)
    choose(page, chart, "facet", "Panels", "none")
    choose(page, chart, "color", "Colour", "line")
    choose(page, chart, "y", "Combine rows", "sum")
    choose(page, chart, "stack", "Stack", "Stacked")
    choose(page, chart, "orientation", "Bars", "Horizontal")
    expect(chart.locator("[class*=st-key-edpreview-] svg.marks")).to_be_visible()
    shoot(page, "chart-editor-data")
    saved(page, chart)
    assert last_arguments(page, served) == {
        "table": "sales", "mark": "bar", "x": "month", "y": "units", "grain": "quarter", "aggregate": "sum",
        "color": "line", "stack": "stacked", "orientation": "horizontal", "title": "Revenue",
    }  # fmt: skip


@pytest.mark.long
def test_choices_made_while_the_server_is_busy_are_all_kept(
    page: Page, served: Served, chart: Locator
) -> None:
    """Including choices in controls that an earlier one redraws, and the one just before saving."""
    edit(page, chart)
    chart.get_by_role("radio", name="Bar").click()
    settled(page)
    with paused(served):
        for name, label, option in (
            ("y", "Combine rows", "sum"),
            ("stack", "Stack", "Stacked"),
            ("orientation", "Bars", "Horizontal"),
            ("x", "Across", "line"),
        ):
            choose_unseen(page, chart, name, label, option)
    settled(page)
    with paused(served):
        choose_unseen(page, chart, "sort", "Sort", "Largest first")
        chart.get_by_role("button", name="Save chart").click()
    expect(page.locator("[class*=st-key-charteditor-]")).to_have_count(0)
    settled(page)
    assert last_arguments(page, served) == {
        "sql": MONTHS, "mark": "bar", "x": "line", "y": "revenue", "color": "line", "aggregate": "sum",
        "stack": "stacked", "orientation": "horizontal", "sort": "-y", "title": "Revenue",
    }  # fmt: skip


@pytest.mark.long
def test_chosen_styles_are_drawn_at_once(
    page: Page, served: Served, chart: Locator, shoot: Callable[[Page, str], None]
) -> None:
    edit(page, chart)
    for name, label, text in (
        ("title", "Title", "Sold so far"),
        ("x_title", "Title of x axis", "Months"),
        ("y_title", "Title of y axis", "Euros"),
    ):
        row(chart, name).get_by_label(label, exact=True).fill(text)
        page.keyboard.press("Enter")
        settled(page)
    choose(page, chart, "format", "Format of numbers", "1,234.50")
    choose(page, chart, "zero", "Where the axis starts", "From 0")
    for label, number in (("Lowest number shown", "0"), ("Highest number shown", "500")):
        row(chart, "range").get_by_label(label).fill(number)
        page.keyboard.press("Enter")
        settled(page)
    row(chart, "rule").get_by_label("Reference line at").fill("400")
    page.keyboard.press("Enter")
    settled(page)
    row(chart, "rule").get_by_label("Label of the line").fill("Goal")
    page.keyboard.press("Enter")
    settled(page)
    choose(page, chart, "labels", "Names at line ends", "Off")
    choose(page, chart, "palette", "Colours", "For any colour vision")
    preview = chart.locator("[class*=st-key-edpreview-]")
    expect(preview.get_by_text("Euros")).to_be_visible()
    expect(preview.get_by_text("Goal")).to_be_visible()
    expect(preview).to_contain_text("outside the range 0 to 500")
    shoot(page, "chart-editor-look")
    saved(page, chart)
    assert last_arguments(page, served) == {
        "sql": MONTHS, "mark": "line", "x": "month", "y": "revenue", "color": "line", "title": "Sold so far",
        "x_title": "Months", "y_title": "Euros", "format": ",.2f", "zero": True, "range": [0, 500], "rule_at": 400,
        "rule_label": "Goal", "labels": False, "palette": "safe",
    }  # fmt: skip


@pytest.mark.long
def test_other_chart_types_say_what_they_need_and_rows_that_share_marks_are_combined(
    page: Page, chart: Locator
) -> None:
    edit(page, chart)
    chart.get_by_role("radio", name="Heat map").click()
    settled(page)
    expect(chart.get_by_role("alert")).to_contain_text("needs a column of numbers as color")
    expect(chart.get_by_role("button", name="Save chart")).to_be_disabled()
    chart.get_by_role("radio", name="Bar").click()
    settled(page)
    choose(page, chart, "x", "Across", "line")
    choose(page, chart, "color", "Colour", "none")
    expect(chart.get_by_role("alert")).to_contain_text("Up to 9 rows share one mark")
    chart.locator("[class*=st-key-edquick-]").get_by_role("button", name="Sum").click()
    settled(page)
    expect(chart.locator("[class*=st-key-edpreview-] svg.marks")).to_be_visible()
    choose(page, chart, "sort", "Sort", "Largest first")
    choose(page, chart, "more", "More types", "Histogram")
    choose(page, chart, "x", "Numbers", "revenue")
    row(chart, "bins").get_by_label("Number of bins (approximate)").fill("5")
    page.keyboard.press("Enter")
    settled(page)
    expect(chart).to_contain_text("Each mark is the number of rows in one bin of revenue.")


def test_a_chart_can_be_edited_with_only_the_keyboard(page: Page, served: Served, chart: Locator) -> None:
    expect(chart.locator("svg.marks")).to_be_visible()
    page.keyboard.press("e")
    editor = page.locator("[class*=st-key-charteditor-]")
    expect(editor).to_be_visible()
    settled(page)
    within = "!!document.activeElement.closest('[class*=st-key-edrow-facet-]')"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(within):
            break
    page.keyboard.type("line")
    expect(page.get_by_role("option", name="line", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    settled(page)
    expect(chart.locator(".ab-unsaved-tag")).to_have_text("Not saved")
    with paused(served):  # both arrive together: what was not saved is still to be had
        page.keyboard.press("Escape")
        page.keyboard.press("Control+z")
    settled(page)
    expect(chart.locator(".ab-unsaved-tag")).to_have_count(0)
    expect(editor.get_by_role("button", name="Redo")).to_be_enabled()
    page.keyboard.press("Control+Shift+z")
    settled(page)
    expect(chart.locator(".ab-unsaved-tag")).to_be_visible()
    page.keyboard.press("Control+s")
    expect(editor).to_have_count(0)
    settled(page)
    expect(page.get_by_label("Version of this chart")).to_be_visible()
    page.keyboard.press("e")
    expect(editor).to_be_visible()
    settled(page)
    page.keyboard.press("Escape")
    expect(editor).to_have_count(0)


@pytest.mark.long
def test_an_edited_chart_survives_a_reload_a_fork_and_a_rewind(
    page: Page, served: Served, chart: Locator
) -> None:
    edit(page, chart)
    chart.get_by_role("radio", name="Area").click()
    settled(page)
    row(chart, "title").get_by_label("Title", exact=True).fill("Areas")
    page.keyboard.press("Enter")
    settled(page)
    saved(page, chart)
    card = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")
    expect(card).to_have_count(1)
    expect(card).to_contain_text("Areas")
    page.reload()
    settled(page)
    expect(card).to_contain_text("Areas")
    expect(card).to_contain_text("run by you")
    version = page.get_by_label("Version of this chart")
    pick_option(page, version, "Version 1 of 2")
    expect(card).to_contain_text("Revenue")
    chat_id = page.url.partition("chat=")[2]
    fork = json.loads(at_the_terminal(served, "chat fork", chat_id))["chat_id"]
    open_page(page, served, f"?chat={fork}")
    expect(card).to_contain_text("Areas")
    expect(version).to_be_visible()
    told = json.loads(at_the_terminal(served, "replay", fork))
    assert [call["verdict"] for call in told["calls"]] == ["identical", "identical"]
    events = json.loads(at_the_terminal(served, "log tail", "-n", "400"))
    asked = next(e for e in events if e["type"] == "MessageAdded" and e["stream"] == f"chat-{fork}")
    back = at_the_terminal(
        served, "send", "RewindChat", f"chat_id={fork}", f"position={asked['position'] - 1}", "what=chat"
    )
    page.reload()
    settled(page)
    expect(card).to_have_count(0)
    at_the_terminal(
        served, "send", "RewindChat", f"chat_id={fork}", f"position={json.loads(back)}", "what=chat"
    )
    page.reload()
    settled(page)
    expect(card).to_contain_text("Areas")


@pytest.mark.long
def test_the_history_and_a_rewind_show_the_version_of_that_moment(
    page: Page, served: Served, chart: Locator, shoot: Callable[[Page, str], None]
) -> None:
    ends = []
    for title in ("Second", "Third"):
        edit(page, chart)
        row(chart, "title").get_by_label("Title", exact=True).fill(title)
        page.keyboard.press("Enter")
        settled(page)
        saved(page, chart)
        expect(chart).to_contain_text(title)
        ends.append(json.loads(at_the_terminal(served, "log tail", "-n", "1"))[0]["position"])
    chat_id = page.url.partition("chat=")[2]
    version = page.get_by_label("Version of this chart")
    pick_option(page, version, "Version 1 of 3")  # of the chat as it is now
    page.goto(served.path(f"history?chat={chat_id}&at={ends[0]}"))
    past = page.locator(".st-key-past [class*=st-key-card-]")
    expect(past).to_contain_text("Second")
    expect(version).to_have_value("Version 2 of 2")
    shoot(page, "chart-version-of-a-moment")
    page.get_by_role("button", name="Rewind to here").click()
    page.get_by_role("button", name="Chat only").click()
    settled(page)
    expect(chart).to_contain_text("Second")
    expect(version).to_have_value("Version 2 of 2")
    page.reload()
    settled(page)
    expect(chart).to_contain_text("Second")
    page.goto(served.path(f"?chat={chat_id}"))
    edit(page, chart)
    row(chart, "title").get_by_label("Title", exact=True).fill("Instead")
    page.keyboard.press("Enter")
    settled(page)
    saved(page, chart)
    expect(chart).to_contain_text("Instead")
    expect(version).to_have_value("Version 3 of 3")


@pytest.mark.long
def test_a_change_can_be_described_to_the_model(
    page: Page, served: Served, script: Callable[..., str], sales: Path, shoot: Callable[[Page, str], None]
) -> None:
    lines = {"sql": MONTHS, "mark": "line", "x": "month", "y": "revenue", "color": "line", "title": "Revenue"}
    replies: list[dict[str, object]] = []
    for arguments, text in ((lines, "Here."), ({**lines, "mark": "area"}, "Filled.")):
        replies += [
            {"calls": [{"name": "toolset__data-analyst__chart", "arguments": arguments}]},
            {"text": text},
        ]
    asked_before(page, served, script(replies), "draw it", files=[sales])
    card = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").last
    edit(page, card)
    field = card.get_by_label("Describe a change")
    field.fill("fill the areas")
    looked_at(page, shoot, "chart-change-in-words")
    field.press("Enter")
    expect(page.locator(".ab-bubble").last).to_have_text("Change the chart “Revenue”: fill the areas")
    answered(page)
    expect(page.locator("[class*=st-key-charteditor-]")).to_have_count(0)
    assert last_arguments(page, served)["mark"] == "area"


@pytest.mark.long
def test_a_chart_can_be_added_to_a_table(
    page: Page, served: Served, script: Callable[..., str], sales: Path
) -> None:
    calls = [
        {"calls": [{"name": "toolset__data-analyst__query", "arguments": {"sql": "SELECT * FROM sales"}}]},
        {"text": "Here."},
    ]
    asked_before(page, served, script(calls), "show it", files=[sales])
    cards = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")
    cards.first.get_by_role("radio", name="Chart").click()
    settled(page)
    cards.first.locator("[class*=st-key-editchart-] button:visible").click()
    settled(page)
    choose(page, cards.first, "color", "Colour", "line")
    row(cards.first, "title").get_by_label("Title", exact=True).fill("By line")
    page.keyboard.press("Enter")
    settled(page)
    saved(page, cards.first)
    expect(cards).to_have_count(2)
    expect(cards.last).to_contain_text("By line")


@pytest.mark.long
def test_on_a_phone_the_editor_fills_the_screen_in_two_parts(
    page: Page, chart: Locator, shoot: Callable[[Page, str], None]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    edit(page, chart)
    box = chart.bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"]) == (0, 0, 390)
    expect(row(chart, "color")).to_be_visible()
    expect(row(chart, "palette")).to_be_hidden()
    shoot(page, "chart-editor-phone")
    page.emulate_media(color_scheme="dark")
    chart.get_by_role("radio", name="Look").click()
    settled(page)
    expect(row(chart, "palette")).to_be_visible()
    expect(row(chart, "color")).to_be_hidden()
    shoot(page, "chart-editor-phone-look")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    choose(page, chart, "palette", "Colours", "Bright")
    chart.get_by_role("button", name="Save chart").click()
    expect(page.locator("[class*=st-key-charteditor-]")).to_have_count(0)


@pytest.mark.long
def test_the_preview_stays_visible_and_the_editor_does_not_show_through_at_the_page_header(
    page: Page, chart: Locator
) -> None:
    page.set_viewport_size({"width": 1440, "height": 760})
    settled(page)
    edit(page, chart)
    box = chart.bounding_box()
    assert box is not None
    for width, part in ((1440, "Data"), (390, "Look")):
        page.set_viewport_size({"width": width, "height": 760})
        settled(page)
        if part == "Look":
            chart.get_by_role("radio", name=part).click()
            settled(page)
        row(chart, "palette").evaluate("one => one.scrollIntoView({ block: 'center' })")
        expect(chart.locator("[class*=st-key-edpreview-] svg.marks")).to_be_in_viewport(ratio=0.5)
        if part == "Data":
            beside = f"document.elementFromPoint({box['x'] + 20}, 20).closest('[class*=st-key-charteditor-]')"
            assert page.evaluate(f"{beside} === null")


@pytest.mark.long
def test_a_change_of_the_file_behind_an_edited_chart_is_shown_and_a_slow_preview_is_stopped(
    page: Page, served: Served, script: Callable[..., str], tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    """The file says how many rows are computed."""
    size = tmp_path / "size.csv"
    size.write_text("n\n10\n")
    rows = "SELECT range % 3 AS day, count(*) AS total FROM range((SELECT max(n) FROM size)) GROUP BY ALL"
    draw = {"sql": rows, "mark": "bar", "x": "day", "y": "total", "title": "Totals"}
    grow = {"path": "size.csv", "old": "10", "new": "10000000000000"}
    calls = [
        {"calls": [{"name": "toolset__data-analyst__chart", "arguments": draw}]},
        {"text": "Here."},
        {"calls": [{"name": "edit_file", "arguments": grow}]},
        {"text": "Grown."},
    ]
    asked_before(page, served, script(calls), "draw it", "grow it", files=[size])
    card = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first
    card.locator("[class*=st-key-editchart-] button:visible").click()
    expect(card).to_contain_text("size.csv has changed since this chart was drawn.")
    expect(row(card, "rows").get_by_label("Rows", exact=True)).to_have_value("This query, run again")
    running = card.locator("[class*=st-key-edrunning-]")
    expect(running).to_contain_text("Drawing the preview")
    shoot(page, "chart-preview-running")
    running.get_by_role("button", name="Stop").click()
    expect(card.get_by_role("alert")).to_contain_text("You stopped this preview.")
    expect(running).to_have_count(0)
    shoot(page, "chart-preview-stopped")
    card.get_by_role("button", name="Draw it").click()
    expect(running).to_be_visible()
    card.get_by_role("button", name="Cancel").click()
    expect(page.locator("[class*=st-key-charteditor-]")).to_have_count(0)


@pytest.mark.long
def test_cancelling_asks_before_it_discards_changes(page: Page, chart: Locator) -> None:
    edit(page, chart)
    chart.get_by_role("radio", name="Area").click()
    settled(page)
    chart.get_by_role("button", name="Cancel").click()
    settled(page)
    expect(chart).to_contain_text("Discard your changes?")
    chart.get_by_role("button", name="Keep editing").click()
    settled(page)
    chart.get_by_role("button", name="Cancel").click()
    settled(page)
    chart.get_by_role("button", name="Discard").click()
    expect(page.locator("[class*=st-key-charteditor-]")).to_have_count(0)
    settled(page)
    expect(page.get_by_label("Version of this chart")).to_have_count(0)


@pytest.mark.long
def test_the_editor_is_accessible(page: Page, chart: Locator, shoot: Callable[[Page, str], None]) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        settled(page)
        if scheme == "light":
            edit(page, chart)
        page.set_viewport_size({"width": 1440, "height": 1000})
        settled(page)
        shoot(page, f"chart-editor-{scheme}-1440")
        assert findings(page) == []
