"""A small text editor: line numbers, syntax colours, indentation, search, and shortcuts to save or run."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ui import session
from ui.acts import once_for
from ui.components.assets import component

__all__ = ["editor"]

_mount = component("editor")


def editor(
    text: str,
    *,
    original: str,
    base: str,
    language: str,
    label: str,
    key: str,
    on_draft: Callable[[str], None],
    on_done: Callable[[str], None],
    done: str = "save",
    tallest: int = 480,
    taken_back: int = 0,
) -> None:
    """Show `text`, which is the `original` (of version `base`) or a draft of it.

    `on_draft` receives the text after a pause and when the field loses focus; `on_done` receives it on save (Ctrl S)
    or, if `done` is `run`, on run (Ctrl Enter). `tallest` is the maximum height in pixels. When `taken_back` changes,
    the typed text is replaced by `text`. A draft outlives a reload of the tab.
    """
    draft = partial(_draft, key)
    _mount(
        key=key,
        data={
            "text": text,
            "original": original,
            "base": base,
            "language": language,
            "label": label,
            "done": done,
            "tallest": tallest,
            "kept": key,
            "taken_back": taken_back,
        },
        on_draft_change=once_for(f"{key}-draft", lambda: on_draft(str(draft()["text"])), draft),
        on_done_change=lambda: on_done(str(session.widget_value(key).done)),
    )


def _draft(key: str) -> Mapping[str, Any]:
    told: Mapping[str, Any] = session.widget_value(key).draft or {"text": ""}
    return told
