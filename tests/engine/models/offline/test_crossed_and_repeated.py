"""Counts by two categories, rows that lack one of two values, duplicates, and words that are not values or groups."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, assert_rows
from tests.support.long_cases import mostly_long

CALLS = """call_no,created_at,answered_at,status,channel,message_count
C1,2024-01-05,2024-02-01,Closed,email,3
C2,2024-02-05,,Open,phone,1
C3,2024-02-06,2024-02-07,Closed,email,3
C4,2024-02-07,2024-02-07,Closed,phone,2
"""
REPAIRS = """job_no,created_on,machine,fault,status,shift_type,technician,hall_code,hours
J1,2024-01-06,Lathe,Belt,Open,Full-day,Ada,H1,2
J2,2024-01-08,Lathe,Motor,Closed,Night,,H1,3
J3,2024-02-03,Press,Belt,Closed,Night,Ben,,4
J4,2024-02-05,Press,Belt,Closed,Day,Ben,H2,5
J5,2024-02-06,Lathe,Motor,Open,Day,Ada,H2,1
J5,2024-02-06,Lathe,Motor,Open,Day,Ada,H2,1
J6,2024-03-04,Press,Belt,Closed,Day,,,2
J7,2024-03-05,Lathe,Belt,Closed,Day,Ben,H1,2
J8,2024-03-06,Press,Motor,Closed,Night,Ben,H1,2
J9,2024-03-07,Press,Motor,Closed,Night,Ben,H1,2
J10,2024-03-08,Lathe,Motor,Closed,Night,Ben,H1,2
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            ("how many repairs are missing the technician or the hall code?", [[3]]),
            ("how many repairs are missing both the technician and the hall code?", [[1]]),
            (
                "repair status by machine",
                [["Closed", "Lathe", 3], ["Closed", "Press", 5], ["Open", "Lathe", 3]],
            ),
            ("statuses by machine", [["Closed", "Lathe", 3], ["Closed", "Press", 5], ["Open", "Lathe", 3]]),
            ("does the file contain duplicate rows, and how many?", [["J5"]]),
            ("are any of the repairs in there twice? how many?", [["J5", 2]]),
            ("how many repairs were opened on a weekend?", [[2]]),
            ("how many repairs were opened in February 2024", [[4]]),
            ("repairs opened per month", [["2024-01-01", 2], ["2024-02-01", 4], ["2024-03-01", 5]]),
            ("how many open repairs are there", [[3]]),
            ("total hours over all the machines", [[26]]),
            ("how many repairs across all years", [[11]]),
            ("total hours over machines", [["Lathe", 11], ["Press", 15]]),
            ("how many repairs are fully closed", [[8]]),
        ],
        every=3,
    ),
)
def test_the_whole_question_is_answered(tmp_path: Path, question: str, expected: list[list[Any]]) -> None:
    assert_rows(answered(tmp_path, "repairs", REPAIRS, question), expected)


@pytest.mark.parametrize(
    "question",
    [
        "repairs without a technician or a hall code",  # without one of them, or without both
        "faults by machine",  # rows by both, or different faults
        "how many fully repairs",  # an adverb is no misspelled value
        "how many repairs were partly closed",
    ],
)
def test_questions_with_unclear_words_are_declined(tmp_path: Path, question: str) -> None:
    assert not answered(tmp_path, "repairs", REPAIRS, question)["tool_calls"]


def test_a_creation_date_is_not_mistaken_for_the_date_of_a_state(tmp_path: Path) -> None:
    assert not answered(tmp_path, "calls", CALLS, "how many calls were closed in January 2024")["tool_calls"]
    assert_rows(
        answered(tmp_path, "calls", CALLS, "how many closed calls were created in January 2024"), [[1]]
    )


def test_a_value_after_by_is_not_a_group(tmp_path: Path) -> None:
    assert_rows(answered(tmp_path, "calls", CALLS, "how many calls were opened by phone"), [[2]])
    assert_rows(answered(tmp_path, "calls", CALLS, "how many calls were created by email"), [[2]])
