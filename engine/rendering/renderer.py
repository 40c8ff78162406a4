"""The registration of a renderer: its name, its configuration, its maker, and the results for which it is suitable.

Its card on the page is registered under the same name in `ui/widgets/render_plan.py`.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import TypeAlias

from engine.rendering.media import IMAGE_TYPES, media_type_of
from engine.rendering.plans import RenderPlan
from engine.workspace.manifest import FileEntry, Files
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["TABLE_FILES", "Found", "Maker", "RenderContext", "Renderer"]

TABLE_FILES = frozenset({"csv", "tsv", "parquet", "json", "jsonl", "ndjson", "xlsx"})
"""Endings of files that are shown as tables."""
_NO_TEXT = frozenset({"parquet", "xlsx", "pdf", "zip", "gz", "db", "duckdb"})
_OF_ALL = frozenset({"title", "name", "notes"})


@dataclass(frozen=True, slots=True)
class RenderContext:
    """Finds files for a renderer, and makes the plans of parts."""

    files: Files
    artifacts: Mapping[str, FileEntry]
    make: Callable[[str, JSONObject], RenderPlan]
    """Makes a plan from a renderer's name and its configuration.

    Raises:
        KeyError: there is no such renderer.
    """


@dataclass(frozen=True, slots=True)
class Found:
    """The parts that were found in a result. Each is given as an expression, such as `$return.rows`."""

    file: str | None = None
    path: str = ""
    """The path of the file in the workspace, not as an expression."""
    rows: str | None = None
    first: tuple[JSON, ...] = ()
    """The rows themselves, not an expression."""
    text: str | None = None
    pictures: str | None = None
    spec: str | None = None

    @property
    def is_table(self) -> bool:
        """Whether the file is a table."""
        return self.file is not None and self._ending in TABLE_FILES

    @property
    def is_picture(self) -> bool:
        """Whether the file is a picture."""
        return self.file is not None and media_type_of(self.path) in IMAGE_TYPES

    @property
    def is_text_file(self) -> bool:
        """Whether the file can be read as text."""
        return self.file is not None and not self.is_picture and self._ending not in _NO_TEXT

    @property
    def _ending(self) -> str:
        return PurePosixPath(self.path).suffix.lower().removeprefix(".")


Maker: TypeAlias = Callable[[JSONObject, RenderContext], RenderPlan]
"""Makes a plan from the resolved configuration. Raises `CannotShow` with the reason if that is not possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """One way to show a result."""

    name: str
    """The renderer's name in manifests and in stored plans."""
    title: str
    """The renderer's name in menus."""
    results_as: str
    """The words that complete the sentence “Results will be shown …”."""
    sign: tuple[str, str] | None = None
    """The Material icon for tools whose results use this renderer, and a text for the icon; None: such tools have no
    icon.
    """
    make: Maker
    """Makes the plan. Its docstring describes the renderer if there is no plan class."""
    plan: type[RenderPlan] | None = None
    """The class of the renderer's plans, whose docstring describes the renderer; None if it makes plans of other
    renderers.
    """
    keys: frozenset[str]
    """The keys of the renderer's configuration, except the keys that all renderers have."""
    needs: tuple[str, ...] = ()
    """The configuration must have at least one of these keys."""
    fitting: Callable[[Found], Mapping[str, JSON] | None] = lambda _: None
    """Makes a configuration from the content of a result; None if the renderer is not suitable for it."""
    shows_text: bool = False
    """Whether the renderer shows the text of `file` or `content`."""

    @property
    def all_keys(self) -> frozenset[str]:
        """All keys of its configuration."""
        return self.keys | _OF_ALL
