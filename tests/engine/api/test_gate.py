"""Access control over HTTP and WebSocket: host, origin, token or cookie, and method."""

import itertools
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.websockets import WebSocketDisconnect

from engine.api.gate import BODY_BYTES
from engine.errors import Unavailable
from engine.secrets.api_token import cookie_name, cookie_value, known_token, made_token
from tests.support.asgi import BASE, BEARER, TOKEN, TestClient

OURS = "127.0.0.1:8501"
COOKIE = f"{cookie_name(OURS)}={cookie_value(TOKEN, OURS)}"
HOSTS = [OURS, "evil.example", "127.0.0.1.evil.example"]
ORIGINS = [None, f"http://{OURS}", "http://evil.example", "null", "http://127.0.0.1:3000"]
HAVE: dict[str, dict[str, str]] = {
    "nothing": {},
    "token": BEARER,
    "wrong token": {"authorization": "Bearer " + "x" * 43},
    "no bearer": {"authorization": f"Basic {TOKEN}"},
    "cookie": {"cookie": COOKIE},
    "cookie, own fetch": {"cookie": COOKIE, "sec-fetch-site": "same-origin"},
    "cookie, foreign fetch": {"cookie": COOKIE, "sec-fetch-site": "cross-site"},
    "cookie, another port's fetch": {"cookie": COOKIE, "sec-fetch-site": "same-site"},
    "wrong cookie": {"cookie": f"{cookie_name(OURS)}={'0' * 64}"},
    "the token as cookie": {"cookie": f"{cookie_name(OURS)}={TOKEN}"},
    "wrong token, right cookie": {"authorization": "Bearer x", "cookie": COOKIE},
}
TABLE = list(itertools.product(HOSTS, ORIGINS, HAVE))


def wanted(host: str, origin: str | None, have: str, *, reads: bool, socket: bool = False) -> int:
    """The rules of API-2, written independently: 200, or the status of the refusal."""
    if host != OURS:
        return 421
    if origin not in (None, f"http://{OURS}"):
        return 403
    if have == "token":
        return 200
    if not have.startswith("cookie"):
        return 401
    if "foreign" in have or "another" in have:
        return 403
    if socket:
        return 200 if origin else 403
    return 200 if reads or origin or have == "cookie, own fetch" else 403


@pytest.fixture
def stranger(mounted: Starlette) -> TestClient:
    """A client without token or cookie."""
    return TestClient(mounted, base_url=BASE)


def headers(host: str, origin: str | None, have: str) -> dict[str, str]:
    return {"host": host, **HAVE[have], **({} if origin is None else {"origin": origin})}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_http_requests_are_accepted_exactly_as_the_rules_say(stranger: TestClient, method: str) -> None:
    wrong = []
    for row in TABLE:
        path, body = ("/v1/toolsets", None) if method == "GET" else ("/v1/chats", {"title": "t"})
        answer = stranger.request(method, path, json=body, headers=headers(*row))
        status = 200 if answer.status_code == 201 else answer.status_code
        if status != wanted(*row, reads=method == "GET"):
            wrong.append((row, status))
    assert wrong == []


def test_websockets_are_accepted_exactly_as_the_rules_say(stranger: TestClient) -> None:
    wrong = []
    for row in TABLE:
        try:
            with stranger.websocket_connect("/v1/chats/none/ws", headers=headers(*row)) as socket:
                assert socket.receive_json()["type"] == "hello"
            status = 200
        except WebSocketDisconnect as closed:
            status = closed.code - 4000
        if status != wanted(*row, reads=False, socket=True):
            wrong.append((row, status))
    assert wrong == []


@pytest.mark.long
def test_every_route_but_health_needs_the_token(stranger: TestClient, client: TestClient) -> None:
    described = client.get("/v1/openapi.json").json()
    for path, methods in described["paths"].items():
        for method in methods:
            status = stranger.request(method, f"/v1{path}").status_code
            assert status == (200 if path == "/health" else 401), (method, path)
    assert stranger.get("/v1/openapi.json").status_code == 401
    refused = stranger.get("/v1/nothing/there")
    assert (refused.status_code, refused.json()["code"]) == (401, "token_missing")
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["www-authenticate"] == "Bearer"


def test_commands_are_refused_with_only_the_cookie(stranger: TestClient) -> None:
    own = {"cookie": COOKIE, "origin": BASE, "sec-fetch-site": "same-origin"}
    for path in ("/v1/commands/CreateChat", "/v1/queries/ListChats"):
        assert stranger.post(path, json={}, headers=own).json()["code"] == "bearer_needed"


def test_the_page_sets_the_cookie_and_the_cookie_opens_the_api(stranger: TestClient) -> None:
    given = stranger.get("/").headers["set-cookie"]
    assert given == f"{COOKIE}; Path=/v1; HttpOnly; SameSite=Strict"
    assert TOKEN not in given
    assert stranger.get("/v1/chats").status_code == 200
    assert stranger.get("/", headers={"host": "evil.example"}).headers.get("set-cookie") is None


def test_a_browser_with_a_cached_page_but_no_cookie_gets_the_cookie_again(stranger: TestClient) -> None:
    """The cookie ends with the browser session; the page stays in its cache, and is only revalidated."""
    page = stranger.get("/")
    stranger.cookies.clear()
    asked = {"if-none-match": page.headers["etag"]}
    again = stranger.get("/", headers=asked | {"accept": "text/html,*/*;q=0.8"})
    assert (again.status_code, again.headers["set-cookie"]) == (304, page.headers["set-cookie"])
    assert "set-cookie" not in stranger.get("/", headers=asked | {"accept": "image/*"}).headers


def test_bodies_of_other_types_and_too_large_ones_are_refused(client: TestClient) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/v1/chats", content=b"title=x", headers=form).json()["code"] == "content_type"
    plain = {"content-type": "text/plain"}
    assert client.post("/v1/chats", content=b'{"title": "x"}', headers=plain).status_code == 415
    large = b'{"title": "' + b"x" * BODY_BYTES + b'"}'
    kind = {"content-type": "application/json"}
    assert client.post("/v1/chats", content=large, headers=kind).status_code == 413
    pieces = (large[at : at + (1 << 20)] for at in range(0, len(large), 1 << 20))
    told = client.post("/v1/chats", content=pieces, headers=kind)
    assert (told.status_code, told.json()["code"]) == (413, "too_large")
    assert client.get("/v1/chats/%FF").json()["code"] == "request_invalid"
    assert client.put("/v1/chats", json={}).json()["code"] == "method_not_allowed"
    assert client.get("/v1/nothing").json()["code"] == "route_not_found"


def test_the_token_is_created_once_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    with pytest.raises(Unavailable, match="There is no token"):
        known_token(folder)
    token = made_token(folder)
    assert made_token(folder) == known_token(folder) == token
    (file,) = folder.iterdir()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    file.write_text("short")
    with pytest.raises(Unavailable, match="is damaged"):
        known_token(folder)
