"""Answers about numbers, ties, empty results, and questions with several readings."""

from pathlib import Path
from typing import Any

import pytest

from engine.models.offline.replies import without_offer
from tests.support.ask_offline import ask, profile
from tests.support.long_cases import mostly_long

SCORES = "team,points,city,note\nA,1,Rome,x\nB,5,Oslo,y\nC,5,Rome,\nD,2,Oslo,z\n"


def one(workspace: Path, question: str, table: str = SCORES) -> dict[str, Any]:
    (workspace / "scores.csv").write_text(table)
    return next(ask(workspace, [question], profile(workspace)))


def test_all_groups_in_a_tie_are_named(tmp_path: Path) -> None:
    answer = one(tmp_path, "which team has the highest total points?")["answer"]
    assert answer == "**B**, **C** tie for the highest total points, 5."


def test_a_number_says_what_it_was_computed_from(tmp_path: Path) -> None:
    answer = one(tmp_path, "average points in Rome")["answer"]
    assert answer == (
        'The average points is **3**. Computed over `scores` where city is "Rome", from 2 values.'
    )


def test_an_empty_result_is_reported_as_such(tmp_path: Path) -> None:
    answer = one(tmp_path, "list rows with more than 50 points")["answer"]
    assert answer == "No row of `scores` matches: points is more than 50."


def test_a_share_is_given_with_the_numbers_behind_it(tmp_path: Path) -> None:
    answer = one(tmp_path, "what share of the rows are in Rome?")["answer"]
    assert answer == '**50 %** of the rows (2 of 4): city is "Rome".'


def test_a_yes_or_no_question_gets_yes_or_no(tmp_path: Path) -> None:
    answer = one(tmp_path, "does Oslo have more points than Rome on average?")["answer"]
    assert answer.startswith("Yes. Average points by city")
    assert answer.endswith("Oslo **3.50**; Rome **3**, a difference of 0.5.")


def test_two_readings_are_offered_instead_of_answering_one(tmp_path: Path) -> None:
    table = "shop,opening_price,closing_price\nA,1,2\nB,3,4\n"
    document = one(tmp_path, "average price by shop", table)
    said, offered = without_offer(document["answer"])
    assert document["tool_calls"] == []
    assert said == "This question can be read in two ways. Choose one."
    assert offered == ("Average opening_price by shop", "Average closing_price by shop")
    for question in offered:
        assert one(tmp_path, question, table)["tool_calls"][0]["status"] == "success"


def test_corrected_words_are_reported(tmp_path: Path) -> None:
    answer = one(tmp_path, "avrage points by city")["answer"]
    assert "I read “avrage” as “average”." in answer


def test_values_that_could_not_be_read_are_reported_with_their_number(tmp_path: Path) -> None:
    table = "team,points\n" + "".join(f"T{n},{n}\n" for n in range(60)) + "X,n.b.\n"
    answer = one(tmp_path, "total points", table)["answer"]
    assert "**1,770**" in answer
    assert "n.b." in answer


def test_all_rows_are_listed(tmp_path: Path) -> None:
    document = one(tmp_path, "show all records")
    assert document["tool_calls"][0]["result"]["row_count"] == 4


def test_a_sentence_that_asks_nothing_is_ignored_and_that_is_reported(tmp_path: Path) -> None:
    answer = one(tmp_path, "We have a board meeting tomorrow. What is the average points in Rome?")["answer"]
    assert answer.startswith("The average points is **3**.")
    assert answer.endswith("I ignored “We have a board meeting tomorrow.”.")


def test_a_sentence_with_a_condition_is_never_ignored(tmp_path: Path) -> None:
    for said in ("We only count finals.", "I mean without overtime.", "I like Oslo."):
        assert "I can't answer" in one(tmp_path, f"{said} What is the average points?")["answer"]


def test_filler_words_change_nothing_and_hedges_are_refused(tmp_path: Path) -> None:
    said = one(tmp_path, "average points in Rome pls, thanks")["answer"]
    assert said.startswith("The average points is **3**.")
    assert "could not read “approximately”" in one(tmp_path, "average points approximately")["answer"]


def test_a_command_is_not_a_question(tmp_path: Path) -> None:
    for order in ("Please delete the rows of Rome", "cancel team A", "can you update the points of B"):
        document = one(tmp_path, order)
        assert document["tool_calls"] == []
        assert document["answer"].startswith("I can't ")


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "average points of registered teams",
            "average points of given teams",
            "how many teams are still here",
            "how many teams do we have now",
            "average points of teams that ended in 2020",
            "average points of used teams",
        ],
        quick=(0, 4),
    ),
)
def test_a_word_that_selects_rows_is_never_mistaken_for_filler(tmp_path: Path, question: str) -> None:
    document = one(tmp_path, question)
    assert document["tool_calls"] == []
    assert document["answer"].startswith("I can't answer that: ")


@pytest.mark.parametrize(
    "question",
    mostly_long(
        ["sum of amount for each region", "total amount", "highest amount", "amount over 5"], quick=(0, 3)
    ),
)
def test_if_a_column_stayed_text_the_refusal_says_why(tmp_path: Path, question: str) -> None:
    rows = "\n".join(
        f"{n},{'North' if n % 2 else 'South'},{n * 1.5 if n % 3 else 'see note'}" for n in range(60)
    )
    (tmp_path / "sales.csv").write_text(f"id,region,amount\n{rows}\n")

    document = next(ask(tmp_path, [question], profile(tmp_path)))

    assert not document["tool_calls"]
    assert "the column `amount` is text" in document["answer"]
    assert "“see note”" in document["answer"]


def test_a_title_does_not_name_the_chart_type_and_an_answer_does_not_mention_cut_columns(
    tmp_path: Path,
) -> None:
    drawn = one(tmp_path, "total points by city as a bar chart")["tool_calls"][0]["args"]
    assert (drawn["title"], drawn["mark"]) == ("Total points by city", "bar")
    wide = ",".join(f"c{n}" for n in range(80))
    rows = "".join(",".join(str(1000 * n + k) for k in range(80)) + "\n" for n in range(60))
    document = one(tmp_path, "show the first 50 rows", f"{wide}\n{rows}")
    notes = document["tool_calls"][0]["result"]["notes"]
    assert any("first 60 of 80 columns" in note for note in notes), "the model gets a part"
    assert "columns" not in document["answer"]
    assert "shown" not in document["answer"]
