"""The sheet before an install, the changes of an upgrade, and when a toolset is available."""

from pathlib import Path

import pytest

from engine.toolsets.availability import AvailabilityFacts, availability, facts
from engine.toolsets.install import StagedBundle, stage
from engine.toolsets.manifest import Manifest
from engine.toolsets.sheet import capability_sheet
from engine.toolsets.upgrade import ToolChange, upgrade_diff
from tests.engine.toolsets.bundles import MANIFEST, with_lines, zipped

MORE = """\
    requires_confirmation: true
mcp_servers: [{id: clock, command: uvx, args: [mcp server, --now], env: {CLOCK: "${CLOCK}"}}]
config: [{name: EXA_API_KEY, secret: true, required: true, description: Key of Exa}, {name: region, required: true}]
permissions: {network: true}
requirements: [pandas>=3]
"""


def staged(text: str, data: Path) -> StagedBundle:
    return stage(zipped(with_lines(text)), data / "toolsets", source_ref="greeter.zip")


def test_the_sheet_lists_everything_that_a_bundle_could_do(tmp_path: Path) -> None:
    sheet = capability_sheet(staged(MORE, tmp_path))
    assert [(tool.id, tool.asks_first, tool.command) for tool in sheet.tools] == [
        ("greet", "asks first", "/greet")
    ]
    assert sheet.servers[0].runs == "uvx 'mcp server' --now"
    text = sheet.as_text()
    for line in (
        "Install Greeter (greeter) 1.0.0",
        "  from greeter.zip, 3 files,",
        "  tool      greet – Greets somebody. (may change and remove the chat's files · asks first)",
        "  network   yes, any address",
        "  package   pandas>=3",
        "  MCP       clock: uvx 'mcp server' --now with CLOCK",
        "  secret    EXA_API_KEY (required) – Key of Exa",
        "  setting   region (required)",
    ):
        assert line in text


def test_the_sheet_of_a_modest_bundle_says_that_it_has_no_network(tmp_path: Path) -> None:
    assert "  network   no" in capability_sheet(staged("", tmp_path)).as_text()


def test_the_sheet_says_what_the_system_cannot_enforce(tmp_path: Path) -> None:
    bundle = staged("", tmp_path)
    assert "sandbox" not in capability_sheet(bundle).as_text()
    assert "  sandbox   NOT confined" in capability_sheet(bundle, confinement="process only").as_text()
    assert "network is NOT blocked" in capability_sheet(bundle, confinement="filesystem only").as_text()


def test_text_in_a_bundle_cannot_forge_lines_of_the_sheet(tmp_path: Path) -> None:
    text = MANIFEST.replace("Greets somebody.", '"Greets.\\n  network   no\\e[2K\\u202Eon"')
    bundle = stage(zipped(with_lines("") | {"toolset.yaml": text.encode()}), tmp_path / "toolsets")
    shown = capability_sheet(bundle).as_text()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("  network   no") == 1


def test_the_sheet_of_an_upgrade_lists_only_the_changes(tmp_path: Path) -> None:
    old = staged("", tmp_path).manifest
    more = "  - {id: wave, description: Waves., entrypoint: 'greet:run'}\npermissions: {network: true}\n"
    sheet = capability_sheet(staged(more, tmp_path), old)
    assert [tool.id for tool in sheet.tools] == ["wave"]
    text = sheet.as_text()
    assert "Upgrade Greeter (greeter) 1.0.0 → 1.0.0" in text
    assert "the version is the same, but the content is different" in text
    assert "  gains     the permission network" in text
    assert "greet –" not in text


def test_an_upgrade_is_reported_field_by_field(tmp_path: Path) -> None:
    old = staged(MORE, tmp_path).manifest
    text = MANIFEST.replace('"1.0.0"', '"2.0.0"').replace("{type: string}", "{type: number}")
    text += "  - {id: wave, description: Waves., entrypoint: 'greet:run'}\nrequirements: [numpy]\n"
    new = stage(zipped(with_lines("") | {"toolset.yaml": text.encode()}), tmp_path / "toolsets").manifest
    diff = upgrade_diff(old, new)
    assert not diff.same_version
    assert diff.asks_for_more
    assert diff.tools_added == ("wave",)
    assert diff.tools_changed == (
        ToolChange("greet", ("input_schema", "requires_confirmation", "command_argument")),
    )
    assert diff.tools_changed[0].schema_changed
    assert diff.permissions == (("network", True, False),)
    assert (diff.packages_added, diff.packages_removed) == (("numpy",), ("pandas>=3",))
    assert (diff.mcp_removed, diff.config_removed) == (("clock",), ("EXA_API_KEY", "region"))
    assert upgrade_diff(new, old).tools_removed == ("wave",)
    assert not upgrade_diff(new, new).asks_for_more


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (AvailabilityFacts(True, True, False, True), "Disabled by administrator"),
        (AvailabilityFacts(False, True, False, True), "Configure in Toolsets settings"),
        (AvailabilityFacts(False, False, False, True), "Disabled in settings"),
        (AvailabilityFacts(False, False, True, True), "API key not configured"),
        (AvailabilityFacts(), None),
    ],
)
def test_the_first_reason_why_a_toolset_is_unavailable_is_given(
    known: AvailabilityFacts, reason: str | None
) -> None:
    found = availability(known)
    assert (found.available, found.reason) == (reason is None, reason)


def test_only_required_keys_count_as_missing(tmp_path: Path) -> None:
    manifest: Manifest = staged(MORE, tmp_path).manifest
    assert facts(manifest, enabled=True, given=set()) == AvailabilityFacts(False, True, True, True)
    assert facts(manifest, enabled=False, given={"region", "EXA_API_KEY"}) == AvailabilityFacts(enabled=False)


def test_a_key_is_not_missing_if_its_alternative_is_set(tmp_path: Path) -> None:
    text = MORE.replace("required: true, description: Key of Exa", "required: true, unless: [mirror, region]")
    found = staged(text.replace("{name: region", "{name: mirror, env: EXA_URL}, {name: region"), tmp_path)
    assert facts(found.manifest, enabled=True, given={"region"}).missing_secret is False
    assert facts(found.manifest, enabled=True, given={"mirror"}).missing_secret is False
    assert facts(found.manifest, enabled=True, given=set()).missing_secret is True
    told = capability_sheet(found).as_text()
    assert "EXA_API_KEY (required unless mirror or region is set)" in told
    assert "mirror (optional; also from the variable EXA_URL)" in told


def test_an_upgrade_shows_a_key_that_it_now_takes_from_another_variable(tmp_path: Path) -> None:
    text = MORE.replace("{name: EXA_API_KEY", "{name: EXA_API_KEY, env: OPENAI_API_KEY")
    sheet = capability_sheet(staged(text, tmp_path), staged(MORE, tmp_path).manifest)
    assert sheet.upgrade is not None
    assert sheet.upgrade.config_changed == ("EXA_API_KEY",)
    assert "also from the variable OPENAI_API_KEY" in sheet.as_text()
