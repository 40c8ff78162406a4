"""One app for all analyses."""

from collections.abc import Iterator

import pytest

from engine.app.app import App, open_app


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An open data folder."""
    with open_app(tmp_path_factory.mktemp("data")) as opened:
        yield opened
