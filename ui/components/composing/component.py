"""Extra behaviour for the question field: pasted tables, Enter during an upload, files above the limit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ui import session
from ui.components.assets import component

__all__ = ["UploadLimit", "composing"]

_mount = component("composing")


@dataclass(frozen=True, slots=True)
class UploadLimit:
    """The message for a file that is too large to be uploaded."""

    bytes: int
    sends: str
    """The beginning of the sentence about the limit, such as `a browser can send files of up to`."""
    endings: Sequence[str] = ()
    """The endings of files that can be used in place."""
    elsewhere: str = ""
    """Advice for files of other kinds."""


def composing(limit: UploadLimit, *, key: str, on_refer: Callable[[str, int], None]) -> None:
    """Listen to the question field. A pasted table is added like a dropped file; Enter during an upload sends
    the question when the upload is done.

    `on_refer` receives the name and the size of a file that should be used in place.
    """

    def refer() -> None:
        wanted = session.widget_value(key).refer
        if wanted:
            on_refer(str(wanted["name"]), int(wanted["size"]))

    _mount(
        key=key,
        data={
            "limit": limit.bytes,
            "sends": limit.sends,
            "endings": list(limit.endings),
            "elsewhere": limit.elsewhere,
        },
        width="content",
        on_refer_change=refer,
    )
