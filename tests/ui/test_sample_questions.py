"""The suggested questions of the first visit are answered from the sample data, with a call and without an excuse."""

import shutil
from pathlib import Path

import pytest

from engine.config import sample_data
from tests.support.ask_offline import ask
from tests.support.long_cases import mostly_long
from ui.widgets.empty import SAMPLE_QUESTIONS


@pytest.mark.parametrize("question", mostly_long(SAMPLE_QUESTIONS, quick=(1,)))
def test_each_suggested_question_of_the_first_visit_is_answered(question: str, tmp_path: Path) -> None:
    for table in sample_data().glob("*.csv"):
        shutil.copy(table, tmp_path)
    (answer,) = ask(tmp_path, [question])
    assert [call["status"] for call in answer["tool_calls"]] == ["success"]
    assert "can't" not in answer["answer"]
