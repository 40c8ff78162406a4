"""The page of an installed wheel: it is drawn, and answers a question about the sample data in the wheel."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serving
from tests.browser.steps import answered, open_page, tool_line
from tests.support.wheel import install_wheel

pytestmark = pytest.mark.browser

TEXT = "rgb(24, 34, 36)"
"""The theme's colour of text, which `.streamlit/config.toml` sets."""


@pytest.mark.long
def test_the_page_of_an_installed_wheel_answers_a_question_about_the_sample_data(
    tmp_path: Path, page: Page
) -> None:
    installation = install_wheel(tmp_path)
    with serving(tmp_path, program=[str(installation.program)]) as app:
        open_page(page, app)
        expect(page.locator("[data-testid=stApp]")).to_have_css("color", TEXT)
        page.locator(".st-key-suggestions button:visible").first.click()
        answered(page)
        expect(tool_line(page)).to_contain_text("Used 1 tool")
        expect(page.locator("[class*=st-key-card-]").first).to_be_visible()
        expect(page.locator("[role=alert]")).to_have_count(0)
