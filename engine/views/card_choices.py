"""The user's choices for the cards of calls: how their tables look, and which results a rewind hides. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.commands.cards import TableLook
from engine.views.chat import CallView

__all__ = ["with_choices"]

_CHOSEN = tuple(TableLook.model_fields)


def with_choices(
    before: Mapping[str, CallView],
    new: Mapping[str, CallView],
    looks: Iterable[Mapping[str, Any]],
    aside: Iterable[Mapping[str, Any]],
) -> dict[str, CallView]:
    """Return the calls in `new`, and the calls in `before` that have new choices, each with the choices for its cards.

    `looks` and `aside` contain new rows of `table_views` and `results_put_aside`, in the order of the log.
    """
    found = dict(new)
    for call_id, made in new.items():
        if call_id in before:
            found[call_id] = replace(made, looks=before[call_id].looks, aside=before[call_id].aside)
    for row in looks:
        if call := found.get(row["call_id"]) or before.get(row["call_id"]):
            looked = {**call.looks, row["path"]: _look(row)}
            kept = {path: look for path, look in looked.items() if look != TableLook()}
            found[call.call_id] = replace(call, looks=kept)
    for row in aside:
        if call := found.get(row["call_id"]) or before.get(row["call_id"]):
            found[call.call_id] = replace(call, aside=row["aside"])
    return found


def _look(row: Mapping[str, Any]) -> TableLook:
    values = {name: row[name] for name in _CHOSEN}
    values |= {name: tuple(values[name] or ()) for name in ("shown", "hidden")}
    values |= {name: dict(values[name] or {}) for name in ("names", "formats")}
    return TableLook(**values | {"find": row["find"] or ""})
