"""Asks the offline analyst without the rest of the engine: profiles a folder, runs the loop, calls the tools.

    python -m tests.support.ask_offline FOLDER "question" ["follow-up" …]

Prints for each question a JSON document shaped like that of `anabranch ask`.
"""

import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.models.messages import (
    CallPart,
    HistoryItem,
    Message,
    OpaquePart,
    TextPart,
    ToolMessage,
    ToolRequest,
)
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Finished,
    ModelRequest,
    OpaqueDelta,
    TextDelta,
    ToolSpec,
)
from engine.models.offline.analyst import OfflineModel
from engine.system.cancellation import Cancellation
from engine.workspace.table_facts import TableProfile

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = ROOT / "sample_bundles" / "data-analyst"
TOOLS = ("query", "chart", "describe")


def bundle_module(name: str) -> Any:
    """Import `tools.<name>` of the data-analyst bundle, as its process would."""
    for folder in (str(ROOT / "engine/runtime/library"), str(BUNDLE)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    return importlib.import_module(f"tools.{name}")


def profile(workspace: Path) -> tuple[TableProfile, ...]:
    """Profile the tables of a folder."""
    return profiled(workspace)[0]


def profiled(workspace: Path) -> tuple[tuple[TableProfile, ...], dict[str, str]]:
    """Return the tables of a folder, and the reasons why its other files are not tables; folders with the same files
    are read once."""
    files = sorted(path for path in workspace.rglob("*") if path.is_file())
    held = tuple((path.relative_to(workspace), sha256(path.read_bytes()).digest()) for path in files)
    if held not in _PROFILED:
        bundle_module("query")
        found = importlib.import_module("anabranch_tool.tables").profile(workspace)
        _PROFILED[held] = tuple(map(TableProfile.model_validate, found["tables"])), found["unread"]
    return _PROFILED[held]


_PROFILED: dict[tuple[tuple[Path, bytes], ...], tuple[tuple[TableProfile, ...], dict[str, str]]] = {}


def ask(
    workspace: Path, questions: Sequence[str], tables: tuple[TableProfile, ...] | None = None
) -> Iterator[dict[str, Any]]:
    """Ask the questions one after the other in one chat; yield a document for each."""
    tables = profile(workspace) if tables is None else tables
    history: list[HistoryItem] = []
    for number, question in enumerate(questions):
        history.append(Message(f"u{number}", "user", (TextPart(text=question),)))
        yield _turn(workspace, history, tables, number)


def _turn(
    workspace: Path, history: list[HistoryItem], tables: tuple[TableProfile, ...], number: int
) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    specs = tuple(ToolSpec(f"toolset__data-analyst__{tool}", tool, {}) for tool in TOOLS)
    for step in range(5):
        request = ModelRequest("analyst", "", tuple(history), specs, tables)
        text, name, arguments, reason = "", "", "", "stop"
        read: tuple[OpaquePart, ...] = ()
        for delta in OfflineModel().stream(request, Cancellation()):
            if isinstance(delta, TextDelta):
                text += delta.text
            elif isinstance(delta, OpaqueDelta):
                read = (delta.part,)
            elif isinstance(delta, CallDelta):
                name = delta.name
            elif isinstance(delta, ArgumentsDelta):
                arguments += delta.text
            elif isinstance(delta, Finished):
                reason = delta.reason
        identity = f"c{number}-{step}"
        if reason != "calls":
            history.append(Message(f"a{number}-{step}", "assistant", (*read, TextPart(text=text))))
            return {"answer": text, "tool_calls": calls, "finish": reason}
        args = json.loads(arguments)
        call = ToolRequest(identity, name, args)
        history.append(
            Message(
                f"a{number}-{step}",
                "assistant",
                (*read, TextPart(text=text), CallPart(call_id=identity, name=name)),
                (call,),
            )
        )
        status, content = _run(workspace, name.rsplit("__", 1)[-1], args)
        history.append(ToolMessage(identity, name, status, content))
        calls.append(_call_document(identity, name.rsplit("__", 1)[-1], status, args, content, text))
    return {"answer": "", "tool_calls": calls, "finish": "limit"}


def _run(workspace: Path, tool: str, args: dict[str, Any]) -> tuple[str, Any]:
    try:
        return "success", bundle_module(tool).run(workspace, **args)
    except Exception as error:
        return "error", {"error": str(error)}


def _call_document(
    identity: str, tool: str, status: str, args: dict[str, Any], content: Any, text: str
) -> dict[str, Any]:
    failed = status != "success"
    return {
        "id": identity,
        "tool_id": f"data-analyst:{tool}",
        "status": status,
        "args": args,
        "result": None if failed else content,
        "error": content["error"] if failed else None,
        "commentary": text,
        "render_plan": None,
    }


if __name__ == "__main__":
    for document in ask(Path(sys.argv[1]), sys.argv[2:]):
        print(json.dumps(document, indent=1, ensure_ascii=False, default=str))
