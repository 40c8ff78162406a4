"""Computes all files of a recorded state from its own changes and from the changes of the states before it."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import field
from threading import Lock
from typing import TypeAlias

from engine.workspace.manifest import Changes, FileEntry
from events.late_dataclass import dataclass

__all__ = ["FileStates", "RecordedState"]

_KEPT = 16
"""The number of states whose files are kept. Keeping the files of every state would take too much memory."""

RecordedState: TypeAlias = tuple[str | None, Changes]
"""The id of the previous state (None for the first state), and the changes since that state."""


@dataclass(slots=True)
class FileStates:
    """Caches the files of the states that were read last. Thread-safe."""

    _known: OrderedDict[str, Mapping[str, FileEntry]] = field(default_factory=OrderedDict, compare=False)
    _lock: Lock = field(default_factory=Lock, compare=False)

    def files(self, manifest_id: str, recorded: Callable[[str], RecordedState]) -> Mapping[str, FileEntry]:
        """Return all files of a state by path, in the order of their paths. `recorded` reads a state by its id."""
        with self._lock:
            if manifest_id not in self._known:
                self._known[manifest_id] = self._made(manifest_id, recorded)
            self._known.move_to_end(manifest_id)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
            return self._known[manifest_id]

    def _made(self, manifest_id: str, recorded: Callable[[str], RecordedState]) -> Mapping[str, FileEntry]:
        missing: list[Changes] = []
        at: str | None = manifest_id
        while at is not None and at not in self._known:
            at, changes = recorded(at)
            missing.append(changes)
        files = dict(self._known[at]) if at is not None else {}
        for changes in reversed(missing):
            for path in changes.removed:
                files.pop(path, None)
            files.update(changes.added)
            files.update(changes.changed)
        return dict(sorted(files.items()))
