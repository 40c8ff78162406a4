"""Decides the order in which the calls of one step run (RUN-4), which file changes they may make, and how they end.
Pure.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from engine.runtime.protocol import RunOutcome
from engine.tools.tool import Effects
from engine.workspace.manifest import FileEntry, Files, difference
from events.catalog.tool_call import CallFailure, FinalStatus
from events.late_dataclass import dataclass

__all__ = ["Judged", "groups", "join", "judge", "runnable", "verdict"]

T = TypeVar("T")


def groups(calls: Iterable[T], effects: Callable[[T], Effects]) -> list[list[T]]:
    """Return groups of calls that run at the same time, in the order of the requests; a `write` call runs by itself."""
    found: list[list[T]] = []
    together = False
    for call in calls:
        shares = effects(call) != "write"
        if shares and together:
            found[-1].append(call)
        else:
            found.append([call])
        together = shares
    return found


def runnable(
    calls: Iterable[T], effects: Callable[[T], Effects], waits: Callable[[T], bool]
) -> list[list[T]]:
    """Return the groups that can run now. A call that waits for the user blocks later groups, but not its own group."""
    ready: list[list[T]] = []
    for group in groups(calls, effects):
        free = [call for call in group if not waits(call)]
        if free:
            ready.append(free)
        if len(free) < len(group):
            break
    return ready


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about the files after a call."""

    files: Files
    """The branch's files after the call."""
    failure: CallFailure | None = None
    """The failure, if the call did something that its effects do not allow."""
    aside: Files | None = None
    """The call's resulting files, if the branch does not continue from them."""


def judge(effects: Effects, before: Files, after: Files, *, succeeded: bool) -> Judged:
    """Compare a call's file changes with its declared effects."""
    changes = difference(before, after)
    if effects == "write" or not changes:
        return Judged(after)
    if effects == "read":
        paths = _some([*changes.added, *changes.changed, *changes.removed])
        message = f"This tool declares that it only reads, but it changed {paths}. Its changes were dropped."
        return Judged(before, CallFailure(kind="read_changed_files", message=message))
    if changes.changed or changes.removed:
        paths = _some([*changes.changed, *changes.removed])
        message = (
            f"This tool declares that it only adds files, but it changed {paths}. Its files were not kept."
        )
        return Judged(before, CallFailure(kind="create_changed_files", message=message), after)
    return Judged(after) if succeeded else Judged(before, aside=after)


def join(branch: Files, before: Files, after: Files) -> tuple[dict[str, FileEntry], CallFailure | None]:
    """Add a parallel call's new files to the branch. A name that another call has already used is a conflict."""
    added = difference(before, after).added
    clashes = [path for path in added if path in branch and branch[path] != added[path]]
    if clashes:
        message = (
            f"Another call of this step made {_some(clashes)} first. Choose another name and call again."
        )
        return dict(branch), CallFailure(kind="clash", message=message)
    return {**branch, **added}, None


def verdict(
    outcome: RunOutcome, judged: Judged, stopped_as: Callable[[], FinalStatus]
) -> tuple[FinalStatus, CallFailure | None]:
    """Return how a call ended. The call's own error takes precedence over a failure that its file changes cause."""
    if outcome.error is None:
        return ("error", judged.failure) if judged.failure else (outcome.status, None)
    error = outcome.error
    message = f"{error.message} {judged.failure.message}" if judged.failure else error.message
    status = stopped_as() if outcome.status == "cancelled" else outcome.status
    return status, CallFailure(kind=error.kind, message=message, traceback=error.traceback)


def _some(paths: list[str]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(paths[:3]) + more
