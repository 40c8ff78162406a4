"""The lists that open when `@` (names in the data) or `/` (commands) is typed in the question."""

from collections.abc import Sequence

from events.json_value import JSONObject
from ui.components.assets import component

__all__ = ["mention_lists"]

_mount = component("mentions")


def mention_lists(names: Sequence[JSONObject], commands: Sequence[JSONObject], *, key: str) -> None:
    """Open the lists in the question field. Choosing an entry inserts its text; nothing is sent."""
    _mount(key=key, data={"names": list(names), "commands": list(commands)}, width="content")
