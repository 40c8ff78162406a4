"""Whether an input_schema is one that arguments can be checked against: here, without fetching, without looping."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from events.canonical import JSON, JSONObject

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

__all__ = ["SchemaFault", "argument_faults", "check_schema"]

SchemaFault: TypeAlias = tuple[str, str, Sequence[str | int]]
"""A code, a sentence, and where in the schema."""

_BELOW = ("allOf", "anyOf", "oneOf")


@lru_cache(maxsize=1)
def _validator() -> "type[Draft202012Validator]":
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a tenth of what starting takes, and most commands need none of it

    return Draft202012Validator


@lru_cache(maxsize=1)
def _meta() -> "Draft202012Validator":
    return _validator()(_validator().META_SCHEMA)


def check_schema(schema: JSONObject) -> list[SchemaFault]:
    """Return everything that is wrong with a tool's input_schema."""
    return list(_checked(json.dumps(schema)))


@lru_cache(maxsize=256)
def _checked(text: str) -> tuple[SchemaFault, ...]:
    """What is wrong with the schema that JSON tells: the same ones are looked at again with every engine opened."""
    schema: JSONObject = json.loads(text)
    faults: list[SchemaFault] = []
    for error in sorted(
        _meta().iter_errors(schema), key=lambda error: [str(step) for step in error.absolute_path]
    ):
        place = "/".join(str(step) for step in error.absolute_path) or "its root"
        faults.append(
            ("schema_invalid", f"input_schema: {place}: {_short(error)}", list(error.absolute_path))
        )
    if schema.get("type") != "object":
        faults.append(
            ("schema_type", "input_schema: type must be object, since arguments have names", ["type"])
        )
    properties = schema.get("properties")
    if isinstance(properties, dict) and "workspace" in properties:
        message = "input_schema: an argument may not be called workspace; every tool receives its folder by that name"
        faults.append(("schema_reserved", message, ["properties", "workspace"]))
    for path, node in _walk(schema, []):
        faults.extend(_reference_faults(schema, path, node))
        faults.extend(_pattern_faults(path, node))
    if not faults and _loops(schema):
        faults.append(("schema_ref", "input_schema: it refers to itself without end", []))
    return tuple(faults)


def argument_faults(schema: JSONObject, arguments: JSONObject) -> list[str]:
    """Return where `arguments` break a schema that `check_schema` accepted, one sentence each."""
    errors = _validator()(schema).iter_errors(arguments)
    return [
        f"{error.json_path.removeprefix('$').removeprefix('.') or 'the arguments'}: {_short(error)}"
        for error in errors
    ]


def _short(error: "ValidationError") -> str:
    message = error.message
    return message if len(message) <= 200 else message[:197] + "…"


def _walk(node: JSON, path: list[str | int]) -> Iterator[tuple[list[str | int], JSONObject]]:
    """Yield every object of a schema; values in enum, const, default and examples are data, not schema."""
    if isinstance(node, dict):
        yield path, node
        for key, below in node.items():
            data = key in {"enum", "const", "default", "examples"} and (not path or path[-1] != "properties")
            if not data:
                yield from _walk(below, [*path, key])
    elif isinstance(node, list):
        for index, below in enumerate(node):
            yield from _walk(below, [*path, index])


def _reference_faults(schema: JSONObject, path: list[str | int], node: JSONObject) -> Iterator[SchemaFault]:
    if path and path[-1] in {"properties", "patternProperties", "$defs", "dependentSchemas"}:
        return
    for key in ("$ref", "$dynamicRef"):
        target = node.get(key)
        if not isinstance(target, str):
            continue
        if not target.startswith("#"):
            message = f"input_schema: {key} {target!r} leads outside; copy what it names into $defs and write #/$defs/…"
            yield "schema_ref", message, [*path, key]
        elif _pointed(schema, target) is None:
            yield "schema_ref", f"input_schema: {key} {target!r} names nothing in this schema", [*path, key]
    if "$id" in node and path:
        yield (
            "schema_ref",
            "input_schema: $id inside a schema changes what its references mean; remove it",
            path,
        )


def _pattern_faults(path: list[str | int], node: JSONObject) -> Iterator[SchemaFault]:
    if path and path[-1] in {"properties", "patternProperties", "$defs", "dependentSchemas"}:
        patterns = [str(key) for key in node] if path[-1] == "patternProperties" else []
    else:
        patterns = [node["pattern"]] if isinstance(node.get("pattern"), str) else []  # type: ignore[list-item]
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            yield "schema_invalid", f"input_schema: the pattern {pattern!r} is not valid: {error}", path


def _pointed(schema: JSONObject, reference: str) -> JSON:
    """Return what a local reference names; None where nothing."""
    node: JSON = schema
    for raw in reference[1:].split("/")[1:]:
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(step)
        elif isinstance(node, list) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            return None
    return node if reference == "#" or reference.startswith("#/") else None


def _loops(schema: JSONObject) -> bool:
    """Whether validation could return to a schema without having gone deeper into the arguments."""
    safe: set[int] = set()

    def circles(node: JSON, above: frozenset[int]) -> bool:
        if not isinstance(node, dict) or id(node) in safe:
            return False
        if id(node) in above:
            return True
        inside = above | {id(node)}
        following = [node.get(key) for key in ("not", "if", "then", "else")]
        following += [_pointed(schema, str(node[key])) for key in ("$ref", "$dynamicRef") if key in node]
        for key in _BELOW:
            alternatives = node.get(key)
            following += alternatives if isinstance(alternatives, list) else []
        dependent = node.get("dependentSchemas")
        following += list(dependent.values()) if isinstance(dependent, dict) else []
        if any(circles(below, inside) for below in following):
            return True
        safe.add(id(node))
        return False

    return any(circles(node, frozenset()) for _, node in _walk(schema, []))
