"""Runs the calls of one step of a re-run: finds the inputs of each call, and records its outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.payloads import value_of
from engine.chats.workspaces import Workspaces
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError
from engine.replay.past_tools import PastTools, why_not_run
from engine.replay.quoted_values import gone_values, quoted_values
from engine.replay.recorded_calls import RecordedCall, came_before, recorded_calls
from engine.replay.verdicts import Tables, compared
from engine.system.cancellation import Cancellation
from engine.tools.arguments import schema_problem
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.call_runner import Calls
from engine.workspace.manifest import FileEntry
from events.catalog.moment import MomentRead
from events.catalog.replay import RerunCall
from events.catalog.tool_call import CallFailure, ToolCallApproved, ToolCallRequested
from events.event import Event
from events.identity import NewId
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["OnCall", "RerunCalls", "RerunParts", "What", "changed_call_problem"]

OnCall = Callable[[RecordedCall, RerunCall | None], None]
"""Called with None when a call begins, and with its outcome when it ends."""


@dataclass(frozen=True, slots=True)
class What:
    """The changes to apply when a branch is run again."""

    files: Mapping[str, FileEntry] = field(default_factory=dict)
    """Path → the new content in place of the old one."""
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Path → a column that the calls use → the name of that column in the new file."""
    brought: Mapping[str, FileEntry] = field(default_factory=dict)
    """Path → the file that the user added, if `files` contains a copy of it with renamed columns."""
    call_id: str | None = None
    arguments: JSONObject | None = None
    """The new arguments of the changed call."""
    live: bool = False
    """Whether calls that reach the network or an MCP server also run."""


def changed_call_problem(tools: PastTools, one: RecordedCall, what: What) -> CallFailure | None:
    """Return the reason why a call cannot run with the arguments in `what`; None if it can."""
    tool = tools.find(one) or tools.now(one.tool_id)
    found = why_not_run(one, tool, live=what.live, changed=True)
    if found is not None:
        return CallFailure(kind="not_run_again", message=found.reason)
    return schema_problem(dict(what.arguments or {}), tool.input_schema) if tool is not None else None


@dataclass(frozen=True, slots=True)
class RerunParts:
    """The objects that a re-run uses."""

    chats: Chats
    workspaces: Workspaces
    calls: Calls
    """Runs and records calls."""
    tools: PastTools
    tables: Callable[[str], Tables]
    """Returns, for a chat's id, a function that compares two of the chat's tables whose bytes differ."""
    new_id: NewId


@dataclass(slots=True)
class RerunCalls:
    """The calls of a branch that runs again."""

    of: RerunParts
    chat_id: str
    what: What
    cancel: Cancellation
    on_call: OnCall
    folder: ChatFolder
    calls: Mapping[str, RecordedCall]
    """The recorded calls, by id."""
    done: dict[str, RerunCall] = field(default_factory=dict)
    states: dict[str, str | None] = field(default_factory=dict)
    """Recorded state of the files → the corresponding state on the new branch."""
    gone: frozenset[str] = frozenset()
    """Values that results had before but no longer have."""

    def planned(self, one: RecordedCall, new_id: str) -> tuple[PlannedCall, str | None]:
        """Return the call to run. If the recorded result is used and the call is not run, return the reason too."""
        blobs = self.of.workspaces.blobs(self.chat_id)
        changed = one.call_id == self.what.call_id and self.what.arguments is not None
        arguments: JSON = dict(self.what.arguments or {}) if changed else one.arguments(blobs)
        tool, kept, problem = self.of.tools.find(one), None, None
        if changed:  # the recorded result cannot be used, because it belongs to other arguments
            tool = tool or self.of.tools.now(one.tool_id)
            problem = changed_call_problem(self.of.tools, one, self.what)
        elif (found := why_not_run(one, tool, live=self.what.live)) is not None:
            kept = found.reason
        asks = tool is not None and tool.requires_confirmation
        call = PlannedCall(
            new_id,
            one.tool_id.rpartition(":")[2],
            tool,
            arguments,
            failure=problem,
            asks=asks,
            approved="yes" if asks else None,
            moments=() if changed else self._moments(one),
        )
        return call, kept

    def requests(
        self, one: RecordedCall, call: PlannedCall, message_id: str, turn_id: str | None
    ) -> list[Event]:
        """Return the events that request and approve a call."""
        payloads = self.of.workspaces.payloads(self.chat_id)
        requested = one.call.requested
        events: list[Event] = [
            ToolCallRequested(
                call_id=call.call_id,
                message_id=message_id,
                turn_id=turn_id,
                index=requested.index,
                tool_id=requested.tool_id,
                arguments=payloads.value(call.arguments),
                provider_call_id=requested.provider_call_id,
                commentary=requested.commentary,
                needs_confirmation=call.asks,
            )
        ]
        if call.approved is not None:
            events.append(
                ToolCallApproved(call_id=call.call_id, arguments=payloads.value(call.arguments), by="yes")
            )
        return events

    def run(
        self,
        message_id: str,
        turn_id: str | None,
        recorded: Sequence[RecordedCall],
        planned: Mapping[str, tuple[PlannedCall, str | None]],
    ) -> bool:
        """Run the calls of a step; return whether every call that succeeded before succeeds again."""
        with self.of.chats.locked(self.chat_id) as state:
            manifest = state.manifest_at(message_id)
        branch = Branch(self.chat_id, turn_id or "", message_id, manifest, self.folder)
        quotes = {one.call_id: self._quoted(planned[one.call_id][0]) for one in recorded}
        again = [one for one in recorded if planned[one.call_id][1] is None]
        stretch: list[PlannedCall] = []
        # in order: calls with recorded results stay in their place among the calls that run
        for one in recorded:
            self.on_call(one, None)
            if planned[one.call_id][1] is None:
                stretch.append(planned[one.call_id][0])
                continue
            self.of.calls.run(branch, stretch, self.cancel)
            stretch = []
            self._keep(one, planned[one.call_id], branch, quotes[one.call_id])
        self.of.calls.run(branch, stretch, self.cancel)
        came_through = True
        for one in again:  # judge every call, even after a failure
            came_through &= self._judge(one, planned[one.call_id][0].call_id, message_id, quotes[one.call_id])
        return came_through

    def _moments(self, one: RecordedCall) -> tuple[MomentRead, ...]:
        """Return the earlier states that the call read, replaced by the corresponding states on the new branch if they
        exist.
        """
        moments = one.call.started.moments if one.call.started is not None else ()
        return tuple(
            moment.model_copy(update={"manifest_id": self.states[moment.manifest_id]})
            if moment.manifest_id in self.states
            else moment
            for moment in moments
        )

    def _remember(self, one: RecordedCall, manifest_id: str | None) -> None:
        """Remember which state on the new branch corresponds to the state that the call left."""
        finished = one.call.finished
        if finished is not None and finished.post_manifest_id is not None:
            self.states[finished.post_manifest_id] = manifest_id

    def _quoted(self, call: PlannedCall) -> tuple[str, ...]:
        return tuple(sorted(quoted_values(call.arguments) & self.gone))

    def _keep(
        self,
        one: RecordedCall,
        planned: tuple[PlannedCall, str | None],
        branch: Branch,
        quotes: tuple[str, ...],
    ) -> None:
        """End a call that is not run: with its recorded result and the files that it made."""
        call, why = planned
        self.of.chats.transact(
            self.chat_id,
            lambda state: self._kept_events(state, one, call, branch, _note(why)),
            correlation_id=branch.turn_id,
        )
        self._remember(one, branch.manifest_id)
        self._tell(
            one,
            RerunCall(
                call_id=one.call_id, new_call_id=call.call_id, status="kept", told=why or "", quotes=quotes
            ),
        )

    def _kept_events(
        self, state: ChatState, one: RecordedCall, call: PlannedCall, branch: Branch, note: str
    ) -> list[Event]:
        before = one.call.finished
        assert before is not None
        files = dict(state.files(branch.manifest_id))
        if one.joined:
            for path in one.changes.removed:
                files.pop(path, None)
            files |= {**one.changes.added, **one.changes.changed}
        states = record_state(
            state,
            files,
            self.of.new_id,
            parent_id=branch.manifest_id,
            message_id=branch.message_id,
            source="tool_run",
            source_ref=call.call_id,
            call_id=call.call_id,
            active=False,
        )
        started = one.call.started
        begins = {"call_id": call.call_id, "pre_manifest_id": branch.manifest_id, "moments": call.moments}
        events: list[Event] = [started.model_copy(update=begins)] if started is not None else []
        if states:
            branch.manifest_id = states[-1].manifest_id
        changes = {"call_id": call.call_id, "post_manifest_id": branch.manifest_id, "note": note}
        return [*events, *states, before.model_copy(update=changes)]

    def _judge(self, one: RecordedCall, new_id: str, message_id: str, quotes: tuple[str, ...]) -> bool:
        """Report the outcome of a call; return whether the branch can continue."""
        with self.of.chats.locked(self.chat_id) as state:
            (new,) = [
                c
                for c in recorded_calls(self.of.chats.recorded(self.chat_id), state, message_id)
                if c.call_id == new_id
            ]
        finished, old = new.call.finished, one.call.finished
        assert finished is not None
        assert old is not None
        self._remember(one, finished.post_manifest_id)
        failed = old.status == "success" and finished.status != "success"
        if failed:
            told, moved = finished.error.message if finished.error else finished.status, True
        else:
            told, moved = self._compared(one, new)
        done = RerunCall(
            call_id=one.call_id,
            new_call_id=new_id,
            status="failed" if failed else "ran",
            moved=moved,
            told=told,
            quotes=quotes,
        )
        self._tell(one, done)
        return not failed

    def _compared(self, one: RecordedCall, new: RecordedCall) -> tuple[str, bool]:
        """Return a description of how the new result compares with the recorded one, and whether they differ."""
        blobs = self.of.workspaces.blobs(self.chat_id)
        old, finished = one.call.finished, new.call.finished
        assert finished is not None
        assert old is not None
        try:
            found = compared(came_before(one, blobs), came_before(new, blobs), self.of.tables(self.chat_id))
        except AnabranchError as error:
            return f"Its earlier result cannot be read: {error}", True
        self.gone |= gone_values(value_of(old.result, blobs), value_of(finished.result, blobs))
        return found.reason, found.verdict == "differs"

    def _tell(self, one: RecordedCall, done: RerunCall) -> None:
        self.done[one.call_id] = done
        self.on_call(one, done)


def _note(why: str | None) -> str:
    return f"The recorded result is used: {why}"
