"""Loads the program that judges answers. It came with the given questions, in the shared folder next to the
repository."""

import importlib.util
from typing import Any

from tests.support.ask_offline import ROOT

__all__ = ["SHARED", "judge_module"]

SHARED = ROOT.parent / "shared"


def judge_module() -> Any:
    """Return the judge's module."""
    spec = importlib.util.spec_from_file_location("judge", SHARED / "questions" / "judge.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
