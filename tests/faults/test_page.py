"""docs/reliability.md has the results of the last long trials, for each of them."""

import json

from tests.faults.page import PAGE, RESULTS, ROOT, TRIALS, page


def test_the_page_has_the_results_of_the_trials() -> None:
    assert PAGE.read_text() == page(json.loads(RESULTS.read_text()))


def test_each_trial_has_its_tests() -> None:
    for trial in TRIALS:
        assert (ROOT / trial.tests).is_file(), trial.name
