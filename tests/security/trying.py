"""Hostile acts, each tried by a tool in a real pool at each level of enforcement, against prepared targets.

The user's data is not touched: homes, logs and secrets are made up, and listeners are on loopback.
"""

import ast
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.runtime.pool import Pool
from engine.runtime.protocol import Level, Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.system.folder_removal import remove_tree
from engine.workspace.folder import Workspace
from engine.workspace.memory_blobs import MemoryBlobs
from tests.support.processes import life

__all__ = ["ACTS", "WITHOUT", "Scene", "scene"]

BUNDLE = Path(__file__).parent / "hostile"
SOURCES = sorted((BUNDLE / "tools").glob("*.py"))

NAMESPACES = ("own processes", "own network")
WITHOUT: dict[Level, tuple[str, ...]] = {
    "process only": ("files", "system calls", "privileges", "read-only mounts", *NAMESPACES),
    "filesystem only": ("system calls", "read-only mounts", *NAMESPACES),
    "full": (),
}
"""What is left out to be held as far as that, where more could be."""

LIMITS = Limits(seconds=60, memory_bytes=512 << 20, file_bytes=32 << 20)
BRIEF = {"spin", "sleep_for_ever", "thread_bomb", "fork_bomb"}
ENDING = BRIEF | {
    "fill_shared_memory",
    *(f"answer_{how}" for how in ("without_end", "nested_without_end", "without_sense")),
}
"""Held if the call ends without a result."""
MOST_STORED = 8 << 20

VICTIM = """
import ctypes, sys, time
held = ctypes.create_string_buffer(b"SECRET")
print(ctypes.addressof(held), flush=True)
while True: time.sleep(1000)
"""


def _acts() -> dict[str, list[str]]:
    """The acts by section, read from their source."""
    found: dict[str, list[str]] = {}
    for source in SOURCES:
        text = source.read_text()
        sections = [(m.start(), m[1]) for m in re.finditer(r"(?m)^# ---- ([^:\n]*)", text)]
        starts = [0, *(m.end() for m in re.finditer("\n", text))]
        for node in ast.parse(text).body:
            named = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            before = [name for place, name in sections if place < starts[node.lineno - 1]]
            if named and before:
                found.setdefault(before[-1], []).append(node.name)
    return found


ACTS = _acts()
"""Section → names of acts."""


@dataclass
class Scene:
    """The place where acts are tried: a pool for each level, and the targets."""

    root: Path
    there: dict[str, Any]
    pools: dict[Level, Pool] = field(default_factory=dict)

    def succeeded(self, act: str, level: Level) -> str | None:
        """Try an act at a level; return what it got if it succeeded, None if it was stopped."""
        place = Path(tempfile.mkdtemp(dir=self.root, prefix=f"{act}-"))
        try:
            return self._tried(act, level, place)
        finally:
            remove_tree(place)

    def _tried(self, act: str, level: Level, place: Path) -> str | None:
        workspace = place / "chats" / "mine" / "files"
        workspace.mkdir(parents=True)
        there = self.there | _laid_out(place) | {"host": _host(self.pools[level])}
        bundle = place / "bundle"
        (bundle / "tools").mkdir(parents=True)
        for source in SOURCES:
            (bundle / "tools" / source.name).write_bytes(source.read_bytes())
        limits = replace(LIMITS, seconds=2.0) if act in BRIEF else LIMITS
        request = RunRequest(
            "call", bundle, "acts:run", workspace, {"act": act, "there": there}, limits=limits
        )
        with life(workspace) if act.startswith("outlive") else nullcontext() as left:
            outcome = self.pools[level].run(request, cancel=Cancellation())
            if left is not None and left.taken(0) and not left.over(120):
                return "something of it lives on"
        return _trapped(workspace) if act.startswith("trap") else _verdict(act, outcome)


def _verdict(act: str, outcome: RunOutcome) -> str | None:
    if act in ENDING:
        return None if outcome.status in {"timed_out", "error"} and outcome.value is None else repr(outcome)
    assert outcome.value is not None, f"{act} failed of itself: {outcome.error} {outcome.stderr[-500:]}"
    if act == "flood_output":
        return None if len(outcome.stdout) <= 2 * LIMITS.output_bytes else f"{len(outcome.stdout)} kept"
    got: str | None = outcome.value["got"]
    return got


def _trapped(workspace: Path) -> str | None:
    """What a snapshot of the leftovers of an act contains, if it is not what it should be."""
    stored = MemoryBlobs()
    folder = Workspace(workspace, stored)
    first, second = folder.snapshot(), folder.snapshot()
    if first.files != second.files:
        return "something still writes"
    if sum(entry.size for entry in first.files.values()) > MOST_STORED:
        return "its holes are stored"
    for path, entry in first.files.items():
        if stored.read(entry.sha256) == b"private":
            return f"{path} holds a secret"
        if (workspace / path).stat().st_mode & 0o6000:
            return f"{path} gives rights to who runs it"
    return None


def _host(pool: Pool) -> int:
    running = pool._hosts["plain"]._running  # type: ignore[attr-defined]
    return int(running[0].pid) if running else 0


def _laid_out(place: Path) -> dict[str, Any]:
    home = place / "home"
    files = {
        home / "notes.txt": "private",
        home / "doomed.txt": "private",
        home / "movable.txt": "private",
        home / "mode.txt": "private",
        home / ".ssh" / "id_ed25519": "-----BEGIN",
        place / "chats" / "other" / "files" / "private.csv": "private",
        place / "log" / "anabranch.duckdb": "events",
        place / "config" / "secrets.json": "{}",
        place / "call" / "tmp" / "intermediate.csv": "private",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (home / "link").symlink_to("private place")
    return {
        "home": str(home),
        "other_chat": str(place / "chats" / "other" / "files"),
        "log": str(place / "log" / "anabranch.duckdb"),
        "secrets": str(place / "config" / "secrets.json"),
        "other_temp": str(place / "call"),
    }


@contextmanager
def scene(root: Path) -> Iterator[Scene]:
    """Prepare targets and listeners, and open a pool of each level."""
    with ExitStack() as stack:
        os.environ["ANABRANCH_TEST_SECRET"] = "SECRET"
        stack.callback(os.environ.pop, "ANABRANCH_TEST_SECRET")
        victim, address = _victim(stack)
        sibling, _ = _victim(stack)
        there = {"engine": victim, "address": address, "sibling": sibling, **_listeners(stack, root)}
        found = Scene(root, there)
        for level, without in WITHOUT.items():
            found.pools[level] = stack.enter_context(Pool(without=without))
            found.pools[level].confinement()
        yield found


def _victim(stack: ExitStack) -> tuple[int, int]:
    started = subprocess.Popen(
        [sys.executable, "-c", VICTIM], stdout=subprocess.PIPE, text=True, env=os.environ | {"KEY": "SECRET"}
    )
    stack.callback(started.wait)
    stack.callback(started.kill)
    assert started.stdout is not None
    stack.enter_context(started.stdout)
    return started.pid, int(started.stdout.readline())


def _listeners(stack: ExitStack, root: Path) -> dict[str, Any]:
    abstract = f"anabranch-{os.getpid()}"
    shared = Path(f"/dev/shm/{abstract}")
    shared.write_text("private")
    stack.callback(shared.unlink)
    wanted: list[tuple[str, int, int, Any]] = [
        ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        ("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
        ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        ("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(root / "s")),
        ("datagram", socket.AF_UNIX, socket.SOCK_DGRAM, str(root / "d")),
        ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
    ]
    there: dict[str, Any] = {
        "unix": str(root / "s"),
        "datagram": str(root / "d"),
        "abstract": abstract,
        "shared": str(shared),
    }
    for name, family, kind, address in wanted:
        listener = stack.enter_context(socket.socket(family, kind))
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen(64)
        if name not in there:
            there[name] = listener.getsockname()[1]
    return there
