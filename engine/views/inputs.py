"""The files behind a result: their origin, manual edits, and whether they have changed since. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from engine.views.chat import CallView, ChatView
from engine.workspace.input_rows import InputTotals
from engine.workspace.manifest import FileEntry
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["ORIGIN_WORDS", "FileStep", "InputFile", "file_steps", "input_files"]

Origin = Literal["upload", "edit", "call", "fork"]
_ORIGINS: Mapping[str, Origin] = {
    "user_upload": "upload",
    "edit": "edit",
    "tool_run": "call",
    "branch": "fork",
}
ORIGIN_WORDS: Mapping[Origin, str] = {
    "upload": "you added it",
    "edit": "you edited it",
    "call": "a call wrote it",
    "fork": "it came with the branch",
}


@dataclass(frozen=True, slots=True)
class FileStep:
    """One recorded change of a file's content."""

    origin: Origin
    call_id: str | None
    """The call that wrote the content; None if no call did."""
    position: int
    sha256: str

    def to_json(self) -> JSONObject:
        """Return the file step as `anabranch why --json` prints it."""
        return {
            "origin": self.origin,
            "call_id": self.call_id,
            "position": self.position,
            "sha256": self.sha256,
        }


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that a call read, in its state at that time."""

    path: str
    file: FileEntry
    steps: tuple[FileStep, ...]
    """The steps that led to the content that the call read, the oldest first."""
    changed: bool
    """Whether the file was changed or removed since."""
    totals: tuple[InputTotals, ...] = ()
    """How the call used the rows of the file's tables; empty if this is not known."""

    @property
    def origin(self) -> str:
        """A phrase that says who last changed the file."""
        return ORIGIN_WORDS[self.steps[-1].origin] if self.steps else "it was there before"

    @property
    def edits(self) -> int:
        """The number of times the user edited the file by hand before the call."""
        return sum(step.origin == "edit" for step in self.steps)

    def to_json(self) -> JSONObject:
        """Return the input file as `anabranch why --json` prints it."""
        steps: list[JSON] = [step.to_json() for step in self.steps]
        totals: list[JSON] = [one.to_json() for one in self.totals]
        return {
            "path": self.path,
            "sha256": self.file.sha256,
            "size": self.file.size,
            "origin": self.steps[-1].origin if self.steps else None,
            "steps": steps,
            "edits_by_hand": self.edits,
            "changed": self.changed,
            "totals": totals,
        }


def file_steps(view: ChatView, path: str, manifest_id: str | None) -> tuple[FileStep, ...]:
    """Return the recorded changes of a file up to a state of the files, the oldest first."""
    found = [
        FileStep(_ORIGINS[row["source"]], row["call_id"], row["position"], entry["sha256"])
        for row in _states(view, manifest_id)
        if (entry := row["changes"]["added"].get(path) or row["changes"]["changed"].get(path)) is not None
    ]
    return tuple(reversed(found))


def _states(view: ChatView, manifest_id: str | None) -> Iterator[Mapping[str, Any]]:
    """Yield a state and the states before it, the latest first."""
    seen: set[str] = set()
    while manifest_id is not None and manifest_id in view.manifests and manifest_id not in seen:
        seen.add(manifest_id)
        yield view.manifests[manifest_id]
        manifest_id = view.manifests[manifest_id]["parent_id"]


def input_files(
    view: ChatView,
    call: CallView,
    files: Mapping[str, FileEntry],
    changed: Sequence[str],
    totals: Sequence[InputTotals],
) -> tuple[InputFile, ...]:
    """Return the files that a call read."""
    return tuple(
        InputFile(
            path,
            file,
            file_steps(view, path, call.pre_manifest_id),
            path in changed,
            tuple(one for one in totals if one.path == path),
        )
        for path, file in files.items()
    )
