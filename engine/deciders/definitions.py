"""The user's definitions of one scope, folded from its stream, and the decisions to set or remove them. Pure."""

import unicodedata
from collections.abc import Mapping
from dataclasses import field

from engine.errors import Invalid, NotFound, Refused
from events.catalog.definition import DefinitionForgotten, DefinitionSet
from events.event import Event
from events.identity import NewId
from events.late_dataclass import dataclass

__all__ = ["LONGEST_MEANING", "LONGEST_TERM", "MOST", "Definitions", "forget", "same_term", "set_definition"]

LONGEST_TERM = 80
LONGEST_MEANING = 500
MOST = 100
"""The maximum number of valid definitions in one scope. A scope is one chat or all chats."""
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_JOINERS = "\u200c\u200d"
"""Invisible characters that are kept, because some scripts and emoji need them."""


@dataclass(slots=True)
class Definitions:
    """All definitions of a scope, which is the installation or one chat."""

    latest: dict[str, DefinitionSet] = field(default_factory=dict)
    """Definition id → its newest version, including removed definitions."""
    forgotten: set[str] = field(default_factory=set)

    def evolve(self, event: Event) -> None:
        """Apply one event to the definitions."""
        match event:
            case DefinitionSet():
                self.latest[event.definition_id] = event
                self.forgotten.discard(event.definition_id)
            case DefinitionForgotten():
                self.forgotten.add(event.definition_id)
            case _:
                pass

    def in_force(self) -> dict[str, DefinitionSet]:
        """Return the valid definitions by term (see `same_term`), in the order in which they were first set."""
        return {
            same_term(one.term): one
            for definition_id, one in self.latest.items()
            if definition_id not in self.forgotten
        }

    def of(self, term: str) -> DefinitionSet | None:
        """Return the valid definition of a term. If there is none, return the definition that was removed last."""
        named = [one for one in self.latest.values() if same_term(one.term) == same_term(term)]
        return self.in_force().get(same_term(term)) or (named[-1] if named else None)


def same_term(term: str) -> str:
    """Return a term in the form used to compare terms: without differences in case and extra spaces."""
    return _visible(term).casefold()


def set_definition(
    known: Definitions,
    term: str,
    meaning: str,
    new_id: NewId,
    *,
    definition_id: str | None = None,
    origin: Mapping[str, str | None] | None = None,
) -> list[DefinitionSet]:
    """Define a term: make a new definition, or the next version of an existing one.

    With `definition_id`, that definition gets this term and meaning. If nothing changes, there is no event. If a call
    sets the definition, `origin` contains the event's fields about that call. Raise `Invalid` if a text is empty or too
    long, `NotFound` for an unknown `definition_id`, or `Refused` if the term is taken or `MOST` is reached.
    """
    term, meaning = _checked("term", term, LONGEST_TERM), _checked("meaning", meaning, LONGEST_MEANING)
    in_force = known.in_force()
    if definition_id is None:
        before = known.of(term)
    else:
        before = _in_force(known, definition_id)
        _require_free(term, known, before)
    if before is not None and before.definition_id not in known.forgotten:
        if (before.term, before.meaning) == (term, meaning):
            return []
    elif len(in_force) >= MOST:
        raise Refused(
            "too_many_definitions",
            f"There are already {MOST} definitions, the maximum that is sent to models. Forget one first.",
        )
    return [
        DefinitionSet(
            definition_id=before.definition_id if before else new_id(),
            version=before.version + 1 if before else 1,
            term=term,
            meaning=meaning,
            **(origin or {}),
        )
    ]


def _require_free(term: str, known: Definitions, own: DefinitionSet) -> None:
    """Reject a term if a definition other than `own` already defines it."""
    holds = known.in_force().get(same_term(term))
    if holds is not None and holds is not own:
        raise Refused(
            "definition_exists",
            f"There is already a definition of {holds.term}. Edit or forget that one instead.",
        )


def forget(known: Definitions, term: str) -> list[DefinitionForgotten]:
    """Remove the definition of a term. Raise `NotFound` if there is none."""
    holds = known.in_force().get(same_term(term))
    if holds is None:
        raise _not_found(" ".join(term.split()))
    return [DefinitionForgotten(definition_id=holds.definition_id)]


def _in_force(known: Definitions, definition_id: str) -> DefinitionSet:
    if definition_id not in known.latest or definition_id in known.forgotten:
        raise _not_found(definition_id)
    return known.latest[definition_id]


def _not_found(what: str) -> NotFound:
    return NotFound(
        "definition_not_found",
        f"There is no definition of {what} here. `anabranch definition list` shows all definitions.",
    )


def _checked(what: str, text: str, longest: int) -> str:
    """Return the text on one line, without invisible characters. Raise `Invalid` if it is empty or too long."""
    seen = _visible(text)
    if not seen or len(seen) > longest:
        raise Invalid(
            "definition_length", f"A {what} must have 1 to {longest} characters; this one has {len(seen):,}."
        )
    return seen


def _visible(text: str) -> str:
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = (c for c in spaced if c in _JOINERS or unicodedata.category(c) not in _INVISIBLE)
    return " ".join("".join(kept).split())
