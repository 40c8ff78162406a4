"""The modules of events, engine and ui, parsed for the architecture tests."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.system.gc_pause import garbage_collection_paused

__all__ = ["LIBRARY", "ROOT", "Module", "modules"]

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "engine" / "runtime" / "library"


@dataclass(frozen=True, slots=True)
class Module:
    """A module of this project."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The module's path from the repository's root."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def is_empty(self) -> bool:
        """Whether the module is empty, like most `__init__.py` files."""
        return not self.tree.body

    def exported(self) -> list[str] | None:
        """The names in `__all__`, or None if there is no `__all__`."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names: list[str] = ast.literal_eval(node.value)
                return names
        return None


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of events, engine and ui."""
    found = [path for room in ("events", "engine", "ui") for path in sorted((ROOT / room).rglob("*.py"))]
    with garbage_collection_paused():
        return tuple(
            Module(path, path.read_text(), ast.parse(path.read_text()))
            for path in found
            if "__pycache__" not in path.parts
        )
