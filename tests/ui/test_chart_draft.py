"""The draft of a chart: what each type accepts, what is kept for other rows, and how changes are undone."""

from ui.widgets.cards.chart_draft import (
    Draft,
    Editing,
    arguments_of,
    draft_of,
    fitting,
    of_type,
    over_rows,
    rows_share_marks,
    starting_draft,
)
from ui.widgets.cards.choice import choose_axes

LINE = {"sql": "SELECT 1", "mark": "line", "x": "month", "y": "revenue", "color": "line", "name": "mine"}
COLUMNS = [("ordered_at", "DATE"), ("line", "VARCHAR"), ("revenue", "DOUBLE")]


def test_a_draft_starts_with_the_charts_own_arguments_and_returns_them() -> None:
    draft = draft_of(LINE)
    assert draft is not None
    assert arguments_of(draft) == {name: value for name, value in LINE.items() if name != "name"}
    assert draft_of({"sql": "SELECT 1", "spec": {"mark": "bar"}}) is None


def test_another_type_leaves_out_arguments_that_it_does_not_accept() -> None:
    draft = Draft(
        {"mark": "bar", "x": "a", "y": "b", "stack": "stacked", "color": "c", "aggregate": "sum"}, table="t"
    )
    assert draft.given(mark="histogram").args == {
        "mark": "histogram",
        "x": "a",
        "stack": "stacked",
        "color": "c",
    }
    assert draft.given(mark="boxplot").args == {"mark": "boxplot", "x": "a", "y": "b", "color": "c"}


def test_switching_between_chart_types_keeps_every_choice() -> None:
    chosen = {"mark": "line", "x": "ordered_at", "y": "revenue", "grain": "month", "aggregate": "mean"}
    draft = Draft(chosen | {"color": "line", "scale": "log"}, table="orders")
    through = draft
    for mark in ("arc", "boxplot", "histogram", "density", "tick", "rect"):
        through = of_type(through, mark, COLUMNS)
    assert of_type(through, "line", COLUMNS) == draft
    assert of_type(draft, "histogram", COLUMNS).args == {"mark": "histogram", "x": "revenue", "color": "line"}


def test_a_column_without_times_is_not_grouped_by_month() -> None:
    draft = Draft({"mark": "bar", "x": "ordered_at", "grain": "month", "aggregate": "count"}, table="orders")
    assert fitting(draft.given(x="line"), COLUMNS).args == {"mark": "bar", "x": "line", "aggregate": "count"}
    other = over_rows(draft, Draft({}, None, "lines"), [("line", "VARCHAR")])
    assert other.args == {"mark": "bar", "x": "line", "aggregate": "count"}


def test_defaults_and_empty_fields_are_not_sent_as_arguments() -> None:
    draft = Draft({"mark": "bar", "x": "a"}, table="t").given(
        aggregate="none", palette="house", title=None, sort="-y"
    )
    assert draft.args == {"mark": "bar", "x": "a", "sort": "-y"}


def test_a_draft_moved_to_other_rows_keeps_their_columns_and_sums_up_times_by_month() -> None:
    draft = draft_of(LINE)
    assert draft is not None
    made = over_rows(draft, Draft({}, None, "orders"), COLUMNS)
    assert made.table == "orders"
    assert made.args == {
        "mark": "line", "x": "ordered_at", "y": "revenue", "color": "line", "grain": "month", "aggregate": "sum",
    }  # fmt: skip


def test_a_table_starts_with_a_chart_of_its_columns() -> None:
    assert starting_draft(COLUMNS, choose_axes(COLUMNS, 9), table="t").args == {
        "mark": "line", "x": "ordered_at", "y": "revenue",
    }  # fmt: skip
    assert starting_draft([("name", "VARCHAR")], None, table="t").args == {
        "mark": "bar", "aggregate": "count", "x": "name",
    }  # fmt: skip


def test_changes_can_be_undone_and_redone_one_by_one() -> None:
    start = Draft({"mark": "bar", "x": "a"}, table="t")
    changed = Editing(start, start).to(start.given(x="b")).to(start.given(x="c"))
    assert changed.undone().draft.args["x"] == "b"
    assert changed.undone().undone().draft == start
    assert changed.undone().redone().draft.args["x"] == "c"
    assert not changed.undone().undone().is_changed
    assert changed.to(changed.draft) is changed
    assert changed.undone().to(start.given(x="d")).redone().draft.args["x"] == "d"


def test_a_chart_refused_for_shared_marks_is_distinguished_from_other_refusals() -> None:
    assert rows_share_marks("Up to 625 rows share one mark (same region).")
    assert not rows_share_marks("x: the result has no column “nope”.")
