"""Checks input schemas, and checks arguments against these schemas: locally, in bounded time, without fetching
anything.
"""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.system.input_limits import (
    CHECK_STEPS,
    CHECKS_DEEP,
    EXPLAINED,
    MOST_FAULTS,
    MOST_IN_ARGUMENTS,
    MOST_PATTERNS,
    SCHEMA_DEPTH,
    excess,
)
from engine.toolsets.schema_effort import TooMuch, pointed, steps
from engine.toolsets.schema_patterns import (
    DATA,
    compiled,
    names_below,
    pattern_problem,
    patterns_of,
    without_patterns,
)
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

__all__ = ["SchemaFault", "argument_faults", "check_schema"]

SchemaFault: TypeAlias = tuple[str, str, Sequence[str | int]]
"""A code, a sentence, and the place in the schema."""

_BELOW = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")
_META = "https://json-schema.org/draft/2020-12/schema"


def check_schema(schema: JSONObject) -> list[SchemaFault]:
    """Return every fault of a tool's `input_schema`."""
    too_deep = _nested(schema)
    if too_deep:
        return [("schema_too_complex", f"input_schema: {too_deep}; simplify it", [])]
    return list(_checked(json.dumps(schema)))


def _nested(schema: JSONObject) -> str | None:
    level: list[JSON] = [schema]
    for _ in range(SCHEMA_DEPTH):
        level = [
            item
            for node in level
            for item in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
        ]
        if not level:
            return None
    return f"it is nested more than {SCHEMA_DEPTH} levels deep"


@lru_cache(maxsize=256)
def _checked(text: str) -> tuple[SchemaFault, ...]:
    """Return the faults of the schema in `text`. They are cached, because every engine that opens checks the same
    schemas again.
    """
    schema: JSONObject = json.loads(text)
    faults = list(_shape_faults(schema))
    if schema.get("type") != "object":
        faults.append(
            ("schema_type", "input_schema: type must be object, since arguments have names", ["type"])
        )
    properties = schema.get("properties")
    if isinstance(properties, dict) and "workspace" in properties:
        message = (
            "input_schema: an argument may not be called workspace; that name is reserved for the folder that every "
            "tool receives"
        )
        faults.append(("schema_reserved", message, ["properties", "workspace"]))
    nodes = list(_walk(schema, []))
    if sum(1 for path, node in nodes for _ in patterns_of(path, node)) > MOST_PATTERNS:
        return (
            ("schema_too_complex", f"input_schema: it has more than {MOST_PATTERNS} patterns; use fewer", []),
        )
    for path, node in nodes:
        faults.extend(_reference_faults(schema, path, node))
        faults.extend(_pattern_faults(path, node))
    if not faults:
        faults.extend(_effort_faults(schema))
    if not faults:
        faults.extend(_compile_faults(schema))
    return tuple(faults)


def _shape_faults(schema: JSONObject) -> Iterator[SchemaFault]:
    """Return the violations of JSON Schema itself; patterns are checked separately, one by one."""
    errors = _meta().iter_errors(schema)
    for error in sorted(errors, key=lambda error: [str(step) for step in error.instance_path]):
        place = "/".join(str(step) for step in error.instance_path) or "its root"
        yield "schema_invalid", f"input_schema: {place}: {_short(error.message)}", list(error.instance_path)


@lru_cache(maxsize=1)
def _meta() -> "Draft202012Validator":
    return compiled({"$ref": _META})


def argument_faults(schema: JSONObject, arguments: JSONObject) -> list[str]:
    """Return a sentence for each place where `arguments` break a schema that `check_schema` accepted.

    This takes less than a second for any schema and arguments. If a check would take longer, the result is a fault that
    says so.
    """
    too_much = excess(arguments, MOST_IN_ARGUMENTS)
    if too_much:
        return [f"the arguments: {too_much}"]
    try:
        effort = steps(schema, arguments)
    except TooMuch as error:
        return [
            f"the arguments cannot be checked against the tool's schema: {error}. Send fewer or shorter values"
        ]
    try:
        validator = _compiled(json.dumps(schema))
    except ValueError as error:
        return [f"the arguments cannot be checked: the tool's schema is not valid ({_short(str(error))})"]
    arguments = _plain(arguments)
    if validator.is_valid(arguments):
        return []
    if effort * len(json.dumps(arguments)) > EXPLAINED:
        return [_sentence(next(_first(validator, arguments)))]
    errors = validator.iter_errors(arguments)
    return [_sentence(error) for error, _ in zip(errors, range(MOST_FAULTS), strict=False)]


@lru_cache(maxsize=256)
def _compiled(text: str) -> "Draft202012Validator":
    """Compile a schema. If it was recorded before patterns were limited, the patterns that cannot be checked are
    dropped.
    """
    schema = json.loads(text)
    try:
        return compiled(schema)
    except ValueError:
        return compiled(without_patterns(schema)[0])


def _first(validator: "Draft202012Validator", arguments: JSONObject) -> Iterator["ValidationError"]:
    from jsonschema_rs import ValidationError  # noqa: PLC0415 - loaded with the validator

    try:
        validator.validate(arguments)
    except ValidationError as error:
        yield error


def _plain(arguments: JSONObject) -> JSONObject:
    """Return the arguments as the log will store them. Compiled code cannot read half characters, so they are
    replaced.
    """
    text = json.dumps(arguments, ensure_ascii=False)
    plain = scrub_surrogates(text)
    kept: JSONObject = arguments if plain == text else json.loads(plain)
    return kept


def _sentence(error: "ValidationError") -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
    return f"{_short(place.removeprefix('.')) or 'the arguments'}: {_short(error.message)}"


def _short(message: str) -> str:
    if len(message) <= 200:
        return message
    return f"{message[:97]}…{message[-97:]}"


def _walk(node: JSON, path: list[str | int]) -> Iterator[tuple[list[str | int], JSONObject]]:
    """Yield every object of a schema; values in enum, const, default and examples are data, not schema."""
    if isinstance(node, dict):
        yield path, node
        for key, below in node.items():
            if names_below(path) or key not in DATA:
                yield from _walk(below, [*path, key])
    elif isinstance(node, list):
        for index, below in enumerate(node):
            yield from _walk(below, [*path, index])


def _reference_faults(schema: JSONObject, path: list[str | int], node: JSONObject) -> Iterator[SchemaFault]:
    if names_below(path):
        return
    for key in ("$ref", "$dynamicRef"):
        target = node.get(key)
        if not isinstance(target, str):
            continue
        if not target.startswith("#"):
            message = (
                f"input_schema: {key} {target!r} points outside the schema; copy its target into $defs and write "
                "#/$defs/…"
            )
            yield "schema_ref", message, [*path, key]
        elif "%" in target or pointed(schema, target) is None:
            yield (
                "schema_ref",
                f"input_schema: {key} {target!r} does not exist in this schema; correct the reference",
                [*path, key],
            )
    if "$id" in node and path:
        yield (
            "schema_ref",
            "input_schema: $id inside a schema changes what its references mean; remove it",
            path,
        )


def _pattern_faults(path: list[str | int], node: JSONObject) -> Iterator[SchemaFault]:
    for pattern in patterns_of(path, node):
        problem = pattern_problem(pattern)
        if problem is not None:
            code = "schema_invalid" if problem == "is not valid" else "schema_pattern"
            yield code, f"input_schema: the pattern {_short(pattern)!r} {problem}", path


def _compile_faults(schema: JSONObject) -> Iterator[SchemaFault]:
    import jsonschema_rs  # noqa: PLC0415 - see `compiled`

    try:
        _compiled(json.dumps(schema))
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        yield "schema_invalid", f"input_schema: {_short(str(error).splitlines()[0])}", []


def _effort_faults(schema: JSONObject) -> Iterator[SchemaFault]:
    """Return a fault if a check could return to a schema without going deeper into the arguments, or would take too
    long.
    """
    counted: dict[int, tuple[int, int]] = {}

    def count(node: Any, above: frozenset[int]) -> tuple[int, int]:
        """Return how many schemas are applied to one value, and how deeply they are nested."""
        if not isinstance(node, dict):
            return 1, 1
        if id(node) in counted:
            return counted[id(node)]
        if id(node) in above:
            raise _Endless
        if len(above) > CHECKS_DEEP:
            raise TooMuch
        inside = above | {id(node)}
        below = [count(item, inside) for item in _in_place(schema, node)]
        total = 1 + sum(applied for applied, _ in below), 1 + max((deep for _, deep in below), default=0)
        if total[0] > CHECK_STEPS or total[1] > CHECKS_DEEP:
            raise TooMuch
        counted[id(node)] = total
        return total

    try:
        for _, node in _walk(schema, []):
            count(node, frozenset())
    except _Endless:
        yield "schema_ref", "input_schema: it refers to itself in an endless loop", []
    except TooMuch:
        message = "input_schema: its references and alternatives combine into too many cases to check a value in time"
        yield "schema_too_complex", f"{message}; simplify it", []


class _Endless(Exception):
    """Raised if a schema refers back to itself."""


def _in_place(schema: JSONObject, node: JSONObject) -> list[JSON]:
    """Return the schemas inside a schema that apply to the same value as the schema itself."""
    found = [node[key] for key in _SINGLE if key in node]
    found += [pointed(schema, str(node[key])) for key in ("$ref", "$dynamicRef") if key in node]
    for key in _BELOW:
        alternatives = node.get(key)
        found += alternatives if isinstance(alternatives, list) else []
    dependent = node.get("dependentSchemas")
    found += list(dependent.values()) if isinstance(dependent, dict) else []
    return found
