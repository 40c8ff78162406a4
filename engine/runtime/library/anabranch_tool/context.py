"""Facts about the running call that the engine passes to the tool's process; empty outside a tool host."""

from typing import Any

__all__ = ["given"]

given: dict[str, Any] = {}
"""`tables`: the catalog of typed tables. `beside`: the earlier calls of this call's parallel group, each with `tool`
and `arguments`. `moments`: the earlier states of the files that the call names, each with `name`, `tables` and
`unread`. `named_moments`: the names of all moments of the chat. `source`: the address, login, key and limits of the
only database that the call may read. `source_tables`: the tables of a source. `taken`: the names of the workspace's
tables, for a call that sees no files of the workspace.
"""
