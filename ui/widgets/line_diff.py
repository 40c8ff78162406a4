"""Finds equal lines of two texts in bounded time, however often lines repeat.

`difflib` compares each line with all equal lines, again for each block that it finds: if half of the lines are blank,
it takes minutes. Here lines that occur once in both texts are found first and divide the rest (Bram Cohen's patience
diff). If the lines between two of them still repeat too much, they are compared one by one.
"""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from ui.widgets.text_file import equal_ends

__all__ = ["same_lines"]

_PAIRS = 2_000_000
"""The maximum number of comparisons between two lines that occur once; they take about a third of a second."""

Block = tuple[int, int, int]
"""A block of equal lines: where it begins in each of the two texts, and its number of lines."""


def same_lines(before: Sequence[str], after: Sequence[str]) -> list[Block]:
    """Return the blocks of equal lines in order; adjacent blocks are joined."""
    blocks: list[Block] = []
    for at, to, size in _blocks(list(before), list(after)):
        if blocks and (last := blocks[-1]) and (last[0] + last[2], last[1] + last[2]) == (at, to):
            blocks[-1] = (last[0], last[1], last[2] + size)
        elif size:
            blocks.append((at, to, size))
    return blocks


def _blocks(before: list[str], after: list[str]) -> Iterator[Block]:
    first, last = equal_ends(before, after)
    yield 0, 0, first
    ends = len(before) - last, len(after) - last
    left, at, to = _PAIRS, first, first
    for mark, found in [*_anchors(before[first : ends[0]], after[first : ends[1]], first), ends]:
        blocks, spent = _between(before[at:mark], after[to:found], left)
        left -= spent
        yield from ((at + one, to + other, size) for one, other, size in blocks)
        if (mark, found) != ends:
            yield mark, found, 1
        at, to = mark + 1, found + 1
    yield *ends, last


def _anchors(before: list[str], after: list[str], offset: int) -> list[tuple[int, int]]:
    """Return the longest sequence of lines that occur once in each text and in the same order in both."""
    here, there = Counter(before), Counter(after)
    places = {line: at for at, line in enumerate(after) if there[line] == 1}
    pairs = [(at, places[line]) for at, line in enumerate(before) if here[line] == 1 and line in places]
    ends: list[int] = []  # length of a sequence - 1 → the smallest place at which such a sequence ends
    longest: list[int] = []
    for _, to in pairs:
        length = bisect_left(ends, to)
        ends[length : length + 1] = [to]
        longest.append(length)
    row: list[tuple[int, int]] = []
    wanted = len(ends) - 1
    for (at, to), length in zip(reversed(pairs), reversed(longest), strict=True):
        if length == wanted:
            row.append((at + offset, to + offset))
            wanted -= 1
    return row[::-1]


def _between(before: list[str], after: list[str], most: int) -> tuple[list[Block], int]:
    """Return the equal lines of two stretches, and an upper limit for the number of comparisons that this took. If more
    than `most` would be needed, compare only lines at the same place."""
    first, last = equal_ends(before, after)
    ends = [(0, 0, first), (len(before) - last, len(after) - last, last)]
    before, after = before[first : len(before) - last], after[first : len(after) - last]
    here, there = Counter(before), Counter(after)
    pairs = sum(times * there[line] for line, times in here.items())
    cost = pairs * min(len(before), len(after))
    if cost <= most:
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        middle = [(one, other, size) for one, other, size in matcher.get_matching_blocks() if size]
    else:
        cost = 0
        middle = [
            (at, at, 1) for at, (one, other) in enumerate(zip(before, after, strict=False)) if one == other
        ]
    return [ends[0], *((first + one, first + other, size) for one, other, size in middle), ends[1]], cost
