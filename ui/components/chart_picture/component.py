"""Buttons that take a chart along as a picture: as PNG, and as SVG where it is drawn of shapes."""

from ui.components.assets import component

__all__ = ["chart_picture"]

_mount = component("chart_picture")


def chart_picture(card: str, name: str, *, key: str) -> None:
    """Show them for the chart that stands in the element of class `card`; files are called `name`."""
    _mount(key=key, data={"card": card, "name": name})
