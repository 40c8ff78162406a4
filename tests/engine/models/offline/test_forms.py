"""Query forms: sentence and form match, the SQL is correct, and unknown words are never dropped."""

from collections import defaultdict
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.models.offline.form import Condition, Filter, Form, FormError, Measure, Order, Ref
from engine.models.offline.form_documents import form_from, form_json
from engine.models.offline.joining import table_of
from engine.models.offline.sql import query
from engine.models.offline.understand import understand
from engine.models.offline.wording import sentence
from engine.workspace.table_facts import TableProfile
from tests.support.ask_offline import profile

Row = dict[str, Any]
AGGREGATES = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "median": median,
    "min": min,
    "max": max,
}
SHOPS, KINDS = ["North", "South", "Harbour Gate"], ["tea", "coffee"]
ROWS: list[Row] = [
    {
        "shop": SHOPS[n % 3],
        "kind": KINDS[n * 7 % 2],
        "weight_kg": n * 13 % 17 + 1,
        "price": (n * 5 % 23 + 1) / 2,
        "sold_on": f"202{n % 3 + 2}-{n % 12 + 1:02}-15",
    }
    for n in range(120)
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[TableProfile, ...]:
    folder = tmp_path_factory.mktemp("forms")
    lines = [",".join(ROWS[0]), *(",".join(str(value) for value in row.values()) for row in ROWS)]
    (folder / "sales_lines.csv").write_text("\n".join(lines) + "\n")
    return profile(folder)


measures = st.builds(
    Measure, st.sampled_from(sorted(AGGREGATES)), st.sampled_from([Ref("weight_kg"), Ref("price")])
)
groups = st.lists(
    st.sampled_from([Ref("shop"), Ref("kind"), Ref("sold_on", grain="year")]), max_size=2, unique=True
).map(tuple)
conditions = st.one_of(
    st.builds(lambda v: Condition(Ref("shop"), "=", (v,)), st.sampled_from(SHOPS)),
    st.builds(lambda v: Condition(Ref("kind"), "!=", (v,)), st.sampled_from(KINDS)),
    st.builds(
        lambda c, v: Condition(Ref("weight_kg"), c, (v,)),
        st.sampled_from(["<", "<=", ">", ">="]), st.integers(2, 16),
    ),
    st.builds(lambda v: Condition(Ref("sold_on", grain="year"), "=", (str(v),)), st.integers(2022, 2024)),
)  # fmt: skip


@st.composite
def forms(draw: st.DrawFn) -> Form:
    """A form over `sales_lines`."""
    found = draw(st.lists(conditions, max_size=2, unique_by=lambda condition: condition.of.column))
    filters = tuple(sorted((Filter((condition,)) for condition in found), key=repr))
    by = draw(groups)
    limit = draw(st.sampled_from([None, None, 2])) if by and not by[0].grain else None
    order = Order(0) if limit else None
    return Form(
        "sales_lines", measures=(draw(measures),), groups=by, filters=filters, order=order, limit=limit
    )


def holds(condition: Condition, row: Row) -> bool:
    value: Any = row[condition.of.column]
    if condition.of.grain:
        value = value[:4]
    wanted: Any = condition.values[0]
    return {
        "=": value == wanted,
        "!=": value != wanted,
        "<": not isinstance(value, str) and value < wanted,
        "<=": not isinstance(value, str) and value <= wanted,
        ">": not isinstance(value, str) and value > wanted,
        ">=": not isinstance(value, str) and value >= wanted,
    }[condition.compare]


def computed(form: Form) -> dict[tuple[str, ...], float]:
    """The groups of a form with their numbers, computed in Python without the form's limit."""
    grouped: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in ROWS:
        if all(holds(found.any[0], row) for found in form.filters):
            labels = (str(row[ref.column])[:4] if ref.grain else row[ref.column] for ref in form.groups)
            column = form.measures[0].of
            assert column is not None
            grouped[tuple(labels)].append(float(row[column.column]))
    return {
        labels: float(AGGREGATES[form.measures[0].aggregate](values)) for labels, values in grouped.items()
    }  # type: ignore[operator]


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(form=forms())
def test_a_form_written_as_a_sentence_is_read_back_and_computes_what_it_says(
    tables: tuple[TableProfile, ...], form: Form
) -> None:
    assert form_from(form_json(form)) == form
    assert understand(sentence(form), tables).forms == (form,), sentence(form)
    built = query(form, table_of(form, tables))
    with duckdb.connect() as connection:
        connection.register("rows_here", _arrow())
        connection.execute(
            "CREATE TABLE sales_lines AS SELECT * REPLACE (CAST(sold_on AS DATE) AS sold_on) FROM rows_here"
        )
        rows = connection.execute(built.sql).fetchall()
    expected = computed(form)
    wide = len(form.groups)
    shown = {
        tuple(str(cell) for cell in row[:wide]): float(row[wide]) for row in rows if row[wide] is not None
    }
    assert all(expected[labels] == pytest.approx(value) for labels, value in shown.items())
    if form.limit is None:
        assert set(shown) == set(expected)
    else:
        best = sorted(expected.values(), reverse=True)[: form.limit]
        assert sorted(shown.values(), reverse=True) == pytest.approx(best)


def _arrow() -> Any:
    import pyarrow as pa  # noqa: PLC0415 - only here

    return pa.Table.from_pylist(ROWS)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    form=forms(),
    word=st.sampled_from(["approximately", "gross", "churned", "seasonal", "excellent", "refunded", "zebra"]),
    place=st.integers(0, 12),
)
def test_an_unknown_word_is_refused_and_quoted(
    tables: tuple[TableProfile, ...], form: Form, word: str, place: int
) -> None:
    words = sentence(form).split(" ")
    if sum(part.count('"') for part in words[:place]) % 2:
        place = 0
    asked = " ".join([*words[:place], word, *words[place:]])
    reading = understand(asked, tables)
    assert reading.forms == (), asked
    assert word in reading.unread


@pytest.mark.parametrize("order", list(permutations(("total price", "by shop", "in 2023", "for coffee"))))
def test_phrases_mean_the_same_in_any_order(tables: tuple[TableProfile, ...], order: tuple[str, ...]) -> None:
    filters = (
        Filter((Condition(Ref("kind"), "=", ("coffee",)),)),
        Filter((Condition(Ref("sold_on", grain="year"), "=", ("2023",)),)),
    )
    wanted = Form(
        "sales_lines", measures=(Measure("sum", Ref("price")),), groups=(Ref("shop"),), filters=filters
    )
    assert understand(" ".join(order), tables).forms == (wanted,)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, "table"),
        ({"table": "t", "show": "pictures"}, "show"),
        ({"table": "t", "measures": [{"aggregate": "sum"}]}, "sum needs a column"),
        ({"table": "t"}, "nothing to compute"),
        ({"table": "t", "measures": [{"aggregate": "count"}], "order": {"by": 3}}, "sorted by measure 3"),
        ({"table": "t", "measures": [{"aggregate": "count"}], "extra": 1}, "extra"),
        ({"table": "t", "show": "rows", "limit": 0}, "limit"),
    ],
)  # fmt: skip
def test_an_invalid_form_is_refused_with_the_problem(document: Any, problem: str) -> None:
    with pytest.raises(FormError, match=problem):
        form_from(document)


@pytest.mark.parametrize(
    "form",
    [
        Form("sales_lines", measures=(Measure("sum", Ref("nothing")),)),
        Form("nowhere", measures=(Measure("count"),)),
        Form("sales_lines", measures=(Measure("count"),), groups=(Ref("shop", grain="month"),)),
    ],
)
def test_a_form_over_a_missing_table_or_column_is_refused(
    tables: tuple[TableProfile, ...], form: Form
) -> None:
    with pytest.raises(FormError):
        query(form, table_of(form, tables))


def test_the_sql_contains_nothing_beyond_its_form(tables: tuple[TableProfile, ...], tmp_path: Path) -> None:
    form = Form("sales_lines", measures=(Measure("sum", Ref("price")),), groups=(Ref("shop"),))
    assert query(form, table_of(form, tables)).sql == (
        "SELECT\n  shop,\n  sum(price) AS total_price\nFROM sales_lines\nGROUP BY 1\nORDER BY shop"
    )
