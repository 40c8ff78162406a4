"""The text about tables in a request: ranges, unreadable values, and equal columns only once."""

from engine.turn.tables_text import tables_text
from engine.workspace.table_facts import ColumnProfile, TableProfile

KWH = ColumnProfile(
    name="kwh",
    type="BIGINT",
    distinct=3,
    missing=2,
    minimum="1",
    maximum="980",
    values=("5", "1", "980"),
    unreadable=1,
    unreadable_examples=("abt 9",),
    notes=('kwh: 1 of 100 values is not a number and is left out: "abt 9".',),
)
CITY = ColumnProfile(name="city", type="VARCHAR", distinct=9, missing=0, values=("Rome", "Oslo"))


def table(name: str, **more: object) -> TableProfile:
    told = {"name": name, "path": f"{name}.csv", "rows": 100, "columns": (KWH, CITY), **more}
    return TableProfile.model_validate(told)


def test_number_columns_have_ranges_text_columns_have_values_and_losses_are_quoted() -> None:
    told = tables_text([table("a", notes=("1 line is left out.",))])
    assert told.splitlines() == [
        "- a (100 rows, from a.csv)",
        "  - Note: 1 line is left out.",
        '  - kwh: BIGINT; 1 to 980; 2 missing; 1 of 100 values is not a number and is left out: "abt 9"',
        "  - city: VARCHAR; Rome, Oslo; 9 different",
    ]


def test_tables_with_equal_columns_are_described_together_with_separate_notes() -> None:
    sheets = [table(f"book_{month}", path="book.xlsx", sheet=month) for month in ("jan", "feb", "mar")]
    told = tables_text([*sheets, table("other", columns=(CITY,))])
    assert "3 tables with the same columns: book_jan (100 rows, from book.xlsx, sheet jan), book_feb" in told
    assert told.count("city: VARCHAR") == 2
    assert "Note: book_feb: kwh: 1 of 100 values is not a number" in told


def test_unreadable_columns_are_reported_even_among_many_columns() -> None:
    many = tuple(CITY.model_copy(update={"name": f"c{number}"}) for number in range(100))
    told = tables_text([table("wide", columns=(*many, KWH))])
    assert "and 41 more columns: c60, c61" in told
    assert '"abt 9"' in told
