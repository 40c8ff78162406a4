"""Imports a package when it is first used, not when the module that names it is imported."""

from importlib import import_module
from typing import Any

__all__ = ["LazyModule"]


class LazyModule:
    """A placeholder for a module. Safe for several threads: each use goes through Python's own import.

    Type checkers are shown the import itself:

        if TYPE_CHECKING:
            import httpx
        else:
            httpx = LazyModule("httpx")
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        """Import the module and return its attribute.

        Raises:
            ImportError: it is not installed.
            AttributeError: it has nothing of that name.
        """
        return getattr(import_module(self._name), attribute)
