"""Fifty made-up secrets, wherever they may occur: none is in the data folder, an export or a model's request."""

import base64
import json
import random
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest

from engine.app.app import App
from engine.chats.signals import Signal
from engine.commands.catalog import ChangeSetting, ConfigureToolset, InstallToolset, RenameChat, SelectModel
from engine.views.documents import as_json
from events.read_models import PUBLIC
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider
from tests.support.talk import KIT, Talk, write_bundle

_DICE = random.Random(20261120)
_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def made_up(number: int) -> str:
    """A made-up secret: plain, with characters that are escaped, or with several lines."""
    plain = "".join(_DICE.choices(_SIGNS, k=_DICE.randint(20, 48)))
    return [f"sk-{plain}", plain, f'{plain[:10]}/+="{plain[10:]}', f"{plain}\n{plain[::-1]}"][number % 4]


MODELS = {
    provider: made_up(n) for n, provider in enumerate(["openai", "gemini", "anthropic", "mistral", "groq"])
}
VARIABLES = {f"SERVICE_{n}_TOKEN": made_up(n) for n in range(40)}
CONFIGURED = {f"KIT_KEY_{n}": made_up(4 * n) for n in range(5)}
SECRETS = [*MODELS.values(), *VARIABLES.values(), *CONFIGURED.values()]
CONFIG = "config:\n" + "".join(
    f"  - {{name: {name}, description: A key., secret: true, required: false, env: {name}}}\n"
    for name in CONFIGURED
)


def forms(secret: str) -> list[bytes]:
    """The forms in which the secret may occur."""
    spelled = json.dumps(secret)[1:-1]
    return [
        text.encode()
        for text in {secret, spelled, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()}
    ]


def found_in(data: bytes) -> list[str]:
    return [secret for secret in SECRETS if any(form in data for form in forms(secret))]


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An app whose user has fifty secrets."""
    bundle = KIT | {"toolset.yaml": KIT["toolset.yaml"] + CONFIG}
    environ = {"ANABRANCH_CONFIG": str(tmp_path / "config"), "ANABRANCH_KEYRING": "off", **VARIABLES}
    opened = App(tmp_path / "data", environ=environ)
    opened.send(InstallToolset(write_bundle(tmp_path / "kit", bundle), "yes"))
    for provider, value in MODELS.items():
        opened.vault.set(f"model/{provider}", value)
    opened.send(ConfigureToolset("kit", CONFIGURED))
    return opened


def test_fifty_secrets_reach_no_event_blob_cache_export_request_or_watcher(app: App, tmp_path: Path) -> None:
    assert len(SECRETS) == 50
    told: list[Signal] = []
    every = " ".join(SECRETS)
    calls = [
        Call("toolset__kit__look", {"say": every, "back": {"found": SECRETS, every[:60]: "a key"}}),
        Call("toolset__kit__look", {"fail": every}),
        Call(
            "toolset__kit__look",
            {"back": {"long": every * 20, "quoted": quote(every), "spelled": json.dumps(every)}},
        ),
    ]
    replies = [
        Reply(text=f"I found {every}.", calls=tuple(calls)),
        Reply(text=tuple(f"They are {every}.")),
        Reply(status=400, error=f"Your key {MODELS['openai']} is wrong."),
    ]
    with fake_provider("openai", replies) as server:
        talk = Talk(app, tmp_path)
        app.watch(talk.chat_id, told.append)
        app.send(SelectModel(talk.chat_id, "openai:fake-model", server.base_url))
        app.send(ChangeSetting("instructions", f"Use {every}"))
        assert talk.ask(f"Which are my keys? {every}").reason == "stop"
        assert talk.ask("and now?").reason == "error"
        app.send(RenameChat(talk.chat_id, f"Keys {SECRETS[0]}"))
        sent = b"".join(request.body for request in server.requests)
        assert MODELS["openai"] in server.requests[0].headers["authorization"]
    assert [call.status for call in talk.calls()] == ["success", "error", "success"]
    shown = json.dumps(as_json({name: app.read(name) for name in PUBLIC})).encode()
    drafts = "".join(signal["text"] for signal in told if signal["type"] == "text")
    calls_told = json.dumps([*told, drafts]).encode()
    app.reads.export(tmp_path / "log.parquet")
    exported = json.dumps(pq.read_table(tmp_path / "log.parquet").to_pylist(), default=str).encode()
    packed = app.toolsets.export("kit")
    app.close()
    for data in (sent, shown, calls_told, exported, packed):
        assert found_in(data) == []
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert {path.name: found for path in files if (found := found_in(path.read_bytes()))} == {}


def test_a_file_that_a_tool_wrote_is_kept_and_reported_but_its_secret_is_never_sent(
    app: App, tmp_path: Path
) -> None:
    secret = MODELS["openai"]
    table = f"name,key\nfirst,{secret}\n"
    replies = [
        Reply(calls=(Call("toolset__kit__put", {"files": {"plain.txt": "nothing"}}),)),
        Reply(calls=(Call("read_file", {"path": "leak.csv"}),)),
        Reply(text="Read."),
    ]
    with fake_provider("openai", replies) as server:
        talk = Talk(app, tmp_path)
        (talk.place).mkdir(parents=True, exist_ok=True)
        (talk.place / "leak.csv").write_text(table)
        app.send(SelectModel(talk.chat_id, "openai:fake-model", server.base_url))
        assert talk.ask().reason == "stop"
        assert secret.encode() not in b"".join(request.body for request in server.requests)
        assert b"[secret:openai]" in server.requests[2].body
    assert talk.files()["leak.csv"] == table, "the user's own file is as it was"
    app.close()


def test_a_call_whose_files_contain_a_secret_reports_it(app: App, tmp_path: Path) -> None:
    source = """\
def run(workspace, **_):
    import os
    (workspace / "out.txt").write_text(os.environ["KIT_KEY_0"])
    return {}
"""
    copies = {"tools/act.py": source}
    bundle = KIT | copies | {"toolset.yaml": KIT["toolset.yaml"].replace('"1.0.0"', '"1.1.0"') + CONFIG}
    app.send(InstallToolset(write_bundle(tmp_path / "kit", bundle), "yes"))
    talk = Talk(app, tmp_path)
    talk.replies({"calls": [{"name": "put", "arguments": {}}]}, {"text": "."})
    assert talk.ask().reason == "stop"
    (made,) = talk.calls()
    assert made.files_with_secrets == ("out.txt",)
    assert talk.files()["out.txt"] == CONFIGURED["KIT_KEY_0"]
    app.close()
