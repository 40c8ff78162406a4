"""Settings are saved at once; keys are stored elsewhere and never shown again."""

import json
from collections.abc import Callable

import duckdb
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import settled
from tests.support.providers.server import fake_provider

pytestmark = pytest.mark.browser

KEY = "sk-made-up-0123456789abcdef"


@pytest.mark.long
def test_settings_are_kept_over_a_reload(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    page.goto(served.path("settings"))
    number = page.locator(".st-key-max-tool-iterations-input input")
    expect(number).to_have_value("5")
    number.fill("7")
    number.press("Enter")
    page.locator(".st-key-sending button", has_text="Never").click()
    settled(page)
    page.locator(".st-key-disclosure button", has_text="Always").click()
    settled(page)
    expect(page.locator(".st-key-disclosure-tokens")).to_have_count(0)
    shoot(page, "settings")
    page.reload()
    expect(number).to_have_value("7")
    expect(page.locator(".st-key-disclosure-tokens")).to_have_count(0)
    with page.expect_download() as exported:
        page.locator(".st-key-export-log button:visible").click()
    said = duckdb.execute(
        "SELECT payload FROM read_parquet(?) WHERE stream = 'settings'", [str(exported.value.path())]
    )
    assert {json.loads(payload)["name"] for (payload,) in said.fetchall()} == {
        "max_tool_iterations",
        "sending",
        "disclosure",
    }


def test_a_key_is_stored_outside_the_data_folder_and_not_shown_again(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    with fake_provider("openai", models=["made-up-model"]) as server:
        page.goto(served.path("settings"))
        page.locator(".st-key-add-server button:visible").click()
        dialog = page.locator("[data-testid=stDialog] [role=dialog]")
        dialog.locator("input[type=password]").fill(KEY)
        dialog.locator("[class*=st-key-address-] input").fill(server.base_url)
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        provider = page.locator(".st-key-provider-openai")
        expect(provider).to_contain_text("Ready")
        expect(provider).to_contain_text("Key in your private settings file.")
        shoot(page, "provider-set-up")
        assert KEY not in page.content()
        held = [p for p in served.data.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
        assert held == []
        provider.get_by_role("button", name="Forget key").click()
        expect(provider).not_to_contain_text("Key in your")
        page.goto(served.path())
        page.locator(".st-key-model-menu button:visible").click()
        expect(page.locator("[data-testid=stPopoverBody]")).to_contain_text("1 model")


@pytest.mark.long
def test_an_invalid_address_is_refused_next_to_its_field(page: Page, served: Served) -> None:
    page.goto(served.path("settings"))
    page.locator(".st-key-add-server button:visible").click()
    dialog = page.locator("[data-testid=stDialog] [role=dialog]")
    dialog.locator("[class*=st-key-address-] input").fill("no address")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("must be http://HOST")


@pytest.mark.long
def test_the_theme_is_chosen_per_browser_and_applies_to_every_page(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(served.path("settings"))
    ground = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    page.get_by_test_id("theme-choice").get_by_role("radio", name="Dark").click()
    dark = page.get_by_test_id("theme-choice").get_by_role("radio", name="Dark")
    expect(dark).to_have_attribute("aria-checked", "true")
    settled(page)
    shoot(page, "settings-dark-by-choice")
    assert page.evaluate(ground) == "rgb(18, 24, 26)"
    page.goto(served.path())
    expect(page.locator(".st-key-composer textarea")).to_be_visible()
    assert page.evaluate(ground) == "rgb(18, 24, 26)"
    assert page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.goto(served.path("settings"))
    page.get_by_test_id("theme-choice").get_by_role("radio", name="System").click()
    system = page.get_by_test_id("theme-choice").get_by_role("radio", name="System")
    expect(system).to_have_attribute("aria-checked", "true")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
