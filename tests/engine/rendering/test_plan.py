"""Render plans: one per renderer, by hash, with no paths on this computer, and never an exception."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rendering.plan import CallFacts, RenderConfig, choose, make_plan, plan_from_json, plan_to_json
from engine.rendering.plans import (
    ChartPlan,
    CodePlan,
    DocumentPlan,
    ErrorPlan,
    FramePlan,
    HtmlPlan,
    ImagesPlan,
    JsonPlan,
    RenderPlan,
    TablePlan,
    plan_files,
)
from engine.rendering.tooltips import without_pictures
from engine.workspace.manifest import FileEntry
from events.canonical import canonical_json
from events.json_value import JSON

FILES = {
    "results/sales.parquet": FileEntry("a" * 64, 100),
    "app/main.py": FileEntry("b" * 64, 20),
    "notes.md": FileEntry("c" * 64, 5),
    "one.png": FileEntry("d" * 64, 7),
    "two.jpg": FileEntry("e" * 64, 8),
}
ARTIFACTS = {"artifacts/report.html": FileEntry("f" * 64, 9), "toolset.yaml": FileEntry("0" * 64, 1)}
RESULT: dict[str, Any] = {
    "file": "results/sales.parquet",
    "sql": "SELECT 1",
    "rows": [{"a": 1, "b": None}, {"a": 2, "c": "x"}],
    "spec": {"mark": "bar", "data": {"values": [{"url": "https://x", "v": 1}]}},
    "pictures": ["one.png", {"file": "two.jpg", "caption": "Second"}],
}
CALL = CallFacts({"name": "Ada"}, RESULT, "chat-1")


def planned(renderer: str, **config: JSON) -> RenderPlan:
    plan = make_plan(RenderConfig(renderer, config), CALL, FILES, ARTIFACTS)
    stored = json.loads(canonical_json(plan_to_json(plan)))
    assert plan_from_json(stored) == plan
    return plan


def refused(renderer: str, **config: JSON) -> ErrorPlan:
    plan = planned(renderer, **config)
    assert isinstance(plan, ErrorPlan)
    assert plan.wanted == renderer
    return plan


def test_a_table_from_a_file_refers_to_it_by_hash() -> None:
    plan = planned("table", file="$return.file", sql="$return.sql", title="For $args.name", shown_to_model=50)
    assert isinstance(plan, TablePlan)
    assert plan.file is not None
    assert plan.file.model_dump() == {
        "path": "results/sales.parquet",
        "sha256": "a" * 64,
        "size": 100,
        "media_type": "application/vnd.apache.parquet",
        "origin": "workspace",
    }
    assert (plan.title, plan.sql, plan.shown_to_model, plan.rows) == ("For Ada", "SELECT 1", 50, None)


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        ("$return.rows", None, (("a", "b", "c"), ((1, None, None), (2, None, "x")))),
        ("$return.rows", ["c", "a"], (("c", "a"), ((None, 1), ("x", 2)))),
        ([[1, 2], [3, 4]], ["x", {"name": "y", "type": "BIGINT"}], (("x", "y"), ((1, 2), (3, 4)))),
        ([[1], [2]], None, (("column 1",), ((1,), (2,)))),
        ({"x": [1, 2], "y": ["a", "b"]}, None, (("x", "y"), ((1, "a"), (2, "b")))),
        ([], ["x"], (("x",), ())),
        ([], None, ((), ())),
    ],
)
def test_a_table_of_rows_accepts_every_structure_that_tools_return(
    rows: JSON, columns: JSON, expected: tuple[Any, Any]
) -> None:
    plan = planned("table", rows=rows, columns=columns)
    assert isinstance(plan, TablePlan)
    assert (plan.columns, plan.rows) == expected


@pytest.mark.parametrize("rows", ["text", 7, [1, 2], [[1], [1, 2]], [{"a": 1}, [1]], {"x": [1], "y": []}])
def test_rows_that_are_not_a_table_give_an_error_card(rows: JSON) -> None:
    refused("table", rows=rows)


def test_a_chart_has_its_specification_and_rows() -> None:
    plan = planned("chart", spec="$return.spec", data="$return.rows")
    assert isinstance(plan, ChartPlan)
    assert plan.spec == RESULT["spec"]
    assert plan.data == ({"a": 1, "b": None, "c": None}, {"a": 2, "b": None, "c": "x"})
    as_text = planned("chart", spec=json.dumps(RESULT["spec"]), data="$return.file")
    assert isinstance(as_text, ChartPlan)
    assert as_text.file is not None


@pytest.mark.parametrize(
    "spec",
    [
        {"data": {"url": "https://evil/x.csv"}, "mark": "bar"},
        {"mark": "image", "encoding": {"url": {"field": "u"}}},
        {"layer": [{"mark": {"type": "image"}}]},
        {"mark": {"type": "bar", "href": "https://evil"}},
        {"encoding": {"href": {"field": "u"}}},
        {"usermeta": {"embedOptions": {"loader": {}}}},
        {"mark": {"type": "point", "shape": "image://https://evil/x.png"}},
        {"config": {"background": "url(https://evil/x.svg#a)"}},
        {"transform": [{"lookup": "a", "from": {"data": {"url": "https://evil"}}}]},
        {"marks": [{"type": "image"}]},
        {"encoding": {"tooltip": [{"field": "x", "title": "image"}]}},
        {
            "mark": {"type": "bar", "tooltip": {"content": "data"}},
            "data": {"values": [{"image": "https://evil"}]},
        },
        {"encoding": {"tooltip": {"value": {"image": "https://evil"}}}},
        {"mark": {"type": "bar", "tooltip": {"expr": "{'im\\u0061ge': datum.a}"}}},
        {"encoding": {"tooltip": {"condition": {"test": "true", "field": "a"}, "value": "b"}}},
        {
            "mark": {"type": "bar", "tooltip": {"content": "data"}},
            "transform": [{"calculate": "1", "as": "image"}],
        },
        {
            "mark": {"type": "bar", "tooltip": {"content": "data"}},
            "transform": [{"pivot": "a", "value": "b"}],
        },
        {"repeat": {"column": ["image"]}, "spec": {"mark": "bar"}},
        {"layer": [{"mark": "bar", "data": {"values": [1], "url": "https://evil"}}]},
        "not json",
        [1],
    ],
)
def test_a_chart_that_would_fetch_data_is_an_error_card(spec: JSON) -> None:
    refused("chart", spec=spec)


@pytest.mark.parametrize(
    "spec",
    [
        {"mark": "bar", "encoding": {"x": {"field": "url"}, "tooltip": [{"field": "x"}]}},
        {"mark": {"type": "bar", "tooltip": True}, "datasets": {"d": [{"href": "https://x"}]}},
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "mark": "point",
            "title": "image of a city",
        },
    ],
)
def test_a_chart_that_only_contains_addresses_as_text_is_drawn(spec: JSON) -> None:
    assert isinstance(planned("chart", spec=spec), ChartPlan)


@pytest.mark.parametrize(
    ("channel", "title"),
    [
        ({"field": "image"}, "image "),
        ({"field": "a", "title": "image"}, "image "),
        ({"field": "a", "title": ["image"]}, ["image "]),
        ({"field": "image", "aggregate": "mean"}, "mean of image"),
        ({"field": "a", "title": "im\\u0061ge"}, "imu0061ge"),
        ({"field": "im\\u0061ge"}, "imu0061ge"),
        ({"field": "a", "title": '\\", image: "x'}, "”, image: ”x"),
        ({"field": "a\\.b"}, "a.b"),
        ({"field": "a", "title": "Picture of an image"}, "Picture of an image"),
        ({"field": "a"}, None),
    ],
)
def test_a_column_called_image_is_drawn_but_a_tooltip_never_shows_it_as_a_picture(
    channel: JSON, title: JSON
) -> None:
    """Whether the tooltip is requested or a default, and within layers too."""
    spec: JSON = {"mark": {"type": "bar", "tooltip": True}, "encoding": {"y": channel}}
    plan = planned("chart", spec={"layer": [spec]}, data=[{"image": "https://evil", "a": 1}])
    assert isinstance(plan, ChartPlan)
    drawn = without_pictures(plan.spec)["layer"][0]["encoding"]["y"]
    assert drawn.get("title") == title
    assert drawn | {"title": None} == channel | {"title": None}  # type: ignore[operator]


def test_a_tooltip_of_one_value_is_a_table_with_text_values() -> None:
    """A single value that is an object would be taken for the tooltip itself."""
    made = without_pictures({"encoding": {"tooltip": {"field": "image"}, "x": {"field": "a"}}})
    assert made["encoding"]["tooltip"] == [{"field": "image", "title": "image "}]


def test_the_language_of_code_follows_from_the_files_name() -> None:
    plan = planned("code", file="$workspace/app/main.py")
    assert isinstance(plan, CodePlan)
    assert (plan.language, plan.editable) == ("python", False)
    named = planned("code", content="select 1", language="sql", editable=False)
    assert isinstance(named, CodePlan)
    assert (named.content, named.language, named.editable) == ("select 1", "sql", False)
    value = planned("code", content="$return.rows")
    assert isinstance(value, CodePlan)
    assert value.content is not None
    assert json.loads(value.content) == RESULT["rows"]


def test_a_document_has_a_file_or_text() -> None:
    plan = planned("document", file="./notes.md")
    assert isinstance(plan, DocumentPlan)
    assert plan.file is not None
    assert plan.file.path == "notes.md"
    assert refused("document", content=None).keys == tuple(sorted(FILES))


@pytest.mark.parametrize(
    "artifact", ["artifacts/report.html", "report.html", "$toolset/artifacts/report.html"]
)
def test_a_page_is_an_artifact_of_the_toolset_plus_data(artifact: str) -> None:
    plan = planned("html", artifact=artifact, data="$return", height=300)
    assert isinstance(plan, HtmlPlan)
    assert (plan.artifact.path, plan.artifact.origin, plan.height) == (
        "artifacts/report.html",
        "toolset",
        300,
    )
    assert plan.data == RESULT


def test_a_page_may_be_a_file_of_the_workspace() -> None:
    plan = planned("html", artifact="$workspace/notes.md")
    assert isinstance(plan, HtmlPlan)
    assert plan.artifact.origin == "workspace"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "//evil",
        "https://u:p@h/",
        "",
        "https://[",
    ],
)
def test_a_frame_shows_only_web_addresses(url: str) -> None:
    refused("frame", url=url)
    assert isinstance(planned("frame", url="https://example.com/a?b=1"), FramePlan)


def test_images_are_a_list_of_files_with_captions() -> None:
    plan = planned("images", files="$return.pictures", caption="Covers")
    assert isinstance(plan, ImagesPlan)
    assert [(image.file.path, image.caption) for image in plan.images] == [
        ("one.png", None),
        ("two.jpg", "Second"),
    ]
    assert [file.sha256[0] for file in plan_files(plan)] == ["d", "e"]
    assert isinstance(planned("images", files="one.png"), ImagesPlan)
    refused("images", files=[])
    refused("images", files=["notes.md"])
    refused("images", files=[3])


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../other/file", "a/../../b", "C:\\x", "gone.csv", "", 7, ["one.png"]]
)
def test_a_file_that_is_not_in_the_workspace_after_the_call_is_an_error_card(path: JSON) -> None:
    refused("table", file=path)


def test_an_unresolved_expression_is_named_with_the_available_keys() -> None:
    plan = refused("table", file="$return.fiel")
    assert plan.expression == "$return.fiel"
    assert plan.keys == ("file", "pictures", "rows", "spec", "sql")
    near = refused("code", file="app/mian.py")
    assert near.keys == ("app/main.py",)


def test_without_a_configuration_or_a_result_the_plan_is_json_and_no_copy_is_stored() -> None:
    assert make_plan(None, CALL, FILES, ARTIFACTS) == JsonPlan()
    assert make_plan(RenderConfig("table", {}), CallFacts({}, None, "c"), {}, {}) == JsonPlan()
    assert planned("json", value="$return", title="All") == JsonPlan(title="All")
    assert planned("json", value="$return.sql") == JsonPlan(source="value", value="SELECT 1")


def test_a_renderer_of_another_release_falls_back_to_json() -> None:
    plan = planned("hologram", depth=3)
    assert isinstance(plan, JsonPlan)
    assert plan.note == "the renderer hologram is not known to this release"


@pytest.mark.parametrize(
    "stored", [{"renderer": "hologram", "x": 1}, {"renderer": "table", "file": 3}, {}, [], None, "x", 3]
)
def test_the_result_is_shown_if_this_release_cannot_read_the_plan(stored: JSON) -> None:
    plan = plan_from_json(stored)
    assert isinstance(plan, JsonPlan)
    assert plan.source == "result"


def test_a_plan_with_fields_that_this_release_does_not_know_is_still_read() -> None:
    stored = plan_to_json(planned("code", content="x")) | {"folded": True}
    assert plan_from_json(stored) == planned("code", content="x")


def test_the_highest_priority_wins_and_in_a_tie_the_last_one() -> None:
    bundle, user, other = (
        RenderConfig("table", {}, 0),
        RenderConfig("code", {}, 100),
        RenderConfig("json", {}, 100),
    )
    assert choose([user, bundle]) is user
    assert choose([user, other, bundle]) is other
    assert choose([]) is None


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
keys = st.sampled_from(["file", "url", "values", "mark", "name", "data", "x"]) | st.text()
json_values = st.recursive(
    scalars | st.sampled_from(["one.png", "$return", "https://x"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(keys, below, max_size=3),
    max_leaves=10,
)
CONFIG_KEYS = [
    "file",
    "rows",
    "columns",
    "spec",
    "data",
    "content",
    "artifact",
    "url",
    "files",
    "title",
    "value",
]
configs = st.dictionaries(
    st.sampled_from(CONFIG_KEYS) | st.text(max_size=3),
    json_values | st.sampled_from(["$return.x", "$args[0]", "$return", "$$"]),
    max_size=4,
)
RENDERERS = ["table", "chart", "code", "document", "html", "frame", "images", "json", "file", "error"]
renderers = st.sampled_from(RENDERERS) | st.text()


@pytest.mark.long
@settings(max_examples=300)
@given(renderers, configs, json_values, json_values)
def test_no_configuration_or_result_raises_an_exception_and_every_plan_can_be_stored(
    renderer: str, config: dict[str, Any], args: Any, result: Any
) -> None:
    plan = make_plan(RenderConfig(renderer, config), CallFacts(args, result, "c"), FILES, ARTIFACTS)
    assert plan_from_json(json.loads(canonical_json(plan_to_json(plan)))) == plan


def test_a_deeply_nested_result_is_an_error_card() -> None:
    deep: JSON = []
    for _ in range(5000):
        deep = [deep]
    plan = make_plan(
        RenderConfig("html", {"artifact": "report.html", "data": "$return"}),
        CallFacts({}, deep, "c"),
        FILES,
        ARTIFACTS,
    )
    assert isinstance(plan, ErrorPlan)
