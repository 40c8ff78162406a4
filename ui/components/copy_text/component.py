"""A small button that copies a text."""

from ui.components.assets import component

__all__ = ["copy_text"]

_mount = component("copy_text")


def copy_text(text: str, *, key: str, label: str = "Copy", html: str | None = None) -> None:
    """Show the button; `text` is copied to the clipboard, together with `html` for programs that accept it."""
    _mount(key=key, data={"text": text, "label": label, "html": html}, width="content")
