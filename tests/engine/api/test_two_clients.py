"""Several clients ask at once, and open streams must not keep anybody from asking."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette

from engine.api.streams import Stream, Streams, TooManyStreams
from tests.support.asgi import TestClient
from tests.support.talk import Talk, call


def told(text: str) -> list[str]:
    """The types of the events of a stream."""
    return [line.removeprefix("event: ") for line in text.splitlines() if line.startswith("event: ")]


def slow(talk: Talk) -> str:
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "One."}, {"text": "Two."})
    return talk.start("first")


def test_a_second_question_gets_409_unless_it_may_be_queued(client: TestClient, talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()
    refused = client.post(f"/v1/chats/{talk.chat_id}/messages", json={"text": "second"})
    assert (refused.status_code, refused.json()["code"]) == (409, "turn_runs")
    (folder / "go").touch()
    talk.ended(turn_id)


def test_a_queued_question_follows_its_own_turn_to_the_end(client: TestClient, talk: Talk) -> None:
    turn_id = slow(talk)
    folder = talk.inside()

    def let_go(signal: dict[str, Any]) -> None:
        if signal["type"] == "changed" and not (folder / "go").exists():
            (folder / "go").touch()

    _, stop = talk.app.watch(talk.chat_id, let_go)  # the queued question changes the chat
    body = {"text": "second", "if_running": "queue"}
    answer = client.post(f"/v1/chats/{talk.chat_id}/messages", json=body)
    stop()
    talk.ended(turn_id)
    kinds = told(answer.text)
    assert answer.status_code == 200
    assert (kinds[0], kinds[-1]) == ("queued", "ask")
    assert '"answer": "Two."' in answer.text
    assert turn_id not in answer.text
    assert [message.content for message in talk.branch() if message.content] == [
        "first",
        "One.",
        "second",
        "Two.",
    ]


async def _open(streams: Streams, kind: Any, browser: str | None = None) -> Stream:
    return streams.open(kind, browser)


def test_watchers_beyond_the_limit_are_refused_and_questions_can_still_be_asked() -> None:
    async def scene() -> None:
        streams = Streams(most=3)
        for _ in range(3):
            await _open(streams, "watch")
        with pytest.raises(TooManyStreams):
            await _open(streams, "watch")
        first = await _open(streams, "turn")
        for _ in range(3):
            await _open(streams, "turn")
        assert (first.was_cut, first.yielded) == (True, True)
        await _open(streams, "command")

    asyncio.run(scene())


def test_watching_leaves_a_browser_enough_connections_for_questions() -> None:
    async def scene() -> None:
        streams = Streams()
        watching = [await _open(streams, "watch", "one") for _ in range(4)]
        with pytest.raises(TooManyStreams):
            await _open(streams, "watch", "one")
        await _open(streams, "watch", "another")
        asks = [await _open(streams, "turn", "one") for _ in range(3)]
        assert [one.yielded for one in watching] == [True, False, False, False]
        assert [one.yielded for one in asks] == [True, True, False]

    asyncio.run(scene())


def test_a_watcher_above_the_limit_is_told_when_to_try_again(
    client: TestClient, mounted: Starlette, talk: Talk
) -> None:
    """Each stream ends by itself here, so the limit is reached in the server's own list of open streams."""
    streams: Streams = mounted.routes[0].app.state.reach.streams  # type: ignore[attr-defined]
    held: list[Stream] = []

    async def fill() -> None:
        held.extend([streams.open("watch") for _ in range(64)])

    asyncio.run(fill())
    try:
        refused = client.get("/v1/events", headers={"accept": "text/event-stream"})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
        assert refused.headers["retry-after"] == "5"
        talk.replies({"text": "One."})
        asked = client.post(f"/v1/chats/{talk.chat_id}/messages", json={"text": "still"})
        assert (asked.status_code, told(asked.text)[-1]) == (200, "ask")
    finally:
        for stream in held:
            stream.leave()
