"""A chat in which a hostile bundle made every card, and the page that shows this chat, with or without the routes under
/v1."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.app.app import open_app
from engine.commands.catalog import Ask, CreateChat, InstallToolset, SelectModel, SelectTools
from tests.support.healthy import until_healthy

__all__ = ["PAGES", "ROOT", "free_port", "hostile_chat", "page_served"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = Path(__file__).parent / "hostile_pages"

_RENDERERS: Mapping[str, tuple[str, str]] = {
    "page": ("html", "{artifact: artifacts/attack.html, data: $return.data, title: $return.title}"),
    "endless": ("html", "{artifact: artifacts/endless.html, title: Endless}"),
    "flood": ("html", "{artifact: artifacts/flood.html, title: Flood}"),
    "written": ("html", "{artifact: $workspace/written.html, data: $return.data, title: Written}"),
    "address": ("frame", "{url: $return.url, title: $return.title}"),
    "document": ("document", "{content: $return.text, title: $return.title}"),
    "program": ("code", "{content: $return.text, title: $return.title, language: $return.language}"),
    "value": ("json", "{value: $return, title: $return.title}"),
    "table": (
        "table",
        "{rows: $return.rows, columns: $return.columns, title: $return.title, sql: $return.sql}",
    ),
    "chart": ("chart", "{spec: $return.spec, data: $return.data, title: $return.title}"),
    "pictures": ("images", "{files: $return.files, caption: $return.caption, title: $return.title}"),
}
_RUN = """\
def run(workspace, write=None, fail="", **given):
    for path, text in (write or {}).items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text)
    if fail:
        raise ValueError(fail)
    return given
"""


def _bundle(folder: Path, words: str, *, network: bool) -> Path:
    said = json.dumps(words)
    lines = [
        'manifest_version: "1"', "id: hostile", f"name: {said}", 'version: "1.0.0"', f"description: {said}",
        f"permissions: {{network: {str(network).lower()}}}", "tools:",
    ]  # fmt: skip
    for name, (renderer, config) in _RENDERERS.items():
        lines += [
            f"  - id: {name}", f"    name: {said}", f"    description: {said}", "    entrypoint: tools.act:run",
            "    effects: write", "    input_schema: {type: object}",
            f"    renderer: {{type: {renderer}, config: {config}}}",
        ]  # fmt: skip
    (folder / "tools").mkdir(parents=True)
    (folder / "artifacts").mkdir()
    (folder / "toolset.yaml").write_text("\n".join(lines))
    (folder / "tools" / "act.py").write_text(_RUN)
    for page in PAGES.glob("*.html"):
        (folder / "artifacts" / page.name).write_bytes(page.read_bytes())
    return folder


def hostile_chat(
    data: Path,
    calls: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    words: str = "hostile",
    answer: str = "Done.",
    network: bool = False,
    title: str = "Hostile",
) -> str:
    """Install the bundle into `data`, have a model make `calls` (tool, arguments), and return the chat's id.

    `words` are used wherever a bundle names or describes something. The argument `fail` of a call makes the call fail
    with its text.
    """
    with open_app(data) as app:
        app.send(InstallToolset(_bundle(data.parent / "bundle", words, network=network), "yes"))
        chat_id: str = app.send(CreateChat(title))
        app.send(SelectTools(chat_id, {"hostile": list(_RENDERERS)}))
        made = [{"name": f"toolset__hostile__{tool}", "arguments": dict(given)} for tool, given in calls]
        replies = data.parent / "replies.json"
        replies.write_text(json.dumps([{"text": answer, "calls": made}, {"text": answer}]))
        app.send(SelectModel(chat_id, f"scripted:{replies}"))
        turn = app.send(Ask(chat_id, answer)).turn_id
        assert app.wait(turn, 600)
        ended = [call.status for call in app.chat(chat_id).calls.values()]
        assert len(ended) == len(calls)
        assert ended.count("success") == sum("fail" not in given for _, given in calls)
    return chat_id


def free_port() -> int:
    """A port on loopback where no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_SERVE = "from engine.cli.main import main; main()"
_PLAIN = """\
import sys
from streamlit.web import bootstrap
options = {"server_address": "127.0.0.1", "server_port": int(sys.argv[1]), "server_headless": True}
bootstrap.load_config_options(options)
bootstrap.run("ui/app.py", False, [], options)
"""


@contextmanager
def page_served(data: Path, port: int, *, routes: bool = True) -> Iterator[str]:
    """Serve `data`: with the routes under /v1, or like a host that runs the page as a plain script."""
    plain = [sys.executable, "-c", _PLAIN, str(port)]
    whole = [sys.executable, "-c", _SERVE, "serve", "--data", str(data), "--port", str(port)]
    environ = {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "ANABRANCH_DATA": str(data),
        "ANABRANCH_CONFIG": str(data.parent / "config"),
        "ANABRANCH_KEYRING": "off",
        "ANABRANCH_DEMO": "",
    }
    with (data.parent / "server.log").open("a") as log:
        server = subprocess.Popen(
            whole if routes else plain, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, env=environ
        )
        try:
            url = f"http://127.0.0.1:{port}"
            until_healthy(f"{url}/_stcore/health", server)
            yield url
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=600)
