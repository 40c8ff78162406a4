"""The calls of one step of a re-run: what each is given, and what became of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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
from events.canonical import JSON, JSONObject
from events.catalog.replay import RerunCall
from events.catalog.tool_call import ToolCallApproved, ToolCallRequested
from events.event import Event
from events.identity import NewId

__all__ = ["OnCall", "RerunCalls", "RerunParts", "What"]

OnCall = Callable[[RecordedCall, RerunCall | None], None]
"""Is told of each call as it begins, and as it ends."""


@dataclass(frozen=True, slots=True)
class What:
    """What is different this time."""

    files: Mapping[str, FileEntry] = field(default_factory=dict)
    """Path → the content that takes the place of what stood there."""
    call_id: str | None = None
    arguments: JSONObject | None = None
    """What that call is given now."""
    live: bool = False
    """Whether calls that reach the network run too."""


@dataclass(frozen=True, slots=True)
class RerunParts:
    """What a re-run works with."""

    chats: Chats
    workspaces: Workspaces
    calls: Calls
    """Runs and records calls."""
    tools: PastTools
    tables: Callable[[str], Tables]
    """What compares two tables of a chat with other bytes."""
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
    """The recorded ones, by id."""
    done: dict[str, RerunCall] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    """Values that results had and have no more."""

    def planned(self, one: RecordedCall, new_id: str) -> tuple[PlannedCall, str | None]:
        """The call to run, and why its recorded result is kept instead, if it is."""
        blobs = self.of.workspaces.blobs(self.chat_id)
        changed = one.call_id == self.what.call_id and self.what.arguments is not None
        arguments: JSON = dict(self.what.arguments or {}) if changed else one.arguments(blobs)
        tool = self.of.tools.find(one)
        kept = why_not_run(one, tool, live=self.what.live)
        problem = (
            schema_problem(dict(arguments), tool.input_schema)
            if changed and tool and isinstance(arguments, dict)
            else None
        )
        asks = tool is not None and tool.requires_confirmation
        call = PlannedCall(
            new_id,
            one.tool_id.rpartition(":")[2],
            tool,
            arguments,
            failure=problem,
            asks=asks,
            approved="yes" if asks else None,
            moments=one.call.started.moments if one.call.started is not None else (),
        )
        return call, kept

    def requests(
        self, one: RecordedCall, call: PlannedCall, message_id: str, turn_id: str | None
    ) -> list[Event]:
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
        with self.of.chats.locked(self.chat_id) as state:
            manifest = state.manifest_at(message_id)
        branch = Branch(self.chat_id, turn_id or "", message_id, manifest, self.folder)
        quotes = {one.call_id: self._quoted(planned[one.call_id][0]) for one in recorded}
        kept = [one for one in recorded if planned[one.call_id][1] is not None]
        again = [one for one in recorded if planned[one.call_id][1] is None]
        for one in kept:
            self.on_call(one, None)
            self._keep(one, planned[one.call_id], branch, quotes[one.call_id])
        for one in again:
            self.on_call(one, None)
        self.of.calls.run(branch, [planned[one.call_id][0] for one in again], self.cancel)
        came_through = True
        for one in again:  # each of them, whatever the others came to
            came_through &= self._judge(one, planned[one.call_id][0].call_id, message_id, quotes[one.call_id])
        return came_through

    def _quoted(self, call: PlannedCall) -> tuple[str, ...]:
        return tuple(sorted(quoted_values(call.arguments) & self.gone))

    def _keep(
        self,
        one: RecordedCall,
        planned: tuple[PlannedCall, str | None],
        branch: Branch,
        quotes: tuple[str, ...],
    ) -> None:
        """End a call with the result that it had, and the files that it made."""
        call, why = planned
        before = one.call.finished
        assert before is not None

        def decide(state: ChatState) -> Sequence[Event]:
            files = dict(state.files(branch.manifest_id))
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
            if states:
                branch.manifest_id = states[-1].manifest_id
            changes = {"call_id": call.call_id, "post_manifest_id": branch.manifest_id, "note": _note(why)}
            return [*states, before.model_copy(update=changes)]

        self.of.chats.transact(self.chat_id, decide, correlation_id=branch.turn_id)
        self._tell(
            one,
            RerunCall(
                call_id=one.call_id, new_call_id=call.call_id, status="kept", told=why or "", quotes=quotes
            ),
        )

    def _judge(self, one: RecordedCall, new_id: str, message_id: str, quotes: tuple[str, ...]) -> bool:
        """Say what became of a call; returns whether the branch can go on."""
        blobs = self.of.workspaces.blobs(self.chat_id)
        with self.of.chats.locked(self.chat_id) as state:
            (new,) = [
                c
                for c in recorded_calls(self.of.chats.recorded(self.chat_id), state, message_id)
                if c.call_id == new_id
            ]
        finished, old = new.call.finished, one.call.finished
        assert finished is not None
        assert old is not None
        failed = old.status == "success" and finished.status != "success"
        if failed:
            told, moved = finished.error.message if finished.error else finished.status, True
        else:
            try:
                found = compared(
                    came_before(one, blobs), came_before(new, blobs), self.of.tables(self.chat_id)
                )
            except AnabranchError as error:
                told, moved = f"What it came to before cannot be read: {error}", True
            else:
                told, moved = found.reason, found.verdict == "differs"
                before, now = value_of(old.result, blobs), value_of(finished.result, blobs)
                self.gone |= gone_values(before, now)
        status = "failed" if failed else "ran"
        self._tell(
            one,
            RerunCall.model_validate(
                {
                    "call_id": one.call_id,
                    "new_call_id": new_id,
                    "status": status,
                    "moved": moved,
                    "told": told,
                    "quotes": quotes,
                }
            ),
        )
        return not failed

    def _tell(self, one: RecordedCall, done: RerunCall) -> None:
        self.done[one.call_id] = done
        self.on_call(one, done)


def _note(why: str | None) -> str:
    return f"The recorded result, taken over: {why}"
