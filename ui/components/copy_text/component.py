"""A small button that copies a text."""

from ui.components.assets import component

__all__ = ["copy_text"]

_mount = component("copy_text")


def copy_text(text: str, *, key: str, label: str = "Copy") -> None:
    """Show the button; `text` goes to the clipboard as it is."""
    _mount(key=key, data={"text": text, "label": label}, width="content")
