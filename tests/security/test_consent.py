"""Bundles and consent: no hostile act in the table succeeds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.consent_acts import ACTS, HELD_BY, ONE_ENGINE, Act, tried
from tests.security.consenting import Engine, engine
from tests.support.long_cases import mostly_long

ALONE = [act for act in ACTS if act.promise not in ONE_ENGINE]
TOGETHER = [act for act in ACTS if act.promise in ONE_ENGINE]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine for the acts that leave nothing behind."""
    with engine(tmp_path_factory.mktemp("consent")) as at:
        yield at


@pytest.mark.parametrize("act", mostly_long(ALONE, every=6), ids=lambda act: act.name)
def test_a_hostile_bundle_gets_nothing_that_the_user_did_not_agree_to(act: Act, tmp_path: Path) -> None:
    assert tried(act, tmp_path) is None


@pytest.mark.parametrize("act", TOGETHER, ids=lambda act: act.name)
def test_no_hostile_manifest_or_command_is_accepted(act: Act, one: Engine) -> None:
    assert act.do(one) is None


def test_there_are_more_than_forty_hostile_acts_and_each_promise_is_tested() -> None:
    assert len(ACTS) > 40
    assert len({(act.promise, act.name) for act in ACTS}) == len(ACTS)
    assert {act.promise for act in ACTS} == set(HELD_BY)
