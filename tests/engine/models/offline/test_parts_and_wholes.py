"""Columns in percent of others, amounts that are not named, pieces of values, and questions that ask for more."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import assert_rows
from tests.support.ask_offline import ask
from tests.support.long_cases import mostly_long

TABLES = {
    "births": """year,region,births,boys,girls
2020,North,100,52,48
2020,South,300,150,150
2021,North,120,60,60
2021,South,200,99,101
""",
    "invoices": """invoice_no,customer,issued,paid_on,amount,tax
i1,Ash,2024-01-06,2024-01-11,100,20
i2,Ash,2024-01-08,2024-03-02,300,30
i3,Birch,2024-02-01,2024-03-06,50,5
i4,Birch,2024-03-05,,70,7
""",
    "launches": """launch_date,company,location,price_musd
2010-02-01,Aero,"Pad 1, Cape Field, Florida, USA",50
2011-03-01,Aero,"Pad 2, Cape Field, Florida, USA",120
2012-04-01,Boreal,"Site 5, Northgate, Kazakhstan",
2013-05-01,Boreal,"Site 6, Northgate, Kazakhstan",70
""",
}


def answer(folder: Path, table: str, question: str) -> dict[str, Any]:
    (folder / f"{table}.csv").write_text(TABLES[table])
    return next(ask(folder, [question]))


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            (
                "births",
                "percentage of boys among all births, by region",
                [["North", 112 / 2.2], ["South", 49.8]],
            ),
            ("births", "girls as a share of births by year", [["2020", 49.5], ["2021", 161 / 3.2]]),
            ("invoices", "tax as a % of amount", [[62 / 5.2]]),
            ("invoices", "average invoice value by customer", [["Ash", 200], ["Birch", 60]]),
            (
                "invoices",
                "what did we invoice each month",
                [["2024-01-01", 400], ["2024-02-01", 50], ["2024-03-01", 70]],
            ),
            ("invoices", "latest paid on by customer", [["Ash", "2024-03-02"], ["Birch", "2024-03-06"]]),
            ("invoices", "how many invoices haven't been paid yet?", [[1]]),
            ("invoices", "how many invoices were issued on a Saturday or Sunday", [[1]]),
            ("launches", "how many launches from Cape Field", [[2]]),
            ("launches", "average price by company", [["Aero", 85], ["Boreal", 70]]),
            ("launches", "how many launches cost more than 100 million", [[1]]),
            (
                "launches",
                "for how many launches do we not know the price, and what percent is that?",
                [[25, 1, 4]],
            ),
        ],
        quick=(0, 2, 6, 8, 11),
    ),
)
def test_questions_about_parts_and_wholes_are_answered(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    assert_rows(answer(tmp_path, table, question), expected)


@pytest.mark.parametrize(
    ("table", "question", "offered"),
    [
        (
            "births",
            "share of boys by region",
            ["Share of boys by region", "boys in percent of births by region"],
        ),
        (
            "births",
            "which regions had more than 250 births",
            ["Different values of region", "with total births more than 250"],
        ),
    ],
)
def test_a_question_with_two_readings_gets_both_offered(
    tmp_path: Path, table: str, question: str, offered: list[str]
) -> None:
    document = answer(tmp_path, table, question)
    assert document["tool_calls"] == []
    choices = [line for line in document["answer"].splitlines() if line.startswith("- ")]
    assert len(choices) == 2
    for words in offered:
        assert any(words in choice for choice in choices), choices


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("births", "which regions had more than 110 births in every year"),
            ("launches", "how many launches are there, and what percent is that"),
            ("launches", "how many launches from Cape Field in 2010, and what percent is that"),
        ],
        quick=(0,),
    ),
)
def test_a_word_that_asks_for_more_is_not_ignored(tmp_path: Path, table: str, question: str) -> None:
    assert answer(tmp_path, table, question)["tool_calls"] == []


def test_dates_of_groups_are_in_the_answer(tmp_path: Path) -> None:
    document = answer(tmp_path, "invoices", "latest paid on by customer")
    assert document["answer"] == "Maximum paid_on by customer: Ash 2024-03-02; Birch 2024-03-06."
