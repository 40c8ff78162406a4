"""The list of all renderers, by name. Adding a renderer to this list registers it."""

from collections.abc import Mapping

from engine.rendering.data_renderers import CHART, JSON_TEXT, TABLE
from engine.rendering.file_renderer import FILE
from engine.rendering.page_renderers import FRAME, HTML, IMAGES
from engine.rendering.parts import PARTS
from engine.rendering.renderer import Renderer
from engine.rendering.text_renderers import CODE, DOCUMENT

__all__ = ["RENDERERS"]

_ALL = (
    TABLE,
    CHART,
    CODE,
    DOCUMENT,
    HTML,
    FRAME,
    IMAGES,
    FILE,
    JSON_TEXT,
    PARTS,
)

RENDERERS: Mapping[str, Renderer] = {renderer.name: renderer for renderer in _ALL}
"""The renderers by name, in the order in which menus list them."""
