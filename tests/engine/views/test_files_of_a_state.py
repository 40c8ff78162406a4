"""A chat's files at each of its states, computed from the recorded changes."""

import pytest

from engine.app.app import App
from engine.chats.open_chats import stream_of
from engine.commands.catalog import CreateChat, RemoveFile, RenameFile, SaveFile, Upload, UploadFiles
from engine.errors import NotFound
from events.catalog.workspace import ManifestRecorded


@pytest.fixture(scope="module")
def edited(app: App) -> str:
    """A chat whose files were added, overwritten, renamed, edited and removed."""
    chat_id = str(app.send(CreateChat()))
    app.send(UploadFiles(chat_id, [Upload("b.csv", b"n\n1\n"), Upload("a.csv", b"n\n2\n")]))
    app.send(UploadFiles(chat_id, [Upload("c.txt", b"notes")]))
    app.send(SaveFile(chat_id, "c.txt", b"more notes", app.workspace.files(chat_id)["c.txt"].sha256))
    app.send(RenameFile(chat_id, "a.csv", "later/a.csv"))
    app.send(RemoveFile(chat_id, "b.csv"))
    return chat_id


def test_every_state_has_the_files_that_its_changes_give(app: App, edited: str) -> None:
    files: dict[str, str] = {}
    states = []
    for recorded in app.log.read_stream(stream_of(edited)):
        event = recorded.event
        if isinstance(event, ManifestRecorded):
            files = {path: sha256 for path, sha256 in files.items() if path not in event.removed}
            files |= {path: file.sha256 for path, file in {**event.added, **event.changed}.items()}
            states.append((event.manifest_id, dict(files)))
    assert len(states) >= 5
    for manifest_id, expected in states:
        shown = app.workspace.files(edited, manifest_id)
        assert {path: entry.sha256 for path, entry in shown.items()} == expected
        assert list(shown) == sorted(expected)
    assert app.workspace.files(edited) == app.workspace.files(edited, states[-1][0])
    assert sorted(app.workspace.files(edited)) == ["c.txt", "later/a.csv"]


def test_a_state_of_another_chat_is_not_found(app: App, edited: str) -> None:
    other = str(app.send(CreateChat()))
    assert app.workspace.files(other) == {}
    manifest_id = app.chat(edited).manifest
    assert manifest_id is not None
    with pytest.raises(NotFound, match="no recorded state"):
        app.workspace.files(other, manifest_id)
    with pytest.raises(NotFound, match="There is no chat"):
        app.workspace.files("nowhere")
