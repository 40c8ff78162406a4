"""Configuring a toolset: plain values are in the log, secrets in the user's keys, and tools receive both."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import ConfigureToolset, DisableToolset, InstallToolset, UninstallToolset
from engine.errors import Invalid, NotFound, Unavailable
from engine.secrets.vault import Vault
from engine.tools.tool import Tool
from events.catalog.toolset import ToolsetConfigured
from tests.support.long_cases import mostly_long
from tests.support.talk import KIT, write_bundle

SECRET = "made-up-secret-0123"
CONFIG = """\
config:
  - {name: REGION, required: true, env: KIT_REGION}
  - {name: KIT_KEY, secret: true, required: true, unless: [BASE_URL]}
  - {name: BASE_URL}
  - {name: OTHER_KEY, secret: true, env: KIT_OTHER}
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"ANABRANCH_CONFIG": str(tmp_path / "config"), "ANABRANCH_KEYRING": "off"}


@pytest.fixture
def app(tmp_path: Path, environ: dict[str, str]) -> Iterator[App]:
    """An app with the kit, which needs keys."""
    opened = App(tmp_path / "data", environ=environ)
    try:
        install(opened, tmp_path / "kit")
        yield opened
    finally:
        opened.close()


def install(app: App, folder: Path, config: str = CONFIG, version: str = "1.0.0") -> None:
    manifest = KIT["toolset.yaml"].replace('"1.0.0"', f'"{version}"') + config
    app.send(InstallToolset(write_bundle(folder, KIT | {"toolset.yaml": manifest}), "yes"))


def reason(app: App) -> str | None:
    found: str | None = next(row["reason"] for row in app.installed() if row["id"] == "kit")
    return found


def tool(app: App) -> Tool:
    return next(tool for tool in app.tools() if tool.tool_id == "kit:look")


def granted(app: App) -> dict[str, str]:
    return dict(app._toolbox.environment_of(tool(app)))


def configured(app: App) -> list[ToolsetConfigured]:
    stream = app.log.read_stream("toolset-kit")
    return [record.event for record in stream if isinstance(record.event, ToolsetConfigured)]


def everything_written(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(data.rglob("*")) if path.is_file())


def test_a_missing_key_is_reported_until_it_is_set(app: App) -> None:
    assert reason(app) == "Configure in Toolsets settings"
    app.send(ConfigureToolset("kit", {"REGION": " eu "}))
    assert reason(app) == "API key not configured"
    assert not tool(app).available
    app.send(ConfigureToolset("kit", {"KIT_KEY": SECRET}))
    assert reason(app) is None
    assert tool(app).available
    assert granted(app) == {"KIT_REGION": "eu", "KIT_KEY": SECRET}


def test_a_secret_is_stored_with_the_users_keys_and_the_log_contains_only_its_name(
    app: App, tmp_path: Path
) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET}))
    (event,) = configured(app)
    assert (event.values, event.secret_names) == ({"REGION": "eu"}, ("KIT_KEY",))
    assert app.vault.where("toolset/kit/KIT_KEY") == "file"
    app.close()
    assert SECRET.encode() in (tmp_path / "config" / "secrets.json").read_bytes()
    assert SECRET.encode() not in everything_written(tmp_path / "data")


def test_no_secret_is_in_any_repr(app: App) -> None:
    command = ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET})
    app.send(command)
    configuration = app.toolsets.configuration("kit")
    for thing in (command, tool(app), configuration, configuration.states(), app.vault, app.installed()):
        assert SECRET not in repr(thing)


def test_an_environment_variable_is_used_only_if_it_is_allowed_and_no_key_is_stored(
    app: App, environ: dict[str, str]
) -> None:
    environ |= {
        "KIT_REGION": "us",
        "KIT_KEY": "from-the-environment",
        "KIT_OTHER": "another-key-1",
        "HOME": "/h",
    }
    app._toolbox.forget()
    assert reason(app) == "Configure in Toolsets settings"
    assert granted(app) == {}
    assert {s.env for s in app.toolsets.configuration("kit").states() if s.withheld} == {
        "KIT_REGION",
        "KIT_KEY",
        "KIT_OTHER",
    }
    app.send(ConfigureToolset("kit", {}, ["KIT_REGION", "KIT_KEY", "KIT_OTHER"]))
    assert reason(app) is None
    assert granted(app) == {
        "KIT_REGION": "us",
        "KIT_KEY": "from-the-environment",
        "KIT_OTHER": "another-key-1",
    }
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET}))
    assert granted(app) == {"KIT_REGION": "eu", "KIT_KEY": SECRET, "KIT_OTHER": "another-key-1"}
    states = {state.name: (state.source, state.value) for state in app.toolsets.configuration("kit").states()}
    assert states == {
        "REGION": ("settings", "eu"),
        "KIT_KEY": ("file", None),
        "BASE_URL": (None, None),
        "OTHER_KEY": ("environment", None),
    }


def test_a_key_is_not_required_if_its_alternative_is_set(app: App) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "BASE_URL": "http://127.0.0.1:1/v1"}))
    assert reason(app) is None
    app.send(ConfigureToolset("kit", {"BASE_URL": None}))
    assert reason(app) == "API key not configured"


def test_built_in_tools_and_other_toolsets_do_not_receive_the_keys(app: App) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET}))
    others = [tool for tool in app.tools() if tool.toolset_id != "kit"]
    assert {tool.home for tool in others} >= {"builtin", "data-analyst"}
    assert [dict(app._toolbox.environment_of(other)) for other in others] == [{}] * len(others)


def test_a_value_can_be_removed_and_unnamed_values_are_kept(app: App) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET, "OTHER_KEY": "another-key-1"}))
    app.send(ConfigureToolset("kit", {"REGION": "", "KIT_KEY": None}))
    assert granted(app) == {"KIT_OTHER": "another-key-1"}
    assert configured(app)[-1].secret_names == ("OTHER_KEY",)


def test_an_unchanged_configuration_records_no_event_but_another_secret_does(app: App) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET}))
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET, "OTHER_KEY": None}))
    app.send(ConfigureToolset("kit", {}))
    assert len(configured(app)) == 1
    app.send(ConfigureToolset("kit", {"KIT_KEY": f"{SECRET}-2"}))
    assert [event.secret_names for event in configured(app)] == [("KIT_KEY",)] * 2


@pytest.mark.parametrize(
    ("values", "told"),
    mostly_long(
        [
            ({"region": "eu"}, "there is no key region in kit; it has REGION, KIT_KEY, BASE_URL, OTHER_KEY"),
            ({"KIT_KEY": "short"}, "fewer than 8"),
            ({"KIT_KEY": "KIT_KEY "}, "fewer than 8"),
            ({"OTHER_KEY": "OTHER_KEY"}, "its own name"),
            ({"BASE_URL": "https://me:made-up@host/v1"}, "contains a password"),
            ({"REGION": f"x {SECRET}"}, "contains one of your keys"),
            ({"REGION": "a\0b"}, "not text"),
            ({"REGION": "x" * 5000}, "more than 4,096"),
        ],
        quick=(0, 1, 4),
    ),
)
def test_invalid_values_are_refused_and_nothing_is_stored(
    app: App, values: dict[str, str], told: str
) -> None:
    app.vault.set("model/openai", SECRET)
    with pytest.raises(Invalid, match=told) as refused:
        app.send(ConfigureToolset("kit", {"OTHER_KEY": "another-key-1"} | values))
    assert refused.value.code == "toolset_configuration"
    assert SECRET not in refused.value.message
    assert app.vault.names() == ("model/openai",)
    assert configured(app) == []


def test_a_toolset_that_does_not_exist_cannot_be_configured(app: App) -> None:
    with pytest.raises(NotFound):
        app.send(ConfigureToolset("gone", {"A": "b"}))


def test_if_the_key_file_is_broken_nothing_is_changed(app: App, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "secrets.json").write_text("{")
    with pytest.raises(Unavailable):
        app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET}))
    assert configured(app) == []
    assert reason(app) == "Configure in Toolsets settings"


def test_a_crash_between_storing_a_key_and_its_event_leaves_the_key_usable(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu"}))

    def killed(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(app.log, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            app.send(ConfigureToolset("kit", {"KIT_KEY": SECRET}))
    assert [event.secret_names for event in configured(app)] == [()]
    assert reason(app) is None
    assert granted(app)["KIT_KEY"] == SECRET
    app.send(ConfigureToolset("kit", {"OTHER_KEY": "another-key-1"}))
    assert configured(app)[-1].secret_names == ("KIT_KEY", "OTHER_KEY")


def test_a_key_set_by_another_process_is_used_at_the_next_check(app: App, environ: dict[str, str]) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu"}))
    other = Vault(Path(environ["ANABRANCH_CONFIG"]), environ)
    other.set("toolset/kit/KIT_KEY", SECRET)
    assert (reason(app), tool(app).available) == (None, True)
    other.remove("toolset/kit/KIT_KEY")
    assert (reason(app), tool(app).available) == ("API key not configured", False)


def test_an_upgrade_keeps_keys_and_uninstalling_removes_them(app: App, tmp_path: Path) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "KIT_KEY": SECRET}))
    app.vault.set("toolset/kit-two/KIT_KEY", "of-another-toolset")
    app.send(DisableToolset("kit"))
    install(app, tmp_path / "kit", version="1.1.0")
    assert reason(app) == "Disabled in settings"
    assert granted(app) == {"KIT_REGION": "eu", "KIT_KEY": SECRET}
    app.send(UninstallToolset("kit"))
    assert app.vault.names() == ("toolset/kit-two/KIT_KEY",)
    install(app, tmp_path / "kit")
    assert reason(app) == "Configure in Toolsets settings"


def test_the_value_of_a_key_that_an_upgrade_dropped_is_removed_at_the_next_configuration(
    app: App, tmp_path: Path
) -> None:
    app.send(ConfigureToolset("kit", {"REGION": "eu", "BASE_URL": "http://127.0.0.1:1"}))
    install(app, tmp_path / "newer", "config: [{name: REGION}]\n", "2.0.0")
    app.send(ConfigureToolset("kit", {"REGION": "us"}))
    assert configured(app)[-1].values == {"REGION": "us"}
    assert granted(app) == {"REGION": "us"}


def test_a_server_with_a_secret_in_its_command_is_stored_and_exported_with_a_reference_to_it(
    app: App, tmp_path: Path
) -> None:
    app.vault.set("model/openai", "of-a-model-0123")
    app.send(ConfigureToolset("kit", {"KIT_KEY": SECRET}))
    words = f"args: ['--x={SECRET}-y'], env: {{A: of-a-model-0123}}"
    servers = f"mcp_servers: [{{id: s, command: run, {words}, auto_enabled: false}}]\n"
    install(app, tmp_path / "with-server", CONFIG + servers, "1.1.0")
    (kept,) = [row["config"] for row in app.read("toolset_mcp_servers")]
    assert (kept["args"], kept["env"]) == (["--x=${KIT_KEY}-y"], {"A": "${OPENAI_API_KEY}"})
    packed = app.toolsets.export("kit")
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        text = archive.read("toolset.yaml").decode()
    assert "--x=${KIT_KEY}-y" in text
    assert SECRET not in text
