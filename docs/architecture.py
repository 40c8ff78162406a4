"""Generates the lists of docs/architecture.md from the code: imports between packages, and the path of each command.

The arrows are the imports between `ui`, `events` and the folders of `engine`, without those that follow from others.
The paths are traced: an app with a log in memory runs the command, and each module that it enters is recorded with the
function that it enters first. A "room" here is one of these packages, and its "door" is that function.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from inspect import CO_OPTIMIZED
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from engine.app.app import App
from engine.app.opened_log import OpenedLog
from engine.commands.catalog import Ask, CreateChat, ForkChat, RewindChat, UploadFiles
from engine.commands.values import Upload
from events.following_read_store import FollowingReadStore
from events.memory_log import MemoryLog, NoUpkeep

ROOT = Path(__file__).resolve().parent.parent


_OPENED = ("engine.app", "engine.command_handlers", "engine.chats", "engine.deciders", "engine.turn")
"""The rooms that are shown module by module; for the other rooms, only the first door is shown."""


def picture() -> str:
    """Return the packages and the imports between them as a Mermaid graph."""
    arrows = _reduced(_imports())
    lines = [f"    {_name(a)} --> {_name(b)}" for a in sorted(arrows) for b in sorted(arrows[a])]
    return "\n".join(["```mermaid", "graph TD", *lines, "```"])


def _name(room: str) -> str:
    return room.removeprefix("engine.")


def _room(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "engine" else parts[0]


def _imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports when it is loaded, by room."""
    found: dict[str, set[str]] = {}
    for file in [f for top in ("ui", "engine", "events") for f in (ROOT / top).rglob("*.py")]:
        if "library" in file.parts or file.name == "__init__.py":
            continue
        room = _room(".".join(file.relative_to(ROOT).with_suffix("").parts))
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (
                "ui",
                "engine",
                "events",
            ):
                other = _room(node.module or "")
                if other not in (room, "engine"):
                    found.setdefault(room, set()).add(other)
    return found


def _reduced(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows without those to rooms that can also be reached through another room."""

    def reached(room: str) -> set[str]:
        below = set(arrows.get(room, ()))
        return below.union(*(reached(other) for other in below))

    return {
        room: {b for b in below if not any(b in reached(other) for other in below if other != b)}
        for room, below in arrows.items()
    }


def journeys() -> str:
    """Return the paths of a question, a fork and a rewind: each entered room or module in order, with its door."""
    return "\n\n".join(f"### {name}\n\n{way}" for name, way in _traced())


def _traced() -> Iterator[tuple[str, str]]:
    log = MemoryLog()

    def in_memory(*_: object, **__: object) -> OpenedLog:
        return OpenedLog(log, FollowingReadStore(log), NoUpkeep())

    with TemporaryDirectory() as folder, closing(App(Path(folder), open_log=in_memory)) as app:
        chat_id = app.send(CreateChat())
        app.send(UploadFiles(chat_id, [Upload("sales.csv", b"region,amount\nEast,10\nWest,5\n")]))
        app.wait(app.send(Ask(chat_id, "hello")).turn_id)  # so that all modules are loaded
        for command in (
            Ask(chat_id, "how many rows are there?"),
            ForkChat(chat_id),
            RewindChat(chat_id, log.head()),
        ):
            doors: list[tuple[str, str]] = []
            result = _watched(lambda command=command: app.send(command), doors)  # type: ignore[misc]
            if isinstance(command, Ask):
                app.wait(result.turn_id)
            name = type(command).__name__
            yield (
                name,
                "\n".join(f"{n}. `{room}` through `{door}`" for n, (room, door) in enumerate(doors, 1)),
            )


def _watched(act: Callable[[], Any], doors: list[tuple[str, str]]) -> Any:
    """Run `act` and return its result. Each module that it enters is added to `doors`, with its first function."""
    seen: set[str] = set()
    rooms: set[str] = set()

    def note(frame: FrameType, what: str, _: object) -> None:
        code, module = frame.f_code, str(frame.f_globals.get("__name__", ""))
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_qualname.startswith(("__create_fn__", "<"))
        if what != "call" or not is_function or not module.startswith(("engine.", "events.")):
            return
        if module not in seen and (module.startswith(_OPENED) or _room(module) not in rooms):
            doors.append((module, code.co_qualname.replace(".<locals>", "")))
        seen.add(module)
        rooms.add(_room(module))

    sys.setprofile(note)
    try:
        return act()
    finally:
        sys.setprofile(None)
