"""Builds the next request of a turn, and the event that records its contents."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from engine.chats.payloads import PayloadStore
from engine.deciders.chat_state import ChatState
from engine.models.messages import HistoryItem, ImagePart
from engine.models.model import Model, ModelRequest, ToolSpec
from engine.secrets.scrubber import Scrubber
from engine.tools.builtin import READ_SKILL
from engine.tools.call_plans import Branch
from engine.tools.naming import wire_names
from engine.tools.tables import TablesSeen
from engine.tools.tool import Tool
from engine.turn.data_part import LIMIT_REACHED, DataPart, Known, data_part
from engine.turn.definitions_text import definitions_text
from engine.turn.disclosure import Disclosed, disclose
from engine.turn.files_text import other_files
from engine.turn.history import Sent, compaction_of, history, images_of, known_items
from engine.turn.limits import steps_allowed
from engine.turn.parts import Turn, TurnParts, TurnRules
from engine.turn.past_requests import tools_text
from engine.turn.previous_request import PreviousRequest, pictures_in
from engine.turn.reading_progress import reading
from engine.turn.request_size import request_tokens
from engine.turn.second_look import second_look
from engine.turn.sources_text import sources_text
from engine.turn.system_text import BRIEFING, system_text
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import Files
from engine.workspace.table_facts import TableProfile
from events.canonical import ordered
from events.catalog.definition import DefinitionRef, DefinitionSet
from events.catalog.turn import StepStarted
from events.late_dataclass import dataclass

__all__ = ["Prepared", "prepare"]

_RESULTS = "results/"
"""The folder in which tools store their result tables. The tools' results describe the columns of these tables."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request and facts about it."""

    request: ModelRequest
    started: StepStarted
    shown: Disclosed
    sent: Sent
    tokens: int
    """The approximate number of tokens of the request."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The facts from the chat's state that a request needs."""

    sent: Sent
    files: Files
    from_calls: frozenset[str]
    before: Mapping[str, str]
    moments: Mapping[str, str]
    """Name of a moment → its description."""
    offer: Sequence[Tool]
    skills: Sequence[tuple[str, str]]
    defined: str
    """The text that lists the user's definitions."""
    definitions: Sequence[DefinitionSet]
    """The definitions that `defined` contains."""
    picked: frozenset[str]
    step: int

    @property
    def results(self) -> frozenset[str]:
        """The tables that calls made and whose columns they returned."""
        return frozenset(path for path in self.from_calls if path.startswith(_RESULTS))


def prepare(parts: TurnParts, turn: Turn, model: Model, branch: Branch, *, last: bool) -> Prepared:
    """Build the request of the turn's next step. The reply to the `last` request must not call tools."""
    keeper = parts.workspaces.payloads(turn.chat_id)
    found = _look(parts, turn, model, branch, keeper.blobs)
    rules, scrubber = turn.rules, keeper.scrubber
    shown = disclose(wire_names(found.offer), found.picked, rules.disclosure, rules.disclosure_tokens)
    seen = _tables_seen(parts, turn, model, branch, found)
    data = _data_part(parts, turn, found, seen, shown, last=last)
    if data is not None:
        data = DataPart(scrubber.text(data.text), data.items)
    messages, pictures = _messages(parts, turn, model, found.sent, data, keeper.blobs)
    request = ModelRequest(
        model=turn.model_name.partition(":")[2],
        system=scrubber.text(_system(rules, found, shown)),
        messages=messages,
        tools=_clean(shown.specs, scrubber),
        briefs=shown.briefs,
        tables=(*seen.tables, *(_at_sources(parts) if model.reads_tables else ())),
        sources=_listed(parts) if model.reads_tables else {},
        unread=seen.unread,
        form=turn.form,
        parameters=model.parameters,
        images=images_of(pictures, keeper.blobs),
        may_call=not last,
    )
    body = model.body(request)
    started = _started(turn, model, branch, found, shown, request, body, data, keeper)
    return Prepared(request, started, shown, found.sent, request_tokens(request, body))


def _tables_seen(parts: TurnParts, turn: Turn, model: Model, branch: Branch, found: _Found) -> TablesSeen:
    with reading(parts.signals, turn.chat_id, turn.turn_id) as progress:
        results = () if model.reads_tables else found.results
        folder = branch.folder.workspace.folder
        return parts.tables.look(found.files, folder, turn.cancel, progress, without=results)


def _system(rules: TurnRules, found: _Found, shown: Disclosed) -> str:
    return system_text(
        instructions=rules.instructions,
        definitions=found.defined,
        briefs=shown.briefs,
        skills=found.skills,
        tools=bool(found.offer),
    )


def _started(
    turn: Turn,
    model: Model,
    branch: Branch,
    found: _Found,
    shown: Disclosed,
    request: ModelRequest,
    body: bytes | None,
    data: DataPart | None,
    keeper: PayloadStore,
) -> StepStarted:
    """Return the event that records the request."""
    return StepStarted(
        turn_id=turn.turn_id,
        step=found.step,
        model=turn.model_name,
        parameters=dict(request.parameters),
        system=keeper.text(request.system),
        tools=keeper.text(tools_text(request.tools, request.briefs)),
        tool_ids={name: tool.tool_id for name, tool in shown.tools.items()},
        manifest_id=branch.manifest_id,
        message_id=turn.message_id,
        compaction_id=found.sent.compaction.compaction_id if found.sent.compaction else None,
        data=keeper.text(data.stored()) if data else None,
        may_call=request.may_call,
        briefing=BRIEFING,
        sees=model.sees,
        request_sha256=sha256(body).hexdigest() if body else None,
        definitions=tuple(
            DefinitionRef(definition_id=d.definition_id, version=d.version) for d in found.definitions
        ),
    )


def _at_sources(parts: TurnParts) -> tuple[TableProfile, ...]:
    """Return the tables in sources whose values were read because the user asked for it (`ProfileSourceTable`)."""
    return tuple(profile for _, listed in parts.sources().values() for profile in listed.profiles)


def _listed(parts: TurnParts) -> Mapping[str, tuple[str, ...]]:
    """Return the full names of each source's tables."""
    return {
        name: tuple(table.full_name for table in listed.tables)
        for name, (_, listed) in parts.sources().items()
    }


def _look(parts: TurnParts, turn: Turn, model: Model, branch: Branch, blobs: BlobStore) -> _Found:
    with parts.chats.locked(turn.chat_id) as state:
        compaction = compaction_of(state, turn.message_id)
        compaction_id = compaction.compaction_id if compaction else None
        sent = Sent.of(state, turn.message_id, turn.turn_id, compaction_id)
        offer = parts.offer(state)
        defined, definitions = definitions_text(parts.definitions(state))
        return _Found(
            sent=sent,
            files=state.files(branch.manifest_id),
            from_calls=_from_calls(parts, turn, state, sent, sees=model.sees),
            before=known_items(state, sent, blobs),
            moments={name: one.description for name, one in state.moments.named.items()},
            offer=offer,
            skills=parts.skills(state) if READ_SKILL in offer else (),
            defined=defined,
            definitions=definitions,
            picked=_picked(state, turn),
            step=state.turns[turn.turn_id].steps + 1,
        )


def _data_part(
    parts: TurnParts, turn: Turn, found: _Found, seen: TablesSeen, shown: Disclosed, *, last: bool
) -> DataPart | None:
    """Return the addition to the newest message. It leaves out tables in `results/` and files that calls wrote, because
    the calls' results describe them.
    """
    tables = tuple(table for table in seen.tables if table.path not in found.results)
    described = {table.path for table in seen.tables} | set(seen.unread) | found.from_calls
    described |= {path for path in found.files if str(PurePosixPath(path).parent) in described}
    names = {tool.name for tool in shown.tools.values()}
    from_calls = [path for path in sorted(found.from_calls) if path in found.files]
    lines = other_files(found.files, described, names)
    sources = sources_text(parts.sources(), found.offer)
    known = Known(parts.clock(), tables, seen.unread, lines, from_calls, found.moments, sources)
    steps = _steps_left(turn.rules, found) if shown.tools else []
    steps += [second_look(turn.doubted)] if turn.doubted else []
    return data_part(known, found.before, [*steps, *([LIMIT_REACHED] if last else [])])


def _steps_left(rules: TurnRules, found: _Found) -> list[str]:
    if found.sent.path[-1].role != "user" or not rules.max_steps_on:
        return []
    allowed = steps_allowed(rules.max_steps, on=True)
    return [f"For this question you have {allowed} {'step' if allowed == 1 else 'steps'} with tool calls."]


def _messages(
    parts: TurnParts, turn: Turn, model: Model, sent: Sent, data: DataPart | None, blobs: BlobStore
) -> tuple[tuple[HistoryItem, ...], list[ImagePart]]:
    """Return the request's messages, and the pictures in them."""
    newest = data.text if data else ""
    with parts.chats.locked(turn.chat_id) as state:
        before = parts.before.get(turn.chat_id) or PreviousRequest()
        messages = history(state, sent, blobs, sees=model.sees, newest=newest, before=before)
        parts.before.put(turn.chat_id, before)
        known = len(before.items) + (sent.compaction is not None)
        return messages, [*before.pictures, *pictures_in(messages[known:])]


def _from_calls(parts: TurnParts, turn: Turn, state: ChatState, sent: Sent, *, sees: bool) -> frozenset[str]:
    """Return the files that were last changed by a call of these messages. The model knows them from the calls'
    results."""
    before = parts.before.get(turn.chat_id) or PreviousRequest()
    compaction_id = sent.compaction.compaction_id if sent.compaction else None
    before.follow(state, sent.path, compaction_id, sees=sees)
    parts.before.put(turn.chat_id, before)
    return frozenset(before.from_calls)


def _clean(specs: Sequence[ToolSpec], scrubber: Scrubber) -> tuple[ToolSpec, ...]:
    """Return the tools' specifications without secrets. They are sent and stored in this form."""
    listed: list[Any] = scrubber.json([[spec.name, spec.description, spec.input_schema] for spec in specs])
    return tuple(ToolSpec(name, description, ordered(schema)) for name, description, schema in listed)


def _picked(state: ChatState, turn: Turn) -> frozenset[str]:
    """Return the ids of the tools that the model picked in this turn, or on the whole branch if picks are kept."""
    turns = {turn.turn_id}
    if turn.rules.keep_picks:
        turns |= {message.turn_id for message in state.path(turn.message_id) if message.turn_id}
    return frozenset(tool for turn_id in turns for tool in state.turns[turn_id].picked)
