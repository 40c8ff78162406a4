"""Opens a call's first database in advance. Imported only by hosts of tool processes, before they fork."""

from anabranch_tool.connections import open_ahead

__all__ = ["open_ahead"]

open_ahead()
