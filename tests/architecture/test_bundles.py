"""The bundles that ship pass the checks that every bundle has to pass."""

import pytest

from engine.config import SHIPPED, shipped_bundles
from engine.toolsets.install import validate
from tests.architecture.modules import ROOT

BUNDLES = sorted(path for path in (ROOT / "sample_bundles").iterdir() if (path / "toolset.yaml").exists())


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)
def test_a_shipped_bundle_has_no_problems(bundle: object) -> None:
    """Neither errors nor advice."""
    assert validate(bundle) == []  # type: ignore[arg-type]


def test_the_bundles_of_the_first_run_exist() -> None:
    """`SHIPPED` names folders of sample_bundles."""
    assert [name for name in SHIPPED if not (shipped_bundles() / name / "toolset.yaml").exists()] == []
