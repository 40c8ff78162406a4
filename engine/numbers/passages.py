"""The parts of a Markdown answer around a number: clause, sentence, list item or cell, paragraph, heading."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from events.late_dataclass import dataclass

__all__ = ["Passage", "ends_sentence", "passages"]

_MOST_CELLS = 100
"""The maximum number of cells in a row; a line with more is read as text."""
_LINE = re.compile(r"[^\n]*\n?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*(?:\*\*|__)[^*_\n]+(?:\*\*|__):?\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_SENTENCE = re.compile(r"(?<=[.!?])[*_\"”’)]*\s+(?=[*_\"“(]*[A-Z\d€$£−`-])|\n")
_END = re.compile(r"([.!?…])[*_~`\"”’»)\]]*\s*$")
_ABBREVIATED = re.compile(r"\b(?:vs|e\.g|i\.e|approx|ca|no|nr|incl|excl|resp|etc|cf|fig|avg|mr|dr)\.$", re.I)
_CLAUSE = re.compile(
    r"[;,](?!\d)\s|\s[—–-]\s|\s\(|\)[,;.]?\s|:\s|\s(?:and|while|whereas|but|versus|vs\.?|compared\s(?:with|to)|followed\sby|then"
    r"|against|although|though|with)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a list item's sentence, or a cell of a Markdown table, with its surroundings."""

    start: int
    end: int
    clauses: tuple[tuple[int, int], ...]
    """The spans of its clauses, in order."""
    around: tuple[tuple[int, int], ...]
    """The spans that may contain a label missing here, the nearest first: item above, sentence before, headings."""
    bracketed: frozenset[int] = frozenset()
    """The positions where clauses in brackets start."""
    resumed: frozenset[int] = frozenset()
    """The positions where clauses continue after brackets: "Revenue (net) was"."""
    cells: tuple[tuple[int, int], ...] = ()
    """For a cell of a Markdown table: the spans of its row's other cells and of its column's header."""
    subject: tuple[int, int] | None = None
    """For a sentence with a pronoun: the span of the earlier sentence that may name what the pronoun refers to."""

    def clause(self, at: int) -> tuple[int, int]:
        """Return the span of the clause that contains a position."""
        starts = [start for start, _ in self.clauses]
        return self.clauses[max(0, bisect_right(starts, at) - 1)]

    def meant_before(self, text: str, at: int) -> tuple[int, int] | None:
        """Return `subject`, the earlier sentence that may name what a pronoun means, if there is a pronoun before the
        position `at`; otherwise None.
        """
        return self.subject if self.subject and _PRONOUN.search(text, self.start, at) else None

    def nearest(self, at: int) -> list[tuple[int, int]]:
        """Return the span of the clause that contains a position, then the clauses that continue it outside of
        brackets.
        """
        starts = [start for start, _ in self.clauses]
        own = max(0, bisect_right(starts, at) - 1)
        found = [self.clauses[own]]
        if own and self.clauses[own][0] in self.bracketed:
            found.append(self.clauses[own - 1])
        if own + 2 < len(self.clauses) and self.clauses[own + 2][0] in self.resumed:
            found.append(self.clauses[own + 2])
        if own and self.clauses[own][0] in self.resumed:
            found += [self.clauses[at] for at in (own - 1, own - 2) if at >= 0]
        return found


def passages(text: str) -> list[Passage]:
    """Return the passages of a Markdown text in order. Together they contain all of its words."""
    reading = _Reading(text)
    return [passage for start, end in _lines(text) for passage in reading.line(start, end)]


@dataclass(slots=True)
class _Reading:
    """Reads a text line by line, and keeps the spans above the current line that give it context."""

    text: str
    heading: tuple[int, int] | None = None
    parents: list[tuple[int, tuple[int, int]]] = field(default_factory=list)
    """The list items above the line in which it is nested, each with its depth."""
    intro: tuple[int, int] | None = None
    before: tuple[int, int] | None = None
    """The last sentence of the current paragraph."""
    header: list[tuple[int, int]] | None = None
    """The cells of the first row of the current table."""

    def line(self, start: int, end: int) -> list[Passage]:
        """Return the passages of the next line."""
        line = self.text[start:end]
        if not line.strip():
            self.before = self.header = None
            return []
        is_row = line.lstrip().startswith("|") or (self.header is not None and "|" in line)
        if is_row and line.count("|") <= _MOST_CELLS:
            return [] if _RULE.match(line) else self._row(start, end)
        self.header = None
        if _HEADING.match(line):
            self.heading, self.parents, self.before, self.intro = (start, end), [], None, None
            return [_passage(self.text, start, end, ())]
        if item := _ITEM.match(line):
            return self._item(start, end, depth=len(item[1]))
        return self._prose(start, end, indented=line.startswith((" ", "\t")))

    def _row(self, start: int, end: int) -> list[Passage]:
        cells = _cells(self.text, start, end)
        if self.header is None:
            self.header = cells
        return _table_row(self.text, cells, self.header, _known(self.intro, self.heading))

    def _item(self, start: int, end: int, *, depth: int) -> list[Passage]:
        self.parents = [(deep, span) for deep, span in self.parents if deep < depth]
        around = _known(*self._above(), self.intro, self.heading)
        self.parents.append((depth, (start, end)))
        return _sentences(self.text, start, end, around, None)

    def _prose(self, start: int, end: int, *, indented: bool) -> list[Passage]:
        if not indented:
            self.parents = []
        found = _sentences(self.text, start, end, _known(*self._above(), self.heading), self.before)
        self.before = self.intro = (found[-1].start, found[-1].end)
        return found

    def _above(self) -> list[tuple[int, int]]:
        return [span for _, span in reversed(self.parents)]


def _known(*spans: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    return tuple(span for span in spans if span)


def ends_sentence(line: str) -> bool:
    """Return whether the end of a line is the end of a sentence."""
    end = _END.search(line)
    return end is not None and _ABBREVIATED.search(line, max(0, end.end(1) - 9), end.end(1)) is None


def _lines(text: str) -> Iterator[tuple[int, int]]:
    for found in _LINE.finditer(text):
        if found[0]:
            yield found.start(), found.end()


def _sentences(
    text: str, start: int, end: int, around: tuple[tuple[int, int], ...], before: tuple[int, int] | None
) -> list[Passage]:
    """Return the sentences of one line. The context of each includes the sentence before it."""
    found: list[Passage] = []
    at = start
    for cut in [*_SENTENCE.finditer(text, start, end), None]:
        stop = cut.end() if cut else end
        if cut and _ABBREVIATED.search(text, max(at, cut.start() - 8), cut.start()):
            continue
        if text[at:stop].strip():
            near = (before, *around) if before else around
            goes_on = found and _BEGINS.match(text, found[-1].start, at)
            subject = (found[-1].subject if goes_on else None) or before
            told = subject if subject and _PRONOUN.search(text, at, stop) else None
            found.append(_passage(text, at, stop, near, told))
            before = (at, stop)
        at = stop
    return found or [_passage(text, start, end, around)]


_PRONOUN = re.compile(r"\b(?:it|its|they|their|he|his|she|her)\b", re.IGNORECASE)
_BEGINS = re.compile(rf"[\s*_]*{_PRONOUN.pattern}", re.IGNORECASE)


def _passage(
    text: str,
    start: int,
    end: int,
    around: Sequence[tuple[int, int]],
    subject: tuple[int, int] | None = None,
) -> Passage:
    clauses, at, bracketed, resumed = [], start, set(), set()
    for cut in _CLAUSE.finditer(text, start, end):
        if cut.end() > at:
            clauses.append((at, cut.end()))
            at = cut.end()
            if cut[0].endswith("("):
                bracketed.add(at)
            if cut[0].startswith(")") and not cut[0][1:].strip() and not _NEW_CLAUSE.match(text, at):
                resumed.add(at)
    if at < end or not clauses:
        clauses.append((at, end))
    return Passage(
        start, end, tuple(clauses), tuple(around), frozenset(bracketed), frozenset(resumed), subject=subject
    )


_NEW_CLAUSE = re.compile(
    r"(?:and|or|but|while|whereas|versus|vs|compared|followed|then|against|although|with)\b", re.I
)


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of the cells in a row of a Markdown table, without the bars."""
    bars = [
        start + at for at, sign in enumerate(text[start:end]) if sign == "|" and text[start + at - 1] != "\\"
    ]
    if not bars or text[start : bars[0]].strip():
        bars.insert(0, start - 1)
    if text[bars[-1] + 1 : end].strip():
        bars.append(end)
    return [(left + 1, right) for left, right in pairwise(bars)]


def _table_row(
    text: str,
    cells: Sequence[tuple[int, int]],
    header: Sequence[tuple[int, int]],
    around: Sequence[tuple[int, int]],
) -> list[Passage]:
    found = []
    for at, (start, end) in enumerate(cells):
        others = [
            span
            for other, span in enumerate(cells)
            if other != at and (not other or not _only_number(text, span))
        ]
        if header is not cells and at < len(header):
            others.append(header[at])
        found.append(Passage(start, end, ((start, end),), tuple(around), cells=tuple(others)))
    return found


_LONE_NUMBER = re.compile(r"[-−–+(]?\s?[$€£¥₹]?\s?\d[\d.,'’\s]*(?:\s?(?:%|[A-Za-z°€$£]{1,3}))?\)?")


def _only_number(text: str, span: tuple[int, int]) -> bool:
    return _LONE_NUMBER.fullmatch(text[span[0] : span[1]].strip(" *_`")) is not None
