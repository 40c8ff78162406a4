"""Twelve analyses of thirty questions with going back and branching: every number is right, the last as the first."""

from pathlib import Path

import pytest

from engine.app.app import open_app
from tests.analyses.long_analyses import CHANGED, LongAnalysis

TURNS = 30


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 13))])
def test_thirty_questions_over_many_states_of_the_files_are_answered_exactly(
    seed: int, tmp_path: Path
) -> None:
    """Nothing of an earlier state is in the question: the analyst reads it by its name, position or branch."""
    with open_app(tmp_path / "data") as app:
        turns = LongAnalysis(app, seed).play(TURNS)
    assert [(turn.question, turn.answer, turn.right) for turn in turns if not turn.is_right] == []
    assert CHANGED not in [turn.right for turn in turns[-5:]], "the last questions look back"
