"""Parses a question with a grammar of patterns, and finds every reading that covers all words, with its cost.

A pattern contains words, `{kind}` for an item of the lexer, `<name>` for another rule, `(a|b)`, and `?`, `*` or `+`
after one of these. `~` is any number of articles; rules whose name begins with `_` yield no value. A rule's function
gets the values of its items and rules in order: None for an absent one, a tuple for repeated ones. It returns a value,
a list of values if there are several readings, or None if it does not apply. All values are hashable, so that equal
readings count as one.
"""

import heapq
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.items import Item
from engine.models.offline.patterns import ARTICLES, Node, beginnings, pattern, words_of
from engine.models.offline.vocabulary import VERBS
from engine.models.offline.words import Token, base_forms
from events.late_dataclass import dataclass

__all__ = ["Costly", "Grammar", "Parse", "sequences"]

_STEP = 2
"""The cost of each value of a sequence. It makes the search prefer few long phrases to many short ones."""
_MOST_SEQUENCES = 20_000
"""The maximum number of partial sequences that the search tries."""
_MOST_READINGS = 400
"""The maximum number of readings of one rule at one place. If there are more, the costliest are dropped."""
_NOISE = frozenset({"_has", "_to_be", "_link", "_linked"})
"""Rules for verbs that add no meaning. Verbs that name a column are excluded: `handled_by`."""
_NAMING = frozenset({"event", "col"})

Values = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Costly:
    """A value that is less likely than other values of its rule."""

    value: Any
    cost: int


class Grammar:
    """Rules by name, read from lines `name: pattern => function`; a line without a name continues the last rule."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, list[tuple[Node, str]]] = {}
        words: set[str] = set()
        name = ""
        for line in filter(str.strip, text.splitlines()):
            head, _, rest = line.partition(":") if not line.startswith(" ") else ("", "", line)
            name = head.strip() or name
            text_of, _, function = rest.partition("=>")
            node = pattern(text_of)
            words |= set(words_of(node))
            self.rules.setdefault(name, []).append((node, function.strip()))
        self.words = frozenset(words) | ARTICLES
        beginnings({name: [node for node, _ in made] for name, made in self.rules.items()})


def _is_meant(verb: str, column: Column) -> bool:
    """Whether a verb implies a column without naming it: “sells” implies the column `units`, which the question may
    also name."""
    forms = {verb, *base_forms(verb)}
    return any(form in VERBS for form in forms) and not forms & set(column.words)


def _said(token: Token) -> frozenset[str]:
    """Return the words that a token matches in patterns."""
    return frozenset() if token.quoted else base_forms(token.word) | {token.word, token.word + "!"}


class Parse:
    """The parsing of one question."""

    def __init__(
        self,
        grammar: Grammar,
        tokens: list[Token],
        items: Mapping[int, list[Item]],
        functions: Callable[[str, Values], Hashable],
    ) -> None:
        self._grammar = grammar
        self._tokens = tokens
        self._items = items
        self._functions = functions
        self._memo: dict[tuple[str, int], dict[tuple[int, Hashable], int]] = {}
        kinds = _NAMING | ({"agent"} if any(token.word in ("who", "whom") for token in tokens) else set())
        self._naming = {
            place for place, found in items.items()
            if any(
                item.kind in kinds
                and item.end == place + 1
                and item.cost < 4
                and not (isinstance(item.meaning, Column) and _is_meant(tokens[place].word, item.meaning))
                for item in found
            )
        }  # fmt: skip
        self._said = [*map(_said, tokens), frozenset[str]()]
        self._kinds = [frozenset(item.kind for item in items.get(n, ())) for n in range(len(tokens) + 1)]
        self.farthest = 0
        """The number of tokens that the longest reading covered."""

    def at(self, rule: str, start: int) -> dict[tuple[int, Hashable], int]:
        """Return the matches of `rule` that begin at token `start`: (end, value) → cost."""
        return self._rule(rule, start)

    def _rule(self, name: str, start: int) -> dict[tuple[int, Hashable], int]:
        key = (name, start)
        if key in self._memo:
            return self._memo[key]
        found: dict[tuple[int, Hashable], int] = {}
        self._memo[key] = found
        for node, function in self._grammar.rules[name]:
            for end, values, cost in self._match(node, start):
                if name in _NOISE and any(place in self._naming for place in range(start, end)):
                    continue
                for value, extra in self._made(function, values):
                    place = (end, value)
                    found[place] = min(cost + extra, found.get(place, 10_000))
        if len(found) > _MOST_READINGS:
            kept = sorted(found.items(), key=lambda one: (one[1], -one[0][0]))[:_MOST_READINGS]
            self._memo[key] = found = dict(kept)
        return found

    def _made(self, function: str, values: Values) -> Iterator[tuple[Hashable, int]]:
        made = self._functions(function, values) if function else values[0] if len(values) == 1 else values
        for one in made if isinstance(made, list) else [made]:
            if isinstance(one, Costly):
                yield one.value, one.cost
            elif one is not None:
                yield one, 0

    def _match(self, node: Node, start: int) -> Iterator[tuple[int, Values, int]]:
        self.farthest = max(self.farthest, start)
        begins = node.beginning
        if (
            not begins.empty
            and begins.words.isdisjoint(self._said[start])
            and begins.kinds.isdisjoint(self._kinds[start])
        ):
            return
        if node.kind == "all":
            yield from self._all(node.parts, 0, start)
        elif node.kind == "word":
            said = self._tokens[start].word
            if node.text in (said, said + "!") or len(node.text) > 3:
                yield start + 1, (), 0
        elif node.kind == "item":
            for item in self._items.get(start, ()):
                if item.kind == node.text:
                    yield item.end, () if node.text.startswith("_") else (item.meaning,), item.cost
        elif node.kind == "rule":
            for (end, value), cost in list(self._rule(node.text, start).items()):
                yield end, () if node.text.startswith("_") else (value,), cost
        elif node.kind == "articles":
            yield start, (), 0
            here = self._tokens[start : start + 1]
            if (
                here and here[0].word in ARTICLES and not (here[0].text == "A" and start)
            ):  # the grade “A” is not an article
                yield from self._match(node, start + 1)
        elif node.kind == "either":
            for part in node.parts:
                for end, values, cost in self._match(part, start):
                    yield end, values + (None,) * (node.captures - len(values)), cost
        elif node.kind == "maybe":
            yield start, (None,) * node.captures, 0
            yield from (one for one in self._match(node.parts[0], start) if one[0] > start)
        else:
            yield from self._repeat(node, start)

    def _all(self, parts: tuple[Node, ...], first: int, start: int) -> Iterator[tuple[int, Values, int]]:
        if first == len(parts):
            yield start, (), 0
            return
        for middle, values, cost in self._match(parts[first], start):
            for end, others, more in self._all(parts, first + 1, middle):
                yield end, values + others, cost + more

    def _repeat(self, node: Node, start: int) -> Iterator[tuple[int, Values, int]]:
        """Yield each match of a repeated part. Its value is the tuple of everything that the repetitions captured."""
        front: dict[tuple[int, Values], int] = {(start, ()): 0}
        if node.text == "*":
            yield start, ((),) if node.captures else (), 0
        while front:
            following: dict[tuple[int, Values], int] = {}
            for (place, values), cost in front.items():
                for end, more, extra in self._match(node.parts[0], place):
                    if end > place:
                        one = (end, values + more)
                        following[one] = min(cost + extra, following.get(one, 10_000))
            for (end, values), cost in following.items():
                yield end, (values,) if node.captures else (), cost
            front = following


def sequences(
    parse: Parse, rule: str, length: int, able: Callable[[tuple[Hashable, ...]], bool]
) -> Iterator[tuple[tuple[Hashable, ...], int]]:
    """Yield the sequences of values of `rule` that cover all tokens, the cheapest first, with their costs.

    Sequences that begin with values for which `able` is false are left out.
    """
    steps = [
        [(end, value, cost + _STEP) for (end, value), cost in parse.at(rule, start).items() if end > start]
        for start in range(length)
    ]
    rest: list[float] = [0.0] * (length + 1)
    for start in reversed(range(length)):
        rest[start] = min((cost + rest[end] for end, _, cost in steps[start]), default=float("inf"))
    heap: list[tuple[float, int, int, int, tuple[Hashable, ...]]] = [(rest[0], 0, 0, 0, ())]
    seen: set[tuple[int, tuple[Hashable, ...]]] = set()
    made = 0
    while heap and made < _MOST_SEQUENCES and rest[0] < float("inf"):
        _, _, start, cost, values = heapq.heappop(heap)
        if (start, values) in seen:
            continue
        seen.add((start, values))
        if start == length:
            yield values, cost
            continue
        for end, value, more in steps[start]:
            longer = (*values, value)
            if rest[end] < float("inf") and able(longer):
                made += 1
                heapq.heappush(heap, (cost + more + rest[end], made, end, cost + more, longer))
