"""The largest share of a condition, kinds of values named by their last word, and measures after a value."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, assert_rows
from tests.support.long_cases import mostly_long

TREES = """tree_id,species,ward,height_m,health,protected
T1,Red Oak,North,10,Good,true
T2,Red Oak,North,12,Poor,false
T3,English Oak,South,20,Good,true
T4,Silver Birch,North,8,Poor,true
T5,Silver Birch,South,6,Fair,false
T6,Silver Birch,North,9,Good,false
T7,Norway Maple,North,7,Good,false
"""
LOTS = """lot_no,picked_on,grower,crop,yield_t,price_per_t_gbp,organic
1,2022-05-01,Ash,Carrot,10,200,Y
2,2022-06-01,Elm,Carrot,5,220,N
3,2023-05-01,Ash,Carrot,20,210,N
4,2023-06-01,Elm,Strawberry,2,2000,Y
5,2023-06-05,Ash,Strawberry,3,2400,N
"""
TABLES = {"trees": TREES, "lots": LOTS}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("trees", "Which ward has the highest percentage of protected trees?", [["South", 50.0]]),
            ("trees", "Which ward has the lowest proportion of trees that are protected?", [["North", 40.0]]),
            ("trees", "which ward makes up the largest share of protected trees", [["North", 2]]),
            ("trees", "which species has the largest share of trees", [["Silver Birch", 3]]),
            ("trees", "how many oaks are there", [[3]]),
            ("trees", "average height of birches", [[23 / 3]]),
            ("trees", "tallest tree and which ward is it in?", [["T3", 20, "South"]]),
            ("lots", "avg strawberry price by year", [[2023, 2200.0]]),
            ("lots", "cumulative carrot yield by year", [[2022, 15, 15], [2023, 20, 35]]),
            ("lots", "what is the median price per tonne of carrots", [[210.0]]),
            ("lots", "which grower took the most tonnes of strawberries", [["Ash", 3]]),
            ("lots", "total carrot tonnage in 2022", [[15]]),
            ("lots", "how many lots are organic and how many are not?", [["N", 3], ["Y", 2]]),
            ("lots", "How many lots did Ash have compared with Elm?", [["Ash", 3], ["Elm", 2]]),
        ],
        quick=(0, 2, 4, 8),
    ),
)
def test_questions_about_shares_kinds_and_measures_are_answered(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    assert_rows(answered(tmp_path, table, TABLES[table], question), expected)


@pytest.mark.parametrize(
    "question",
    [
        "Which ward has the largest share of protected trees?",  # of a ward's trees, or of the protected trees
        "Which species has the highest percentage of trees in good health in North?",
        "Which species is the most common, and how many of them are in poor health?",
    ],
)
def test_a_share_is_declined_if_the_whole_is_ambiguous(tmp_path: Path, question: str) -> None:
    assert not answered(tmp_path, "trees", TREES, question)["tool_calls"]


def test_a_question_is_declined_if_its_second_part_asks_how_strong_something_was(tmp_path: Path) -> None:
    quakes = "quake_id,day,region,magnitude\n1,2024-01-05,North,4.5\n2,2024-02-01,South,3.1\n3,2024-03-01,North,2.9\n"
    asked = "when was the last quake in North and how strong was it?"
    assert not answered(tmp_path, "quakes", quakes, asked)["tool_calls"]


def test_a_verb_does_not_name_a_kind_of_values(tmp_path: Path) -> None:
    """“Left” is a form of the last word of “On Leave”."""
    staff = "staff_id,hired_on,status\n1,2022-01-05,Active\n2,2022-02-01,On Leave\n3,2023-01-01,Active\n"
    assert not answered(tmp_path, "staff", staff, "How many people left in 2022?")["tool_calls"]


def test_an_answer_says_what_the_share_is_a_share_of(tmp_path: Path) -> None:
    said = answered(tmp_path, "trees", TREES, "share of protected trees by ward")["answer"]
    assert said == 'Share of rows whose protected is "true" by ward: North 40 %; South 50 %.'
