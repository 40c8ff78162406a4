"""The toolset manager: inspect a bundle, agree, configure, disable, see its versions, remove it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, serve_apart, serving
from tests.browser.steps import answered, ask, open_page, open_picker, settled, tick_tool, unfold
from tests.support.talk import KIT, write_bundle

pytestmark = pytest.mark.browser
served = serve_apart()

ROOT = Path(__file__).parents[2]
KEY = "made-up-key-0123456789"
CONFIG = """permissions: {network: true}
config:
  - {name: KIT_KEY, description: A key for it., secret: true, required: true}
"""


def look_into(page: Page, served: Served, bundle: Path) -> None:
    page.goto(served.path("toolsets"))
    page.locator("[class*=st-key-install-menu-] button:visible").click()
    field = page.locator("[class*=st-key-bundle-folder-] input")
    field.fill(str(bundle))
    field.press("Enter")
    page.locator(".st-key-look-folder button:visible").click()
    expect(page.locator("[data-testid=stDialog] [role=dialog]")).to_be_visible()
    settled(page)


def test_a_toolset_can_be_inspected_installed_configured_and_removed(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    bundle = write_bundle(tmp_path / "kit", KIT | {"toolset.yaml": KIT["toolset.yaml"] + CONFIG})
    look_into(page, served, bundle)
    sheet = page.locator("[data-testid=stDialog] [role=dialog]")
    for told in (
        "Install Kit 1.0.0?",
        "ask_first",
        "asks first",
        "yes, any address",
        "KIT_KEY",
        "Nothing in it has run",
    ):
        expect(sheet).to_contain_text(told)
    shoot(page, "capability-sheet")
    sheet.locator(".st-key-install button").click()
    row = page.locator(".st-key-toolset-row-kit")
    expect(row).to_contain_text("API key not configured")
    row.get_by_role("button", name="Add key").click()
    page.locator("[data-testid=stDialog] [role=dialog] input").fill(KEY)
    page.locator("[data-testid=stDialog] [role=dialog]").get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Enabled")
    assert KEY not in page.content()
    shoot(page, "toolsets")
    row.locator(".st-key-enabled-kit label:visible").click()
    expect(row).to_contain_text("Disabled in settings")
    page.locator("[class*=st-key-more-kit-] button:visible").click()
    page.locator(".st-key-versions-kit button:visible").click()
    expect(page.locator("[data-testid=stDialog] [role=dialog]")).to_contain_text("1.0.0")
    page.keyboard.press("Escape")
    expect(page.locator("[data-testid=stDialog] [role=dialog]")).to_have_count(0)
    page.locator("[class*=st-key-more-kit-] button:visible").click()
    page.locator(".st-key-uninstall-kit button:visible").click()
    page.locator(".st-key-really-uninstall button:visible").click()
    expect(row).to_have_count(0)
    held = [p for p in served.data.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
    assert held == []


@pytest.mark.long
def test_a_bad_bundle_is_refused_with_every_problem(page: Page, served: Served, tmp_path: Path) -> None:
    bad = KIT["toolset.yaml"].replace("effects: read", "effects: magic").replace("id: add", "id: put")
    look_into(page, served, write_bundle(tmp_path / "bad", KIT | {"toolset.yaml": bad}))
    dialog = page.locator("[data-testid=stDialog] [role=dialog]")
    expect(dialog.locator("[role=alert]")).to_contain_text("toolset.yaml:")
    expect(dialog.locator(".st-key-install")).to_have_count(0)


@pytest.mark.long
def test_keys_are_entered_during_installation_and_a_server_starts_once_its_tools_are_selected(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    server = ROOT / "tests" / "support" / "mcp" / "server.py"
    manifest = KIT["toolset.yaml"].replace("id: kit\n", "id: served-kit\n", 1) + CONFIG
    manifest += f'mcp_servers:\n  - {{id: kitchen, command: "{sys.executable}", args: ["{server}"]}}\n'
    bundle = write_bundle(tmp_path / "kit", KIT | {"toolset.yaml": manifest})
    look_into(page, served, bundle)
    sheet = page.locator("[data-testid=stDialog] [role=dialog]")
    expect(sheet).to_contain_text("Servers that you do not tick are installed but stay off.")
    expect(sheet.get_by_role("checkbox")).not_to_be_checked()
    assert sheet.inner_text().count(str(server)) == 1
    sheet.locator(".st-key-install-key-KIT_KEY input").fill(KEY)
    expect(sheet.locator(".st-key-install-key-KIT_KEY input")).to_have_attribute("type", "password")
    shoot(page, "install-with-keys")
    sheet.locator(".st-key-install button").click()
    expect(page.locator(".st-key-toolset-row-served-kit")).to_contain_text("Enabled")
    row = page.locator(".st-key-toolset-row-server-kitchen")
    expect(row).to_contain_text("Off")
    row.locator(".st-key-server-on-kitchen label:visible").click()
    expect(row).to_contain_text("Connected")
    row.locator(".st-key-trust-kitchen label:visible").click()
    expect(row.locator(".st-key-trust-kitchen input")).to_be_checked()
    assert KEY not in page.content()
    shoot(page, "servers")


@pytest.mark.long
def test_a_servers_tools_are_in_the_picker_can_be_selected_and_disappear_with_the_server(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    server = ROOT / "tests" / "support" / "mcp" / "server.py"
    manifest = KIT["toolset.yaml"].replace("id: kit\n", "id: pantry-kit\n", 1)
    manifest += f'mcp_servers:\n  - {{id: pantry, command: "{sys.executable}", args: ["{server}"]}}\n'
    look_into(page, served, write_bundle(tmp_path / "kit", KIT | {"toolset.yaml": manifest}))
    sheet = page.locator("[data-testid=stDialog] [role=dialog]")
    sheet.locator(".st-key-agree-server-pantry label:visible").click()
    sheet.locator(".st-key-install button").click()
    row = page.locator(".st-key-toolset-row-server-pantry")
    expect(row).to_contain_text("Connected")
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "/help")
    answered(page)
    chat = page.url.partition("/?")[2]
    content = open_picker(page)
    expect(content).to_contain_text("MCP servers")
    unfold(page, "mcp:pantry")
    box = content.locator("[data-testid^='tool-checkbox-mcp:pantry-']").first
    tool = (box.get_attribute("data-testid") or "").removeprefix("tool-checkbox-mcp:pantry-")
    before = box.is_checked()
    box.scroll_into_view_if_needed()
    shoot(page, "picker-servers")
    page.keyboard.press("Escape")
    tick_tool(page, "mcp:pantry", tool)
    page.reload()
    settled(page)
    content = open_picker(page)
    unfold(page, "mcp:pantry")
    assert box.is_checked() is not before
    page.goto(served.path("toolsets"))
    row.locator(".st-key-server-on-pantry label:visible").click()
    expect(row).to_contain_text("Off")
    open_page(page, served, f"?{chat}")
    content = open_picker(page)
    kept = content.get_by_test_id("toolset-row-mcp:pantry")
    expect(kept).to_contain_text("Disabled in settings")
    expect(content.get_by_test_id("toolset-checkbox-mcp:pantry")).to_be_disabled()
    shoot(page, "picker-server-off")


@pytest.mark.long
def test_a_toolset_that_the_administrator_disabled_cannot_be_enabled_and_says_why(
    page: Page, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    banned = tmp_path / "admin.toml"
    banned.write_text('disabled_toolsets = ["app-builder"]\ndisabled_tools = ["data-analyst:chart"]\n')
    with serving(tmp_path, ANABRANCH_ADMIN=str(banned)) as app:
        page.goto(app.path("toolsets"))
        row = page.locator(".st-key-toolset-row-app-builder")
        expect(row).to_contain_text("Disabled by administrator")
        switch = row.locator(".st-key-enabled-app-builder-locked input")
        expect(switch).to_be_disabled()
        expect(switch).not_to_be_checked()
        page.locator(".st-key-tools-of-data-analyst summary").click()
        tool = page.locator(".st-key-manage-data-analyst-chart")
        expect(tool).to_contain_text("Disabled by administrator")
        expect(tool.locator(".st-key-tool-on-data-analyst-chart-locked input")).to_be_disabled()
        expect(page.locator(".st-key-tool-on-data-analyst-query input")).to_be_enabled()
        shoot(page, "toolsets-administrator")
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 800})
        settled(page)
        shoot(page, "toolsets-administrator-phone-dark")


@pytest.mark.long
def test_a_key_in_streamlits_secrets_is_used_after_consent_and_never_shown(
    page: Page, tmp_path: Path
) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text(f'EXA_API_KEY = "{KEY}"\n[more]\nnested = "x"\n')
    with serving(tmp_path, HOME=str(tmp_path)) as app:
        page.goto(app.path("toolsets"))
        row = page.locator(".st-key-toolset-row-web-search")
        expect(row).to_contain_text("API key not configured")
        row.get_by_role("button", name="Add key").click()
        dialog = page.locator("[data-testid=stDialog] [role=dialog]")
        dialog.get_by_text("Let the toolset use EXA_API_KEY, which is set on this machine").click()
        dialog.get_by_role("button", name="Save").click()
        expect(row).to_contain_text("Enabled")
        expect(page.locator(".st-key-toolset-row-image-studio")).to_contain_text("API key not configured")
        assert KEY not in page.content()
    kept = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert kept
    for path in [*kept, tmp_path / "server.log"]:
        assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.long
def test_a_toolset_whose_files_changed_says_so_and_is_restored(page: Page, served: Served) -> None:
    (stored,) = list((served.data / "toolsets" / "app-builder").glob("*/toolset.yaml"))
    text = stored.read_text()
    stored.chmod(0o600)
    stored.write_text(text + "# changed")
    page.goto(served.path("toolsets"))
    row = page.locator(".st-key-toolset-row-app-builder")
    expect(row).to_contain_text(
        "Changed since installation: toolset.yaml. Its tools do not run until you restore"
    )
    row.get_by_role("button", name="Restore").click()
    expect(row).not_to_contain_text("Changed since installation")
    settled(page)
    assert stored.read_text() == text
