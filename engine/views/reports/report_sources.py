"""The calls and files behind a report, back to the files that the user added."""

import json
from collections.abc import Iterable, Sequence

from engine.errors import NotFound
from engine.views.changed_inputs import ChangedInputs, made_by
from engine.views.chat import CallView, ChatView
from engine.views.number_evidence import program_of
from engine.views.reports.report import CallFact, SourceFact
from engine.views.workspace import WorkspaceReads

__all__ = ["call_facts", "file_facts", "needed_calls"]

_MOST_ARGUMENTS = 20_000
"""The maximum number of characters of one call's arguments."""


def needed_calls(view: ChatView, asked: Iterable[str], inputs: ChangedInputs) -> list[CallView]:
    """Return the calls in `asked`, and the calls that made their input files, in the order in which they ran."""
    found: dict[str, CallView] = {}
    waiting = [call_id for call_id in asked if call_id in view.calls]
    while waiting:
        call = view.calls[waiting.pop()]
        if call.call_id in found:
            continue
        found[call.call_id] = call
        makers = (made_by(view, path, entry) for path, entry in inputs.inputs(view, call).items())
        waiting += [maker for maker in makers if maker is not None and maker in view.calls]
    return sorted(found.values(), key=lambda call: call.position)


def call_facts(view: ChatView, calls: Sequence[CallView], inputs: ChangedInputs) -> tuple[CallFact, ...]:
    """Return the report's facts about each call."""
    return tuple(_fact(view, call, tuple(inputs.inputs(view, call))) for call in calls)


def _fact(view: ChatView, call: CallView, inputs: tuple[str, ...]) -> CallFact:
    toolset, _, tool = call.tool_id.rpartition(":")
    verdict = view.verdicts.get(call.call_id)
    arguments = json.dumps(call.args, ensure_ascii=False, indent=2)
    if len(arguments) > _MOST_ARGUMENTS:
        arguments = f"{arguments[:_MOST_ARGUMENTS]}… ({len(arguments):,} characters in all)"
    return CallFact(
        call.call_id,
        tool,
        f"{toolset or 'built-in'} {call.toolset_version or ''}".strip(),
        "python" if isinstance(call.args, dict) and "code" in call.args else "sql",
        program_of(call),
        arguments,
        inputs,
        call.position,
        call.finished_at,
        verdict.badge if verdict is not None and verdict.verdict != "skipped" else "",
    )


def file_facts(
    view: ChatView, calls: Sequence[CallView], inputs: ChangedInputs, workspace: WorkspaceReads
) -> tuple[SourceFact, ...]:
    """Return the files that calls read but that no call made. Each combination of path and content is listed once."""
    found: dict[tuple[str, str], SourceFact] = {}
    for call in calls:
        for path, entry in inputs.inputs(view, call).items():
            if (path, entry.sha256) in found or made_by(view, path, entry) is not None:
                continue
            rows, columns = _size(view.chat_id, call.pre_manifest_id, path, workspace)
            found[path, entry.sha256] = SourceFact(path, entry.sha256, entry.size, rows, columns)
    return tuple(found.values())


def _size(
    chat_id: str, manifest_id: str | None, path: str, workspace: WorkspaceReads
) -> tuple[int | None, int | None]:
    try:
        found = workspace.tables(chat_id, manifest_id) if manifest_id else ()
    except NotFound:
        found = ()
    tables = [table for table in found if table.path == path]
    return (tables[0].rows, len(tables[0].columns)) if len(tables) == 1 else (None, None)
