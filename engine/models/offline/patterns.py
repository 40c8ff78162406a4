"""The patterns of the grammar as trees. Each part stores its possible first words, because most patterns fail at the
first word. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping

from events.late_dataclass import dataclass

__all__ = ["ARTICLES", "Beginning", "Node", "beginnings", "pattern", "words_of"]

ARTICLES = frozenset({"the", "a", "an", "all", "any", "this", "our", "my", "some", "its", "their", "single"})
_SYMBOL = re.compile(r"\{(\w+)\}|<(\w+)>|([~()|?*+])|\\?((?<=\\).|[^\s(){}<>|?*+~\\]+|[<>]=?)")


@dataclass(frozen=True, slots=True)
class Beginning:
    """The words and the kinds of items with which a part of a pattern can begin."""

    words: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    """The kinds of items with which the part can begin."""
    empty: bool = False
    """Whether the part can also match nothing."""

    def joined(self, other: "Beginning") -> "Beginning":
        """Return the beginning of a part that matches either of two parts."""
        words, kinds = self.words | other.words, self.kinds | other.kinds
        return Beginning(words, kinds, self.empty or other.empty)


_NOTHING = Beginning()


@dataclass(eq=False, slots=True)
class Node:
    """A part of a pattern."""

    kind: str
    text: str = ""
    parts: tuple["Node", ...] = ()
    beginning: Beginning = _NOTHING
    """How the part can begin; set by `beginnings` when all rules are known."""

    @property
    def captures(self) -> int:
        """The number of values that the part yields."""
        if self.kind in ("item", "rule"):
            return 0 if self.text.startswith("_") else 1
        counts = [part.captures for part in self.parts]
        return max(counts, default=0) if self.kind in ("either", "maybe", "repeat") else sum(counts)


def pattern(text: str) -> Node:
    """Return a pattern as a tree; see `parser` for the notation.

    Raises:
        ValueError: a closing bracket has no opening bracket.
    """
    symbols = [match.groups() for match in _SYMBOL.finditer(text)]
    node, place = _either(symbols, 0)
    if place != len(symbols):
        raise ValueError(f"The pattern does not end: {text}")
    return node


def _either(symbols: list[tuple[str, ...]], place: int) -> tuple[Node, int]:
    ways: list[Node] = []
    sequence: list[Node] = []
    while place < len(symbols) and symbols[place][2] != ")":
        item, rule, sign, word = symbols[place]
        place += 1
        if sign == "|":
            ways.append(Node("all", parts=tuple(sequence)))
            sequence = []
            continue
        if sign == "(":
            node, place = _either(symbols, place)
            place += 1
        elif sign == "~":
            node = Node("articles")
        else:
            node = Node("item", item) if item else Node("rule", rule) if rule else Node("word", word)
        if place < len(symbols) and symbols[place][2] in ("?", "*", "+"):
            kind = "maybe" if symbols[place][2] == "?" else "repeat"
            node = Node(kind, symbols[place][2], (node,))
            place += 1
        sequence.append(node)
    ways.append(Node("all", parts=tuple(sequence)))
    return (ways[0] if len(ways) == 1 else Node("either", parts=tuple(ways))), place


def words_of(node: Node) -> Iterator[str]:
    """Yield the words of a pattern."""
    if node.kind == "word":
        yield node.text
    for part in node.parts:
        yield from words_of(part)


def beginnings(rules: Mapping[str, Iterable[Node]]) -> None:
    """Compute, for each part of each rule's patterns, how its matches can begin."""
    known = dict.fromkeys(rules, _NOTHING)
    while True:
        before = dict(known)
        for name, nodes in rules.items():
            for node in nodes:
                known[name] = known[name].joined(_begin(node, known))
        if known == before:
            return


def _begin(node: Node, rules: Mapping[str, Beginning]) -> Beginning:
    parts = [_begin(part, rules) for part in node.parts]
    match node.kind:
        case "word":
            found = Beginning(frozenset({node.text}))
        case "item":
            found = Beginning(kinds=frozenset({node.text}))
        case "rule":
            found = rules[node.text]
        case "articles":
            found = Beginning(ARTICLES, empty=True)
        case "all":
            found = _in_order(parts)
        case _:
            found = _NOTHING
            for part in parts:
                found = found.joined(part)
            if node.text in ("?", "*"):
                found = Beginning(found.words, found.kinds, empty=True)
    node.beginning = found
    return found


def _in_order(parts: Iterable[Beginning]) -> Beginning:
    found = Beginning(empty=True)
    for part in parts:
        found = Beginning(found.words | part.words, found.kinds | part.kinds, part.empty)
        if not part.empty:
            break
    return found
