"""One file of any size over the API: streamed to the disk with its progress, and stored completely or not at all."""

import hashlib
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import ReceiveFile
from engine.errors import Refused
from engine.workspace import limits
from tests.support.asgi import TestClient
from tests.support.talk import Talk

OCTETS = {"content-type": "application/octet-stream"}


def pieces(count: int, size: int = 1 << 20) -> Iterator[bytes]:
    for number in range(count):
        yield bytes([number % 251]) * size


def temporaries(app: App) -> list[Path]:
    return list((app.data / "chats").glob("*/blobs/.tmp-*"))


def test_a_file_is_stored_as_it_arrives_and_its_progress_is_reported(
    client: TestClient, app: App, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.command_handlers.files._TOLD_EVERY", 0.0)
    at = f"/v1/chats/{talk.chat_id}/uploads"
    told = client.put(f"{at}/large.bin", content=pieces(5), headers=OCTETS)
    assert (told.status_code, told.json()) == (200, {"name": "large.bin"})
    (entry,) = app.workspace.files(talk.chat_id).values()
    expected = hashlib.sha256(b"".join(pieces(5))).hexdigest()
    assert (entry.sha256, entry.size) == (expected, 5 << 20)
    assert talk.on_disk().keys() == {"large.bin"}
    signals = [talk.signals.get_nowait() for _ in range(talk.signals.qsize())]
    received = [signal["received"] for signal in signals if signal["type"] == "upload"]
    assert received == sorted(received)
    assert received[-1] == 5 << 20
    assert client.put(f"{at}/large.bin", content=b"small", headers=OCTETS).json() == {"name": "large_1.bin"}
    assert client.put(f"{at}/empty", content=b"", headers=OCTETS).json() == {"name": "empty"}
    assert talk.files()["large_1.bin"] == "small"


def test_memory_stays_constant_while_a_large_file_arrives(app: App, talk: Talk) -> None:
    tracemalloc.start()
    try:
        app.send(ReceiveFile(talk.chat_id, "large.bin", pieces(64), 64 << 20))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 << 20


def test_an_incomplete_upload_leaves_nothing(app: App, talk: Talk) -> None:
    def cut() -> Iterator[bytes]:
        yield from pieces(3)
        raise LookupError

    head = app.log.head()
    with pytest.raises(LookupError):
        app.send(ReceiveFile(talk.chat_id, "large.bin", cut()))
    with pytest.raises(
        Refused, match=r"has 4,194,304 bytes, but 3,145,728 arrived\. Nothing was added\. Upload it again\."
    ):
        app.send(ReceiveFile(talk.chat_id, "large.bin", pieces(3), 4 << 20))
    assert app.log.head() == head
    assert temporaries(app) == []


def test_a_file_too_large_for_the_disk_is_refused_before_it_arrives(
    client: TestClient, app: App, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 100 << 20

    monkeypatch.setattr(limits.shutil, "disk_usage", lambda _: Usage)
    read: list[Any] = []

    def body() -> Iterator[bytes]:
        read.append(1)
        yield b"x"

    head = app.log.head()
    with pytest.raises(Refused, match=r"of which 100\.0 MiB are free.*Free some space"):
        app.send(ReceiveFile(talk.chat_id, "large.bin", body(), 1 << 30))
    assert read == []
    assert app.log.head() == head
    assert client.put(f"/v1/chats/{talk.chat_id}/uploads/a", content=b"x", headers=OCTETS).status_code == 200


def test_an_upload_to_a_chat_that_does_not_exist_is_refused(client: TestClient) -> None:
    told = client.put("/v1/chats/nope/uploads/a", content=b"x", headers=OCTETS)
    assert (told.status_code, told.json()["code"]) == (404, "chat_not_found")


def test_only_file_uploads_may_send_raw_bytes(client: TestClient) -> None:
    assert client.post("/v1/chats", content=b"x", headers=OCTETS).status_code == 415


def test_a_form_may_contain_more_than_a_hundred_files(client: TestClient, talk: Talk) -> None:
    talk.replies({"text": "Seen."})
    files = [("file", (f"{number}.txt", b"x")) for number in range(150)]
    told = client.post(f"/v1/chats/{talk.chat_id}/messages", data={"text": "look"}, files=files)
    assert told.status_code == 200, told.text
    assert len(talk.files()) == 150
