"""The language of renderer configuration: types are kept, text is inserted, failures are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rendering.interpolate import Scope, Unresolved, interpolate
from events.canonical import canonical_json
from events.json_value import JSON

SCOPE = Scope(
    args={"name": "Ada", "n": 3, "a-b": 1},
    result={"path": {"to": [{"x": True}, None]}, "rows": [[1, 2]], "odd key": {"é": "found"}, "empty": ""},
    chat_id="chat-1",
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(), below, max_size=3),
    max_leaves=10,
)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("$args.name", "Ada"),
        ("$args.n", 3),
        ("$args", {"name": "Ada", "n": 3, "a-b": 1}),
        ("$args.a-b", 1),
        ("$return.path.to[0].x", True),
        ("$return.path.to[1]", None),
        ("$return.rows", [[1, 2]]),
        ('$return["odd key"]["é"]', "found"),
        ("$return.empty", ""),
        ("$chat_id", "chat-1"),
        ("$workspace", "$workspace"),
        ("$toolset", "$toolset"),
        ("$workspace/out.csv", "$workspace/out.csv"),
        ("Hello $args.name.", "Hello Ada."),
        ("$args.name, $args.n and $return.rows", "Ada, 3 and [[1,2]]"),
        ("is $return.path.to[0].x or $return.path.to[1]", "is true or null"),
        ("$$args.name", "$args.name"),
        ("$$", "$"),
        ("$$$args.name", "$Ada"),
        ("costs $5 or 5$", "costs $5 or 5$"),
        ("$$$$", "$$"),
        ("", ""),
        (7, 7),
        (None, None),
        ({"$args.name": ["$args.n", {"deep": "$args.name"}]}, {"$args.name": [3, {"deep": "Ada"}]}),
    ],
)
def test_an_expression_is_replaced_by_its_value(template: JSON, value: JSON) -> None:
    found = interpolate(template, SCOPE)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("template", "expression", "message", "keys"),
    [
        ("$return.path.from", "$return.path.from", "$return.path has no key from", ("to",)),
        ("see $args.nmae", "$args.nmae", "$args has no key nmae", ("a-b", "n", "name")),
        ("$return.path.to[2].x", "$return.path.to[2].x", "$return.path.to has 2 items; the first is [0]", ()),
        ("$return.path[0]", "$return.path[0]", "$return.path is an object, not a list", ("to",)),
        ("$args.name.first", "$args.name.first", "$args.name is text; it has no keys", ()),
        ("$args.n.x", "$args.n.x", "$args.n is a number; it has no keys", ()),
        ("$return.path.to[1].x", "$return.path.to[1].x", "$return.path.to[1] is null; it has no keys", ()),
        ("$chat", "$chat", "$chat is not known; a dollar sign is written $$",
         ("$args", "$return", "$chat_id", "$workspace", "$toolset")),
        ({"a": ["fine", "$args.gone"]}, "$args.gone", "$args has no key gone", ("a-b", "n", "name")),
    ],
)  # fmt: skip
def test_an_expression_that_matches_nothing_is_reported_with_the_available_keys(
    template: JSON, expression: str, message: str, keys: tuple[str, ...]
) -> None:
    assert interpolate(template, SCOPE) == Unresolved(expression, message, keys)


def test_of_many_keys_only_the_first_are_named() -> None:
    scope = Scope({f"k{number:03}": 1 for number in range(500)}, None, "c")
    found = interpolate("$args.x", scope)
    assert isinstance(found, Unresolved)
    assert len(found.keys) == 21
    assert found.keys[-1] == "…"


def test_a_deeply_nested_configuration_is_accepted_as_a_value() -> None:
    deep: JSON = "$args.name"
    for _ in range(2000):
        deep = [deep]
    assert isinstance(interpolate(deep, SCOPE), Unresolved)


@pytest.mark.long
@given(names, json_values)
def test_a_value_that_is_one_expression_keeps_its_type(name: str, value: JSON) -> None:
    found = interpolate(f"$args.{name}", Scope({name: value}, None, "c"))
    assert found == value
    assert canonical_json(found) == canonical_json(value)


@pytest.mark.long
@given(names, json_values)
def test_a_value_inside_text_becomes_text(name: str, value: JSON) -> None:
    shown = value if isinstance(value, str) else canonical_json(value)
    assert interpolate(f"<$return.{name}>", Scope(None, {name: value}, "c")) == f"<{shown}>"


@given(st.text())
def test_a_text_with_all_dollar_signs_doubled_is_shown_with_single_ones(text: str) -> None:
    assert interpolate(text.replace("$", "$$"), SCOPE) == text


@given(st.text(st.sampled_from('$ar gs.n[]0"{x') | st.characters(), max_size=20), json_values, json_values)
def test_no_template_and_no_value_raises_an_exception(template: str, args: JSON, result: JSON) -> None:
    interpolate(template, Scope(args, result, "c"))


@given(st.text(max_size=10))
def test_expressions_inside_a_value_are_not_evaluated(text: str) -> None:
    assert interpolate("$args.v", Scope({"v": f"$args.v{text}"}, None, "c")) == f"$args.v{text}"
