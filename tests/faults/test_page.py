"""docs/reliability.md is what the last long trials gave, and says so of each of them."""

import json

from tests.faults.page import PAGE, RESULTS, ROOT, TRIALS, page


def test_the_page_is_what_the_trials_gave() -> None:
    assert PAGE.read_text() == page(json.loads(RESULTS.read_text()))


def test_each_trial_has_its_tests() -> None:
    for trial in TRIALS:
        assert (ROOT / trial.tests).is_file(), trial.name
