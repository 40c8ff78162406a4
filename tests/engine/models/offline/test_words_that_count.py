"""Words that change a number: each must be read, offered as one of two readings, or refused; none may be dropped."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ask
from tests.support.long_cases import mostly_long

MOVES = """moved_on,product_name,category,status,quantity,value_million_eur,wait_min,handled_by,insurer,shipped_on
2022-12-30,Garden Hose,Tools,Voluntarily Ended,2,40,30,Maria,Acme,2023-01-02
2023-01-05,Garden Chair,Garden,Ended for Cause,3,60,90,Maria,,2023-01-06
2023-02-10,Door Lock,Garden,Open,5,55,61,Kwame,Best,2023-02-11
2024-02-10,Paint Roller,Tools,Open,1,10,10,Kwame,Acme,2024-02-12
"""
DRIVES = """Drive,Driver,Distance km,Fuel l,Toll chf
d1,Ana,300,60,12
d2,Bo,100,20,3
d3,Ana,200,70,4
"""
BIRDS = """observed_at,observer,location,bird_count,room_number,sex
2022-01-01,Ana,Park,4,3,f
2022-01-09,Ana,Lake,6,3,m
2023-05-01,Bo,Park,10,4,f
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def answer(folder: Path, table: str, text: str, *questions: str) -> dict[str, Any]:
    (folder / f"{table}.csv").write_text(text)
    return list(ask(folder, questions))[-1]


def rows(document: dict[str, Any]) -> list[list[Any]]:
    (call,) = document["tool_calls"]
    assert call["status"] == "success", call["error"]
    found: list[list[Any]] = call["result"]["rows"]
    return found


@pytest.mark.parametrize(
    ("question", "number"),
    mostly_long(
        [
            ("how many moves had a value over 50 million", 2),
            ("how many moves had a value over 50", 2),
            ("how many moves had a value over 0.05 billion", 2),
            ("how many moves had a wait over 1 hour", 2),
            ("how many moves had a wait between 1 and 2 hours", 2),
            ("how many moves were shipped in 2022", 0),
            ("how many moves were shipped in January 2023", 2),
            ("how many moves excluding garden", 2),
        ],
        quick=(0, 3, 6),
    ),
)
def test_units_scales_and_participles_are_part_of_the_condition(
    folder: Path, question: str, number: int
) -> None:
    assert rows(answer(folder, "moves", MOVES, question)) == [[number]]


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "how many moves ended",  # two statuses say so
            "total quantity in the last quarter",  # the latest one, or the fourth of every year
            "by how much did the quantity grow in 2023",  # since when is not said
            "quantity of the 2 highest values",
            "wait groups",
        ],
        quick=(0, 2),
    ),
)
def test_a_question_that_cannot_be_computed_as_worded_is_refused(folder: Path, question: str) -> None:
    document = answer(folder, "moves", MOVES, question)
    assert document["tool_calls"] == []
    assert document["answer"].startswith("I can't answer that")


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            ("total fuel", [[150, 3, 0]]),
            ("average toll by driver", [["Ana", 8], ["Bo", 3]]),
            ("how many drives with fuel above 60", [[1]]),
            ("how many drives used more than 50 litres of fuel", [[2]]),
        ],
        quick=(0, 3),
    ),
)
def test_a_column_can_be_named_without_its_unit(
    folder: Path, question: str, expected: list[list[Any]]
) -> None:
    assert [list(row) for row in rows(answer(folder, "drives", DRIVES, question))] == expected


def test_a_whole_value_is_not_mistaken_for_a_part_of_another_one(folder: Path) -> None:
    share = answer(folder, "moves", MOVES, "what share of total quantity comes from Garden products")
    assert 'category is "Garden"' in share["answer"]
    assert "**72.73 %**" in share["answer"]


def test_the_word_who_does_not_ask_for_a_product_and_handled_is_not_filler(folder: Path) -> None:
    assert (
        "handled_by"
        in answer(folder, "moves", MOVES, "who handled the fewest moves")["tool_calls"][0]["args"]["sql"]
    )


def test_the_words_over_the_years_group_by_year(folder: Path) -> None:
    document = answer(folder, "moves", MOVES, "how did the average quantity develop over the years")
    assert [row[0] for row in rows(document)] == [2022, 2023, 2024]


def test_rows_without_a_value_are_left_out_of_an_exception_with_a_note(folder: Path) -> None:
    other = answer(folder, "moves", MOVES, "average wait for everything except Acme")
    assert rows(other)[0][0] == 61
    assert "The 1 row without insurer is left out." in other["answer"]
    one = answer(folder, "moves", MOVES, "how many moves are not Acme")
    assert rows(one) == [[1]]
    assert "The 1 row without insurer is left out." in one["answer"]


def test_a_column_of_counts_is_added_up_but_room_numbers_are_not(folder: Path) -> None:
    assert rows(answer(folder, "bird_sightings", BIRDS, "how many birds were counted in 2022"))[0][0] == 10
    by_place = rows(answer(folder, "bird_sightings", BIRDS, "total birds per location"))
    assert by_place == [["Lake", 6], ["Park", 14]]
    rooms = answer(folder, "bird_sightings", BIRDS, "how many rooms")
    assert "sum(" not in str(rooms["tool_calls"])


def test_a_request_for_all_values_lists_each(folder: Path) -> None:
    assert rows(answer(folder, "bird_sightings", BIRDS, "how many sightings of f and m")) == [
        ["f", 2],
        ["m", 1],
    ]


def test_a_question_about_groups_without_rows_is_declined(folder: Path) -> None:
    head, *lines = MOVES.splitlines()
    document = answer(folder, "moves", "\n".join([head, *lines * 5]), "which categories have no products")
    assert document["tool_calls"] == []
