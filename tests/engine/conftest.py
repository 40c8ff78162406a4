"""An app for each test module, and a chat in it for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from tests.support.talk import Talk, install_kit


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app on an open data folder with the bundle `kit`."""
    with open_app(tmp_path_factory.mktemp("data")) as opened:
        install_kit(opened, tmp_path_factory.mktemp("kit"))
        yield opened


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    """A new chat."""
    return Talk(app, tmp_path)
