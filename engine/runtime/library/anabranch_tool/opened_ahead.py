"""Opens the database that a call uses first. Only hosts of tool processes import this, before they fork."""

from anabranch_tool.connections import open_ahead

__all__ = ["open_ahead"]

open_ahead()
