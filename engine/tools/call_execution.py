"""Runs one call: a tool's process in a folder of files, or a tool that cannot change files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.errors import AnabranchError
from engine.rendering.plans import RenderPlan
from engine.runtime.pool import OnProgress, Pool
from engine.runtime.protocol import Limits, RunError, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.builtin import NAME_MOMENT, READ_RESULT, READ_SKILL, REMEMBER
from engine.tools.call_order import Judged, judge
from engine.tools.call_plans import Branch, PlannedCall, files_seen
from engine.tools.call_results import Ran
from engine.tools.code_verification import VerifiedPool
from engine.tools.mcp_calls import RemoteCalls
from engine.tools.name_moment import MomentCalls
from engine.tools.past_tables import PastCatalog, PastTables
from engine.tools.query_history import QUERY_HISTORY, HistoryCalls
from engine.tools.read_result import ResultCalls
from engine.tools.remember import RememberCalls
from engine.tools.skills import SkillCalls
from engine.tools.sources.calls import NO_SOURCE, SourceCalls, SourceUse
from engine.tools.table_catalog import Catalog
from engine.tools.table_naming import likely_names
from engine.tools.tables import Tables
from engine.tools.tool import Tool
from engine.toolsets.stored_code import StoredCode
from engine.workspace.limits import largest_write
from engine.workspace.manifest import Files, difference
from engine.workspace.snapshot import Snapshot
from events.catalog.tool_call import CallFailure
from events.json_value import JSON

__all__ = ["CallExecution", "stands_apart"]

_APART = {QUERY_HISTORY, READ_RESULT, READ_SKILL.tool_id, REMEMBER, NAME_MOMENT}
"""Built-in tools that do not use the workspace's files."""


_READING_BYTES = 64 << 20


def stands_apart(call: PlannedCall) -> bool:
    """Return whether a call does not use the workspace's files."""
    tool = call.tool
    return tool is not None and (tool.server is not None or tool.tool_id in _APART)


class CallExecution:
    """Runs a call and returns its outcome. A tool's failure is returned, never raised."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        pool: Pool,
        tables: Tables,
        granted: Callable[[Tool], Mapping[str, str]],
        sources: SourceCalls,
        remote: RemoteCalls,
        history: HistoryCalls,
        skills: SkillCalls,
        remember: RememberCalls,
        moments: MomentCalls,
        code: StoredCode,
        progress: Callable[[Branch, PlannedCall], OnProgress],
    ) -> None:
        """`granted` returns the environment variables for a tool's process, and `code` verifies a bundle's stored
        files. `sources` gives calls access to databases. `remote` runs the tools of MCP servers, `history` runs SQL
        over a chat's past, `skills` reads instructions, `remember` saves definitions, and `moments` names moments;
        these do not use the workspace. `progress` returns the function that receives a call's progress.
        """
        self._workspaces = workspaces
        self._library = pool
        self._pool = VerifiedPool(pool, code)
        self._tables = tables
        self._granted = granted
        self._sources = sources
        self._remote = remote
        self._history = history
        self._skills = skills
        self._remember = remember
        self._moments = moments
        self._past = PastTables(chats, workspaces, tables)
        self._results = ResultCalls(chats, workspaces)
        self._progress = progress

    def run(
        self,
        branch: Branch,
        call: PlannedCall,
        folder: ChatFolder,
        before: Files,
        cancel: Cancellation,
        beside: Sequence[JSON] = (),
    ) -> Ran:
        """Run a call in `folder`, which contains the files in `before` that the call may see. The folder is read after
        the call.

        `beside` contains the calls of the same parallel group that the model requested before this call.
        """
        tool = call.tool
        assert tool is not None
        assert isinstance(call.arguments, dict)
        progress = self._progress(branch, call)
        at = folder.workspace.folder
        seen = files_seen(tool, call.arguments, before)
        listed = self._tables.catalog(seen, at, cancel, progress) if _opens_tables(tool) else Catalog()
        use = NO_SOURCE
        try:
            use = self._sources.given(tool, call.call_id, call.arguments)
            with self._past.opened(branch.chat_id, call, cancel, progress) as past:
                request = self._request(call, tool, at, listed, past, beside)
                request = _reaching(request, use, lambda: self._taken(before))
                outcome = self._pool.run(tool, request, cancel, progress)
        except AnabranchError as error:
            outcome = RunOutcome("error", error=RunError(error.code, error.message))
        self._sources.ended(use, call.call_id, outcome)
        return self._ended(branch, tool, folder, before, seen, outcome)

    def read_as(
        self,
        branch: Branch,
        call: PlannedCall,
        folder: ChatFolder,
        before: Files,
        entrypoint: str,
        arguments: Mapping[str, JSON],
        seconds: float,
        cancel: Cancellation | None = None,
    ) -> RunOutcome:
        """Run a library function in `folder` with the tables that a past call could read: the tables of `before`, and
        of the earlier states that the call named. The function runs for at most `seconds`, or until `cancel` is set.
        Files that it writes are not kept.

        Raises:
            NotFound: a file is no longer stored.
        """
        cancel = cancel or Cancellation()
        folder.workspace.materialize(before)
        at = folder.workspace.folder
        listed = self._tables.catalog(before, at, cancel)
        with self._past.opened(branch.chat_id, call, cancel, None) as past:
            request = RunRequest(
                call_id=call.call_id,
                bundle=None,
                entrypoint=entrypoint,
                workspace=at,
                arguments=arguments,
                limits=Limits(seconds=seconds, file_bytes=largest_write(at), result_bytes=_READING_BYTES),
                context=_context(listed, past, []),
                readable=(*listed.readable, *past.readable),
            )
            return self._library.run(request, cancel=cancel)

    def _request(
        self,
        call: PlannedCall,
        tool: Tool,
        at: Path,
        listed: Catalog,
        past: PastCatalog,
        beside: Sequence[JSON],
    ) -> RunRequest:
        """Return the request for the call's process: what to run, and what it can access."""
        assert isinstance(call.arguments, dict)
        return RunRequest(
            call_id=call.call_id,
            bundle=tool.bundle,
            entrypoint=tool.entrypoint,
            workspace=at,
            arguments=call.arguments,
            environment=self._granted(tool),
            limits=Limits(seconds=tool.timeout, file_bytes=largest_write(at)),
            network=tool.network,
            packages=tool.packages,
            context=_context(listed, past, [] if tool.network else beside),
            readable=(*listed.readable, *past.readable),
            runtime=tool.runtime,
        )

    def _taken(self, files: Files) -> list[str]:
        """Return the names that are taken in `files`, so that no result is given one of them. A process that cannot see
        these files needs this list."""
        results = [PurePosixPath(path).stem for path in files if path.endswith(".parquet")]
        known = (name for name, _ in self._tables.names(files))
        return sorted({*results, *known, *likely_names(files)})

    def _ended(
        self, branch: Branch, tool: Tool, folder: ChatFolder, before: Files, seen: Files, outcome: RunOutcome
    ) -> Ran:
        """Read the folder after a call, and judge what the call did to its files."""
        try:
            snapshot = folder.workspace.snapshot()
        except (AnabranchError, OSError) as error:
            kind = error.code if isinstance(error, AnabranchError) else "files_unkept"
            failure = CallFailure(kind=kind, message=f"{error} The files that this call wrote were not kept.")
            return Ran(outcome, Snapshot({}), Judged(before, failure))
        succeeded = outcome.status == "success"
        after = {**{path: entry for path, entry in before.items() if path not in seen}, **snapshot.files}
        judged = judge(tool.effects, before, after, succeeded=succeeded)
        return Ran(outcome, snapshot, judged, self._holding_secrets(branch, folder, seen, snapshot.files))

    def run_apart(self, branch: Branch, call: PlannedCall, before: Files, cancel: Cancellation) -> Ran:
        """Run a call that cannot change any file."""
        assert call.tool is not None
        assert isinstance(call.arguments, dict)
        progress = self._progress(branch, call)
        own: Mapping[str, Callable[..., tuple[RunOutcome, RenderPlan | None]]] = {
            QUERY_HISTORY: self._history.run,
            READ_RESULT: self._results.run,
            REMEMBER: partial(self._remember.run, call_id=call.call_id),
            NAME_MOMENT: partial(self._moments.run, call_id=call.call_id),
        }
        run = (
            self._remote.run if call.tool.server is not None else own.get(call.tool.tool_id, self._skills.run)
        )
        outcome, plan = run(branch, call.tool, call.arguments, cancel, progress)
        return Ran(outcome, Snapshot(before), Judged(before), plan=plan)

    def _holding_secrets(
        self, branch: Branch, folder: ChatFolder, before: Files, after: Files
    ) -> tuple[str, ...]:
        """Return the files that a call wrote and that contain a secret. They are stored unchanged, because they belong
        to the user, but they are listed.
        """
        changes = difference(before, after)
        scrubber = self._workspaces.payloads(branch.chat_id).scrubber
        written = [*changes.added, *changes.changed]
        return tuple(path for path in written if scrubber.file_holds(folder.workspace.folder / path))[:100]


def _reaching(request: RunRequest, use: SourceUse, taken: Callable[[], list[str]]) -> RunRequest:
    """Return the request. If its call reads a source, the request is extended with the access that this needs."""
    if use is NO_SOURCE:
        return request
    return replace(
        request,
        network=request.network or use.network,
        runtime="source" if request.runtime == "plain" else request.runtime,
        readable=(*request.readable, *use.readable),
        limits=replace(request.limits, seconds=max(request.limits.seconds, use.seconds)),
        context={**request.context, **use.context, "taken": taken()},
    )


def _opens_tables(tool: Tool) -> bool:
    """Return whether a tool's code may open tables. The code of bundles may open tables; the built-in file tools never
    do.
    """
    return tool.bundle is not None


def _context(listed: Catalog, past: PastCatalog, beside: Sequence[JSON]) -> dict[str, JSON]:
    """Return the facts that a tool's process is given; see `anabranch_tool.context`."""
    return {
        "beside": list(beside),
        "tables": [dict(table) for table in listed.tables],
        "unread_tables": dict(listed.unread),
        "moments": list(past.moments),
        "named_moments": list(past.named),
    }
