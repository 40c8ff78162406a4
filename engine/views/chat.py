"""The view of a chat, now or at a past position: values for the page, the CLI and the API."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from engine.commands.cards import TableLook
from engine.models.registry import RERUN
from engine.rendering.plan import plan_from_json
from engine.rendering.plans import RenderPlan
from engine.views.compactions import CompactionView
from engine.views.definitions import Definition, used_in
from engine.views.number_reviews import ReviewView
from engine.views.replays import VerdictView
from engine.views.reruns import RerunStart, RerunView
from engine.views.vouched_numbers import VouchedCell
from engine.workspace.file_states import FileStates, RecordedState
from engine.workspace.manifest import Changes, FileEntry
from events.catalog.chat import SENT_BACK
from events.catalog.parts import CallPart, OpaquePart, Part, text_of, workings_of
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["CallView", "ChatView", "MessageView", "TurnView", "Usage"]


@dataclass(frozen=True, slots=True)
class CallView:
    """A tool call with everything known about it."""

    call_id: str
    message_id: str | None
    tool_id: str
    status: str
    args: JSON
    result: JSON
    error: Mapping[str, Any] | None
    files_with_secrets: tuple[str, ...]
    """Files that the tool wrote and that contain a configured secret."""
    commentary: str
    render_plan: JSON
    started_at: datetime | None
    finished_at: datetime | None
    pre_manifest_id: str | None
    post_manifest_id: str | None
    toolset_version: str | None
    position: int
    from_call_id: str | None = None
    """The call whose arguments the user changed to make this call."""
    note: str | None = None
    """A note for the user about how the call ran."""
    sends_to: str | None = None
    """The destination of the call's arguments, if the chat contained data when the call was requested."""
    looks: Mapping[str, TableLook] = field(default_factory=dict)
    """Table file → how cards show the table; only tables whose view the user has changed."""
    aside: bool = False
    """Whether a rewind hid the result. No card shows a hidden result."""

    @property
    def plan(self) -> RenderPlan | None:
        """The render plan, decided when the call ended."""
        return plan_from_json(self.render_plan) if self.render_plan is not None else None

    @property
    def seconds(self) -> float | None:
        """How many seconds the call ran."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()

    def to_json(self) -> dict[str, Any]:
        """Return the call as described in docs/api.md."""
        return {
            "id": self.call_id,
            "tool_id": self.tool_id,
            "status": self.status,
            "args": self.args,
            "result": self.result,
            "error": self.error,
            "commentary": self.commentary,
            "render_plan": self.render_plan,
            "pre_manifest_id": self.pre_manifest_id,
            "post_manifest_id": self.post_manifest_id,
            "started_at": self.started_at,
            "finished_at": self.finished_at,
        } | ({} if self.sends_to is None else {"sends_to": self.sends_to})


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message with its calls and its place in the tree."""

    message_id: str
    parent_id: str | None
    turn_id: str | None
    role: str
    parts: tuple[Part, ...]
    finish: str | None
    created_at: datetime
    position: int
    calls: tuple[CallView, ...] = ()
    siblings: tuple[str, ...] = ()
    """The messages with the same parent and role, including this one, in order."""

    @property
    def text(self) -> str:
        """All text parts joined."""
        return text_of(self.parts)

    @property
    def workings(self) -> str:
        """The model's explanation of how it computed the numbers of the text; "" if there is none."""
        return workings_of(self.parts)

    @property
    def content(self) -> str:
        """The text of a question or an answer; empty for a draft, and for a step with calls (it has only a comment)."""
        return "" if self.sent_back or any(isinstance(part, CallPart) for part in self.parts) else self.text

    @property
    def sent_back(self) -> bool:
        """Whether this is a draft that the model was asked to write again."""
        return self.finish == SENT_BACK

    @property
    def readings(self) -> tuple[JSONObject, ...]:
        """The query forms that the offline analyst read in the question: one, or several to choose from."""
        found = [
            part.data for part in self.parts if isinstance(part, OpaquePart) and part.provider == "offline"
        ]
        forms = found[-1].get("forms") if found and isinstance(found[-1], dict) else None
        return tuple(form for form in forms if isinstance(form, dict)) if isinstance(forms, list) else ()

    def to_json(self) -> dict[str, Any]:
        """Return the message as described in docs/api.md."""
        return {
            "message_id": self.message_id,
            "parent_id": self.parent_id,
            "role": self.role,
            "content": self.content,
            "parts": [part.model_dump(mode="json") for part in self.parts],
            "tool_calls": [call.to_json() for call in self.calls],
            "created_at": self.created_at,
        }


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn: its question, how it ended, and its cost."""

    turn_id: str
    message_id: str
    model: str
    by_user: bool
    """Whether the turn is one tool run by the user, for which no model was asked."""
    started_at: datetime
    finished_at: datetime | None
    reason: str | None
    problem: str | None
    problem_kind: str | None
    """The error code of a provider's error."""
    retry_after: float | None
    """The number of seconds that the provider asked the app to wait."""
    tokens_in: int | None
    tokens_out: int | None
    seconds: float | None
    steps: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of turns, as far as their providers report it."""

    tokens_in: int
    tokens_out: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ChatView:
    """A chat as of one position."""

    chat_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    deleted: bool
    model: str
    base_url: str | None
    depth: str
    """The depth of the chat's turns: `quick` or `thorough`."""
    selection: Mapping[str, list[str]]
    leaf: str | None
    manifest: str | None
    messages: Mapping[str, MessageView]
    turns: Mapping[str, TurnView]
    calls: Mapping[str, CallView]
    waiting: int = 0
    """The number of queued questions, including a question that was refused when it was about to be asked."""
    manifests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The recorded states of the files, by id."""
    defined: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    """Turn → the user's definitions that were valid in it."""
    compactions: Mapping[str, CompactionView] = field(default_factory=dict)
    """The summaries of older messages, by the last message that each summary covers."""
    verdicts: Mapping[str, VerdictView] = field(default_factory=dict)
    """The result of the last re-run of each call, by the call's id."""
    reruns: Mapping[str, RerunView] = field(default_factory=dict)
    """The re-runs with a change that have ended, by their ids."""
    rerun_starts: Mapping[str, RerunStart] = field(default_factory=dict)
    """The requests for re-runs with a change, by their ids, including a re-run that never ended."""
    vouched: Mapping[str, Mapping[int, VouchedCell | None]] = field(default_factory=dict)
    """Message → the places of the confirmed numbers in that answer; None if the user named no cell."""
    reviews: Mapping[str, ReviewView] = field(default_factory=dict)
    """Message → the review of the numbers in that answer or draft."""
    data_parts: Mapping[str, str] = field(default_factory=dict)
    """Message → the hash of the text about dates, tables and files that a request to the model added to the message."""
    _files: FileStates = field(default_factory=FileStates, compare=False, repr=False)

    def branch(self, leaf: str | None = None) -> list[MessageView]:
        """Return the messages from the root to `leaf`, by default the chat's current message."""
        path: list[MessageView] = []
        at = leaf or self.leaf
        while at is not None and at in self.messages:
            path.append(self.messages[at])
            at = self.messages[at].parent_id
        return list(reversed(path))

    @property
    def own_runs(self) -> list[CallView]:
        """The calls that the user ran directly, neither through a question nor from a card, in the order of the log."""
        own = (c for c in self.calls.values() if c.message_id is None and c.from_call_id is None)
        return sorted((call for call in own if not call.aside), key=lambda call: call.position)

    def tip(self, message_id: str) -> str:
        """Return the newest message below `message_id` in the tree; the message itself if there is none below it."""
        below, newest = {message_id}, message_id
        for message in sorted(self.messages.values(), key=lambda m: m.position):
            if message.parent_id in below:
                below.add(message.message_id)
                newest = message.message_id
        return newest

    def cut_off_rerun(self) -> tuple[RerunStart, int] | None:
        """Return the last re-run with a change if it has not ended, and how many of its calls have ended; else None."""
        last = max(self.rerun_starts.values(), key=lambda start: start.position, default=None)
        if last is None or last.rerun_id in self.reruns:
            return None
        turns = {turn_id for turn_id, turn in self.turns.items() if turn.model == RERUN}
        since = (call for call in self.calls.values() if call.position > last.position and call.message_id)
        new = (call for call in since if self.messages[call.message_id or ""].turn_id in turns)
        return last, sum(call.status in ("success", "error") for call in new)

    def moved_calls(self) -> frozenset[str]:
        """Return the new ids of the calls whose results changed when they ran again."""
        moved = (call for run in self.reruns.values() for call in run.calls if call.moved)
        return frozenset(call.new_call_id for call in moved if call.new_call_id is not None)

    def files(self, manifest_id: str | None) -> Mapping[str, FileEntry]:
        """Return all files of a state by path; there are none before the first state."""
        return {} if manifest_id is None else self._files.files(manifest_id, self.state)

    def state(self, manifest_id: str) -> RecordedState:
        """Return a state's parent, and its changes to the parent's files."""
        recorded = self.manifests[manifest_id]
        added, changed = (
            {path: FileEntry(f["sha256"], f["size"], f.get("executable", False)) for path, f in files.items()}
            for files in (recorded["changes"]["added"], recorded["changes"]["changed"])
        )
        return recorded["parent_id"], Changes(added, changed, tuple(recorded["changes"]["removed"]))

    def uploads(self, message_id: str) -> dict[str, Mapping[str, Any]]:
        """Return the files that came with a message: path → file."""
        wanted = (message_id, "user_upload")
        own = [m for m in self.manifests.values() if (m["message_id"], m["source"]) == wanted]
        return {path: file for manifest in own for path, file in manifest["changes"]["added"].items()}

    def definitions_used(self, turn_id: str | None) -> tuple[Definition, ...]:
        """Return the definitions whose terms are in a turn's question, answer or calls."""
        turn, defined = self.turns.get(turn_id or ""), self.defined.get(turn_id or "", ())
        if turn is None or not defined:
            return ()
        steps = [message for message in self.messages.values() if message.turn_id == turn_id]
        question = self.messages.get(turn.message_id)
        texts = [message.text for message in ([question, *steps] if question else steps)]
        return used_in(defined, texts, [call.args for step in steps for call in step.calls])

    def usage(self, *, branch: bool = False) -> "Usage":
        """Return the cost of the turns of the whole chat, or of its current branch (TRN-12)."""
        own = {message.turn_id for message in self.branch()}
        turns = [turn for turn in self.turns.values() if not branch or turn.turn_id in own]
        return Usage(
            sum(turn.tokens_in or 0 for turn in turns),
            sum(turn.tokens_out or 0 for turn in turns),
            round(sum(turn.seconds or 0.0 for turn in turns), 3),
        )
