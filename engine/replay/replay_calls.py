"""Runs recorded calls again, one after the other and separately from the chat, and compares the outcomes."""

from collections.abc import Mapping
from dataclasses import replace
from time import monotonic
from typing import Protocol

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.payloads import PayloadStore
from engine.chats.workspaces import Workspaces
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError
from engine.rendering.plan import plan_to_json
from engine.replay.moved_inputs import moved_links, named_links
from engine.replay.named_contents import with_file_names
from engine.replay.past_tools import NotRun, PastTools, why_not_run
from engine.replay.recorded_calls import (
    Came,
    RecordedCall,
    came_before,
    environment_before,
)
from engine.replay.source_captures import asked_again_reason, captured_verdict
from engine.replay.verdicts import Comparison, Tables, changed_environment, compared
from engine.system.cancellation import Cancellation
from engine.tools.call_execution import CallExecution, stands_apart
from engine.tools.call_order import groups, verdict
from engine.tools.call_plans import Branch, PlannedCall, files_seen, texts_in
from engine.tools.call_results import CallResults, ResultRefused
from engine.tools.moments_read import effects_in_order
from engine.tools.sources.offer import source_named
from engine.tools.tool import Effects, Tool
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import Changes, Files, difference
from events.catalog.moment import MomentRead
from events.catalog.replay import CallVerdict
from events.event import StoredValue
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["ComparesTables", "ReplayCalls", "ReplayParts"]

_CANNOT_RUN = frozenset({"toolset_changed", "not_confined", "host", "blob_missing", "blob_damaged"})
"""Kinds of failure which mean that the call could not run as it did before."""


class ComparesTables(Protocol):
    """Compares tables whose contents are in `blobs`."""

    def __call__(self, chat_id: str, blobs: BlobStore) -> Tables: ...


@dataclass(frozen=True, slots=True)
class ReplayParts:
    """The objects that a re-run uses."""

    chats: Chats
    workspaces: Workspaces
    execution: CallExecution
    """Runs calls without reporting their progress."""
    results: CallResults
    tools: PastTools
    tables: ComparesTables
    """Compares tables with different bytes."""


@dataclass(frozen=True, slots=True)
class _Again:
    """The outcome of a call when it ran again."""

    came: Came
    environment: Mapping[str, JSON] | None


@dataclass(slots=True)
class ReplayCalls:
    """One run of some calls in a temporary folder."""

    of: ReplayParts
    chat_id: str
    folder: ChatFolder
    cancel: Cancellation
    live: bool

    def judge(self, one: RecordedCall) -> CallVerdict | None:
        """Run a call again and return its verdict; None if it was stopped."""
        began = monotonic()
        try:
            judged = self._judge(one)
        except (AnabranchError, OSError) as error:
            judged = CallVerdict(call_id=one.call_id, verdict="failed", reason=str(error))
        if self.cancel.is_set:
            return None
        took = judged.seconds or monotonic() - began
        reason = self._payloads.scrubber.text(with_file_names(judged.reason, self._files(one)))
        return judged.model_copy(update={"seconds": took, "reason": reason})

    def _files(self, one: RecordedCall) -> Files:
        """Return the files that a call started with."""
        with self.of.chats.locked(self.chat_id) as state:
            return state.files(one.call.started.pre_manifest_id if one.call.started is not None else None)

    def _judge(self, one: RecordedCall) -> CallVerdict:
        tool = self.of.tools.find(one)
        skipped = why_not_run(one, tool, live=self.live)
        if skipped is not None or tool is None:
            why = skipped or NotRun("")
            return CallVerdict(
                call_id=one.call_id, verdict="skipped", reason=why.reason, reaches_out=why.reaches_out
            )
        blobs = self._payloads.blobs
        name = source_named(tool, one.arguments(blobs))
        if name is not None and not self.live:
            return captured_verdict(one, name, blobs)
        before, was = came_before(one, blobs), environment_before(one, blobs)
        again = self._again(one, tool)
        failure = again.came.failure
        lacks_moment = failure is not None and failure.kind == "moment_not_found" and _moments(one)
        if failure is not None and (failure.kind in _CANNOT_RUN or lacks_moment):
            return CallVerdict(call_id=one.call_id, verdict="failed", reason=failure.message)
        tables = self.of.tables(self.chat_id, self.folder.workspace.blobs)
        found = compared(before, again.came, tables)
        changed = changed_environment(was, again.environment)
        told = CallVerdict(
            call_id=one.call_id,
            verdict=found.verdict,
            reason=found.reason,
            seconds=again.came.seconds,
            environment=changed,
            details=self._details(found),
        )
        if name is not None:
            return told.model_copy(update={"reason": asked_again_reason(name, before, again.came, found)})
        if found.verdict == "identical" or self.cancel.is_set:
            return told
        return self._whether_deterministic(one, tool, again, told, tables)

    def _whether_deterministic(
        self, one: RecordedCall, tool: Tool, first: _Again, told: CallVerdict, tables: Tables
    ) -> CallVerdict:
        """Run a call with a different result once more. If the two re-runs differ from each other, the call is not
        deterministic."""
        read, beside = self._moved(one)
        if told.verdict != "differs":
            return told.model_copy(update={"reason": f"{read} {told.reason}".strip()}) if read else told
        second = self._again(one, tool)
        between = compared(first.came, second.came, tables)
        if between.verdict == "differs":
            reason = (
                "Two re-runs gave different results, so the tool depends on the time, random numbers or "
                f"something else that changes between runs. Between the two re-runs: {between.reason}"
            )
            return told.model_copy(update={"verdict": "not_deterministic", "reason": reason})
        if read:
            return told.model_copy(update={"reason": f"{read} {told.reason}".strip()})
        if beside:
            told = told.model_copy(
                update={"reason": f"{told.reason} The call does not name these files: {beside}".strip()}
            )
        if not told.environment:
            what = "Tool and environment" if beside else "Input, tool and environment"
            same = f"{what} are the same, and a second re-run gives the same as the first."
            return told.model_copy(update={"reason": f"{told.reason} {same}"})
        return told.model_copy(
            update={"reason": f"{told.reason} The environment is different: {', '.join(told.environment)}."}
        )

    def _again(self, one: RecordedCall, tool: Tool) -> _Again:
        arguments = one.arguments(self._payloads.blobs)
        moments = one.call.started.moments if one.call.started is not None else ()
        call = PlannedCall(one.call_id, tool.name, tool, arguments, moments=moments)
        with self.of.chats.locked(self.chat_id) as state:
            pre = self._pre(one)
            before = dict(state.files(pre))
            message_id = self._began_at(one, state)
        branch = Branch(self.chat_id, one.call_id, message_id, pre, self.folder)
        if stands_apart(call):
            ran = self.of.execution.run_apart(branch, call, before, self.cancel)
        else:
            self.folder.workspace.materialize(files_seen(tool, arguments, before))
            beside = self._beside(one)
            ran = self.of.execution.run(branch, call, self.folder, before, self.cancel, beside)
        status, failure = verdict(ran.outcome, ran.judged, lambda: "cancelled")
        left: Files = ran.judged.files if ran.judged.aside is None else ran.judged.aside
        if failure is not None:  # remove secrets, as in the recorded message
            failure = failure.model_copy(update={"message": self._payloads.scrubber.text(failure.message)})
        changes = _own(difference(before, left), one)
        came = Came(status, failure, None, None, changes, (), ran.outcome.seconds)
        if failure is None:
            try:
                made = self.of.results.made(self.chat_id, call, ran, left, self.folder.workspace.blobs)
            except ResultRefused as error:
                came = replace(came, status="error", failure=error.failure)
            else:
                scrubber = self._payloads.scrubber
                came = replace(
                    came,
                    result=scrubber.json(made.result),
                    plan=scrubber.json(plan_to_json(made.plan)),
                    pictures=tuple(picture.sha256 for picture in made.pictures),
                )
        facts = ran.outcome.environment
        return _Again(came, self._payloads.scrubber.json(dict(facts)) if facts else None)

    def _moved(self, one: RecordedCall) -> tuple[str, str]:
        """Return sentences about changed linked files: first about the files that a call names, then about the other
        files.
        """
        with self.of.chats.locked(self.chat_id) as state:
            files = dict(state.files(self._pre(one)))
        blobs, hashes = self._payloads.blobs, self.of.workspaces.locations.hashes
        named = named_links(files, texts_in(one.arguments(blobs)))
        others = {path: entry for path, entry in files.items() if path not in named}
        return moved_links(named, blobs, hashes), moved_links(others, blobs, hashes)

    @staticmethod
    def _pre(one: RecordedCall) -> str | None:
        return one.call.started.pre_manifest_id if one.call.started is not None else None

    @staticmethod
    def _began_at(one: RecordedCall, state: ChatState) -> str | None:
        """Return the message that contains the call; the call ran on that message's branch. None for the user's own
        call.
        """
        message_id = one.call.requested.message_id
        return message_id if message_id in state.messages else None

    def _beside(self, one: RecordedCall) -> list[JSON]:
        """Return the calls that ran in parallel and come before this call, in the form in which its process received
        them.
        """
        blobs, pre = self._payloads.blobs, self._pre(one)
        beside: list[JSON] = []
        (*together, _) = next(
            group for group in groups((*one.beside, one), self._effects) if group[-1] is one
        )
        for other in together:
            if other.call.started is None or self._pre(other) != pre:
                continue
            told: JSONObject = {"tool": other.tool_id, "arguments": other.arguments(blobs)}
            beside.append(told)
        return beside

    def _effects(self, one: RecordedCall) -> Effects:
        tool = self.of.tools.find(one) or self.of.tools.now(one.tool_id)
        return effects_in_order(PlannedCall(one.call_id, one.tool_id, tool, {}))

    def _details(self, found: Comparison) -> StoredValue | None:
        if found.verdict == "identical":
            return None
        document: JSONObject = {
            "result_diff": [one.to_json() for one in found.result],
            "more": found.more,
            "file_diff": [file.to_json() for file in found.files],
        }
        return self._payloads.value(document)

    @property
    def _payloads(self) -> PayloadStore:
        return self.of.workspaces.payloads(self.chat_id)


def _moments(one: RecordedCall) -> tuple[MomentRead, ...]:
    return one.call.started.moments if one.call.started is not None else ()


def _own(changes: Changes, one: RecordedCall) -> Changes:
    """Return the changes of a call, without the files that a parallel call made first with the same content."""
    first = {path: entry for other in one.beside for path, entry in other.changes.added.items()}
    added = {path: entry for path, entry in changes.added.items() if first.get(path) != entry}
    return Changes(added, changes.changed, changes.removed)
