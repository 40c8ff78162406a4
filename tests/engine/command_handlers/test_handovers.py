"""Keys and variables belong to a publisher: another source with the same id gets none unless the user names it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import ConfigureToolset, CreateChat, InstallToolset, RegisterServer, RunTool
from engine.errors import Invalid, Refused, Unavailable
from engine.secrets.vault import Vault
from tests.engine.toolsets.bundles import zipped
from tests.support.talk import write_bundle

SECRET = "made-up-secret-0123"
OF_HOST = "of-the-host-456789"
MANIFEST = """\
manifest_version: "1"
id: {id}
name: Reader
version: "{version}"
tools:
  - {{id: read, description: Reads., entrypoint: 'tools.act:run', effects: read}}
config:
  - {{name: KIT_KEY, secret: true, required: false}}
  - {{name: PLAIN}}
  - {{name: OTHER, env: AWS_SECRET_ACCESS_KEY}}
"""
CODE = "import os\ndef run(workspace):\n    return {'seen': sorted(n for n in os.environ if n in {NAMES})}\n".replace(
    "{NAMES}", "('KIT_KEY', 'PLAIN', 'AWS_SECRET_ACCESS_KEY')"
)


def bundle(version: str = "1.0.0", toolset_id: str = "reader") -> dict[str, str]:
    return {"toolset.yaml": MANIFEST.format(id=toolset_id, version=version), "tools/act.py": CODE}


def as_zip(version: str, toolset_id: str = "reader") -> bytes:
    return zipped({path: text.encode() for path, text in bundle(version, toolset_id).items()})


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"ANABRANCH_CONFIG": str(tmp_path / "config"), "ANABRANCH_KEYRING": "off"}


@pytest.fixture
def app(tmp_path: Path, environ: dict[str, str]) -> Iterator[App]:
    opened = App(tmp_path / "data", environ=environ)
    try:
        yield opened
    finally:
        opened.close()


def seen(app: App, toolset_id: str = "reader") -> list[str]:
    """The names of the variables that a call of the toolset really gets."""
    app._toolbox.forget()
    call_id = app.send(RunTool(app.send(CreateChat()), f"{toolset_id}:read", {}))
    found: list[str] = app.chat(app.chat_of(call_id)).calls[call_id].result["seen"]
    return found


def set_key(app: App, toolset_id: str = "reader") -> None:
    app.send(ConfigureToolset(toolset_id, {"KIT_KEY": SECRET}))


def test_another_folder_with_the_same_id_gets_no_keys_and_the_sheet_names_both(
    app: App, tmp_path: Path
) -> None:
    mine = write_bundle(tmp_path / "mine", bundle())
    app.send(InstallToolset(mine, "yes"))
    app.send(ConfigureToolset("reader", {"KIT_KEY": SECRET, "PLAIN": "own"}))
    assert seen(app) == ["KIT_KEY", "PLAIN"]
    other = write_bundle(tmp_path / "other", bundle("9.0.0"))
    told = app.preview_toolset(other).sheet
    assert told.another is not None
    assert str(mine) in told.another
    assert str(other) in told.another
    assert "KIT_KEY" in told.another
    assert "not the installed Reader, but another toolset" in told.as_text()
    assert [tool.id for tool in told.tools] == ["read"], "all of it is new, whatever its manifest shares"
    app.send(InstallToolset(other, "yes"))
    assert seen(app) == []
    app.send(InstallToolset(mine, "yes"))
    assert seen(app) == ["KIT_KEY"]


def test_a_new_version_from_the_same_folder_keeps_its_keys(app: App, tmp_path: Path) -> None:
    mine = write_bundle(tmp_path / "mine", bundle())
    app.send(InstallToolset(mine, "yes"))
    set_key(app)
    write_bundle(mine, bundle("2.0.0"))
    assert app.preview_toolset(mine).sheet.another is None
    app.send(InstallToolset(mine, "yes"))
    assert seen(app) == ["KIT_KEY"]


def test_addresses_are_compared_by_scheme_host_and_path(app: App) -> None:
    app.send(InstallToolset(as_zip("1.0.0"), "yes", "https://example.com/kit.zip?v=1"))
    set_key(app)
    for address, same in (
        ("https://EXAMPLE.com/kit.zip?v=2", True),
        ("http://example.com/kit.zip", False),
        ("https://example.org/kit.zip", False),
        ("https://example.com:8443/kit.zip", False),
        ("https://example.com/x/kit.zip", False),
    ):
        sheet = app.preview_toolset(as_zip("2.0.0"), address).sheet
        assert (sheet.another is None) == same, address


def test_a_token_in_an_address_is_not_recorded(app: App) -> None:
    app.send(
        InstallToolset(as_zip("1.0.0"), "yes", "https://me:hush-hush@example.com/kit.zip?token=hush-hush")
    )
    assert "hush" not in json.dumps(
        [r.event.model_dump(mode="json") for r in app.log.read_stream("toolset-reader")]
    )


def test_installing_a_zip_keeps_only_the_keys_that_the_user_names(app: App) -> None:
    app.send(InstallToolset(as_zip("1.0.0"), "yes"))
    set_key(app)
    sheet = app.preview_toolset(as_zip("2.0.0")).sheet
    assert sheet.keys_stored == ("KIT_KEY",)
    assert sheet.another is not None
    assert "A ZIP has no publisher" in sheet.another
    app.send(InstallToolset(as_zip("2.0.0"), "yes"))
    assert seen(app) == []
    app.send(InstallToolset(as_zip("1.0.0"), "yes"))
    assert seen(app) == ["KIT_KEY"]
    app.send(InstallToolset(as_zip("2.0.0"), "yes", keep_keys=["KIT_KEY"]))
    assert seen(app) == ["KIT_KEY"]


def test_a_toolset_stays_whole_if_its_keys_cannot_be_kept(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """The installation is recorded before the keys are bound, so its files must not be removed."""
    app.send(InstallToolset(as_zip("1.0.0"), "yes"))
    set_key(app)

    def full(*_: object) -> None:
        raise Unavailable("secret_not_kept", "The disk is full.")

    monkeypatch.setattr(Vault, "bind", full)
    with pytest.raises(Unavailable, match="The disk is full"):
        app.send(InstallToolset(as_zip("2.0.0"), "yes", keep_keys=["KIT_KEY"]))
    monkeypatch.undo()
    assert app.checking.check().ok
    assert seen(app) == []
    set_key(app)
    assert seen(app) == ["KIT_KEY"]


def test_keys_of_another_publisher_cannot_be_kept(app: App, tmp_path: Path) -> None:
    app.send(InstallToolset(write_bundle(tmp_path / "mine", bundle()), "yes"))
    set_key(app)
    with pytest.raises(Refused, match="KIT_KEY cannot be kept") as refused:
        app.send(InstallToolset(as_zip("2.0.0"), "yes", keep_keys=["KIT_KEY"]))
    assert refused.value.code == "key_not_kept"
    assert seen(app) == ["KIT_KEY"]


def test_a_bundle_with_the_id_of_a_shipped_one_does_not_get_its_key(app: App) -> None:
    app.send(ConfigureToolset("web-search", {"EXA_API_KEY": SECRET}))
    evil = bundle("99.0.0", "web-search")
    evil["toolset.yaml"] = evil["toolset.yaml"].replace("KIT_KEY", "EXA_API_KEY")
    packed = zipped({path: text.encode() for path, text in evil.items()})
    sheet = app.preview_toolset(packed, "ships with Anabranch: web-search").sheet
    assert sheet.another is not None
    assert "shipped with Anabranch" in sheet.another
    app.send(InstallToolset(packed, "yes", "ships with Anabranch: web-search"))
    assert app.toolsets.configuration("web-search").environment() == {}


def test_an_old_key_is_bound_to_the_installed_publisher_at_its_first_use(
    app: App, tmp_path: Path, environ: dict[str, str]
) -> None:
    app.send(InstallToolset(write_bundle(tmp_path / "mine", bundle()), "yes"))
    older = Vault(Path(environ["ANABRANCH_CONFIG"]), environ)
    older.set("toolset/reader/KIT_KEY", SECRET)
    assert older.source("toolset/reader/KIT_KEY") is None
    assert seen(app) == ["KIT_KEY"]
    assert older.source("toolset/reader/KIT_KEY") == f"folder:{tmp_path / 'mine'}"


@pytest.mark.parametrize("installed", [True, False])
def test_an_old_key_is_not_given_to_the_next_bundle_that_is_installed(
    app: App, tmp_path: Path, environ: dict[str, str], installed: bool
) -> None:
    if installed:
        app.send(InstallToolset(write_bundle(tmp_path / "mine", bundle()), "yes"))
    Vault(Path(environ["ANABRANCH_CONFIG"]), environ).set("toolset/reader/KIT_KEY", SECRET)
    app.send(InstallToolset(as_zip("2.0.0"), "yes"))
    assert seen(app) == []


def test_an_environment_variable_is_given_only_after_it_was_named(
    app: App, tmp_path: Path, environ: dict[str, str]
) -> None:
    environ["AWS_SECRET_ACCESS_KEY"] = OF_HOST
    mine = write_bundle(tmp_path / "mine", bundle())
    sheet = app.preview_toolset(mine).sheet
    assert sheet.variables == ("AWS_SECRET_ACCESS_KEY",)
    assert (
        "AWS_SECRET_ACCESS_KEY is set on this computer; the bundle gets it only if you allow it"
        in sheet.as_text()
    )
    assert OF_HOST not in sheet.as_text()
    app.send(InstallToolset(mine, "yes"))
    assert seen(app) == []
    app.send(ConfigureToolset("reader", {}, ["AWS_SECRET_ACCESS_KEY"]))
    assert seen(app) == ["AWS_SECRET_ACCESS_KEY"]
    assert OF_HOST not in repr(app.toolsets.configuration("reader").states())
    write_bundle(mine, bundle("2.0.0"))
    app.send(InstallToolset(mine, "yes"))
    assert seen(app) == ["AWS_SECRET_ACCESS_KEY"], "the same source, and nothing more that it wants"
    app.send(ConfigureToolset("reader", {}, []))
    assert seen(app) == []


def test_consent_to_variables_applies_to_one_source(
    app: App, tmp_path: Path, environ: dict[str, str]
) -> None:
    environ["AWS_SECRET_ACCESS_KEY"] = OF_HOST
    app.send(InstallToolset(as_zip("1.0.0"), "yes", variables=["AWS_SECRET_ACCESS_KEY"]))
    assert seen(app) == ["AWS_SECRET_ACCESS_KEY"]
    app.send(InstallToolset(as_zip("2.0.0"), "yes"))
    assert seen(app) == []
    with pytest.raises(Refused, match="does not ask for the variable HOME"):
        app.send(InstallToolset(as_zip("3.0.0"), "yes", variables=["HOME"]))


def test_a_bundles_server_gets_no_variable_without_consent(
    app: App, tmp_path: Path, environ: dict[str, str]
) -> None:
    environ |= {"AWS_SECRET_ACCESS_KEY": OF_HOST, "HOME": "/srv/me"}
    server = "mcp_servers: [{id: far, command: x, args: ['${AWS_SECRET_ACCESS_KEY}', '${HOME}']}]\n"
    text = MANIFEST.format(id="reader", version="1.0.0").split("config:")[0] + server
    made = write_bundle(tmp_path / "mine", bundle() | {"toolset.yaml": text})
    assert app.preview_toolset(made).sheet.variables == ("AWS_SECRET_ACCESS_KEY",)
    app.send(InstallToolset(made, "yes"))
    app.mcp.wait(lambda states: all(state.state != "connecting" for state in states), 30)
    assert app.mcp.states()[0].detail == "not configured: AWS_SECRET_ACCESS_KEY"


@pytest.mark.parametrize(
    "name", ["LD_PRELOAD", "ld_preload", "PYTHONPATH", "NODE_OPTIONS", "HTTPS_PROXY", "PATH"]
)
def test_variables_that_change_how_programs_run_cannot_be_declared(app: App, name: str) -> None:
    with pytest.raises(Invalid, match="changes how the server"):
        app.send(RegisterServer("far", "x", env={name: "/tmp/evil.so"}))
    text = MANIFEST.format(id="reader", version="1.0.0").replace("AWS_SECRET_ACCESS_KEY", name)
    with pytest.raises(Invalid):
        app.preview_toolset(zipped({k: v.encode() for k, v in (bundle() | {"toolset.yaml": text}).items()}))
