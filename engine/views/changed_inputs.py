"""Finds files behind a call's result that have since changed on the current branch (TIM-6, "stale")."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.system.weighted_cache import WeightedCache
from engine.tools.sources.offer import source_asked
from engine.views.answer_number import AnswerNumber
from engine.views.chat import CallView, ChatView
from engine.views.number_evidence import program_of
from engine.views.workspace import WorkspaceReads
from engine.workspace.manifest import FileEntry
from events.late_dataclass import dataclass

__all__ = ["ChangedInputs", "made_by"]

_KEPT = 20_000
"""The maximum number of cached input files, counted over all calls."""


@dataclass(frozen=True, slots=True)
class _Input:
    """A file that a call read."""

    before: FileEntry
    after: FileEntry | None
    """The file after the call; None if the call removed it."""
    made_by: str | None
    """The call that wrote the file; None if the user added it."""


class ChangedInputs:
    """Compares calls' input files with the current files. Recorded inputs never change, so they are read only once."""

    def __init__(self, workspace: WorkspaceReads) -> None:
        self._workspace = workspace
        self._read: WeightedCache[str, Mapping[str, _Input]] = WeightedCache(
            _KEPT, lambda files: 1 + len(files)
        )

    def inputs(self, view: ChatView, call: CallView) -> dict[str, FileEntry]:
        """Return the files whose tables are named in the call's SQL, code or chart, as they were when it ran: path →
        file.
        """
        return {path: one.before for path, one in self._inputs(view, call).items()}

    def of_call(self, view: ChatView, call_id: str) -> tuple[str, ...]:
        """Return the files that a call read, directly or through tables of other calls, and that have changed since."""
        present = self._workspace.files(view.chat_id)
        return tuple(sorted(self._changed(view, call_id, present, set())))

    def marked(
        self, view: ChatView, message_id: str, numbers: Sequence[AnswerNumber]
    ) -> tuple[AnswerNumber, ...]:
        """Return the numbers in an answer, each with its changed input files if the answer is on the current branch."""
        calls = {one.call_id for one in numbers if one.call_id}
        if not calls or all(one.message_id != message_id for one in view.branch()):
            return tuple(numbers)
        changed = {call_id: self.of_call(view, call_id) for call_id in calls}
        return tuple(
            replace(one, changed=changed[one.call_id]) if one.call_id and changed[one.call_id] else one
            for one in numbers
        )

    def _inputs(self, view: ChatView, call: CallView) -> Mapping[str, _Input]:
        known = self._read.get(call.call_id)
        if known is None:
            text = "" if source_asked(call.tool_id, call.args) else _named_by(call)
            named = self._workspace.named_in(view.chat_id, call.pre_manifest_id, text) if text else {}
            left = (
                self._workspace.files(view.chat_id, call.post_manifest_id) if call.post_manifest_id else named
            )
            known = {
                path: _Input(file, left.get(path), made_by(view, path, file)) for path, file in named.items()
            }
            self._read.put(call.call_id, known)
        return known

    def _changed(
        self, view: ChatView, call_id: str, present: Mapping[str, FileEntry], seen: set[str]
    ) -> set[str]:
        call = view.calls.get(call_id)
        if call is None or call_id in seen:
            return set()
        seen.add(call_id)
        found: set[str] = set()
        for path, one in self._inputs(view, call).items():
            if one.made_by is not None:
                found |= self._changed(view, one.made_by, present, seen)
            now = present[path].sha256 if path in present else None
            if now not in (one.before.sha256, one.after.sha256 if one.after else None):
                found.add(path)
        return found


def _named_by(call: CallView) -> str:
    """Return the text that names the tables that a call reads: SQL, code, or the name of a chart's table."""
    table = call.args.get("table") if isinstance(call.args, dict) else None
    return program_of(call) or (table if isinstance(table, str) else "")


def made_by(view: ChatView, path: str, file: FileEntry) -> str | None:
    """Return the call that wrote this version of a file."""
    for one in view.manifests.values():
        entry = one["changes"]["added"].get(path) or one["changes"]["changed"].get(path)
        if one["call_id"] and entry is not None and entry["sha256"] == file.sha256:
            return str(one["call_id"])
    return None
