"""The routes under /v1 and the guard before every route."""

from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from engine.api.guard import allowed
from engine.api.policy import PAGE_POLICY
from engine.app.app import App
from tests.support.asgi import TestClient, WebSocketTestSession
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call


def live(client: TestClient, talk: Talk, headers: dict[str, str] | None = None) -> WebSocketTestSession:
    """The WebSocket of a chat."""
    return client.websocket_connect(
        f"/v1/chats/{talk.chat_id}/ws", headers=headers or {"host": "127.0.0.1:8501"}
    )


def until(socket: WebSocketTestSession, kind: str) -> list[dict[str, Any]]:
    """The messages up to and including the first one of a kind."""
    heard: list[dict[str, Any]] = []
    while not heard or heard[-1]["type"] != kind:
        heard.append(socket.receive_json())
    return heard


def test_health_reports_the_process_its_address_and_the_state_of_the_log(
    client: TestClient, app: App
) -> None:
    answer = client.get("/v1/health")
    assert answer.status_code == 200
    assert answer.json()["ok"] is True
    assert answer.json()["position"] == app.log.head()
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"


TABLE = [
    ("127.0.0.1:8501", None, 200),
    ("127.0.0.1:8501", "http://127.0.0.1:8501", 200),
    ("localhost:8501", "http://localhost:8501", 200),
    ("[::1]:8501", "http://[::1]:8501", 200),
    ("evil.example", None, 421),
    ("evil.example:8501", "http://evil.example:8501", 421),
    ("127.0.0.1.evil.example", None, 421),
    ("127.0.0.1@evil.example", None, 421),
    ("", None, 421),
    ("[::1", None, 421),
    ("127.0.0.1:8501", "http://evil.example", 403),
    ("127.0.0.1:8501", "http://127.0.0.1:9999", 403),
    ("127.0.0.1:8501", "http://localhost:8501", 403),
    ("127.0.0.1:8501", "http://127.0.0.1:8501.evil.example", 403),
    ("127.0.0.1:8501", "null", 403),
    ("127.0.0.1:8501", "", 403),
]


def hello(talk: Talk, running: int = 0) -> dict[str, object]:
    """The first message of a socket: how many turns run, and how many events the chat has."""
    return {"type": "hello", "running": running, "version": len(talk.events())}


@pytest.mark.parametrize(("host", "origin", "status"), TABLE)
def test_only_pages_from_this_exact_address_are_served(
    client: TestClient, host: str, origin: str | None, status: int
) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    assert client.get("/v1/health", headers=headers).status_code == status


@pytest.mark.parametrize(("host", "origin", "status"), TABLE)
def test_websockets_only_accept_pages_from_this_exact_address(
    client: TestClient, talk: Talk, host: str, origin: str | None, status: int
) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    if status == 200:
        with live(client, talk, headers) as socket:
            assert socket.receive_json() == hello(talk)
    else:
        with pytest.raises(WebSocketDisconnect) as closed:
            live(client, talk, headers).__enter__()
        assert closed.value.code == 4000 + status


def test_a_configured_host_name_is_served() -> None:
    assert allowed("demo.example", "https://demo.example", ["demo.example"]) == 200
    assert allowed("127.0.0.1:1", None, ["demo.example"]) == 421


def test_a_chats_socket_sends_the_events_of_a_turn_in_order(client: TestClient, talk: Talk) -> None:
    talk.replies({"text": "I look.", "calls": [call("look")]}, {"text": "Nothing there."})
    with live(client, talk) as socket:
        assert socket.receive_json() == hello(talk)
        talk.ask()
        heard = until(socket, "end")
    kinds = [s["type"] for s in heard]
    assert [k for k in dict.fromkeys(kinds) if k != "changed"] == ["turn", "text", "call", "step", "end"]
    assert "".join(s["text"] for s in heard if s["type"] == "text") == "I look.Nothing there."
    assert [s["call"]["status"] for s in heard if s["type"] == "call"] == ["pending", "running", "success"]


def test_a_late_watcher_gets_a_snapshot_and_may_stop_the_turn(client: TestClient, talk: Talk) -> None:
    talk.replies({"text": "I wait.", "calls": [call("put", wait=True)]}, {"text": "Never."})
    turn_id = talk.start()
    talk.inside()
    with live(client, talk) as socket:
        assert socket.receive_json() == hello(talk, running=1)
        picture = socket.receive_json()
        assert (picture["type"], picture["turn_id"]) == ("turn", turn_id)
        assert [(c["name"], c["status"]) for c in picture["calls"]] == [("put", "running")]
        socket.send_json({"type": "stop"})
        assert until(socket, "end")[-1]["reason"] == "cancelled"
    assert talk.ended(turn_id).reason == "cancelled"


def test_many_can_watch_at_once_and_one_that_leaves_does_not_affect_the_others(
    client: TestClient, talk: Talk
) -> None:
    talk.replies({"text": "To all of you."}, {"text": "And again."})
    with live(client, talk) as one, live(client, talk) as two:
        assert [s.receive_json()["type"] for s in (one, two)] == ["hello", "hello"]
        with live(client, talk) as gone:
            assert gone.receive_json()["type"] == "hello"
        talk.ask("first")
        for socket in (one, two):
            assert until(socket, "end")[-1]["reason"] == "stop"
        one.close()
        talk.ask("second")
        assert until(two, "end")[-1]["reason"] == "stop"


@pytest.mark.parametrize("nonsense", mostly_long(["{", '"stop"', '{"type": "dance"}', "[]"], quick=(0, 2)))
def test_invalid_messages_from_a_client_do_not_stop_the_turn(
    client: TestClient, talk: Talk, nonsense: str
) -> None:
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "Done."})
    turn_id = talk.start()
    place = talk.inside()
    with live(client, talk) as socket:
        assert [socket.receive_json()["type"] for _ in range(2)] == ["hello", "turn"]
        socket.send_text(nonsense)
        (place / "go").touch()
        assert talk.ended(turn_id).reason == "stop"
        assert until(socket, "end")[-1]["reason"] == "stop"
