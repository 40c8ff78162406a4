"""Schemas come from third parties: no schema and no value can make a check run for long."""

import json
from time import process_time
from typing import Any

import pytest

from engine.system.input_limits import DEEPEST, MOST_IN_ARGUMENTS
from engine.toolsets.schema import argument_faults, check_schema
from events.json_value import JSONObject

LONG = 2.0
"""Seconds of processor time that no check comes near; without bounds these take years."""


def taking(**properties: Any) -> JSONObject:
    """A schema for arguments with these properties."""
    return {"type": "object", "properties": properties}


def doubling(kind: str, levels: int) -> JSONObject:
    """A tree of references that has twice as many leaves with each level."""
    parts: Any = {f"a{n}": {kind: [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(levels)}
    return {"type": "object", "$ref": "#/$defs/a0", "$defs": {**parts, f"a{levels}": {"minProperties": 1}}}


def nested(levels: int, leaf: Any = 1) -> Any:
    """Lists nested within each other."""
    for _ in range(levels):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", r"^([a-z0-9]+\.?)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"],
)
def test_a_pattern_takes_linear_time(pattern: str) -> None:
    schema = taking(a={"type": "string", "pattern": pattern})
    assert check_schema(schema) == []
    began = process_time()
    for text in ("a" * 50_000 + "!", "x" * 50_000 + "!"):
        assert argument_faults(schema, {"a": text})
    assert process_time() - began < LONG


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"^(a)\1$", "backreference"),
        (r"^(?=.*[0-9]).{8,}$", "lookaround"),
        (r"^(?!x)y$", "lookaround"),
        (r"(?<=a)b", "lookaround"),
        ("(a{999}){999}", "too large"),
        ("((((a{99}){99}){99}){99}){99}", "too large"),
        ("a" * 3_000, "3,000 characters"),
        ("(", "not valid"),
        ("[b-a]", "not valid"),
    ],
)
@pytest.mark.parametrize("place", ["pattern", "patternProperties", "$defs", "deep"])
def test_a_pattern_that_takes_more_than_linear_time_is_refused_with_the_reason(
    pattern: str, why: str, place: str
) -> None:
    held: dict[str, Any] = {
        "pattern": {"properties": {"a": {"pattern": pattern}}},
        "patternProperties": {"patternProperties": {pattern: {}}},
        "$defs": {"$defs": {"enum": {"pattern": pattern}}},
        "deep": {"properties": {"properties": {"anyOf": [{"items": {"pattern": pattern}}]}}},
    }
    (fault,) = check_schema({"type": "object", **held[place]})
    assert fault[0] in {"schema_pattern", "schema_invalid"}
    assert why in fault[1]


@pytest.mark.parametrize("kind", ["allOf", "anyOf", "oneOf"])
def test_references_that_grow_exponentially_are_refused(kind: str) -> None:
    assert [fault[0] for fault in check_schema(doubling(kind, 40))] == ["schema_too_complex"]
    assert check_schema(doubling(kind, 3)) == []


def test_a_long_chain_of_references_is_refused_without_a_crash() -> None:
    chain: JSONObject = {f"a{n}": {"$ref": f"#/$defs/a{n + 1}"} for n in range(5_000)}
    schema: JSONObject = {"type": "object", "$ref": "#/$defs/a0", "$defs": {**chain, "a5000": {}}}
    assert [fault[0] for fault in check_schema(schema)] == ["schema_too_complex"]


def test_a_deep_schema_is_refused() -> None:
    deep: Any = {"type": "string"}
    for _ in range(5_000):
        deep = {"not": deep}
    assert [fault[0] for fault in check_schema(taking(a=deep))] == ["schema_too_complex"]


@pytest.mark.parametrize("reference", ["#/$defs/%61", "#/allOf/" + "9" * 5_000, "#a", "http://127.0.0.1:9/x"])
def test_a_reference_that_other_programs_read_differently_is_refused(reference: str) -> None:
    schema: JSONObject = {"type": "object", "allOf": [{"$ref": reference}], "$defs": {"%61": {}, "a": {}}}
    assert [fault[0] for fault in check_schema(schema)] == ["schema_ref"]


MULTIPLYING: dict[str, tuple[JSONObject, Any]] = {
    "branches that double with each level of the value": (
        {
            **taking(a={"$ref": "#/$defs/r"}),
            "$defs": {"r": {"allOf": [{"properties": {"a": {"$ref": "#/$defs/r"}}}] * 2}},
        },
        lambda depth: {"a": lambda_nest(depth)},
    ),
    "items that are each checked twice": (
        {
            **taking(a={"$ref": "#/$defs/r"}),
            "$defs": {"r": {"anyOf": [{"items": {"$ref": "#/$defs/r"}}] * 2}},
        },
        lambda depth: {"a": nested(depth)},
    ),
    "what is unevaluated": (
        {
            **taking(a={"$ref": "#/$defs/r"}),
            "$defs": {
                "r": {
                    "allOf": [{"properties": {"a": {"$ref": "#/$defs/r"}}}],
                    "properties": {"a": {"$ref": "#/$defs/r"}},
                    "unevaluatedProperties": False,
                }
            },
        },
        lambda depth: {"a": lambda_nest(depth)},
    ),
}


def lambda_nest(levels: int) -> Any:
    """Objects nested within each other."""
    leaf: Any = {}
    for _ in range(levels):
        leaf = {"a": leaf}
    return leaf


@pytest.mark.parametrize("name", MULTIPLYING)
def test_a_check_that_grows_exponentially_with_the_value_is_not_started(name: str) -> None:
    schema, value = MULTIPLYING[name]
    assert check_schema(schema) == []
    began = process_time()
    assert "steps" in argument_faults(schema, value(60))[0]
    assert process_time() - began < LONG
    assert argument_faults(schema, value(2)) == []


def test_faults_of_a_large_value_are_not_all_written_out() -> None:
    """Each message would contain a copy of the value."""
    schema = taking(a={"allOf": [{"minProperties": 100 + n} for n in range(1_000)]})
    assert check_schema(schema) == []
    began = process_time()
    faults = argument_faults(schema, {"a": {f"k{n}": "x" * 20_000 for n in range(50)}})
    assert (len(faults), process_time() - began < LONG) == (1, True)
    assert len(faults[0]) < 500


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"a": nested(DEEPEST + 1)}, "levels deep"),
        ({"a": nested(100_000)}, "levels deep"),
        ({"a": [0] * (MOST_IN_ARGUMENTS + 1)}, "more than"),
        ({"a": {"k" * 20_000: 1}}, "key"),
        ({"a": 1 << 20_000}, "digits"),
    ],
)
def test_unbounded_values_are_refused_with_any_schema(arguments: JSONObject, why: str) -> None:
    (fault,) = argument_faults({"type": "object"}, arguments)
    assert why in fault


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"multipleOf": 1e-300}, 10**4_000, True),
        ({"multipleOf": 1e308}, 1e307, False),
        ({"multipleOf": 10**3_000 + 1}, 10**4_000, False),
        ({"maximum": 10**4_000}, 10**3_999, True),
        ({"enum": [f"x{n}" for n in range(20_000)]}, "y", False),
        ({"uniqueItems": True}, [[n] for n in range(20_000)], True),
        ({"required": [f"x{n}" for n in range(20_000)]}, {}, False),
        ({"maxLength": 10}, "\ud800", True),
    ],
)
def test_large_numbers_and_lists_in_a_schema_are_checked_quickly(
    schema: JSONObject, value: Any, fits: bool
) -> None:
    assert check_schema(taking(a=schema)) == []
    began = process_time()
    assert (argument_faults(taking(a=schema), {"a": value}) == []) is fits
    assert process_time() - began < LONG


def test_ordinary_arguments_are_checked_and_every_fault_is_named() -> None:
    schema = taking(
        rows={
            "type": "array",
            "items": taking(name={"type": "string", "pattern": "^[a-z]+$"}, n={"minimum": 0}),
        },
        kind={"enum": ["bar", "line"]},
    )
    rows: Any = [{"name": "a", "n": n} for n in range(5_000)]
    assert argument_faults(schema, {"rows": rows, "kind": "bar"}) == []
    rows[7]["name"], rows[8]["n"] = "A", -1
    assert sorted(argument_faults(schema, {"rows": rows[:10], "kind": "pie"})) == [
        'kind: "pie" is not one of "bar" or "line"',
        'rows[7].name: "A" does not match "^[a-z]+$"',
        "rows[8].n: -1 is less than the minimum of 0",
    ]


def test_a_schema_from_an_old_cache_is_used_without_its_pattern() -> None:
    """It was accepted before patterns were limited."""
    schema = taking(a={"type": "string", "pattern": "(?=x)"})
    assert argument_faults(schema, {"a": "y"}) == []
    assert json.dumps(argument_faults(schema, {"a": 3})).count("string") == 1
