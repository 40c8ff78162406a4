"""Why a toolset cannot be selected: the picker disables it and shows the first of four reasons that applies."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, serving
from tests.browser.steps import open_page, open_picker, unfold
from tests.support.talk import KIT, write_bundle

pytestmark = pytest.mark.browser

WANTS_A_NAME = "config:\n  - {name: TEAM, description: Whose data it is, required: true}\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app with a toolset that an administrator has disabled."""
    folder = tmp_path_factory.mktemp("app")
    banned = folder / "admin.toml"
    banned.write_text('disabled_toolsets = ["app-builder"]\n')
    with serving(folder, ANABRANCH_ADMIN=str(banned)) as app:
        yield app


def post(page: Page, served: Served, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a request as the app's own page does."""
    answer = page.request.post(served.path(path), data=body, headers={"origin": served.url})
    document: dict[str, Any] = answer.json()
    return document


def install(page: Page, served: Served, folder: Path) -> None:
    """Install the bundle that needs configuration, agreeing to what it may do."""
    manifest = KIT["toolset.yaml"].replace("tools:\n", WANTS_A_NAME + "tools:\n", 1)
    body = {"path": str(write_bundle(folder, {**KIT, "toolset.yaml": manifest}))}
    asked = post(page, served, "v1/toolsets/import", body)
    done = post(page, served, "v1/toolsets/import", {**body, "agreed_hash": asked["content_hash"]})
    assert done["outcome"] == "installed"


@pytest.mark.long
def test_the_reason_why_a_toolset_is_unavailable_replaces_its_count_of_tools_and_none_can_be_selected(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    install(page, served, tmp_path / "kit")
    post(page, served, "v1/toolsets/data-analyst/enable", {"enabled": False})
    page.reload()
    content = open_picker(page)
    reasons = {
        "app-builder": "Disabled by administrator",
        "kit": "Configure in Toolsets settings",
        "data-analyst": "Disabled in settings",
        "image-studio": "API key not configured",
    }
    for toolset, reason in reasons.items():
        row = content.get_by_test_id(f"toolset-row-{toolset}")
        expect(row).to_contain_text(reason)
        expect(content.get_by_test_id(f"toolset-checkbox-{toolset}")).to_be_disabled()
        unfold(page, toolset)
        boxes = content.locator(f"[data-testid^='tool-checkbox-{toolset}-']")
        expect(boxes.first).to_be_disabled()
        assert not any(boxes.nth(number).is_enabled() for number in range(boxes.count()))
    shoot(page, "picker-reasons")
