"""Our own questions over tables of twenty-one other domains, worded by different people."""

import shutil
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.support.ask_offline import ask, profile
from tests.support.own_questions import HERE, own_questions, verdict


@pytest.mark.parametrize("every", [45, pytest.param(1, marks=pytest.mark.long)])
def test_questions_over_many_tables_are_answered_correctly_or_declined(tmp_path: Path, every: int) -> None:
    questions = own_questions()
    taken = list(questions.values())[::every]
    by_table = defaultdict(list)
    for asked in taken:
        by_table[asked.table].append(asked)
    counted: Counter[str] = Counter()
    wrong = []
    for table, asked_here in by_table.items():
        workspace = tmp_path / table.removesuffix(".csv")
        workspace.mkdir()
        shutil.copy(HERE / "tables" / table, workspace)
        tables = profile(workspace)
        for asked in asked_here:
            before = [questions[asked.previous].question] if asked.previous else []
            document = list(ask(workspace, [*before, asked.question], tables))[-1]
            found = verdict(asked, document)
            counted[found] += 1
            if found == "wrong":
                wrong.append(f"{asked.id}: {asked.question} → {document['answer'][:120]}")

    assert not wrong, "\n".join(wrong)
    assert every > 1 or counted["right"] >= 0.75 * len(taken), counted


def test_a_question_that_no_table_can_answer_runs_nothing_and_gets_three_suggestions(tmp_path: Path) -> None:
    for asked in own_questions().values():
        if asked.type != "none" or asked.table != "staff.csv":
            continue
        workspace = tmp_path / asked.id
        workspace.mkdir()
        shutil.copy(HERE / "tables" / asked.table, workspace)
        document = next(ask(workspace, [asked.question]))
        assert document["tool_calls"] == []
        offered = [line[2:] for line in document["answer"].splitlines() if line.startswith("- ")]
        assert len(offered) == 3
        for answered in (next(ask(workspace, [question])) for question in offered):
            assert answered["tool_calls"][0]["status"] == "success"
