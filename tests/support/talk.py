"""A chat for tests: a real app, a scripted model, and the bundle `kit`, whose tools do what their arguments say."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

from engine.app.app import App
from engine.chats.signals import Signal
from engine.commands.catalog import Ask, CreateChat, InstallToolset, Retry, SelectModel, SelectTools
from engine.views.chat import CallView, MessageView, TurnView
from events.event import Event

__all__ = ["KIT", "Talk", "call", "install_kit", "script", "write_bundle"]

_TOOLS = [("put", "write"), ("add", "create"), ("look", "read"), ("ask_first", "write")]
_SCHEMA = """
      type: object
      additionalProperties: false
      properties:
        files: {type: object, additionalProperties: {type: string}}
        remove: {type: array, items: {type: string}}
        fail: {type: string}
        wait: {type: boolean}
        say: {type: string}
        back: {type: object}
"""
_MANIFEST = """\
manifest_version: "1"
id: kit
name: Kit
version: "1.0.0"
description: Does to the files what it is told.
tools:
""" + "".join(
    f"""\
  - id: {name}
    name: {name.replace("_", " ").title()}
    description: Effects {effects}.
    entrypoint: tools.act:run
    effects: {effects}
    requires_confirmation: {"true" if name == "ask_first" else "false"}
    timeout: 300
    input_schema:{_SCHEMA}"""
    for name, effects in _TOOLS
)
_ACT = """\
import time
from anabranch_tool import progress

def run(workspace, files=None, remove=(), fail="", wait=False, say="", back=None):
    seen = {p.relative_to(workspace).as_posix(): p.read_text() for p in sorted(workspace.rglob("*")) if p.is_file()}
    if say:
        print(say)
    for path, text in (files or {}).items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    for path in remove:
        (workspace / path).unlink()
    if wait:
        progress(None, "inside " + str(workspace))
        ends = time.monotonic() + 250
        while not (workspace / "go").exists():
            if time.monotonic() > ends:
                raise TimeoutError("nobody let this tool go on")
            time.sleep(0.005)
        (workspace / "go").unlink()
    if fail:
        raise ValueError(fail)
    return {"saw": seen} if back is None else back
"""
KIT = {"toolset.yaml": _MANIFEST, "tools/act.py": _ACT}


def write_bundle(folder: Path, files: Mapping[str, str] = KIT) -> Path:
    """Write a bundle's files below `folder`, and return the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def install_kit(app: App, folder: Path) -> None:
    """Install the bundle `kit`."""
    app.send(InstallToolset(write_bundle(folder), "yes"))


def call(tool: str, /, provider_call_id: str = "", **arguments: Any) -> dict[str, Any]:
    """A call in a scripted reply."""
    return {"name": tool, "arguments": arguments, "provider_call_id": provider_call_id}


def script(file: Path, replies: Sequence[Mapping[str, Any]]) -> str:
    """Write a script of replies and return the model's name."""
    file.write_text(json.dumps(list(replies)))
    return f"scripted:{file}"


@dataclass
class Talk:
    """One chat of an app."""

    app: App
    folder: Path
    """The folder for the scripts of the model's replies."""
    chat_id: str = ""
    signals: "Queue[Signal]" = field(default_factory=Queue)

    def __post_init__(self) -> None:
        if not self.chat_id:
            self.chat_id = self.app.send(CreateChat())
            ticked: dict[str, list[str]] = {}
            for tool in self.app.tools():
                if tool.home == "app-builder":
                    continue  # so that there are few enough tools to describe all of them in full
                ticked.setdefault(tool.home, []).append(tool.name)
            self.app.send(SelectTools(self.chat_id, ticked))
        self.app.watch(self.chat_id, self.signals.put)

    def replies(self, *replies: Mapping[str, Any]) -> None:
        """Set the model's replies. The number of earlier assistant messages decides which reply is given."""
        number = sum(1 for _ in self.folder.glob("script*.json"))
        model = script(self.folder / f"script{number}.json", replies)
        self.app.send(SelectModel(self.chat_id, model))

    def start(self, text: str = "go", **more: Any) -> str:
        """Ask a question, and return the turn's id while the turn runs."""
        turn_id: str = self.app.send(Ask(self.chat_id, text, **more)).turn_id
        return turn_id

    def ask(self, text: str = "go", **more: Any) -> TurnView:
        """Ask a question, and return the turn once it has ended."""
        return self.ended(self.start(text, **more))

    def retry(self, message_id: str) -> TurnView:
        """Retry a question."""
        return self.ended(self.app.send(Retry(self.chat_id, message_id)).turn_id)

    def ended(self, turn_id: str) -> TurnView:
        """Return a turn after it has ended."""
        assert self.app.wait(turn_id, 500), "the turn did not end"
        return self.app.chat(self.chat_id).turns[turn_id]

    def signal(self, fits: Callable[[Signal], bool]) -> Signal:
        """Wait for the next matching signal."""
        while not fits(signal := self.signals.get(timeout=300)):
            pass
        return signal

    def inside(self) -> Path:
        """Wait until a waiting tool runs; return its working folder, where a file `go` lets it continue."""
        told = self.signal(lambda s: s["type"] == "call" and s["call"]["text"].startswith("inside "))
        return Path(told["call"]["text"].removeprefix("inside "))

    def branch(self) -> list[MessageView]:
        """The messages of the current branch."""
        return self.app.chat(self.chat_id).branch()

    def calls(self) -> list[CallView]:
        """The calls of the current branch, in the model's order."""
        view = self.app.chat(self.chat_id)
        by_id = view.calls
        return [
            by_id[part.call_id] for message in view.branch() for part in message.parts if part.kind == "call"
        ]

    def events(self, *types: str) -> list[Event]:
        """The chat's events, of these types or all."""
        stream = self.app.log.read_stream(f"chat-{self.chat_id}")
        return [r.event for r in stream if not types or r.event.type in types]

    def files(self) -> dict[str, str]:
        """Path → text of the current branch's files, as recorded."""
        workspace = self.app.workspace
        files = workspace.files(self.chat_id)
        return {path: workspace.read(self.chat_id, f.sha256).decode() for path, f in files.items()}

    @property
    def place(self) -> Path:
        """The chat's workspace folder."""
        return self.app.data / "chats" / self.chat_id / "workspace"

    def on_disk(self) -> dict[str, str]:
        """Path → text of the files in the folder."""
        found = sorted(p for p in self.place.rglob("*") if p.is_file())
        return {p.relative_to(self.place).as_posix(): p.read_text() for p in found}
