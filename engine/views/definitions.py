"""Finds the user's definitions that an answer used (SEAT-9). Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from engine.deciders.definitions import LONGEST_MEANING, LONGEST_TERM, same_term
from events.catalog.definition import DefinitionSet
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "LONGEST_MEANING",
    "LONGEST_TERM",
    "Definition",
    "definitions_by_turn",
    "in_chats",
    "listed",
    "same_term",
    "sentence",
    "used_in",
]


@dataclass(frozen=True, slots=True)
class Definition:
    """A version of a definition that was valid in a turn."""

    definition_id: str
    version: int
    term: str
    meaning: str
    scope: Literal["chat", "everywhere"]

    def to_json(self) -> dict[str, Any]:
        """Return the definition as `ask` prints it."""
        return {"term": self.term, "meaning": self.meaning, "version": self.version, "scope": self.scope}


def listed(rows: Iterable[Mapping[str, Any]], chat_id: str | None) -> list[dict[str, Any]]:
    """Return the rows of `definitions` that are valid in a chat, or in all chats if `chat_id` is None, each with its
    scope, sorted by term.
    """
    held: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: row["chat_id"] is not None):
        if row["chat_id"] is None or row["chat_id"] == chat_id:
            held[same_term(row["term"])] = dict(row) | {"scope": "chat" if row["chat_id"] else "everywhere"}
    return [held[term] for term in sorted(held)]


def in_chats(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `definitions` that are valid in only one chat, by chat, and in each chat sorted by term."""
    chats: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: same_term(row["term"])):
        if row["chat_id"] is not None:
            chats.setdefault(row["chat_id"], []).append({**row, "scope": "chat"})
    return chats


def sentence(used: Sequence[Mapping[str, Any]]) -> str:
    """Return the line shown below an answer, which names the definitions that it used; empty if it used none."""
    if not used:
        return ""
    named = "; ".join(f"{one['term']} = {one['meaning']}" for one in used)
    return f"Definition{'s' if len(used) > 1 else ''} used: {named}"


def definitions_by_turn(
    steps: Iterable[Mapping[str, Any]],
    own: Iterable[Mapping[str, Any]],
    everywhere: Mapping[tuple[str, int], DefinitionSet],
) -> dict[str, tuple[Definition, ...]]:
    """Return the definitions that were valid in each turn, by the turn's id. If a definition changed during the turn,
    the version of the turn's last step is used.

    `steps` and `own` contain the chat's rows of `step_definitions` and `definition_versions`.
    """
    known = {
        key: Definition(*key, term=one.term, meaning=one.meaning, scope="everywhere")
        for key, one in everywhere.items()
    }
    for row in own:
        key = (row["definition_id"], row["version"])
        known[key] = Definition(*key, term=row["term"], meaning=row["meaning"], scope="chat")
    sets: dict[str | None, dict[str, Definition]] = {None: {}}
    turns: dict[str, dict[str, Definition]] = {}
    for step in steps:
        text = step["definitions"]
        if text not in sets:
            refs = ((ref["definition_id"], ref["version"]) for ref in json.loads(text))
            sets[text] = {same_term(known[ref].term): known[ref] for ref in refs if ref in known}
        turns.setdefault(step["turn_id"], {}).update(sets[text])
    return {turn_id: tuple(found.values()) for turn_id, found in turns.items()}


def used_in(
    definitions: Iterable[Definition], texts: Iterable[str], arguments: Iterable[JSON]
) -> tuple[Definition, ...]:
    """Return the definitions whose term is in a question, an answer or the arguments of calls, as whole words."""
    said = [" ".join(text.casefold().split()) for text in [*texts, *_strings([*arguments])]]
    return tuple(one for one in definitions if any(_names(text, same_term(one.term)) for text in said))


def _names(text: str, term: str) -> bool:
    return term in text and re.search(rf"(?<!\w){re.escape(term)}(?:e?s)?(?!\w)", text) is not None


def _strings(value: JSON) -> Iterator[str]:
    """Yield every text in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from _strings([*value.values()])
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
