"""Matches the messages, calls and results of two branches, and finds the numbers that moved. Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from engine.rendering.plans import RenderPlan
from engine.views.chat import CallView, MessageView
from engine.views.comparison import ComparedTable, MovedNumber, RowPair
from events.json_value import JSON

__all__ = ["calls_of", "matched_calls", "matched_plans", "moved_numbers", "shared_messages"]

_MOST_ROWS = 100
"""The maximum number of rows of a table whose numbers are listed one by one."""
_One = TypeVar("_One")


def calls_of(messages: Iterable[MessageView]) -> list[CallView]:
    """Return the calls of a branch in order."""
    return [call for message in messages for call in message.calls]


def shared_messages(a: Sequence[MessageView], b: Sequence[MessageView]) -> int:
    """Return how many messages at the beginning are the same in both branches.

    The messages of a fork have other ids but the same content; the messages of a re-run may have other results.
    """
    count = 0
    for one, other in zip(a, b, strict=False):
        if one.message_id != other.message_id and _content(one) != _content(other):
            break
        count += 1
    return count


def _content(message: MessageView) -> tuple[object, ...]:
    calls = [(c.tool_id, c.args, c.status, c.result, c.render_plan) for c in message.calls]
    return message.role, message.text, calls


def matched_calls(
    a: Sequence[CallView], b: Sequence[CallView]
) -> list[tuple[CallView | None, CallView | None]]:
    """Pair calls with equal arguments, then calls whose results have the same name, then calls of the same tool in
    order.

    The pairs are in the order of A. A call that only B has comes after the pair of the call before it in B.
    """
    keys: list[Callable[[CallView], JSON]] = [
        lambda call: [call.tool_id, call.args],
        lambda call: [call.tool_id, call.plan.name] if call.plan is not None and call.plan.name else None,
        lambda call: call.tool_id,
    ]
    return _matched(a, b, keys)


def matched_plans(
    a: Sequence[RenderPlan], b: Sequence[RenderPlan]
) -> list[tuple[RenderPlan | None, RenderPlan | None]]:
    """Pair the results of two matched calls: by name, then by title, then in order."""
    keys: list[Callable[[RenderPlan], JSON]] = [
        lambda plan: plan.name,
        lambda plan: plan.title,
        lambda plan: plan.renderer,
    ]
    return _matched(a, b, keys)


def _matched(
    a: Sequence[_One], b: Sequence[_One], keys: Sequence[Callable[[_One], JSON]]
) -> list[tuple[_One | None, _One | None]]:
    partner: dict[int, int] = {}
    for key in keys:
        free = [at for at in range(len(b)) if at not in partner.values()]
        for at, one in enumerate(a):
            wanted = key(one)
            if at in partner or wanted is None:
                continue
            found = next((to for to in free if key(b[to]) == wanted), None)
            if found is not None:
                partner[at] = found
                free.remove(found)
    pairs: list[tuple[_One | None, _One | None]] = []
    alone = [at for at in range(len(b)) if at not in partner.values()]
    for at, one in enumerate(a):
        to = partner.get(at)
        if to is not None:
            pairs += [(None, b[other]) for other in alone if other < to]
            alone = [other for other in alone if other > to]
        pairs.append((one, b[to] if to is not None else None))
    return [*pairs, *((None, b[other]) for other in alone)]


def moved_numbers(tables: Iterable[ComparedTable]) -> tuple[MovedNumber, ...]:
    """Return the numbers of small tables that changed, the largest relative change first."""
    found = [number for table in tables for number in _moved(table)]
    return tuple(
        sorted(found, key=lambda one: abs(one.relative) if one.relative else float("inf"), reverse=True)
    )


def _moved(table: ComparedTable) -> Iterable[MovedNumber]:
    diff = table.diff
    if diff is None or max(diff.rows.before, diff.rows.after) > _MOST_ROWS:
        return
    single = diff.rows.before == diff.rows.after == 1
    if diff.key is None and not single:
        return
    for pair in diff.changed:
        row = ", ".join(str((pair.before or {}).get(name)) for name in diff.key or ())
        for name, before, after in _numbers(pair):
            if name in diff.changed_columns:
                yield MovedNumber(f"{row}, {name}" if row else name, table.name, before, after)


def _numbers(pair: RowPair) -> Iterable[tuple[str, int | float, int | float]]:
    """Yield the cells that are numbers in both rows and differ."""
    for name, before in (pair.before or {}).items():
        after = (pair.after or {}).get(name)
        if _number(before) and _number(after) and before != after:
            yield name, before, after  # type: ignore[misc] # `_number` has just checked both


def _number(cell: JSON) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)
