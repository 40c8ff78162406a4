"""The named moments of a chat, and the decisions to name or remove a moment. Pure."""

import re
from collections.abc import Collection
from dataclasses import field

from engine.errors import Invalid, NotFound, Refused
from events.catalog.moment import MomentForgotten, MomentNamed
from events.event import Event
from events.late_dataclass import dataclass

__all__ = ["LONGEST_DESCRIPTION", "LONGEST_NAME", "MOST", "Moments", "forget_moment", "name_moment"]

LONGEST_NAME = 60
LONGEST_DESCRIPTION = 200
MOST = 50
"""The maximum number of moments in a chat. There is a limit because all their names are sent to models."""
_NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}")
_SCHEMAS = frozenset({"as_written", "information_schema", "main", "memory", "pg_catalog", "system", "temp"})
"""Names of schemas that DuckDB or Anabranch itself uses."""


@dataclass(slots=True)
class Moments:
    """The moments of a chat."""

    named: dict[str, MomentNamed] = field(default_factory=dict)
    """Name → the moment that has the name now, in the order in which the moments were named."""

    def evolve(self, event: Event) -> None:
        """Apply one event to the moments."""
        match event:
            case MomentNamed():
                self.named.pop(event.name, None)
                self.named[event.name] = event
            case MomentForgotten():
                self.named = {n: one for n, one in self.named.items() if one.moment_id != event.moment_id}
            case _:
                pass


def name_moment(
    known: Moments,
    moment: MomentNamed,
    *,
    tables: Collection[str] = (),
    reserved: Collection[str] = (),
    renames: str | None = None,
) -> list[MomentNamed | MomentForgotten]:
    """Give a state of the files a name. If another moment has the name, the other moment loses it.

    `tables` contains the names of the current tables, `reserved` the words that SQL does not accept as names. With
    `renames`, the moment of that name gets the new name. If nothing changes, there is no event.

    Raises:
        Invalid: the name is not valid, or the description is too long.
        Refused: a table has the name, or there are too many moments.
        NotFound: no moment has the name `renames`.
    """
    _check(moment, tables, reserved)
    if renames is not None:
        old = _named(known, renames)
        moment = moment.model_copy(
            update={"message_id": old.message_id, "manifest_id": old.manifest_id, "call_id": old.call_id}
        )
    holds = known.named.get(moment.name)
    if holds is not None and _says_the_same(holds, moment):
        return []
    ended = {name: known.named[name] for name in (moment.name, renames) if name in known.named}
    if len(known.named) - len(ended) >= MOST:
        raise Refused(
            "too_many_moments",
            f"This chat already has {MOST} named moments, which is the maximum. Forget one first.",
        )
    return [*(MomentForgotten(moment_id=one.moment_id) for one in ended.values()), moment]


def forget_moment(known: Moments, name: str) -> list[MomentForgotten]:
    """Remove a moment's name. The state of the files stays in the history."""
    return [MomentForgotten(moment_id=_named(known, name).moment_id)]


def _says_the_same(one: MomentNamed, other: MomentNamed) -> bool:
    said = [(m.message_id, m.manifest_id, m.description) for m in (one, other)]
    return said[0] == said[1]


def _named(known: Moments, name: str) -> MomentNamed:
    if name not in known.named:
        there = (
            f"Its moments are: {', '.join(known.named)}."
            if known.named
            else "The chat has no named moments yet."
        )
        raise NotFound("moment_not_named", f"This chat has no moment {name[:LONGEST_NAME]!r}. {there}")
    return known.named[name]


def _check(moment: MomentNamed, tables: Collection[str], reserved: Collection[str]) -> None:
    name = moment.name
    if not _NAME.fullmatch(name):
        fitting = _fitting(name)
        hint = f" For example: {fitting}." if _NAME.fullmatch(fitting) else ""
        raise Invalid(
            "moment_name",
            f"A moment's name must begin with a letter and contain only lower-case letters a to z, digits and _, "
            f"at most {LONGEST_NAME} characters; {name[:LONGEST_NAME]!r} does not.{hint}",
        )
    if name in _SCHEMAS or name in reserved:
        raise Invalid("moment_name", f"{name} is reserved in SQL. Choose another name, such as {name}_1.")
    if name in tables:
        raise Refused(
            "moment_name_taken",
            f"A table in this chat is already called {name}. Choose another name, such as at_{name}.",
        )
    if len(moment.description) > LONGEST_DESCRIPTION:
        raise Invalid(
            "moment_description",
            f"A moment's description may have up to {LONGEST_DESCRIPTION} characters; this one has "
            f"{len(moment.description):,}.",
        )


def _fitting(name: str) -> str:
    """Return a name similar to `name`, for a hint. It may still not be valid, so the caller checks it."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_NAME]
