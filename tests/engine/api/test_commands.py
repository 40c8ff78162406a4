"""Each command has a route, generated from its dataclass: it takes JSON, and returns the usual results and errors."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from engine.api.commands import STREAMED_ELSEWHERE
from engine.api.commands import commands as routed
from engine.commands import catalog
from engine.commands.base import Command
from engine.commands.carried import INLINE_BYTES
from engine.commands.codec import decode, decode_result, encode
from tests.support.asgi import BASE, BEARER, TestClient
from tests.support.talk import KIT, Talk, call, write_bundle

KINDS = [
    kind
    for kind in vars(catalog).values()
    if isinstance(kind, type) and issubclass(kind, Command) and kind is not Command
]


def sent(client: TestClient, command: Command[Any]) -> Any:
    """What a command returns over HTTP, as the engine's own result type."""
    document, parts = encode(command)
    name = type(command).__name__
    if parts:
        answer = client.post(f"/v1/commands/{name}", data={"document": json.dumps(document)}, files=parts)
    else:
        answer = client.post(f"/v1/commands/{name}", json=document)
    assert answer.status_code == 200, answer.text
    return decode_result(type(command), answer.json()["result"])


def test_every_command_has_its_route_and_is_described_by_its_fields(client: TestClient) -> None:
    described = client.get("/v1/openapi.json").json()
    assert {*routed(), *STREAMED_ELSEWHERE} == {*KINDS}
    for kind in routed():
        route = described["paths"][f"/commands/{kind.__name__}"]["post"]
        schema = described["components"]["schemas"][kind.__name__]
        assert route["description"].split("\n")[0] in (kind.__doc__ or ""), kind
        fields = set(kind.__dataclass_fields__) - {"progress"}
        assert set(schema.get("properties", {})) == fields, kind
        assert schema["additionalProperties"] is False
        assert route["security"] == [{"token": []}]


def test_the_fields_docstrings_are_in_the_description(client: TestClient) -> None:
    schemas = client.get("/v1/openapi.json").json()["components"]["schemas"]
    assert schemas["ForkChat"]["properties"]["position"]["description"].startswith("The chat and its files")


def test_a_chat_can_be_started_asked_and_forked(client: TestClient, talk: Talk) -> None:
    talk.replies({"text": "One."})
    chat_id = talk.chat_id
    begun = sent(client, catalog.Ask(chat_id, "first", [catalog.Upload("a.csv", b"n\n1\n")]))
    assert isinstance(begun, catalog.TurnStart)
    talk.ended(begun.turn_id)
    assert talk.files() == {"a.csv": "n\n1\n"}
    forked = sent(client, catalog.ForkChat(chat_id))
    assert [m.content for m in talk.app.chat(forked).branch()] == ["first", "One."]
    assert sent(client, catalog.RenameChat(forked, "a name")) is None
    assert talk.app.chat(forked).title == "a name"


def test_a_question_during_a_turn_can_be_queued(client: TestClient, talk: Talk) -> None:
    talk.replies({"calls": [call("put", wait=True)]}, {"text": "One."}, {"text": "Two."})
    turn_id = talk.start("first")
    folder = talk.inside()
    waiting = sent(client, catalog.Ask(talk.chat_id, "second", if_running="queue"))
    assert isinstance(waiting, catalog.Waiting)
    refused = client.post("/v1/commands/Ask", json={"chat_id": talk.chat_id, "text": "third"})
    assert (refused.status_code, refused.json()["code"]) == (409, "turn_runs")
    (folder / "go").touch()
    talk.ended(turn_id)
    talk.ended(talk.app.turn_of(waiting).turn_id)


def test_large_files_are_sent_as_parts_of_a_form(client: TestClient, talk: Talk) -> None:
    large = b"n\n" + b"1\n" * INLINE_BYTES
    files = [catalog.Upload("large.csv", large), catalog.Upload("small.csv", b"n\n2\n")]
    assert sent(client, catalog.UploadFiles(talk.chat_id, files)) == ["large.csv", "small.csv"]
    stored = talk.app.workspace.files(talk.chat_id)
    assert stored["large.csv"].size == len(large)
    changed = catalog.SaveFile(talk.chat_id, "large.csv", large + b"3\n", stored["large.csv"].sha256)
    assert sent(client, changed) is None
    assert talk.app.workspace.files(talk.chat_id)["large.csv"].size == len(large) + 2


def test_many_small_files_are_sent_as_parts_if_they_are_too_large_for_the_json_document() -> None:
    files = [catalog.Upload(f"{number}.csv", b"n" * (INLINE_BYTES // 4)) for number in range(100)]
    document, parts = encode(catalog.UploadFiles("chat", files))
    assert len(json.dumps(document)) < 2 * INLINE_BYTES
    assert len(parts) == 96
    again = decode(catalog.UploadFiles, document, parts)
    assert [upload.content for upload in again.files] == [upload.content for upload in files]


def test_queries_are_answered_with_the_usual_errors(client: TestClient, talk: Talk) -> None:
    listed = client.post("/v1/queries/ListChats").json()["result"]
    assert talk.chat_id in [row["chat_id"] for row in listed]
    for name, document, code in [
        ("GetChat", {"chat_id": "nope"}, "chat_not_found"),
        ("GetCall", {"chat_id": talk.chat_id, "call_id": "nope"}, "call_not_found"),
        ("FollowTurn", {"chat_id": talk.chat_id, "turn_id": "nope"}, "turn_not_found"),
        ("FollowQueued", {"chat_id": talk.chat_id, "queued_id": "nope"}, "queued_not_found"),
        ("GetState", {"position": 99999}, "position_not_found"),
    ]:
        answer = client.post(f"/v1/queries/{name}", json=document)
        assert (answer.status_code, answer.json()["code"]) == (404, code)
    packed = client.post("/v1/queries/ExportToolset", json={"toolset_id": "kit"})
    assert (packed.content[:2], packed.headers["content-type"]) == (b"PK", "application/octet-stream")
    assert client.post("/v1/queries/ExportLog").content[:4] == b"PAR1"


def test_a_folder_is_installed_in_place_and_a_zip_from_its_bytes(
    client: TestClient, talk: Talk, tmp_path: Path
) -> None:
    manifest = KIT["toolset.yaml"].replace("id: kit\n", "id: fresh\n", 1)
    folder = write_bundle(tmp_path / "fresh", KIT | {"toolset.yaml": manifest})
    document, _ = encode(catalog.InstallToolset(folder, "yes"))
    assert document["source"] == {"path": str(folder)}
    installed = sent(client, catalog.InstallToolset(folder, "yes"))
    assert (installed.toolset_id, installed.outcome) == ("fresh", "installed")
    packed = talk.app.toolsets.export("fresh")
    document, _ = encode(catalog.InstallToolset(packed, "yes"))
    assert list(document["source"]) == ["base64"]
    sent(client, catalog.UninstallToolset("fresh"))


@pytest.mark.parametrize(
    "document",
    [
        {"chat_id": "c"},
        {"chat_id": "c", "text": "t", "more": 1},
        {"chat_id": "c", "text": "t", "files": [{"name": "a", "content": {"path": "/etc/passwd"}}]},
        {"chat_id": "c", "text": "t", "files": [{"name": "a", "content": {"part": "none"}}]},
        {"chat_id": "c", "text": "t", "files": [{"name": "a", "content": {"base64": "%"}}]},
        {"chat_id": "c", "text": "t", "if_running": "perhaps"},
        ["chat_id"],
    ],
)
def test_a_document_that_does_not_match_the_description_is_refused_with_every_problem(
    client: TestClient, document: Any
) -> None:
    answer = client.post("/v1/commands/Ask", json=document)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert answer.json()["problems"]


def test_a_body_that_is_not_json_is_refused(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/v1/commands/Ask", content=b"{", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "body_json")


def test_errors_are_the_same_as_in_the_engine(client: TestClient) -> None:
    answer = client.post("/v1/commands/RenameChat", json={"chat_id": "nope", "title": "t"})
    assert (answer.status_code, answer.json()["code"]) == (404, "chat_not_found")


def test_a_client_can_request_progress_results_and_problems_as_lines(client: TestClient, talk: Talk) -> None:
    lines = {"accept": "application/x-ndjson"}
    with client.stream("POST", "/v1/commands/CreateChat", json={"title": "t"}, headers=lines) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        (last,) = [json.loads(line) for line in answer.iter_lines()]
    assert talk.app.chat(last["result"]).title == "t"
    missing = {"chat_id": "nope", "title": "t"}
    with client.stream("POST", "/v1/commands/RenameChat", json=missing, headers=lines) as answer:
        (last,) = [json.loads(line) for line in answer.iter_lines()]
    assert (last["problem"]["status"], last["problem"]["code"]) == (404, "chat_not_found")


def test_commands_need_the_token_and_the_cookie_is_not_enough(mounted: Starlette) -> None:
    with TestClient(mounted, base_url=BASE) as browser:
        browser.get("/", headers={"accept": "text/html"})
        own = {"origin": BASE, "sec-fetch-site": "same-origin"}
        refused = browser.post("/v1/commands/CreateChat", json={}, headers=own)
        assert (refused.status_code, refused.json()["code"]) == (403, "bearer_needed")
        foreign = browser.post(
            "/v1/commands/CreateChat", json={}, headers=BEARER | {"origin": "http://evil.example"}
        )
        assert foreign.status_code == 403


def test_a_command_is_unchanged_after_encoding_and_decoding() -> None:
    command = catalog.ConfigureToolset("kit", {"KEY": "secret", "OLD": None}, ["A"])
    document, parts = encode(command)
    assert parts == {}
    assert decode(catalog.ConfigureToolset, document) == command
    assert "secret" not in repr(command)
