"""Questions by other people, checked by their own judge; both are stored next to the repository."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.support.ask_offline import ask, profile
from tests.support.judging import SHARED, judge_module


@pytest.mark.skipif(
    not (SHARED / "questions" / "dev.jsonl").exists(),
    reason="no shared folder with questions beside the repository",
)
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.long)])
def test_the_given_questions_are_answered_correctly(tmp_path: Path, every: int) -> None:
    judge = judge_module()
    given = [json.loads(line) for line in (SHARED / "questions" / "dev.jsonl").read_text().splitlines()]
    by_id = {question["id"]: question for question in given}
    questions = given[::every]
    workspaces = {}
    counted: Counter[str] = Counter()
    for question in questions:
        table = question["table"]
        if table not in workspaces:
            folder = tmp_path / table.split(".")[0]
            folder.mkdir()
            shutil.copy(SHARED / "data" / table, folder)
            workspaces[table] = (folder, profile(folder))
        before = [by_id[question["previous"]]["question"]] if question.get("previous") else []
        folder, tables = workspaces[table]
        document = list(ask(folder, [*before, question["question"]], tables))[-1]
        counted[judge.judge(question, document)["verdict"]] += 1

    assert counted["wrong"] == 0, counted
    assert counted["right"] >= len(questions) * 80 / 105, counted
