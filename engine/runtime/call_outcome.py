"""Determines the outcome of a tool call from observations of its process: a result, or the reason why there is none."""

import signal

from engine.runtime.call_monitor import Followed
from engine.runtime.messages import Failure, Result
from engine.runtime.protocol import Confinement, RunError, RunOutcome, RunRequest, RunStatus

__all__ = ["CANCELLED", "outcome_of"]

_TOO_MUCH = {
    "processes": "The tool was stopped: it started more processes and threads than it may have at a time. "
    "Let it do less at a time.",
    "memory": "The tool was stopped: its processes together used more memory than they may. Let it read less "
    "at a time, for example with SQL over the file.",
    "disk": "The tool was stopped: it wrote more than there is room for, or more than its private folder may hold. "
    "Free some space on the disk, or let it write less.",
}
CANCELLED = RunError("cancelled", "The call was stopped before it was done.")


def outcome_of(seen: Followed, request: RunRequest, *, cancelled: bool) -> RunOutcome:
    """Return the outcome of `request`; `cancelled` means that it was stopped on purpose."""
    status, error = _verdict(seen, request, cancelled)
    ended = seen.ended
    return RunOutcome(
        status=status,
        value=seen.answer.value if status == "success" and isinstance(seen.answer, Result) else None,
        error=error,
        stdout=seen.stdout.text(),
        stderr=seen.stderr.text(),
        output_truncated=seen.stdout.truncated or seen.stderr.truncated,
        seconds=seen.seconds,
        cpu_seconds=ended.cpu_seconds if ended else 0.0,
        peak_bytes=ended.peak_bytes if ended else 0,
        confinement=seen.confinement or Confinement(),
        environment=seen.environment.facts if seen.environment else None,
    )


def _verdict(seen: Followed, request: RunRequest, cancelled: bool) -> tuple[RunStatus, RunError | None]:
    limits = request.limits
    if isinstance(seen.answer, Result):
        return "success", None
    if isinstance(seen.answer, Failure):
        return "error", seen.answer.error
    if cancelled:
        return "cancelled", CANCELLED
    if seen.too_long:
        text = (
            f"The tool sent more than the {limits.result_bytes:,} bytes that a result may have. Write large data to a "
            "file in the workspace and return its name."
        )
        return "error", RunError("too_large", text)
    if seen.timed_out and seen.started:
        text = f"The tool was stopped: it ran longer than its limit of {limits.seconds:g} s."
        return "timed_out", RunError("timed_out", text)
    if not seen.started:
        text = "The tool's process did not start. Try again, or run `anabranch doctor` for details."
        return "error", RunError("host", text)
    if seen.ended is None:
        return "error", RunError("host", "The process that monitors the tool was killed. Try again.")
    if seen.ended.over:
        return "error", RunError("too_much", _TOO_MUCH[seen.ended.over])
    return "error", RunError("crashed", _crash(seen.ended.code))


def _crash(code: int) -> str:
    if code >= 0:
        return f"The tool's process ended with exit code {code} before it returned a result."
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    reasons = {"SIGXCPU": "used up its processor time", "SIGKILL": "was killed, perhaps for lack of memory"}
    return f"The tool's process {reasons.get(name, 'crashed')} ({name}) before it returned a result."
