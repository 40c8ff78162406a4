"""Facts about the running call that the engine gives to the tool's process; empty outside a tool host."""

from typing import Any

__all__ = ["given"]

given: dict[str, Any] = {}
"""`tables`: the catalog of typed tables. `beside`: the calls before this one in its parallel group, each with
`tool` and `arguments`. `moments`: the earlier states of the files that the call names, each with `name`, `tables` and
`unread`. `named_moments`: the names of all moments of the chat."""
