"""Which other ways to show a result are offered (RND-7)."""

from engine.rendering.alternative_renderers import fitting_ways, recorded_plan_as, ways_like
from engine.rendering.plan import CallFacts, RenderConfig, make_plan
from engine.rendering.plans import ChartPlan, CodePlan, ImagesPlan, TablePlan
from engine.workspace.manifest import FileEntry
from events.json_value import JSON

FILES = {path: FileEntry("0" * 64, 9) for path in ("r/units.parquet", "a.png", "b.png", "notes.md")}
ROWS: JSON = [{"region": "East", "n$": 1}, {"region": "West", "n$": 2}]


def ways(result: JSON, usual: RenderConfig | None = None) -> dict[str, RenderConfig]:
    found = fitting_ways(usual, CallFacts({}, result, "c"), FILES, {})
    return {way.renderer: way for way in found}


def test_each_offered_renderer_gives_a_plan_and_the_renderer_of_the_author_is_not_offered_again() -> None:
    table = RenderConfig("table", {"file": "$return.file"})
    assert set(ways({"file": "r/units.parquet", "sql": "SELECT 1"}, table)) == {"code", "json"}
    assert set(ways({"file": "r/units.parquet"})) == {"table", "code"}
    assert set(ways({"file": "notes.md"})) == {"code", "document", "file"}
    assert set(ways({"text": "word " * 30})) == {"code", "document"}
    assert set(ways({"n": 1})) == {"code"}


def test_a_title_that_the_tool_gave_only_to_its_renderer_is_kept() -> None:
    usual = RenderConfig("table", {"file": "$return._file", "title": "$return._title"})
    facts = CallFacts({}, {"row_count": 2}, "c")
    code = {way.renderer: way for way in fitting_ways(usual, facts, FILES, {}, "Units")}["code"]
    assert code.config["title"] == "$return._title"  # for the next call, whose title is another
    plan = recorded_plan_as(code, facts, FILES, {}, "Units")
    assert isinstance(plan, CodePlan)
    assert plan.title == "Units"
    assert plan.content == '{\n  "row_count": 2\n}'


def test_rows_are_offered_as_a_table_and_as_a_bar_chart() -> None:
    offered = ways({"odd key": ROWS})
    call = CallFacts({}, {"odd key": ROWS}, "c")
    table = make_plan(offered["table"], call, {}, {})
    chart = make_plan(offered["chart"], call, {}, {})
    assert isinstance(table, TablePlan)
    assert table.rows == (("East", 1), ("West", 2))
    assert isinstance(chart, ChartPlan)
    assert chart.spec["encoding"]["y"]["field"] == "n$"  # type: ignore[index,call-overload]
    assert chart.data == ({"region": "East", "n$": 1}, {"region": "West", "n$": 2})


def test_no_chart_is_offered_for_sample_rows_if_the_table_is_in_a_file() -> None:
    assert "chart" not in ways({"file": "r/units.parquet", "shown_to_model": ROWS})


def test_pictures_by_path_are_offered_as_pictures() -> None:
    result: JSON = {"made": [{"file": "a.png"}, {"path": "b.png"}]}
    plan = make_plan(ways(result)["images"], CallFacts({}, result, "c"), FILES, {})
    assert isinstance(plan, ImagesPlan)
    assert [image.file.path for image in plan.images] == ["a.png", "b.png"]
    assert "images" not in ways({"made": ["gone.png"]})


def test_without_a_result_the_authors_configuration_decides_what_else_is_offered() -> None:
    def names(usual: RenderConfig | None) -> set[str]:
        return {way.renderer for way in ways_like(usual)}

    assert names(None) == {"code"}
    assert names(RenderConfig("table", {"file": "$return.file"})) == {"json", "code"}
    assert names(RenderConfig("code", {"content": "$return.output"})) == {"json", "document"}
    assert names(RenderConfig("document", {"file": "$return.file"})) == {"json", "code", "file"}
