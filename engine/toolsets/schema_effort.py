"""Estimates the cost of a schema check in advance: a few lines of an untrusted schema can take years to check.

Each schema is counted once for each value that it is applied to, so counting is quick even if checking would not be. If
references double at each level, the schemas are applied as often as their tree has leaves, but they are counted only
once per level. Pure.
"""

import re
from typing import Any

from engine.system.input_limits import CHECK_STEPS, CHECKS_DEEP
from engine.toolsets.schema_patterns import pattern_steps
from events.json_value import JSON, JSONObject

__all__ = ["TooMuch", "pointed", "steps"]

_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")
_AGAIN = {"anyOf": 2, "oneOf": 2, "not": 2, "if": 2}
"""How many times a check applies these schemas: once to see whether they match, and again to explain why they
do not.
"""
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
_COUNTED = ("enum", "required", "const", "dependentRequired")
_INDEX = re.compile(r"[0-9]{1,6}")


class TooMuch(Exception):
    """Raised if the check would take too long. The message says why, as the end of a sentence."""


def pointed(schema: JSONObject, reference: str) -> JSON:
    """Return the target of a local reference; None if it has no target."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    node: JSON = schema
    for raw in reference[1:].split("/")[1:]:
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(step)
        elif isinstance(node, list) and _INDEX.fullmatch(step) and int(step) < len(node):
            node = node[int(step)]
        else:
            return None
    return node


def steps(schema: JSONObject, value: Any) -> int:
    """Return an upper limit for how often schemas are applied in one check. Costly patterns count several times.

    Raises:
        TooMuch: there are more than `CHECK_STEPS`, or more than `CHECKS_DEEP` levels.
    """
    return _Count(schema).of(schema, value, 0)


class _Count:
    def __init__(self, root: JSONObject) -> None:
        self._root = root
        self._known: dict[tuple[int, int], int] = {}
        self._spent = 0
        self._names: dict[str, str] = {}

    def of(self, schema: Any, value: Any, depth: int) -> int:
        """Return how many steps it takes to check a value against a schema and against the schemas that it contains or
        refers to.
        """
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), id(value))
        if (known := self._known.get(key)) is not None:
            return known
        if depth > CHECKS_DEEP:
            raise TooMuch(f"its parts refer to each other more than {CHECKS_DEEP} levels deep")
        total = 1 + sum(
            len(held) // 20 for name in _COUNTED if isinstance(held := schema.get(name), list | dict)
        )
        for times, below, met in self._applied(schema, value):
            total += times * self.of(below, met, depth + 1)
            self._spend(total)
        if isinstance(value, str) and isinstance(schema.get("pattern"), str):
            total += pattern_steps(schema["pattern"], len(value))
        if any(name in schema for name in _UNEVALUATED):
            total *= 3
        self._spend(total)
        self._known[key] = total
        return total

    def _spend(self, total: int) -> None:
        self._spent += 1
        if total > CHECK_STEPS or self._spent > CHECK_STEPS:
            raise TooMuch(f"it would take more than {CHECK_STEPS:,} steps")

    def _applied(self, schema: JSONObject, value: Any) -> list[tuple[int, Any, Any]]:
        """Return the subschemas that `schema` applies: for each, how many times it is applied, the subschema, and the
        value that it checks.
        """
        found: list[tuple[int, Any, Any]] = []
        for name in _LISTS:
            held = schema.get(name)
            found += [(_AGAIN.get(name, 1), below, value) for below in held] if isinstance(held, list) else []
        found += [(_AGAIN.get(name, 1), schema[name], value) for name in _SINGLE if name in schema]
        for name in ("$ref", "$dynamicRef"):
            if isinstance(reference := schema.get(name), str):
                found.append((1, pointed(self._root, reference), value))
        if isinstance(value, dict):
            found += self._in_object(schema, value)
        elif isinstance(value, list | tuple):
            found += self._in_list(schema, value)
        return found

    def _in_object(self, schema: JSONObject, value: dict[str, Any]) -> list[tuple[int, Any, Any]]:
        found: list[tuple[int, Any, Any]] = []
        dependent, named = schema.get("dependentSchemas"), schema.get("properties")
        if isinstance(dependent, dict):
            found += [(1, below, value) for name, below in dependent.items() if name in value]
        if isinstance(named, dict):
            found += [(1, named[name], item) for name, item in value.items() if name in named]
        matched = schema.get("patternProperties")
        if isinstance(matched, dict):
            letters = sum(map(len, value))
            cost = sum(pattern_steps(pattern, letters) for pattern in matched)
            self._spend(cost + len(matched) * len(value))
            found += [(1, below, item) for below in matched.values() for item in value.values()]
        for name in ("additionalProperties", "unevaluatedProperties"):
            if isinstance(below := schema.get(name), dict):
                found += [(1, below, item) for item in value.values()]
        if isinstance(below := schema.get("propertyNames"), dict):
            found += [(1, below, self._names.setdefault(name, name)) for name in value]
        return found

    def _in_list(self, schema: JSONObject, value: list[Any] | tuple[Any, ...]) -> list[tuple[int, Any, Any]]:
        found: list[tuple[int, Any, Any]] = []
        if isinstance(first := schema.get("prefixItems"), list):
            found += [(1, below, item) for below, item in zip(first, value, strict=False)]
        for name in ("items", "contains", "unevaluatedItems"):
            if isinstance(below := schema.get(name), dict):
                found += [(1, below, item) for item in value]
        return found
