"""The branches of a chat, numbered in the order in which they began. Pure.

A message continues the branch of its parent if it is the parent's first child; otherwise it begins a new branch. So a
branch keeps its number when the chat continues.
"""

from collections.abc import Iterable, Mapping

__all__ = ["lanes"]


def lanes(parents: Iterable[tuple[str, str | None]]) -> Mapping[str, int]:
    """Return message → number of its branch, from 0. `parents` lists each message with its parent, in log order."""
    found: dict[str, int] = {}
    continued: set[str | None] = set()
    widest = -1
    for message_id, parent_id in parents:
        if parent_id in continued or parent_id not in found:
            widest += 1
            found[message_id] = widest
        else:
            found[message_id] = found[parent_id]
        continued.add(parent_id)
    return found
