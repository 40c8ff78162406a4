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
