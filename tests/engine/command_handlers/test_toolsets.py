"""Toolsets in the app: shipped, installed with consent, enabled, upgraded, removed."""

import io
import zipfile
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    DisableTool,
    DisableToolset,
    EnableTool,
    EnableToolset,
    InstallToolset,
    SelectTools,
    UninstallToolset,
)
from engine.errors import Invalid, NotFound, Refused, Unavailable
from events.duckdb_log import DuckDBLog
from tests.support.talk import KIT, Talk, call, write_bundle


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A data folder for one test only."""
    return tmp_path / "data"


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()


def version(number: str) -> dict[str, str]:
    return KIT | {"toolset.yaml": KIT["toolset.yaml"].replace('"1.0.0"', f'"{number}"')}


def offered(talk: Talk) -> set[str]:
    """The tools of the kit that a model gets in this chat."""
    talk.replies(*[{"text": "."}] * 9)
    request = talk.app.request(talk.chat_id, talk.ask("what have you?").turn_id, 1)
    return {t.name.removeprefix("toolset__kit__") for t in request.tools if "kit" in t.name}


def test_the_first_run_installs_four_toolsets_two_of_which_wait_for_a_key(
    fresh: Path,
) -> None:
    with open_app(fresh) as app:
        assert [(r["id"], r["enabled"], r["available"], r["reason"]) for r in app.installed()] == [
            ("app-builder", True, True, None),
            ("data-analyst", True, True, None),
            ("image-studio", True, False, "API key not configured"),
            ("web-search", True, False, "API key not configured"),
        ]
        assert not {"image-studio", "web-search"} & app.next_selection().keys()
        assert {t.tool_id for t in app.tools()} >= {
            "list_files",
            "read_file",
            "write_file",
            "data-analyst:query",
        }
        head = app.log.head()
    with open_app(fresh) as again:
        assert again.log.head() == head


def test_a_shipped_toolset_that_was_removed_stays_removed(fresh: Path) -> None:
    with open_app(fresh) as app:
        app.send(UninstallToolset("app-builder"))
    with open_app(fresh) as again:
        assert [row["id"] for row in again.installed()] == ["data-analyst", "image-studio", "web-search"]


def test_a_built_in_tool_that_was_switched_off_stays_off(fresh: Path) -> None:
    with open_app(fresh) as app:
        app.send(DisableTool("write_file"))
        head = app.log.head()
    with open_app(fresh) as again:
        assert again.log.head() == head
        assert next(t for t in again.tools() if t.tool_id == "write_file").available is False


def test_the_users_own_version_of_a_shipped_toolset_is_kept(fresh: Path) -> None:
    own = KIT | {"toolset.yaml": KIT["toolset.yaml"].replace("id: kit\n", "id: app-builder\n", 1)}
    with open_app(fresh) as app:
        assert app.send(InstallToolset(zipped(own), "yes")).outcome == "upgraded"
    with open_app(fresh) as again:
        assert next(r for r in again.installed() if r["id"] == "app-builder")["name"] == "Kit"


def test_a_toolset_can_be_installed_from_a_folder_or_zip_and_a_second_install_changes_nothing(
    app: App, tmp_path: Path
) -> None:
    head = app.log.head()
    folder = write_bundle(tmp_path / "kit")
    for source in (folder, zipped(KIT)):
        done = app.send(InstallToolset(source, "yes"))
        assert (done.toolset_id, done.version, done.outcome) == ("kit", "1.0.0", "unchanged")
    assert app.log.head() == head
    assert app.send(InstallToolset(zipped(version("1.1.0")), "yes")).outcome == "upgraded"
    assert next(r for r in app.installed() if r["id"] == "kit")["version"] == "1.1.0"
    assert app.send(InstallToolset(folder, "yes")).outcome == "upgraded"


def test_a_bundle_that_changed_after_its_sheet_was_shown_is_not_installed(app: App, tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "kit", version("2.0.0"))
    preview = app.preview_toolset(folder)
    assert (preview.outcome, preview.sheet.upgrade is not None) == ("upgraded", True)
    (folder / "tools" / "act.py").write_text("def run(workspace, **_):\n    return {'other': 1}\n")
    head, stored = app.log.head(), sorted((app.data / "toolsets").glob("*/*"))
    with pytest.raises(Refused, match="has changed since its consent sheet was shown"):
        app.send(InstallToolset(folder, "sheet", agreed_hash=preview.content_hash))
    assert app.log.head() == head
    assert sorted((app.data / "toolsets").glob("*/*")) == stored


def test_a_bad_bundle_is_refused_with_every_problem_and_leaves_nothing(app: App) -> None:
    stored = sorted((app.data / "toolsets").rglob("*"))
    bad = KIT | {
        "toolset.yaml": KIT["toolset.yaml"]
        .replace("id: kit", "id: Kit!")
        .replace("tools.act:run", "tools.no:run")
    }
    with pytest.raises(Invalid) as refused:
        app.send(InstallToolset(zipped(bad), "yes"))
    assert len(refused.value.problems) >= 2
    assert sorted((app.data / "toolsets").rglob("*")) == stored


def test_a_failure_between_storing_files_and_appending_the_event_leaves_nothing(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, before = sorted((app.data / "toolsets").rglob("*")), app.installed()

    def full(self: DuckDBLog, *batch: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(DuckDBLog, "append", full)
        with pytest.raises(Unavailable, match="No space"):
            app.send(InstallToolset(zipped(version("9.0.0")), "yes"))
    assert sorted((app.data / "toolsets").rglob("*")) == stored
    assert app.installed() == before


def test_a_disabled_tool_is_not_offered_until_it_is_enabled_again(talk: Talk) -> None:
    app = talk.app
    assert offered(talk) == {"put", "add", "look", "ask_first"}
    app.send(DisableTool("kit:put"))
    assert offered(talk) == {"add", "look", "ask_first"}
    app.send(DisableToolset("kit"))
    assert offered(talk) == set()
    tool = next(t for t in app.tools() if t.tool_id == "kit:add")
    assert (tool.available, tool.reason) == (False, "Disabled in settings")
    app.send(EnableToolset("kit"))
    app.send(EnableTool("kit:put"))
    assert offered(talk) == {"put", "add", "look", "ask_first"}
    app.send(SelectTools(talk.chat_id, {"kit": ["look"]}))
    assert offered(talk) == {"look"}


def test_a_recorded_call_is_still_shown_after_its_toolset_was_removed(talk: Talk, tmp_path: Path) -> None:
    talk.replies(
        {"calls": [call("look", back={"n": 1})]}, {"text": "One."}, {"calls": [call("look")]}, {"text": "."}
    )
    talk.ask()
    before = talk.app.chat(talk.chat_id)
    talk.app.send(UninstallToolset("kit"))
    assert talk.app.chat(talk.chat_id) == before
    talk.ask("again")
    gone = talk.calls()[-1].error
    assert gone is not None
    assert gone["kind"] == "unknown_tool"
    talk.app.send(InstallToolset(write_bundle(tmp_path / "kit"), "yes"))
    assert offered(talk) == {"put", "add", "look", "ask_first"}


def test_new_tools_of_an_upgrade_are_off_in_old_chats_and_on_in_new_ones(talk: Talk, tmp_path: Path) -> None:
    more = "  - {id: extra, name: X, description: New., entrypoint: 'tools.act:run', input_schema: {type: object}}\n"
    upgraded = version("1.5.0") | {"toolset.yaml": version("1.5.0")["toolset.yaml"] + more}
    talk.app.send(InstallToolset(zipped(upgraded), "yes"))
    try:
        assert offered(talk) == {"put", "add", "look", "ask_first"}
    finally:
        talk.app.send(InstallToolset(write_bundle(tmp_path / "kit"), "yes"))


def test_an_export_has_the_same_bytes_each_time_and_can_be_installed_elsewhere(app: App, fresh: Path) -> None:
    packed = app.toolsets.export("kit")
    assert app.toolsets.export("kit") == packed
    with open_app(fresh) as other:
        assert other.send(InstallToolset(packed, "yes")).outcome == "installed"
        assert other.toolsets.export("kit") == packed


def test_a_toolset_that_is_not_installed_is_not_found(app: App) -> None:
    for command in (EnableToolset("gone"), UninstallToolset("gone"), DisableTool("gone:tool")):
        with pytest.raises(NotFound, match="No toolset gone is installed"):
            app.send(command)
    with pytest.raises(NotFound, match="Kit has no tool gone"):
        app.send(DisableTool("kit:gone"))
