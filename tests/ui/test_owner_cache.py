"""Data read for drawing is cached per app, within limits, and no longer than its file is kept."""

import gc
from pathlib import Path

import pytest

from engine.app.app import open_app
from engine.commands.catalog import CreateChat, Upload, UploadFiles
from engine.errors import NotFound
from engine.views.results import TableSource
from ui.owner_cache import OwnerCache
from ui.widgets import files


class Owner:
    """A fake app."""


class Value:
    """A value that was read."""


def test_the_latest_values_are_kept_and_dropped_with_their_owner() -> None:
    kept, owner, made = OwnerCache[Value](2), Owner(), list[int]()

    def make() -> Value:
        made.append(1)
        return Value()

    first = kept.get(owner, 1, make)
    kept.get(owner, 2, make)
    assert kept.get(owner, 1, make) is first
    kept.get(owner, 3, make)
    assert kept.get(owner, 1, make) is first
    assert len(made) == 3
    assert kept.get(Owner(), 1, make) is not first
    del owner, first
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Value)]


def test_rows_of_a_file_are_not_shown_after_the_file_was_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_app(tmp_path) as app:
        monkeypatch.setattr(files, "app", lambda: app)
        chat_id = app.send(CreateChat())
        app.send(UploadFiles(chat_id, [Upload("orders.csv", b"units\n1\n2\n")]))
        sha256 = app.workspace.files(chat_id)["orders.csv"].sha256
        source = TableSource(chat_id, sha256, "orders.csv")
        page = files.page_of(source)
        assert page.total == 2
        assert files.page_of(source) is page
        app.workspace.path(chat_id, sha256).unlink()
        with pytest.raises(NotFound):
            files.page_of(source)
