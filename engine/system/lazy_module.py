"""Imports a package when it is first used, not when the module that uses it is imported."""

from importlib import import_module
from typing import Any

__all__ = ["LazyModule"]


class LazyModule:
    """A placeholder for a module. Thread-safe, because each use goes through Python's own import.

    For type checkers, write the import itself:

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
            ImportError: the module is not installed.
            AttributeError: the module has no such attribute.
        """
        return getattr(import_module(self._name), attribute)
