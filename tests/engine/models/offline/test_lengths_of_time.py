"""Times as lengths, such as the net times of a race; times of day stay times of day."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.long_cases import mostly_long

SKI = """bib,skier,sex,club,start_time,first_lap,net_time
1,Ada Berg,F,North,09:00:00,00:21:10,00:45:30
2,Ben Dahl,M,South,09:00:30,00:19:40,00:41:05
3,Cy Eng,M,North,09:01:00,00:25:00,00:52:15
4,Dea Foss,F,South,09:01:30,00:20:20,00:43:00
5,Eli Gran,M,North,09:02:00,00:24:00,
"""
CASTS = """cast_id,programme,recorded_on,duration,listeners
1,Garden,2024-01-05,01:10:00,40
2,Garden,2024-02-05,00:50:00,60
3,Space,2024-02-09,02:15:30,80
"""
SHIFTS = """shift_id,baker,start_time,finish_time
1,Ida,08:00:00,16:30:00
2,Jon,09:00:00,17:00:00
3,Ida,10:00:00,18:15:00
"""
CARS = """car,top_speed_mph,lap_time
Alfa,150,00:02:10
Bolt,180,00:01:55
Cita,120,00:02:40
"""
TABLES = {"ski_race": SKI, "casts": CASTS, "shifts": SHIFTS, "cars": CARS}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("ski_race", "average net time by sex", [["F", "00:44:15"], ["M", "00:46:40"]]),
            ("ski_race", "median net time, women vs men", [["F", "00:44:15"], ["M", "00:46:40"]]),
            ("ski_race", "how many skiers needed less than 45 minutes?", [[2]]),
            ("ski_race", "how many skiers have a net time between 41:00 and 43:30", [[2]]),
            ("ski_race", "how many sub-45-minute skiers", [[2]]),
            ("ski_race", "what was the winning time for women", [["00:43:00"]]),
            ("ski_race", "who won?", [["Ben Dahl"]]),
            ("ski_race", "best first lap", [["00:19:40"]]),
            ("ski_race", "slowest net time", [["00:52:15"]]),
            ("ski_race", "how many skiers started before 9:01", [[2]]),
            ("ski_race", "what share of the men took longer than 50 minutes", [[100 / 3]]),
            ("casts", "total duration", [["4:15:30"]]),
            ("casts", "average duration by programme", [["Garden", "01:00:00"], ["Space", "02:15:30"]]),
            ("casts", "how many casts are longer than an hour", [[2]]),
            ("casts", "how many casts are longer than 1 hour and 30 minutes", [[1]]),
            ("casts", "how many casts have a duration under 1:15", [[2]]),
            ("cars", "how many cars are faster than 130 mph", [[2]]),
        ],
        every=4,
    ),
)
def test_lengths_of_time_are_computed_and_compared(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    rows = rows_of(answered(tmp_path, table, TABLES[table], question))
    found = [list(row)[: len(wanted)] for row, wanted in zip(rows, expected, strict=True)]
    assert found == [
        [pytest.approx(one) if isinstance(one, float) else one for one in row] for row in expected
    ]


@pytest.mark.parametrize(
    ("table", "question", "said"),
    [
        ("ski_race", "who was the fastest woman over all the clubs", "**Dea Foss** has the lowest net_time"),
        ("ski_race", "are women faster than men?", "F **0:44:15**; M **0:46:40**, a difference of 0:02:25"),
        ("casts", "longest cast", "the highest duration, **2:15:30**"),
        ("casts", "casts under 1:15:00", "where duration is less than 1:15:00"),
    ],
)
def test_answers_show_hours_minutes_and_seconds(tmp_path: Path, table: str, question: str, said: str) -> None:
    assert said in answered(tmp_path, table, TABLES[table], question)["answer"]


@pytest.mark.parametrize("question", ["histogram of net times", "scatter plot of first lap against net time"])
def test_drawn_lengths_are_in_minutes(tmp_path: Path, question: str) -> None:
    call = answered(tmp_path, "ski_race", SKI, question)["tool_calls"][-1]
    assert call["args"]["mark"] in ("histogram", "point")
    assert 'epoch(TRY_CAST(net_time AS TIME)) / 60 AS "net_time (minutes)"' in " ".join(
        call["args"]["sql"].split()
    )


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("ski_race", "how many skiers needed less than 45"),  # of no unit
        ("ski_race", "average start time"),  # a time of day
        ("shifts", "average finish time by baker"),
        ("ski_race", "how many women won"),
        ("shifts", "how many sub-17-hour shifts"),
        ("casts", "outliers of duration"),
    ],
)
def test_questions_that_only_look_like_lengths_of_time_are_declined(
    tmp_path: Path, table: str, question: str
) -> None:
    assert not answered(tmp_path, table, TABLES[table], question)["tool_calls"]
