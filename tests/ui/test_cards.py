"""Decisions made before a card is drawn: which chart, which tree, which lines differ, how rows are copied."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rendering.charts.renderer import ChartFailed, ChartRenderer
from engine.rendering.column_codes import is_code
from engine.views.results import Series
from ui.widgets.cards import downloads
from ui.widgets.cards.choice import Chosen, choose_axes, honest_line, is_name, series_spec, shared_line
from ui.widgets.cards.downloads import as_markdown, picture_of
from ui.widgets.diff import diff_html
from ui.widgets.file_tree import changed_signs, told_apart, tree_rows
from ui.widgets.line_diff import same_lines

SERIES = Series((("a", 1, None, None),), 1, 1, orders=(("a",), (), ()))


def test_a_chart_is_offered_if_it_is_useful() -> None:
    table = [
        ("order_id", "BIGINT"),
        ("region", "VARCHAR"),
        ("day", "DATE"),
        ("revenue", "DECIMAL(10,2)"),
        ("n", "INTEGER"),
    ]
    axes = choose_axes(table, 30)
    assert axes is not None
    assert axes.x == ("day", "region", "order_id", "revenue", "n")
    assert axes.y == ("revenue", "n")
    assert choose_axes(table, 1) is None
    assert choose_axes([("region", "VARCHAR"), ("year", "BIGINT")], 30) is None
    assert choose_axes([("n", "BIGINT")], 30) is None
    both = choose_axes([("a", "DOUBLE"), ("b", "DOUBLE")], 30)
    assert both is not None
    assert both.y[0] == "b"


@pytest.mark.parametrize(
    ("kind", "mark"), [("DATE", "line"), ("TIMESTAMP", "line"), ("VARCHAR", "bar"), ("DOUBLE", "point")]
)
def test_the_mark_fits_the_type_of_the_x_column(kind: str, mark: str) -> None:
    spec = series_spec(SERIES, Chosen("x", "y", kind))
    assert spec["mark"]["type"] == mark
    assert spec["encoding"]["y"]["title"] == "y"
    combined = series_spec(SERIES, Chosen("x", "y", "VARCHAR", combine="mean"))
    assert combined["encoding"]["y"]["title"] == "mean of y"


@dataclass(eq=False)
class Drawing:
    """The part of an app that draws charts."""

    charts: ChartRenderer = field(default_factory=ChartRenderer)


def test_pictures_to_download_are_drawn_by_the_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Light even on a dark page; the browser's drawing could differ from the one that was checked."""
    drawing = Drawing()
    monkeypatch.setattr(downloads, "app", lambda: drawing)
    series = Series((("a", 1, None, None), ("b", 2, None, None)), 2, 2, orders=(("a", "b"), (), ()))
    spec = series_spec(series, Chosen("x", "y", "VARCHAR"))
    try:
        svg = picture_of(spec, "svg").data.decode()
        assert svg.startswith("<svg")
        assert 'fill="#FFFFFF"' in svg
        png = picture_of(spec, "png")
        checked = drawing.charts.render(spec, scale=1.0).data
        assert _width(png.data) == 2 * _width(checked) > 1280
        assert picture_of(spec, "png") is png
        with pytest.raises(ChartFailed, match="draws no mark"):
            picture_of({**spec, "data": {"values": []}}, "png")
    finally:
        drawing.charts.close()


def _width(png: bytes) -> int:
    return int.from_bytes(png[16:20])


@pytest.mark.parametrize(
    ("low", "kind", "cut"), [(51, "DATE", True), (50, "DATE", False), (51, "VARCHAR", False)]
)
def test_the_axis_of_a_line_far_from_zero_does_not_start_at_zero(low: int, kind: str, cut: bool) -> None:
    series = Series((("2024-01-01", low, None, None), ("2024-02-01", 100, None, None)), 2, 2)
    chosen = Chosen("x", "y", kind)
    assert ("scale" in series_spec(series, chosen)["encoding"]["y"]) is cut
    assert ("The axis of y does not start at 0." in honest_line(series, chosen)) is cut


def test_the_line_below_a_chart_says_what_each_mark_means() -> None:
    by_month = Series((("Jan", 1, "Beans", None), ("Feb", 2, "Beans", None)), 9318, 2, combined="sum")
    chosen = Chosen("month", "revenue", "VARCHAR", color="line", combine="sum")
    assert honest_line(by_month, chosen) == (
        "2 marks from 9,318 rows. Each mark is the sum of revenue for one month of one line."
    )
    sampled = Series(tuple((n, n, None, None) for n in range(5)), 53_940, 53_940, empty=1)
    assert honest_line(sampled, Chosen("carat", "price", "DOUBLE")) == (
        "5 marks from 53,940 rows. Each mark is one row. Shows 5 of 53,940 points, chosen at random. "
        "1 row without carat or price is not drawn."
    )


def test_rows_that_share_marks_are_reported_and_not_drawn_until_they_are_combined() -> None:
    assert shared_line(SERIES) is None
    sentence = shared_line(Series((), 12, 0, shared=4))
    assert sentence is not None
    assert sentence.startswith("No chart yet: up to 4 rows would share one mark.")
    assert shared_line(Series((("a", 1, None, None),), 12, 1, shared=4, combined="sum")) is None


def test_years_and_ids_are_treated_as_names() -> None:
    assert all(is_name(name) for name in ("year", "order_id", "zip_code", "ID", "customerId", "lat"))
    assert not any(is_name(name) for name in ("paid", "revenue", "yearly_sum", "kwh_per_hour"))
    assert is_code("weekday")
    assert not is_code("lat")


def test_rows_are_copied_as_a_markdown_table_whatever_they_contain() -> None:
    text = as_markdown(["a|b", "c"], (("x\ny", None), (1, "back\\slash")), 7)
    assert text.splitlines() == [
        "| a\\|b | c |",
        "| --- | --- |",
        "| x y |  |",
        "| 1 | back\\\\slash |",
        "",
        "The first 2 of 7 rows.",
    ]


def test_a_tree_lists_folders_first_and_hides_the_contents_of_a_closed_one() -> None:
    paths = ["z.csv", "src/a.py", "src/deep/b.py", "Apple.md"]
    assert [(row.path, row.depth, row.folder) for row in tree_rows(paths)] == [
        ("src", 0, True),
        ("src/deep", 1, True),
        ("src/deep/b.py", 2, False),
        ("src/a.py", 1, False),
        ("Apple.md", 0, False),
        ("z.csv", 0, False),
    ]
    shut = tree_rows(paths, shut={"src"})
    assert [(row.path, row.files) for row in shut] == [("src", 2), ("Apple.md", 0), ("z.csv", 0)]
    found = tree_rows(paths, shut={"src"}, find="B.PY")
    assert [row.path for row in found] == ["src", "src/deep", "src/deep/b.py"]


def test_the_kind_of_change_is_known_for_each_path() -> None:
    changes = {"added": {"a": 1}, "changed": {"b": 1}, "removed": ["c"]}
    assert changed_signs(changes) == {"a": "added", "b": "changed", "c": "removed"}


def test_states_with_the_same_name_are_numbered_except_for_the_earliest() -> None:
    assert told_apart({"d": "Last", "c": "Edit", "b": "Upload", "a": "Edit"}) == {
        "d": "Last",
        "c": "Edit (2)",
        "b": "Upload",
        "a": "Edit",
    }


def test_a_diff_shows_signs_next_to_colours_and_escapes_markup_of_a_file() -> None:
    html = diff_html("a\nb\n<i>c</i>\n", "a\n<script>x</script>\n<i>c</i>\n", "Mine")
    assert '<div class="removed"><i>−</i><span>b</span></div>' in html
    assert '<div class="added"><i>+</i><span>&lt;script&gt;x&lt;/script&gt;</span></div>' in html
    assert "1 line added, 1 removed" in html
    assert "no differences" in diff_html("a", "a", "Mine")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("more", "added"), [("", "950"), ("\nmore\n\n", "952")])
def test_a_diff_of_repetitive_texts_is_computed_quickly(more: str, added: str) -> None:
    """Half of their lines are blank, and all others changed: matching the blank ones with each other took minutes."""
    before, after = ["\n\n".join(f"{word} {n}" for n in range(950)) for word in ("old", "new")]
    assert f"{added} lines added, 950 removed" in diff_html(before, after + more, "Mine")


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_matched_lines_are_equal_and_in_order(before: list[str], after: list[str]) -> None:
    past = (0, 0)
    for number, (at, to, size) in enumerate(same_lines(before, after)):
        assert size
        assert before[at : at + size] == after[to : to + size]
        assert at >= past[0]
        assert to >= past[1]
        assert number == 0 or (at, to) != past
        past = at + size, to + size


def test_a_diff_finds_unchanged_lines_between_changed_ones() -> None:
    before = "start\nx\nx\none\nx\ntwo\nx\nend"
    html = diff_html(before, before.replace("one", "new\none").replace("two\n", ""), "Mine")
    assert "1 line added, 1 removed" in html
    assert '<div class="added"><i>+</i><span>new</span></div>' in html
    assert '<div class="removed"><i>−</i><span>two</span></div>' in html
