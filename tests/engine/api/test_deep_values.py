"""The API refuses values that are too deep or too large with a clear error, never with status 500."""

import pytest

from tests.support.asgi import TestClient

JSON = {"content-type": "application/json"}
DEEP = [150, 500, 5_000, 100_000]


def nested(levels: int) -> str:
    """Nested lists, as JSON."""
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("levels", DEEP)
def test_deeply_nested_arguments_are_refused(client: TestClient, levels: int) -> None:
    body = '{"chat_id": "c", "params": {"path": ' + nested(levels) + "}}"
    answer = client.post(
        "/v1/toolsets/builtin/execute/read_file", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code in (400, 404, 422), answer.text[:500]


@pytest.mark.parametrize("levels", DEEP)
@pytest.mark.parametrize(
    "path",
    [
        "/v1/chats",
        "/v1/chats/c/messages",
        "/v1/toolsets/import",
        "/v1/commands/CreateChat",
        "/v1/queries/GetChat",
    ],
)
def test_deeply_nested_bodies_are_refused(client: TestClient, path: str, levels: int) -> None:
    for body in (nested(levels), '{"title": ' + nested(levels) + "}"):
        answer = client.post(path, content=body, headers=JSON)
        assert answer.status_code in (400, 404, 405, 422), answer.text[:500]


@pytest.mark.parametrize("number", ["9" * 5_000, "1e400", "-1e400", "NaN", "1E+999999999"])
def test_unbounded_numbers_are_refused(client: TestClient, number: str) -> None:
    body = '{"title": "t", "params": {"a": ' + number + '}, "after": ' + number + "}"
    for path in ("/v1/chats", "/v1/toolsets/builtin/execute/read_file"):
        answer = client.post(path, content=body, headers=JSON)
        assert answer.status_code in (201, 400, 404, 422), answer.text[:500]
