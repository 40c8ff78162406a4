"""Responses of the routes: turns as streams, files and blobs, toolsets after consent, the log."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import DenyCall, SetDefinition, Upload, UploadFiles
from tests.support.asgi import TestClient
from tests.support.talk import KIT, Talk, call, write_bundle


def events(text: str) -> list[tuple[str, Any]]:
    """The server-sent events of a body."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_a_question_is_answered_as_a_stream_that_ends_with_its_result(client: TestClient, talk: Talk) -> None:
    talk.replies({"text": "I look.", "calls": [call("look")]}, {"text": "Nothing there."})
    answer = client.post(f"/v1/chats/{talk.chat_id}/messages", json={"text": "go"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    heard = events(answer.text)
    assert list(dict.fromkeys(kind for kind, _ in heard)) == ["turn", "text", "call", "step", "end", "ask"]
    last = heard[-1][1]
    keys = ["chat_id", "turn_id", "finish", "answer", "tool_calls", "usage", "definitions"]
    assert list(last) == keys
    assert (last["finish"], last["answer"]) == ("stop", "Nothing there.")
    assert last["tool_calls"][0]["status"] == "success"


def test_an_answer_names_the_definitions_it_used(client: TestClient, talk: Talk) -> None:
    talk.app.send(SetDefinition("revenue", "net of returns", talk.chat_id))
    talk.replies({"text": "The revenue is 5."})
    answer = client.post(f"/v1/chats/{talk.chat_id}/messages", json={"text": "How much?"})
    kind, document = events(answer.text)[-1]
    used = [{"term": "revenue", "meaning": "net of returns", "version": 1, "scope": "chat"}]
    assert (kind, document["definitions"]) == ("ask", used)
    assert client.get(f"/v1/chats/{talk.chat_id}").json()["messages"][-1]["definitions"] == used


def test_files_can_be_sent_with_a_question_as_a_form(client: TestClient, talk: Talk) -> None:
    talk.replies({"text": "Thanks."})
    files = [("file", ("a.csv", b"n\n1\n")), ("file", ("b.txt", "ä".encode()))]
    answer = client.post(f"/v1/chats/{talk.chat_id}/messages", data={"text": "go"}, files=files)
    assert events(answer.text)[-1][1]["finish"] == "stop"
    assert talk.files() == {"a.csv": "n\n1\n", "b.txt": "ä"}


def test_a_refused_question_is_a_problem_and_not_a_stream(client: TestClient, talk: Talk) -> None:
    for chat_id, body, status, code in [
        (talk.chat_id, {"text": " "}, 422, "question_empty"),
        (talk.chat_id, {"text": "/nothing"}, 404, "command_not_found"),
        ("nope", {"text": "x"}, 404, "chat_not_found"),
        (talk.chat_id, {}, 422, "request_invalid"),
    ]:
        told = client.post(f"/v1/chats/{chat_id}/messages", json=body)
        assert told.headers["content-type"] == "application/problem+json"
        assert told.json()["code"] == code
        assert told.status_code == status or code == "question_empty"
    kind = {"content-type": "application/json"}
    assert client.post(f"/v1/chats/{talk.chat_id}/messages", content=b"{", headers=kind).status_code == 422


def test_waiting_calls_can_be_answered_over_the_api(client: TestClient, talk: Talk) -> None:
    talk.replies({"calls": [call("ask_first"), call("ask_first")]}, {"text": "Done."})
    at = f"/v1/chats/{talk.chat_id}"
    waits = events(client.post(f"{at}/messages", json={"text": "go"}).text)[-1][1]
    assert waits["finish"] == "awaiting_confirmation"
    one, two = (each["id"] for each in waits["tool_calls"])
    nan = {"content-type": "application/json"}
    bad = client.post(f"{at}/calls/{one}/approve", content=b'{"arguments": {"say": NaN}}', headers=nan)
    assert bad.json()["code"] == "arguments_json"
    client.post(f"{at}/calls/{one}/deny", json={"reason": "no"})
    done = events(client.post(f"{at}/calls/{two}/approve", json={"arguments": {"back": {"n": 1}}}).text)[-1]
    assert (done[0], done[1]["finish"]) == ("ask", "stop")
    assert [each["status"] for each in done[1]["tool_calls"]] == ["denied", "success"]
    assert client.post(f"{at}/calls/{two}/deny", json={}).json()["code"] == "call_not_waiting"
    assert client.post(f"{at}/stop").json() == {"stopped": 0}
    assert DenyCall.__doc__


@pytest.fixture
def filled(app: App, talk: Talk) -> Talk:
    """A chat with files of several kinds."""
    given = {
        "a.csv": b"n\n1\n",
        "page.html": b"<script>1</script>",
        "p.png": b"\x89PNG\r\n\x1a\n" + b"0" * 20,
        "x.svg": b"<svg/>",
    }
    app.send(UploadFiles(talk.chat_id, [Upload(name, data) for name, data in given.items()]))
    return talk


def test_files_are_sent_with_their_type_and_cannot_run_scripts(client: TestClient, filled: Talk) -> None:
    at = f"/v1/chats/{filled.chat_id}/workspace/files"
    listed = client.get(at).json()
    assert [row["path"] for row in listed["files"]] == ["a.csv", "p.png", "page.html", "x.svg"]
    kinds = {"a.csv": ("text/csv; charset=utf-8", "inline"), "p.png": ("image/png", "inline")}
    kinds |= {
        "page.html": ("text/html; charset=utf-8", "attachment"),
        "x.svg": ("image/svg+xml", "attachment"),
    }
    for path, (kind, shown) in kinds.items():
        got = client.get(f"{at}/{path}")
        assert got.headers["content-type"] == kind
        assert got.headers["content-disposition"].startswith(f"{shown}; ")
        assert got.headers["content-security-policy"].startswith("sandbox;")
        assert got.headers["x-content-type-options"] == "nosniff"
    blob = client.get(f"/v1/chats/{filled.chat_id}/blobs/{listed['files'][2]['sha256']}")
    assert (blob.content, blob.headers["content-type"]) == (
        b"<script>1</script>", "text/plain; charset=utf-8"
    )  # fmt: skip


def test_a_damaged_blob_is_not_served(client: TestClient, filled: Talk, app: App) -> None:
    row = client.get(f"/v1/chats/{filled.chat_id}/workspace/files").json()["files"][0]
    place = app.workspace.path(filled.chat_id, row["sha256"])
    place.chmod(0o600)
    place.write_bytes(b"x\n1\n")
    for path in (f"blobs/{row['sha256']}", "workspace/files/a.csv"):
        told = client.get(f"/v1/chats/{filled.chat_id}/{path}")
        assert (told.status_code, told.json()["code"]) == (503, "blob_damaged")
    missing = client.get(f"/v1/chats/{filled.chat_id}/blobs/{'0' * 64}")
    assert (missing.status_code, missing.json()["code"]) == (404, "blob_missing")


UP = ["%2e%2e", "..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "a/../../b", "..%5c..%5cx", "%00", "a%00.csv",
      "C:%5cx", "%5c%5chost%5cshare", "....//x", "%c0%ae%c0%ae%2fx", "a.csv%2f", "a.csv/%2e", ".%2fa.csv", "%ff",
      "x" * 3000, "%E2%80%AEcsv", "a.csv::$DATA", "%252e%252e%252fx"]  # fmt: skip


@pytest.mark.parametrize("path", UP)
def test_no_notation_of_a_path_leaves_the_workspace(client: TestClient, filled: Talk, path: str) -> None:
    for at in ("workspace/files", "blobs", "workspace/manifests"):
        answer = client.get(f"/v1/chats/{filled.chat_id}/{at}/{path}")
        assert answer.status_code in (404, 405, 422), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    assert client.get(f"/v1/chats/{path}/workspace/files/a.csv").status_code in (404, 405, 422)


def test_files_are_listed_in_their_state_at_a_message(client: TestClient, talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"n.txt": "1"})]}, {"text": "Done."})
    talk.ask()
    question, _, last = talk.branch()
    at = f"/v1/chats/{talk.chat_id}/workspace/manifests"
    assert client.get(f"{at}/{question.message_id}").json() == {"manifest_id": None, "files": []}
    then = client.get(f"{at}/{last.message_id}").json()
    assert [row["path"] for row in then["files"]] == ["n.txt"]
    got = client.get(f"/v1/chats/{talk.chat_id}/workspace/files/n.txt?manifest_id={then['manifest_id']}")
    assert got.text == "1"
    assert client.get(f"{at}/nope").json()["code"] == "message_not_found"


def test_a_bundle_is_installed_only_after_its_sheet_is_accepted(
    app: App, client: TestClient, tmp_path: Path
) -> None:
    text = KIT["toolset.yaml"].replace("id: kit\n", "id: third\n", 1)
    folder = str(write_bundle(tmp_path / "third", KIT | {"toolset.yaml": text}))
    shown = client.post("/v1/toolsets/import", json={"path": folder})
    assert (shown.status_code, shown.json()["code"]) == (409, "not_agreed")
    assert shown.json()["sheet"]["toolset_id"] == "third"
    assert client.get("/v1/toolsets/third").status_code == 404
    other = client.post("/v1/toolsets/import", json={"path": folder, "agreed_hash": "0" * 64})
    assert other.json()["code"] == "bundle_changed"
    agreed = {"agreed_hash": shown.json()["content_hash"]}
    assert (
        client.post("/v1/toolsets/import", json={"path": folder, **agreed}).json()["outcome"] == "installed"
    )
    packed = client.get("/v1/toolsets/third/export")
    assert packed.headers["content-type"] == "application/zip"
    again = client.post("/v1/toolsets/import", files={"file": ("t.zip", packed.content)})
    assert (again.status_code, again.json()["outcome"]) in ((200, "unchanged"), (409, "upgraded"))
    (stored,) = [
        app.data / row["stored_path"]
        for row in app.read("toolset_files")
        if (row["toolset_id"], row["path"]) == ("third", "tools/act.py")
    ]
    stored.unlink()
    assert client.get("/v1/toolsets/third").json()["changed_files"] == ["tools/act.py"]
    refused = client.post("/v1/toolsets/third/execute/look", json={"tool_call_id": "1", "params": {}}).json()
    assert refused["error"]["kind"] == "toolset_changed"
    restored = client.post("/v1/toolsets/third/restore").json()
    assert restored == {"toolset_id": "third", "files": ["tools/act.py"]}
    assert client.get("/v1/toolsets/third").json()["changed_files"] == []
    assert client.post("/v1/toolsets/gone/restore").json()["code"] == "toolset_not_found"
    assert client.post("/v1/toolsets/third/enable", json={"enabled": False}).json()["enabled"] is False
    assert client.post("/v1/toolsets/third/uninstall").json()["uninstalled"] is True
    bad = client.post("/v1/toolsets/import", files={"file": ("t.zip", b"no zip")})
    assert (bad.status_code, bad.json()["code"]) == (422, "invalid_bundle")
    assert bad.json()["problems"]


HERE = [
    "http://127.0.0.1:1/x.zip",
    "http://localhost/x",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://2130706433/",
]


@pytest.mark.parametrize(
    "url", [*HERE, "http://169.254.169.254/", "file:///etc/passwd", "gopher://x", "http://"]
)
def test_an_address_of_this_machine_or_its_neighbours_is_not_fetched(client: TestClient, url: str) -> None:
    told = client.post("/v1/toolsets/import", json={"url": url})
    assert told.json()["code"] in ("fetch_refused", "fetch_own_network", "url", "fetch_failed")


def test_a_tool_runs_on_a_chats_files_or_without_files(client: TestClient, talk: Talk) -> None:
    at = "/v1/toolsets/kit/execute"
    body = {"tool_call_id": "mine", "params": {"files": {"a": "1"}}, "chat_id": talk.chat_id}
    assert client.post(f"{at}/put", json=body).json() == {"tool_call_id": "mine", "result": {"saw": {}}}
    assert talk.files() == {"a": "1"}
    before = len(client.get("/v1/chats").json())
    alone = client.post(f"{at}/look", json={"tool_call_id": "two"}).json()
    assert alone == {"tool_call_id": "two", "result": {"saw": {}}}
    assert len(client.get("/v1/chats").json()) == before
    failed = client.post(f"{at}/put", json={"tool_call_id": "3", "params": {"fail": "no"}}).json()
    assert (failed["tool_call_id"], failed["error"]["message"]) == ("3", "ValueError: no")
    asks = client.post(f"{at}/ask_first", json={"tool_call_id": "4"}).json()
    assert asks["error"]["kind"] == "needs_confirmation"
    assert client.post(f"{at}/nope", json={"tool_call_id": "5"}).status_code == 404


def test_all_tools_and_the_tools_of_a_chat_are_listed_separately(client: TestClient, talk: Talk) -> None:
    tools = client.get("/v1/tools").json()
    assert {"kit:put", "kit:look"} <= {tool["tool_id"] for tool in tools}
    assert client.get("/v1/tools/kit:put").json()["effects"] == "write"
    offered = client.get(f"/v1/chats/{talk.chat_id}/tools").json()
    assert all(tool["available"] for tool in offered)
    assert "app-builder" not in {tool["toolset_id"] for tool in offered}


def test_events_are_paged_and_followed(client: TestClient, app: App) -> None:
    page = client.get("/v1/events?limit=3").json()
    assert [e["position"] for e in page["events"]] == [1, 2, 3]
    assert (page["after"], page["head"]) == (3, app.log.head())
    followed = client.get("/v1/events?after=1&limit=2", headers={"accept": "text/event-stream"})
    assert [e["position"] for _, e in events(followed.text)] == [2, 3]
    assert "id: 2\n" in followed.text
    assert client.get("/v1/events?limit=1001").status_code == 422


def test_a_past_state_is_returned_and_a_missing_position_or_chat_is_refused(
    client: TestClient, talk: Talk
) -> None:
    now = client.get(f"/v1/state?chat_id={talk.chat_id}").json()
    assert [row["chat_id"] for row in now["chats"]] == [talk.chat_id]
    then = client.get("/v1/state?at=2").json()
    assert (then["position"], then["chats"]) == (2, [])
    assert client.get("/v1/state?at=99999").json()["code"] == "position_not_found"
    assert client.get("/v1/state?at=2&chat_id=zzz").json()["code"] == "chat_not_found"
