"""Wishes for rows as they are."""

from pathlib import Path

import pytest

from tests.support.ask_offline import ask


@pytest.mark.parametrize(
    ("question", "rows"), [("list rows", 20), ("list all rows", 30), ("show all records", 30)]
)
def test_rows_are_listed_as_they_are(question: str, rows: int, tmp_path: Path) -> None:
    table = "name,points\n" + "".join(f"n{n},{n}\n" for n in range(30))
    (tmp_path / "scores.csv").write_text(table)
    (answer,) = ask(tmp_path, [question])
    (call,) = answer["tool_calls"]
    assert (call["status"], call["result"]["rows"]) == ("success", rows)


def test_a_follow_up_that_draws_time_draws_all_of_it_in_its_order(tmp_path: Path) -> None:
    table = "region,sold_at,revenue\n" + "".join(
        f"{'NS'[n % 2]},2024-{n % 12 + 1:02d}-0{n % 9 + 1},{n}\n" for n in range(48)
    )
    (tmp_path / "sales.csv").write_text(table)
    _, answer = ask(tmp_path, ["Which region has the highest revenue?", "show it per month as a line chart"])
    (call,) = answer["tool_calls"]
    assert call["tool_id"].endswith("chart")
    months = [row["month"] for row in call["result"]["spec"]["data"]["values"]]
    assert len(months) == 12
    assert months == sorted(months)
