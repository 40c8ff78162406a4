"""Results with several parts: each is planned by its own renderer, and a bad one does not affect the others."""

import json

from hypothesis import given
from hypothesis import strategies as st

from engine.rendering.plan import CallFacts, RenderConfig, make_plan, plan_from_json, plan_to_json
from engine.rendering.plans import (
    ChartPlan,
    ErrorPlan,
    ImagesPlan,
    PartsPlan,
    TablePlan,
    plan_files,
)
from engine.workspace.manifest import FileEntry
from events.canonical import canonical_json
from events.json_value import JSON

FILES = {"results/a.parquet": FileEntry("a" * 64, 10), "results/b.png": FileEntry("b" * 64, 20)}
CONFIG = {
    "title": "$return._title",
    "code": "$args.code",
    "output": "$return._output",
    "parts": "$return._parts",
    "notes": "$return._notes",
}


def planned(parts: JSON, **more: JSON) -> PartsPlan | ErrorPlan:
    """Plan a result of these parts, store the plan, and read it again."""
    result = {"_title": "Both", "_output": "", "_parts": parts, "_notes": [], **more}
    plan = make_plan(RenderConfig("parts", CONFIG), CallFacts({"code": "1"}, result, "c"), FILES, {})
    stored = json.loads(canonical_json(plan_to_json(plan)))
    assert plan_from_json(stored) == plan
    assert isinstance(plan, PartsPlan | ErrorPlan)
    return plan


def test_each_part_gets_the_plan_of_its_renderer_with_its_name_and_notes() -> None:
    """The files of all parts are kept with the call."""
    plan = planned(
        [
            {"renderer": "table", "file": "results/a.parquet", "name": "a", "notes": ["Row 3 has no date."]},
            {"renderer": "images", "files": ["results/b.png"], "title": "B"},
            {"renderer": "chart", "spec": {"mark": "bar"}, "data": [{"x": 1}], "name": "bars"},
        ],
        _output="printed",
        _notes=["Said."],
    )
    assert isinstance(plan, PartsPlan)
    table, images, chart = plan.parts
    assert isinstance(table, TablePlan)
    assert (table.name, table.notes) == ("a", ("Row 3 has no date.",))
    assert isinstance(images, ImagesPlan)
    assert isinstance(chart, ChartPlan)
    assert chart.data == ({"x": 1},)
    assert (plan.title, plan.code, plan.output, plan.notes) == ("Both", "1", "printed", ("Said.",))
    assert [file.sha256[0] for file in plan_files(plan)] == ["a", "b"]


def test_a_part_that_cannot_be_shown_does_not_affect_the_others() -> None:
    """For example a missing file, a renderer of another release, nested parts, or a value that is not an object."""
    good = {"renderer": "table", "file": "results/a.parquet"}
    bad: list[JSON] = [
        {"renderer": "table", "file": "results/gone.parquet", "title": "Gone"},
        {"renderer": "hologram"},
        {"renderer": "parts", "parts": [good]},
        {"file": "results/a.parquet"},
        "a table",
        None,
    ]
    plan = planned([*bad, good])
    assert isinstance(plan, PartsPlan)
    assert [type(part) for part in plan.parts] == [ErrorPlan] * len(bad) + [TablePlan]
    assert "gone.parquet" in plan.parts[0].message  # type: ignore[union-attr]
    assert plan.parts[0].title == "Gone"


def test_a_result_that_is_not_a_list_of_parts_is_an_error() -> None:
    """The result itself is then shown as JSON."""
    plan = planned({"renderer": "table"})
    assert isinstance(plan, ErrorPlan)
    assert "parts must be a list" in plan.message


def test_expressions_in_a_tools_output_are_plain_text() -> None:
    """A title that looks like an expression is not evaluated; only the manifest's configuration is."""
    plan = planned([{"renderer": "code", "content": "$args.code", "title": "$return.missing"}])
    assert isinstance(plan, PartsPlan)
    assert plan.parts[0].title == "$return.missing"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_PART = st.fixed_dictionaries(
    {
        "renderer": st.sampled_from(
            ["table", "chart", "code", "document", "html", "frame", "images", "json", "file"]
        )
    },
    optional=dict.fromkeys(
        ("file", "rows", "spec", "data", "content", "files", "url", "title", "name", "notes", "columns"),
        _JSON,
    ),
)


@given(st.lists(_PART | _JSON, max_size=4))
def test_no_part_makes_other_parts_fail(parts: list[JSON]) -> None:
    """Any JSON in place of parts gives one plan each, which can be read again."""
    plan = planned(parts)
    assert isinstance(plan, PartsPlan)
    assert len(plan.parts) == len(parts)
