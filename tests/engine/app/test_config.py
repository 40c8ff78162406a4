"""The data folder, the configuration, and the only app of a process."""

from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.process_state import close_app, shared_app
from engine.commands.catalog import ChangeSetting
from engine.config import SETTINGS, Settings, data_folder
from engine.deciders.settings import check_setting
from engine.errors import AnabranchError


def test_the_data_folder_comes_from_the_option_then_the_environment_then_the_platform(tmp_path: Path) -> None:
    environ = {"ANABRANCH_DATA": str(tmp_path / "env")}
    assert data_folder(tmp_path / "given", environ) == tmp_path / "given"
    assert data_folder(None, environ) == tmp_path / "env"
    assert data_folder(None, {}).name == "anabranch"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("colour", "red", "There is no setting colour. The settings are: model,"),
        ("max_tool_iterations", "5", "must be of type int, not str"),
        ("max_tool_iterations", True, "must be of type int, not bool"),
        ("max_tool_iterations", 0, "must be from 1 to 200, not 0"),
        ("tools_on", 1, "must be of type bool, not int"),
        ("model", "nobody:1", "cannot use the model nobody:1"),
        ("context_window", {"ollama:*": "8192"}, "a number of tokens for each pattern, at least 1,000"),
        ("context_window", {"ollama:*": 8}, "a number of tokens for each pattern, at least 1,000"),
        ("context_window", 8192, "must be of type dict, not int"),
    ],
)
def test_an_unknown_setting_or_an_invalid_value_is_refused(
    app: App, name: str, value: Any, says: str
) -> None:
    head = app.log.head()
    with pytest.raises(AnabranchError, match=says):
        app.send(ChangeSetting(name, value))
    assert app.log.head() == head


def test_a_setting_is_changed_and_reset(app: App) -> None:
    app.send(ChangeSetting("max_tool_iterations", 9))
    assert app.settings.max_tool_iterations == 9
    app.send(ChangeSetting("max_tool_iterations", None))
    assert app.settings.max_tool_iterations == 5


def test_context_windows_of_models_are_set_by_patterns(app: App) -> None:
    app.send(ChangeSetting("context_window", {"ollama:*": 8192}))
    assert app.settings.context_window == {"ollama:*": 8192}
    app.send(ChangeSetting("context_window", None))
    assert app.settings.context_window == {}


def test_every_default_is_a_valid_value_of_its_setting() -> None:
    for setting in SETTINGS:
        check_setting(setting.name, setting.default)


def test_the_environment_can_switch_tools_off_regardless_of_the_setting() -> None:
    assert Settings({}, {}).tools_on
    assert not Settings({}, {"ANABRANCH_TOOLS": "OFF"}).tools_on
    assert not Settings({"tools_on": False}, {}).tools_on


def test_a_process_can_have_only_one_open_app(tmp_path: Path) -> None:
    one = shared_app(tmp_path)
    assert shared_app(tmp_path) is one
    close_app()
    close_app()
    another = shared_app(tmp_path)
    assert another is not one
    assert another.log.verify().ok
    close_app()
