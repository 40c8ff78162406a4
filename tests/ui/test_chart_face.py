"""The chart view over random results: every drawn number is in a row, or the view says what it computed."""

import importlib
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.views.results import Series
from tests.support.ask_offline import bundle_module
from ui.widgets.cards.choice import COMBINE, Chosen, honest_line, series_spec, shared_line

bundle_module("select")  # puts the library of tool processes on the path
results = importlib.import_module("anabranch_tool.results")

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["Jan", "Feb", "10", "9", "<b>", "image", None]),
        st.one_of(st.none(), st.integers(-1000, 1000), st.floats(-1e6, 1e6)),
        st.sampled_from(["a", "b", None]),
    ),
    min_size=1,
    max_size=12,
)
COMPUTED = {"sum": sum, "mean": lambda v: sum(v) / len(v), "min": min, "max": max, "count": len}


def series(rows: list[tuple[Any, ...]], chosen: Chosen) -> Series:
    """What the chart view reads of a result with these rows."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (x VARCHAR, y DOUBLE, k VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.execute(f"COPY t TO '{folder}/r.parquet'")
        found = results.series(
            Path(folder), "r.parquet", "x", "y", chosen.color, None, chosen.combine, each=chosen.points
        )
    counts = (found["rows"], found["marks"], found["shared"], found["empty"])
    return Series(
        tuple(map(tuple, found["points"])), *counts, found["combined"], tuple(map(tuple, found["orders"]))
    )


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    rows=ROWS,
    color=st.sampled_from([None, "k"]),
    way=st.sampled_from(["Not combined", "Point per row", "Sum", "Mean", "Count"]),
)
def test_every_drawn_number_is_in_a_row_unless_the_view_says_that_it_was_computed(
    rows: list[tuple[Any, ...]], color: str | None, way: str
) -> None:
    chosen = Chosen("x", "y", "VARCHAR", color=color, combine=COMBINE[way], points=way == "Point per row")
    found = series(rows, chosen)
    spec = series_spec(found, chosen)
    drawn = [(value["x"], value["y"], value["color"]) for value in spec["data"]["values"]]
    there = [
        (x, y, k if color else None)
        for x, y, k in rows
        if x is not None and (y is not None or way == "Count")
    ]
    assert found.empty == len(rows) - len(there)
    groups: dict[Any, list[Any]] = {}
    for x, y, k in there:
        groups.setdefault((x, k), []).append(y)
    assert "transform" not in spec
    assert "aggregate" not in str(spec)
    if chosen.combine is None:
        shared = max(map(len, groups.values()), default=1)
        if shared > 1 and not chosen.points:
            assert (drawn, found.shared) == ([], shared)
            assert shared_line(found) is not None
            return
        assert sorted(drawn, key=str) == sorted(there, key=str)
        return
    wanted = {key: COMPUTED[chosen.combine](values) for key, values in groups.items()}
    assert {(x, k): y for x, y, k in drawn} == pytest.approx(wanted)
    title = {"sum": "sum of y", "mean": "mean of y", "count": "number of rows"}[chosen.combine]
    assert spec["encoding"]["y"]["title"] == title
    assert title in honest_line(found, chosen)


def test_dates_do_not_shift_with_the_users_time_zone() -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT DATE '2026-01-01' AS x, 1 AS y) TO '{folder}/r.parquet'")
        found = results.series(Path(folder), "r.parquet", "x", "y")
    assert found["points"][0][0] == "2026-01-01T00:00:00"
