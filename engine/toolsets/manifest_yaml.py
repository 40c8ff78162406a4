"""Reads YAML from untrusted authors into plain values with line numbers.

PyYAML's loader expands aliases, runs tags, keeps the last of two equal keys and turns `no` into False. So only its
event stream is used here: aliases, anchors and tags are refused, equal keys are reported with both lines, and a text
becomes a number or a truth value only if every YAML version reads it that way.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TypeAlias

import yaml

from engine.errors import Problem
from events.json_value import JSON
from events.late_dataclass import dataclass
from events.text import scrub_surrogates

__all__ = ["MAX_BYTES", "Node", "parse_yaml", "plain_value", "reads_two_ways"]

MAX_BYTES = 256 * 1024
MAX_DEPTH = 40
MAX_NODES = 20_000

_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,29})")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,4})?")
_WORDS: dict[str, JSON] = {"": None, "~": None}
_WORDS |= dict.fromkeys(("null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True)
_WORDS |= dict.fromkeys(("false", "False", "FALSE"), False)
_UNPRINTABLE = yaml.reader.Reader.NON_PRINTABLE
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader of libyaml, which yields the same events ten times as fast, if PyYAML was built with it."""
_HALF = "an escape in it is only half a character; write the whole character"
_TWO_WAYS = re.compile(r"(?i:yes|no|on|off)|0[0-9_]+|0[oxb][0-9a-fA-F_]+|[-+]?\.(?i:inf|nan)")


@dataclass(slots=True)
class Node:
    """One value of the document, with the line, counted from 1, of the value or its key."""

    line: int
    value: JSON = None
    """The whole value below this node as plain JSON."""
    plain: bool = False
    """Whether a scalar was written without quotes."""
    text: str = ""
    """The text of a scalar, as it was written."""
    keys: dict[str, "Node"] = field(default_factory=dict)
    items: list["Node"] = field(default_factory=list)

    def at(self, path: Sequence[str | int]) -> "Node":
        """Return the deepest existing node along `path`."""
        node = self
        for step in path:
            below = node.keys.get(step) if isinstance(step, str) else None
            if isinstance(step, int) and step < len(node.items):
                below = node.items[step]
            if below is None:
                break
            node = below
        return node


Events: TypeAlias = Iterator[yaml.events.Event]


class _TooComplex(Exception):
    """Raised if the document is nested too deeply or contains too many values."""


def parse_yaml(data: bytes, file: str) -> tuple[Node | None, list[Problem]]:
    """Read one YAML document; return its tree (None if there is none) and every problem found."""
    if len(data) > MAX_BYTES:
        message = (
            f"it is {len(data):,} bytes long; the limit for a manifest is {MAX_BYTES:,}: move data to assets/"
        )
        return None, [Problem("manifest_too_large", message, file)]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return None, [Problem("manifest_encoding", "it is not UTF-8; save it as UTF-8", file, line)]
    if (found := _UNPRINTABLE.search(text)) is not None:
        line = text[: found.start()].count("\n") + 1
        return None, [_syntax(f"the character U+{ord(found.group()):04X} is not allowed in it", file, line)]
    reader = _Reader(file)
    try:
        root = reader.read(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(part for part in (error.context, error.problem) if part)
        line = mark.line + 1 if mark else 1
        if "Unicode character escape" in what:  # from libyaml; with Python's reader, see `_whole`
            return None, [*reader.problems, Problem("manifest_encoding", _HALF, file, line)]
        return None, [*reader.problems, _syntax(what, file, line)]
    except _TooComplex:
        message = f"is nested more than {MAX_DEPTH} levels deep or contains more than {MAX_NODES:,} values; simplify it"
        return None, [*reader.problems, Problem("yaml_too_complex", message, file, reader.line)]
    return root, reader.problems


def _syntax(what: str, file: str, line: int) -> Problem:
    return Problem("yaml_syntax", f"not valid YAML: {what}", file, line)


def plain_value(text: str) -> JSON:
    """Return the value of an unquoted scalar; its text if it is not a number, truth value or null."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _line(event: yaml.events.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def reads_two_ways(text: str) -> bool:
    """Return whether an unquoted scalar means different things to different YAML readers."""
    return bool(_TWO_WAYS.fullmatch(text)) or bool(_FLOAT.fullmatch(text) and math.isinf(float(text)))


class _Reader:
    """Composes events into nodes, counts them, and collects the problems."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.line = 1
        self._nodes = 0

    def read(self, text: str) -> Node | None:
        events = yaml.parse(text, Loader=_Loader)
        root: Node | None = None
        documents = 0
        for event in events:
            self.line = _line(event)
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._report("yaml_syntax", "a second document begins here; a manifest is one document")
                    break
            elif not isinstance(event, yaml.StreamStartEvent | yaml.StreamEndEvent | yaml.DocumentEndEvent):
                root = self._node(event, events, 0)
        return root

    def _report(self, code: str, message: str, line: int | None = None) -> None:
        self.problems.append(Problem(code, message, self.file, line or self.line))

    def _node(self, event: yaml.events.Event, events: Events, depth: int) -> Node:
        self.line = _line(event)
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise _TooComplex
        node = Node(self.line)
        if isinstance(event, yaml.AliasEvent):
            self._report("yaml_alias", f"the alias *{event.anchor} is not allowed; write the value out")
            return node
        if (anchor := getattr(event, "anchor", None)) is not None:
            self._report("yaml_alias", f"the anchor &{anchor} is not allowed; remove it")
        if (tag := getattr(event, "tag", None)) is not None:
            self._report("yaml_tag", f"the tag {tag} is not allowed; remove it")
        if isinstance(event, yaml.MappingStartEvent):
            self._mapping(node, events, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            while not isinstance(event := next(events), yaml.SequenceEndEvent):
                node.items.append(self._node(event, events, depth + 1))
            node.value = [item.value for item in node.items]
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(node, event)
        return node

    def _scalar(self, node: Node, event: yaml.ScalarEvent) -> None:
        node.text, node.plain = self._whole(event), not event.style
        node.value = plain_value(node.text) if node.plain else node.text
        if node.plain and reads_two_ways(node.text):
            self._report(
                "yaml_ambiguous", f"{node.text} can be read in two ways; put it in quotes or spell it out"
            )

    def _whole(self, event: yaml.ScalarEvent) -> str:
        """Return a scalar's text. Report half a character, such as the escape \\ud800, because it is not valid text."""
        text = scrub_surrogates(event.value)
        if text != event.value:
            self._report("manifest_encoding", _HALF, _line(event))
        return text

    def _mapping(self, node: Node, events: Events, depth: int) -> None:
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            line = _line(event)
            key = self._whole(event) if isinstance(event, yaml.ScalarEvent) else None
            if isinstance(event, yaml.ScalarEvent) and event.anchor is None and event.tag is None:
                self._nodes += 1
            else:
                self._node(event, events, depth + 1)
            value = self._node(next(events), events, depth + 1)
            value.line = line
            if key is None:
                self._report("manifest_shape", "a key must be a word, not a list or a mapping", line)
            elif key in node.keys:
                first = node.keys[key].line
                self._report("yaml_duplicate_key", f"{key} appears here and in line {first}; keep one", line)
            else:
                node.keys[key] = value
        node.value = {key: below.value for key, below in node.keys.items()}
