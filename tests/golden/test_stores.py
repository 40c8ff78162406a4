"""A store that a release has written can be opened forever, and its contents read the same."""

import json
import zipfile
from pathlib import Path

import pytest

from engine.app.app import open_app
from tests.golden.write_store import STORES, told
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk

RELEASES = sorted(path.stem for path in STORES.glob("*.zip"))


def test_a_store_of_a_release_exists() -> None:
    assert RELEASES


@pytest.mark.parametrize("release", mostly_long(RELEASES, quick=(0, 2)))
def test_a_store_of_each_release_opens_and_reads_the_same_as_in_that_release(
    release: str, tmp_path: Path
) -> None:
    expected = json.loads((STORES / f"{release}.json").read_text())
    with zipfile.ZipFile(STORES / f"{release}.zip") as archive:
        archive.extractall(tmp_path / "data")
    with open_app(tmp_path / "data") as app:
        assert app.log.verify().ok
        now = told(app, expected["position"])
        for name, rows in expected["state"].items():  # a column that a later release added is one more
            columns = list(rows[0]) if rows else []
            assert [{column: row[column] for column in columns} for row in now[name]] == rows, name
        assert app.checking.check().ok
        for chat in app.chats():
            talk = Talk(app, tmp_path, chat["chat_id"])
            said = len([m for m in talk.branch() if m.role == "assistant"])
            talk.replies(*[{"text": "…"}] * said, {"text": "It goes on."})
            assert talk.ask("And today?").reason == "stop"
            assert talk.branch()[-1].content == "It goes on."
