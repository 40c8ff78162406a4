"""The functions behind entrypoints, loaded into the test's process."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.runtime.loading import load

__all__ = ["function_of"]

_LIBRARY = Path(__file__).parents[2] / "engine" / "runtime" / "library"


def function_of(bundle: Path | None, entrypoint: str) -> Callable[..., Any]:
    """Return the function of an entrypoint; functions that tests loaded from other bundles stay loaded."""
    if str(_LIBRARY) not in sys.path:
        sys.path.append(str(_LIBRARY))
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "tools"}
    importlib.invalidate_caches()
    try:
        return load(bundle, entrypoint)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "tools"]:
            del sys.modules[name]
        sys.modules.update(before)
