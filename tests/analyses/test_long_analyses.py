"""Twelve analyses of thirty questions with rewinds and branches: every number is right, from first to last."""

from pathlib import Path

import pytest

from engine.app.app import open_app
from tests.analyses.long_analyses import CHANGED, LongAnalysis

TURNS = 30
FEW = 12


@pytest.mark.parametrize(
    ("seed", "turns"),
    [(1, FEW), *(pytest.param(seed, TURNS, marks=pytest.mark.long) for seed in range(1, 13))],
)
def test_questions_over_many_states_of_the_files_are_answered_exactly(
    seed: int, turns: int, tmp_path: Path
) -> None:
    """The question contains nothing of an earlier state; the analyst reads the state by name, position or branch."""
    with open_app(tmp_path / "data") as app:
        played = LongAnalysis(app, seed).play(turns)
    assert [(turn.question, turn.answer, turn.right) for turn in played if not turn.is_right] == []
    assert CHANGED not in [turn.right for turn in played[-5:]], "the last questions look back"
