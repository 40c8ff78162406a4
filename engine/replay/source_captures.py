"""Verdicts on calls that read a source. The verdict is based on the recorded result, or on a new query to the
source.
"""

from collections.abc import Mapping

from engine.chats.payloads import value_of
from engine.errors import AnabranchError
from engine.replay.recorded_calls import Came, RecordedCall
from engine.replay.verdicts import Comparison
from engine.workspace.blobs import BlobStore
from events.catalog.replay import CallVerdict
from events.json_value import JSON

__all__ = ["asked_again_reason", "captured_verdict"]


def captured_verdict(one: RecordedCall, name: str, blobs: BlobStore) -> CallVerdict:
    """Return the verdict on a call that read the source `name`, from its recorded files. The source is not queried."""
    finished = one.call.finished
    assert finished is not None
    try:
        found = blobs.check([entry.sha256 for entry in one.changes.added.values()])
        read_at = _read_at(value_of(finished.result, blobs))
    except AnabranchError as error:
        return _lost(one, name, error.message)
    if found.missing or found.damaged:
        return _lost(one, name, "its file is missing." if found.missing else "its file is damaged.")
    when = f" at {read_at}" if read_at else ""
    words = f"Read from {name}{when}. The recorded result is complete; the source was not asked again."
    return CallVerdict(call_id=one.call_id, verdict="skipped", reason=words, reaches_out=True)


def asked_again_reason(name: str, before: Came, now: Came, found: Comparison) -> str:
    """Return, in words, how a new answer of the source `name` compares with the recorded one. Pure."""
    then, again = _read_at(before.result), _read_at(now.result)
    since = f" since {then}" if then else ""
    if found.verdict != "differs":
        told = f"Asked {name} again{f' at {again}' if again else ''}: its answer has not changed{since}."
        return f"{told} {found.reason}".strip()
    if now.failure is not None or before.failure is not None:
        return f"Asked {name} again. {found.reason}"
    return f"{name} has changed{since}: {found.reason.removeprefix('Differs: ')}"


def _lost(one: RecordedCall, name: str, why: str) -> CallVerdict:
    words = f"The recorded result from {name} can no longer be read: {why}"
    return CallVerdict(call_id=one.call_id, verdict="failed", reason=words)


def _read_at(result: JSON) -> str | None:
    source = result.get("source") if isinstance(result, Mapping) else None
    read_at = source.get("read_at") if isinstance(source, Mapping) else None
    return read_at[:16].replace("T", " ") + " UTC" if isinstance(read_at, str) else None
