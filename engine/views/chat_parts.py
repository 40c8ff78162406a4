"""Builds the view of a chat from the read models: completely, or from the previous view and later events."""

import json
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from engine.errors import NotFound
from engine.tools.toolbox import ReadModels
from engine.views.card_choices import with_choices
from engine.views.chat import CallView, ChatView, MessageView, TurnView
from engine.views.compactions import CompactionView, compaction_view
from engine.views.definitions import Definition, definitions_by_turn
from engine.views.number_reviews import ReviewView, reviews_of
from engine.views.replays import VerdictView, last_verdicts
from engine.views.reruns import RerunStart, RerunView, rerun_starts_of, reruns_of
from engine.views.vouched_numbers import VouchedCell
from engine.workspace.blobs import BlobStore
from events.catalog.definition import DefinitionSet
from events.catalog.parts import parts_from_json
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["ViewParts", "chat_view"]

RowsOf = Callable[[str], list[dict[str, Any]]]
"""Returns the rows of a read model for the chat: all rows, or the rows that changed."""

_NONE: Mapping[tuple[str, int], DefinitionSet] = {}


def chat_view(
    read: ReadModels,
    chat_id: str,
    blobs_of: Callable[[str], BlobStore],
    *,
    at: int | None = None,
    defined: Mapping[tuple[str, int], DefinitionSet] = _NONE,
) -> ChatView | None:
    """Return the chat, or None if it does not (or did not) exist. `defined` contains the definitions for all chats."""
    return ViewParts().grow(read, chat_id, blobs_of, at=at, defined=defined)


@dataclass(slots=True)
class ViewParts:
    """The parts of a view. Views share these maps, so they are replaced and never changed."""

    messages: Mapping[str, MessageView] = field(default_factory=dict)
    turns: Mapping[str, TurnView] = field(default_factory=dict)
    calls: Mapping[str, CallView] = field(default_factory=dict)
    manifests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    compactions: Mapping[str, CompactionView] = field(default_factory=dict)
    defined: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    verdicts: Mapping[str, VerdictView] = field(default_factory=dict)
    reruns: Mapping[str, RerunView] = field(default_factory=dict)
    rerun_starts: Mapping[str, RerunStart] = field(default_factory=dict)
    data_parts: Mapping[str, str] = field(default_factory=dict)
    vouched: Mapping[str, Mapping[int, VouchedCell | None]] = field(default_factory=dict)
    reviews: Mapping[str, ReviewView] = field(default_factory=dict)
    _siblings: dict[tuple[str | None, str], tuple[str, ...]] = field(default_factory=dict)
    _own: list[dict[str, Any]] = field(default_factory=list)
    """The chat's own definitions."""
    _vouched_through: int = 0
    """The position of the last event about confirmed numbers that was added.

    It is needed because rows that are read later can contain earlier events again.
    """

    @property
    def weight(self) -> int:
        """The number of values in the parts."""
        return len(self.messages) + len(self.turns) + len(self.calls) + len(self.manifests)

    def grow(
        self,
        read: ReadModels,
        chat_id: str,
        blobs_of: Callable[[str], BlobStore],
        *,
        at: int | None = None,
        defined: Mapping[tuple[str, int], DefinitionSet] = _NONE,
    ) -> ChatView | None:
        """Add the rows from `read`: at first all rows, later only changed ones. Return the chat, if it exists.

        `defined` contains the definitions for all chats; if they have changed, call this on a new object.
        """

        def rows_of(name: str) -> list[dict[str, Any]]:
            return read(name, at=at, chat_id=chat_id)

        rows = [row for row in rows_of("chats") if row["created_at"] is not None]
        if not rows:
            return None
        self._take_transcript(rows_of, blobs_of(chat_id))
        self._take_runs(rows_of)
        self._take_vouched(rows_of("vouched_numbers"))
        self.reviews = _joined(self.reviews, reviews_of(rows_of("number_reviews")))
        self._own += rows_of("definition_versions")
        steps = rows_of("step_definitions") if self._own or defined else ()
        self.defined = _joined(self.defined, definitions_by_turn(steps, self._own, defined))
        return self._view(chat_id, rows[0])

    def _take_transcript(self, rows_of: RowsOf, blobs: BlobStore) -> None:
        """Add messages, calls, turns, files, summaries, and the data parts of requests."""
        calls = with_choices(
            self.calls,
            {row["id"]: _call(row, blobs) for row in rows_of("tool_calls")},
            rows_of("table_views"),
            rows_of("results_put_aside"),
        )
        self.calls = _joined(self.calls, calls)
        self._take_messages(rows_of("messages"), calls)
        turns = {row["turn_id"]: _turn(row) for row in rows_of("turns") if row["message_id"]}
        self.turns = _joined(self.turns, turns)
        manifests = {row["id"]: row for row in rows_of("workspace_manifests")}
        self.manifests = _joined(self.manifests, manifests)
        compactions = {row["through_id"]: compaction_view(row, blobs) for row in rows_of("compactions")}
        self.compactions = _joined(self.compactions, compactions)
        told = {row["message_id"]: row["data"]["sha256"] for row in rows_of("data_parts") if row["data"]}
        self.data_parts = _joined(self.data_parts, told)

    def _take_runs(self, rows_of: RowsOf) -> None:
        """Add the results of replays and of re-runs with a change."""
        self.verdicts = _joined(self.verdicts, last_verdicts(rows_of("replays")))
        self.reruns = _joined(self.reruns, reruns_of(rows_of("reruns")))
        self.rerun_starts = _joined(self.rerun_starts, rerun_starts_of(rows_of("rerun_starts")))

    def _view(self, chat_id: str, chat: Mapping[str, Any]) -> ChatView:
        return ChatView(
            chat_id=chat_id,
            title=chat["title"] or "",
            created_at=chat["created_at"],
            updated_at=chat["updated_at"],
            deleted=chat["deleted_at"] is not None,
            model=chat["model"] or "offline",
            base_url=chat["base_url"],
            depth=chat["depth"],
            selection=chat["selection"] or {},
            leaf=chat["active_leaf_message_id"],
            manifest=chat["active_manifest_id"],
            messages=self.messages,
            turns=self.turns,
            calls=self.calls,
            waiting=chat["waiting"],
            manifests=self.manifests,
            defined=self.defined,
            compactions=self.compactions,
            verdicts=self.verdicts,
            reruns=self.reruns,
            rerun_starts=self.rerun_starts,
            data_parts=self.data_parts,
            vouched=self.vouched,
            reviews=self.reviews,
        )

    def _take_vouched(self, rows: list[dict[str, Any]]) -> None:
        """Add only the new events about confirmed numbers, because an earlier confirmation may have been withdrawn."""
        found = dict(self.vouched)
        for row in rows:
            if row["position"] <= self._vouched_through:
                continue
            self._vouched_through = row["position"]
            own = {at: cell for at, cell in found.get(row["message_id"], {}).items() if at != row["start"]}
            if row["vouched"]:
                own |= {row["start"]: _vouched_cell(row)}
            found[row["message_id"]] = own
        self.vouched = found

    def _take_messages(self, rows: list[dict[str, Any]], calls: Mapping[str, CallView]) -> None:
        """Add messages and calls. A message whose siblings or calls have changed is replaced by a new object."""
        own: dict[str, dict[str, CallView]] = {}
        for call in sorted(calls.values(), key=lambda call: call.position):
            own.setdefault(call.message_id or "", {})[call.call_id] = call
        beside = {(row["parent_id"], row["role"]): () for row in rows}
        for row in rows:
            key = row["parent_id"], row["role"]
            if row["message_id"] not in self._siblings.get(key, ()):
                self._siblings[key] = (*self._siblings.get(key, ()), row["message_id"])
        messages = {
            row["message_id"]: _message(
                row,
                self._calls(row["message_id"], own),
                self._siblings[row["parent_id"], row["role"]],
            )
            for row in rows
        }
        for message_id in (*own, *(one for key in beside for one in self._siblings[key])):
            if message_id not in messages and message_id in self.messages:
                message = self.messages[message_id]
                messages[message_id] = replace(
                    message,
                    calls=self._calls(message_id, own),
                    siblings=self._siblings[message.parent_id, message.role],
                )
        self.messages = _joined(self.messages, messages)

    def _calls(self, message_id: str, new: Mapping[str, Mapping[str, CallView]]) -> tuple[CallView, ...]:
        """Return the calls of a message, with new versions of calls in place of the old ones."""
        known = self.messages[message_id].calls if message_id in self.messages else ()
        if message_id not in new:
            return known
        return tuple({**{call.call_id: call for call in known}, **new[message_id]}.values())


def _joined(before: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return both maps merged; new values replace old ones."""
    return {**before, **new} if new else before


def _vouched_cell(row: dict[str, Any]) -> VouchedCell | None:
    if not row["result"] or row["row"] is None:
        return None
    return VouchedCell(row["call_id"] or "", row["result"], row["row"], row["column_name"] or "")


def _message(row: dict[str, Any], calls: tuple[CallView, ...], siblings: tuple[str, ...]) -> MessageView:
    return MessageView(
        message_id=row["message_id"],
        parent_id=row["parent_id"],
        turn_id=row["turn_id"],
        role=row["role"],
        parts=parts_from_json(row["parts"]),
        finish=row["finish"],
        created_at=row["created_at"],
        position=row["position"],
        calls=calls,
        siblings=siblings,
    )


def _call(row: dict[str, Any], blobs: BlobStore) -> CallView:
    return CallView(
        call_id=row["id"],
        message_id=row["message_id"],
        tool_id=row["tool_id"] or "",
        status=row["status"],
        args=_loaded(row["args"], blobs),
        result=_loaded(row["result"], blobs),
        error=row["error"],
        files_with_secrets=tuple(row["files_with_secrets"] or ()),
        note=row["note"],
        commentary=row["commentary"] or "",
        render_plan=_loaded(row["render_plan"], blobs),
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        pre_manifest_id=row["pre_manifest_id"],
        post_manifest_id=row["post_manifest_id"],
        toolset_version=row["toolset_version"],
        position=row["position"],
        from_call_id=row["from_call_id"],
        sends_to=row["sends_to"],
    )


def _turn(row: dict[str, Any]) -> TurnView:
    names = TurnView.__slots__
    return TurnView(**{name: row[name] for name in names})


def _loaded(value: Any, blobs: BlobStore) -> JSON:
    """Return a stored value. If it is in a blob, read it from there."""
    if not (isinstance(value, dict) and value.keys() == {"sha256", "size", "head"}):
        loaded: JSON = value
        return loaded
    try:
        parsed: JSON = json.loads(blobs.read(value["sha256"]))
        return parsed
    except NotFound:
        return {"removed": "The content is no longer stored.", "head": value["head"]}
