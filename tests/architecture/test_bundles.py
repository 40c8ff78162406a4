"""The bundles that ship are bundles that anyone could have made."""

import pytest

from engine.config import SHIPPED, shipped_bundles
from engine.toolsets.install import validate
from tests.architecture.modules import ROOT

BUNDLES = sorted(path for path in (ROOT / "sample_bundles").iterdir() if (path / "toolset.yaml").exists())


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)
def test_a_bundle_that_ships_has_no_problem(bundle: object) -> None:
    """Neither a refusal nor advice."""
    assert validate(bundle) == []  # type: ignore[arg-type]


def test_what_is_installed_on_first_run_is_there() -> None:
    """`SHIPPED` names folders of sample_bundles."""
    assert [name for name in SHIPPED if not (shipped_bundles() / name / "toolset.yaml").exists()] == []
