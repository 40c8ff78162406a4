"""Words that were misread in question sets 9 and 10: each is now read, offered with both readings, or refused."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ask
from tests.support.long_cases import mostly_long

GIFTS = """gift_id,given_on,donor_id,campaign,amount_usd,thanked_on,status
G1,2021-06-03,D1,Spring,10,2021-06-09,Returned
G2,2021-07-03,D2,Spring,20,,Open
G3,2021-08-03,D1,Autumn,30,2021-09-01,Open
G4,2020-06-03,D3,Autumn,40,2020-06-05,Open
G5,2022-02-03,D1,Autumn,50,2022-02-05,Returned
"""
DONORS = """donor_id,donor_name,donor_type,joined_on
D1,Ana,Foundation,2019-01-01
D2,Bo,Individual,2021-06-01
D3,Cy,Individual,2020-01-01
"""
TREES = """tree_id,species,height_m,conflict
1,Oak,5,Both
2,Oak,16,None
3,Elm,20,
4,Elm,,Both
"""


@pytest.fixture
def both(tmp_path: Path) -> Path:
    (tmp_path / "gifts.csv").write_text(GIFTS)
    (tmp_path / "donors.csv").write_text(DONORS)
    return tmp_path


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    (tmp_path / "street_trees.csv").write_text(TREES)
    return tmp_path


def one(folder: Path, *questions: str) -> dict[str, Any]:
    return list(ask(folder, questions))[-1]


def rows(document: dict[str, Any]) -> list[list[Any]]:
    (call,) = document["tool_calls"]
    assert call["status"] == "success", call["error"]
    found: list[list[Any]] = call["result"]["rows"]
    return found


def test_a_shortened_name_is_not_mistaken_for_another_name(both: Path) -> None:
    document = one(both, "total amount by donor type")

    assert rows(document) == [["Foundation", 90.0], ["Individual", 60.0]]


@pytest.mark.parametrize(
    ("question", "number"),
    mostly_long(
        [
            ("total amount from June through August 2021", 60.0),
            ("total amount in June, July or August of 2021", 60.0),
            ("how much did Foundations give in 2021", 40.0),
        ],
        quick=(0, 2),
    ),
)
def test_months_share_their_year_and_how_much_asks_for_an_amount(
    both: Path, question: str, number: float
) -> None:
    assert rows(one(both, question))[0][0] == number


@pytest.mark.parametrize(
    "question",
    mostly_long(["how many Foundations gave in 2021", "total amount in June 2020 in 2021"], quick=(1,)),
)
def test_how_many_is_not_read_as_a_sum_and_two_times_are_declined(both: Path, question: str) -> None:
    assert one(both, question)["tool_calls"] == []


@pytest.mark.parametrize(
    ("question", "readings"),
    mostly_long(
        [
            ("how many gifts as of 2021 in gifts.csv", 2),
            ("how many gifts were returned in June 2021 in gifts.csv", 2),
            ("how many gifts in June 2021 in gifts.csv", 1),
        ],
        quick=(0,),
    ),
)
def test_dates_other_than_the_main_one_are_offered(both: Path, question: str, readings: int) -> None:
    document = one(both, question)

    assert (document["answer"].count("\n- ") or 1) == readings, document["answer"]


def test_a_follow_up_over_joined_tables_keeps_the_join_and_the_main_date(both: Path) -> None:
    document = one(both, "total amount by donor type", "only in 2021")

    assert rows(document) == [["Foundation", 40.0], ["Individual", 20.0]]


@pytest.mark.parametrize(
    ("question", "number"),
    mostly_long(
        [
            ("how many trees are taller than 15 m", 2),
            ("how many trees are taller than 15m", 2),
            ("how many street trees are there", 4),
            ("how many trees are not Oak or Elm", 0),
        ],
        quick=(0, 2),
    ),
)
def test_metres_are_not_millions_and_a_table_is_named_by_its_whole_name(
    trees: Path, question: str, number: int
) -> None:
    assert rows(one(trees, question)) == [[number]]


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "reject the trees taller than 15 m",
            "top 2 most common tree ids",
            "how many trees have both no height",
        ],
        quick=(0,),
    ),
)
def test_commands_and_questions_about_ids_or_two_missing_values_are_refused(
    trees: Path, question: str
) -> None:
    document = one(trees, question)

    assert document["tool_calls"] == []
    assert document["answer"].startswith("I can't ")


def test_missing_values_are_not_counted_as_duplicates(trees: Path) -> None:
    answer = one(trees, "how many conflicts appear more than once")["answer"]

    assert answer.startswith("**1** value of conflict occurs more than once")


def test_a_column_of_the_joined_table_is_never_ignored(tmp_path: Path) -> None:
    """“Name” is a column of the agents; their id would answer another question."""
    (tmp_path / "tickets.csv").write_text("ticket,agent_id,minutes\n1,A1,5\n2,A1,7\n3,A2,4\n")
    (tmp_path / "agents.csv").write_text("agent_id,name\nA1,Ida\nA2,Jon\n")
    document = one(tmp_path, "name of the agent with the most tickets")
    assert "A1" not in document["answer"]
    assert "Ida" in document["answer"] or "“name”" in document["answer"]
