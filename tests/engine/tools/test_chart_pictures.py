"""Pictures of a call's charts: created when its plan is recorded, or the reason why there are none."""

from collections.abc import Iterator

import pytest

from engine.rendering.charts.renderer import ChartFailed, ChartRenderer, NoRenderer, Picture
from engine.rendering.plans import ChartPlan, JsonPlan, PartsPlan
from engine.tools.chart_pictures import draw_charts
from events.json_value import JSONObject

ENCODING: JSONObject = {
    "x": {"field": "a", "type": "nominal"},
    "y": {"field": "b", "type": "quantitative"},
}
BARS = ChartPlan(
    title="Units", name="units", spec={"mark": "bar", "encoding": ENCODING}, data=({"a": "x", "b": 1},)
)
EMPTY = BARS.model_copy(update={"title": "Nothing", "name": "nothing", "data": ()})


class Missing:
    """A machine without vl-convert."""

    def warm(self) -> None:
        """Do nothing."""

    def render(self, *_: object, **__: object) -> Picture:
        """Raise the error of a missing vl-convert."""
        raise NoRenderer("No picture of this chart could be made.")


@pytest.fixture(scope="module")
def charts() -> Iterator[ChartRenderer]:
    renderer = ChartRenderer()
    yield renderer
    renderer.close()


def test_each_chart_of_a_plan_becomes_a_picture(charts: ChartRenderer) -> None:
    (picture,) = draw_charts(BARS, charts).pictures
    assert (picture.media_type, picture.caption) == ("image/png", "Units (units)")
    assert len(draw_charts(PartsPlan(parts=(BARS, JsonPlan(), BARS)), charts).pictures) == 2
    with pytest.raises(ChartFailed):
        draw_charts(EMPTY, charts)


def test_a_failing_chart_does_not_affect_the_others_and_is_reported_to_model_and_user(
    charts: ChartRenderer,
) -> None:
    drawn = draw_charts(PartsPlan(parts=(EMPTY, JsonPlan(), BARS), output="said"), charts)
    assert isinstance(drawn.plan, PartsPlan)
    assert drawn.plan.parts == (JsonPlan(), BARS)
    assert drawn.plan.output == "said"
    (why,) = drawn.plan.notes
    assert why.startswith("The chart “Nothing” (nothing) is not shown. The chart draws no mark:")
    assert len(drawn.pictures) == 1
    told = drawn.said({"output": "said", "charts": [{"name": "nothing"}, {"name": "units"}]})
    assert told == {"output": "said", "charts": [{"name": "units"}], "notes": [why]}


def test_warnings_of_vega_lite_are_notes_for_model_and_user(charts: ChartRenderer) -> None:
    odd = BARS.model_copy(update={"spec": {**BARS.spec, "encoding": {**ENCODING, "colour": {"field": "a"}}}})
    drawn = draw_charts(odd, charts)
    assert "Vega-Lite warns: " in drawn.plan.notes[0]
    assert "colour" in drawn.plan.notes[0]
    assert drawn.said({"notes": ["first"]}) == {"notes": ["first", *drawn.plan.notes]}
    parts = draw_charts(PartsPlan(parts=(odd,)), charts)
    assert parts.told == [f"units: {note}" for note in drawn.plan.notes]


def test_marks_are_counted_if_the_number_of_rows_is_known(charts: ChartRenderer) -> None:
    bars = draw_charts(BARS.model_copy(update={"row_count": 1200}), charts)
    assert bars.plan.notes == ("1 mark from 1,200 rows.",)
    line = {**BARS.spec, "mark": {"type": "line", "point": True}}
    rows = ({"a": "x", "b": 1}, {"a": "y", "b": 2})
    drawn = draw_charts(BARS.model_copy(update={"spec": line, "data": rows, "row_count": 2}), charts)
    assert drawn.plan.notes == ("3 marks (1 line, 2 points) from 2 rows.",)


def test_results_stay_short_even_if_many_charts_fail(charts: ChartRenderer) -> None:
    drawn = draw_charts(PartsPlan(parts=(EMPTY,) * 9), charts)
    notes = drawn.said({})["notes"]
    assert isinstance(notes, list)
    assert notes[-1] == "5 more notes about charts are on the card."
    assert len(str(notes)) < 1700
    assert len(drawn.plan.notes) == 9


def test_if_no_picture_can_be_drawn_the_card_says_so_once_and_the_call_succeeds() -> None:
    for plan in (BARS, PartsPlan(parts=(BARS, BARS))):
        drawn = draw_charts(plan, Missing())
        assert drawn.pictures == []
        assert drawn.plan.notes == ("No picture of this chart could be made.",)
