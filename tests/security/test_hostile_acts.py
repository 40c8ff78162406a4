"""What hostile tools may try: no act succeeds with all layers, and docs/security.md shows which layers stop it."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime.sandbox_limitations import sandbox_limitations
from tests.security.page import NOT_HELD, PAGE, facts, page
from tests.security.trying import ACTS, Scene, scene
from tests.support.long_cases import mostly_long

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="NOT TRIED HERE: the sandbox is Linux's"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
EVERY = [act for acts in ACTS.values() for act in acts]
FEW = ("read_home", "write_outside", "connect_tcp", "send_udp", "change_mode_outside")


@pytest.fixture(scope="module")
def at() -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="anabranch-hostile-") as root, scene(Path(root)) as found:
        yield found


@pytest.fixture(scope="module")
def full(at: Scene) -> Scene:
    held = at.pools["full"].confinement()
    assert held is not None
    if held.level != "full" or sandbox_limitations(held):
        pytest.skip(
            f"NOT TRIED HERE: this system holds tools to {held.level!r} only: {sandbox_limitations(held)}"
        )
    return at


@pytest.mark.parametrize("act", mostly_long((act for act in EVERY if act not in NOT_HELD), every=3))
def test_with_all_layers_no_hostile_act_succeeds(full: Scene, act: str) -> None:
    assert full.succeeded(act, "full") is None


@pytest.mark.parametrize("act", NOT_HELD)
def test_a_hostile_act_that_is_listed_as_not_stopped_does_succeed(full: Scene, act: str) -> None:
    assert full.succeeded(act, "full") is not None


def test_there_are_at_least_150_acts_and_the_sample_succeeds_without_layers(full: Scene) -> None:
    assert len(EVERY) >= 150
    assert [act for act in FEW if full.succeeded(act, "process only") is None] == []


def test_confining_only_the_file_system_protects_files_but_not_the_network(full: Scene) -> None:
    held = full.pools["filesystem only"].confinement()
    assert held is not None
    assert held.level == "filesystem only"
    assert full.succeeded("read_home", "filesystem only") is None
    assert full.succeeded("send_udp", "filesystem only") is not None


@pytest.mark.long
def test_the_page_of_acts_is_up_to_date(full: Scene) -> None:
    written = PAGE.read_text()
    flat = " ".join(written.split())
    assert all(f"`{act}`" in flat for act in EVERY), "python -m tests.security.page"
    if facts(full) in written:
        assert page(full) == written, "python -m tests.security.page"
