"""Checks standing questions by running an answer's calls again with the chat's current files.

A check runs in a temporary folder first. So a check that finds nothing new leaves only a verdict in the log, and no
branch. If the value moved, the calls run once more on a recorded branch, so that the user can open and compare the
changes; the chat does not switch to it. No branch is created if a call on the answer's branch asks before it runs, or
if the chat is busy.

A check is recorded when it begins and when it ends. A check that is killed in between has no result. It is shown as
interrupted, and can run again.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from threading import Lock
from time import monotonic

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.matched_columns import MatchedColumns, lacking, matching_told
from engine.command_handlers.running_checks import RunningChecks
from engine.command_handlers.user_calls import UserCalls
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.deciders.standing import Pin, checked, pinned_answers, start_check, verdict_of
from engine.errors import AnabranchError
from engine.replay.dry_runs import CannotRun, DryRun, DryRuns, stands_on
from engine.replay.named_contents import with_file_names
from engine.replay.past_tools import PastTools
from engine.replay.pinned_values import table_of, value_now
from engine.replay.rerun_calls import What
from engine.replay.reruns import Reruns
from engine.system.cancellation import Cancellation
from engine.views.column_changes import TableChange
from engine.workspace.manifest import Files
from events.canonical import canonical_json
from events.catalog.replay import RerunFinished, RerunStarted
from events.catalog.standing import (
    CheckCause,
    PinnedValue,
    StandingQuestionChecked,
    StandingQuestionCheckStarted,
    StandingVerdict,
)
from events.catalog.workspace import File
from events.identity import NewId
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["CheckParts", "StandingChecks"]


@dataclass(frozen=True, slots=True)
class CheckParts:
    """The objects that checks need: log, workspaces, recorded calls and others."""

    chats: Chats
    workspaces: Workspaces
    dry_runs: DryRuns
    reruns: Reruns
    tools: PastTools
    running: UserCalls
    """Keeps track of the checks that the user started, so that they can be stopped."""
    signals: Signals
    matched: MatchedColumns
    ended: Callable[[str], None]
    """Called with the chat's id when a check has ended."""
    new_id: NewId


@dataclass(frozen=True, slots=True)
class _Found:
    """The finding of a check."""

    verdict: StandingVerdict
    after: PinnedValue | None = None
    calls: int = 0
    moved: int = 0
    leaf: str | None = None
    why: str = ""
    fix: str = ""
    path: str | None = None
    files: Files = field(default_factory=dict)
    results: tuple[str, ...] = ()


class StandingChecks:
    """Runs the checks, one at a time, so that they use only a small part of the machine. Thread-safe."""

    def __init__(self, parts: CheckParts) -> None:
        self._of = parts
        self._turn = Lock()
        self._now = RunningChecks()

    @property
    def running(self) -> frozenset[str]:
        """The pins whose check is running, or is waiting for another check to end."""
        return self._now.pins

    def check(
        self, chat_id: str, pin_id: str, cause: CheckCause, due: Callable[[], bool] = lambda: True
    ) -> str:
        """Check one question, and return the id of the check.

        If the question is already being checked, wait for that check. Its result counts if it used the chat's current
        files; otherwise the question is checked once more if it is still `due`.

        Raises:
            NotFound: there is no such chat or pinned answer.
            Unavailable: the app is closing.
        """
        check_id = self._of.new_id()
        while True:
            self._of.workspaces.record_edits(chat_id)
            with self._now.entered(pin_id, check_id) as other:
                if other is None:
                    if due():
                        self._run(chat_id, pin_id, check_id, cause)
                    return check_id
            if self._counts(chat_id, pin_id, other):
                return other

    def _counts(self, chat_id: str, pin_id: str, check_id: str) -> bool:
        """Return whether a check has a result and used the files that the chat has now."""
        pin = self._pins(chat_id).get(pin_id)
        if pin is None or pin.last is None or pin.last.check_id != check_id:
            return False
        with self._of.chats.locked(chat_id) as state:
            present = state.files(state.manifest)
        now = {path: present[path].sha256 for path in pin.pinned.files if path in present}
        return dict(pin.tried) == now

    def _run(self, chat_id: str, pin_id: str, check_id: str, cause: CheckCause) -> None:
        with self._of.running.running(chat_id) as cancel:
            self._of.signals.changed(chat_id)
            try:
                with self._turn:
                    self._check(chat_id, pin_id, check_id, cause, cancel)
            finally:
                self._of.ended(chat_id)
        self._of.signals.changed(chat_id)

    def _check(
        self, chat_id: str, pin_id: str, check_id: str, cause: CheckCause, cancel: Cancellation
    ) -> None:
        began = monotonic()

        def starting(state: ChatState) -> list[StandingQuestionCheckStarted]:
            decide.require(state, chat_id)
            pins, present = self._pins(chat_id), state.files(state.manifest)
            wanted = pins[pin_id].pinned.files if pin_id in pins else ()
            files = {path: present[path].sha256 for path in wanted if path in present}
            started = StandingQuestionCheckStarted(check_id=check_id, pin_id=pin_id, cause=cause, files=files)
            return start_check(pins, started)

        self._of.chats.transact(chat_id, starting)
        pin = self._pins(chat_id).get(pin_id)
        if pin is None:
            return
        try:
            found = self._found(chat_id, pin, check_id, cancel)
        except (AnabranchError, OSError) as error:
            # record the failure, so that the check does not seem to be running still
            found = _Found("could not run", why=str(error))
        if found is None and self._of.running.stopped_as() == "interrupted":
            return  # the app is closing: the check stays without a result
        if found is None:
            found = _Found("could not run", why="You stopped it.")
        self._record(chat_id, pin, check_id, found, monotonic() - began)

    def _found(self, chat_id: str, pin: Pin, check_id: str, cancel: Cancellation) -> _Found | None:
        """Return the finding of the check; None if it was stopped."""
        message_id = pin.pinned.message_id
        with self._of.chats.locked(chat_id) as state:
            stands = stands_on(self._of.chats, state, chat_id, message_id)
            present = state.files(state.manifest)
            files = {path: present[path] for path in stands.files if path in present}
        gone = [path for path in stands.files if path not in files]
        if gone:
            why = f"{gone[0]} is no longer among the chat's files."
            return _Found("could not run", why=why, fix="find the file", path=gone[0], files=files)
        why_not = self._of.dry_runs.why_not(stands)
        if why_not is not None:
            return _Found("could not run", why=why_not, files=files)
        what = What(files=files)
        try:
            ran = self._of.dry_runs.run(chat_id, check_id, stands, files, cancel)
        except CannotRun as failure:
            if cancel.is_set:
                return None
            tables = self._of.matched.incomplete(chat_id, stands.files, files)
            what = self._of.matched.renamed(chat_id, files, tables)
            if not what.columns:
                return _failed(files, tables, failure.why)
            try:
                ran = self._of.dry_runs.run(chat_id, check_id, stands, what.files, cancel)
            except CannotRun as again:
                return None if cancel.is_set else _failed(files, tables, again.why, what.columns)
        if ran is None:
            return None
        return self._judged(chat_id, pin, files, what, ran, cancel)

    def _judged(
        self, chat_id: str, pin: Pin, files: Files, what: What, ran: DryRun, cancel: Cancellation
    ) -> _Found:
        results = tuple(_digest(result) for result in ran.results)
        last = pin.last.results if pin.last is not None and pin.last.results else None
        moved = sum(
            (differs if last is None else result != last[at])
            for at, (differs, result) in enumerate(zip(ran.differs, results, strict=True))
        )
        tables = [table_of(result) for result in ran.results]
        after = value_now(pin.pinned.value, tables) if pin.pinned.value else None
        verdict = verdict_of(pin.value, after, moved)
        leaf, no_branch = self._branch(chat_id, pin, what, cancel) if verdict != "same" else (None, "")
        why = ""
        if verdict == "no longer follows":
            why = "The cell with the answer's value is gone." if after is None else "The answer changed."
        why = " ".join(said for said in (why, matching_told(what.columns), no_branch) if said)
        return _Found(verdict, after, ran.ran, moved, leaf, why, files=files, results=results)

    def _branch(self, chat_id: str, pin: Pin, what: What, cancel: Cancellation) -> tuple[str | None, str]:
        """Run the answer's branch again and record it. Return the new branch's last message, or the reason why there is
        no branch.
        """
        of, leaf, rerun_id, began = self._of, pin.pinned.message_id, self._of.new_id(), monotonic()
        tools = [of.tools.find(one) for one in of.reruns.calls(chat_id, leaf, what)]
        with of.chats.locked(chat_id) as state:
            busy = state.works
        if busy:
            return None, "The chat was busy, so there is no branch to compare with."
        if any(tool is not None and tool.requires_confirmation for tool in tools):
            return None, "A call of this chat asks before it runs, so there is no branch to compare with."
        started = RerunStarted(
            rerun_id=rerun_id,
            message_id=leaf,
            files=_kept(what.files),
            columns=what.columns,
            brought=_kept(what.brought),
        )
        of.chats.transact(chat_id, lambda _: [started])
        end, calls = of.reruns.run(chat_id, rerun_id, leaf, what, cancel, lambda *_: None, moves=False)
        finished = RerunFinished(
            rerun_id=rerun_id,
            message_id=end,
            from_message_id=leaf,
            changed=", ".join(what.files),
            calls=calls,
            seconds=monotonic() - began,
        )
        of.chats.transact(chat_id, lambda _: [finished])
        return end, ""

    def _record(self, chat_id: str, pin: Pin, check_id: str, found: _Found, seconds: float) -> None:
        with self._of.chats.locked(chat_id) as state:
            why = with_file_names(found.why, state.files(state.manifest))
        result = StandingQuestionChecked.model_validate(
            {
                "check_id": check_id,
                "pin_id": pin.pinned.pin_id,
                "verdict": found.verdict,
                "before": pin.value,
                "after": found.after,
                "calls": found.calls,
                "moved": found.moved,
                "message_id": found.leaf,
                "why": self._of.workspaces.payloads(chat_id).scrubber.text(why),
                "fix": found.fix,
                "path": found.path,
                "files": {path: entry.sha256 for path, entry in found.files.items()},
                "results": found.results,
                "seconds": seconds,
            }
        )
        self._of.chats.transact(chat_id, lambda _: checked(self._pins(chat_id), result))

    def _pins(self, chat_id: str) -> dict[str, Pin]:
        return pinned_answers(recorded.event for recorded in self._of.chats.recorded(chat_id))


def _failed(
    files: Files, tables: Sequence[TableChange], why: str, matched: Mapping[str, Mapping[str, str]] = {}
) -> _Found:
    """Return the finding for a call that failed: its error, and the unmatched columns that a table lacks, if any."""
    for table in tables:
        names = [name for name in lacking(table) if name not in matched.get(table.path, {})]
        if names:
            first, _, _ = why.partition("\n")
            told = f"{table.path} has no column {', '.join(names[:3])}. The call failed: {first[:200]}"
            return _Found("could not run", why=told, fix="match columns", path=table.path, files=files)
    return _Found("could not run", why=why, files=files)


def _kept(files: Files) -> dict[str, File]:
    return {path: File(sha256=entry.sha256, size=entry.size) for path, entry in files.items()}


def _digest(result: JSON) -> str:
    return hashlib.sha256(canonical_json(result).encode()).hexdigest()
