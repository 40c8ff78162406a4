"""Errors of sources: what happened, what was verified, and what to do. `kind` is stable; see `KINDS`."""

from anabranch_tool import ToolError

__all__ = ["KINDS", "SourceError"]

KINDS = (
    "cannot_connect", "wrong_key", "no_right", "too_slow", "too_large", "table_gone", "no_database", "driver_missing",
    "lost", "changed", "failed",
)  # fmt: skip


class SourceError(ToolError):
    """Raised if a source does not fulfil a request."""

    def __init__(self, kind: str, message: str, code: str = "") -> None:
        """`code` is the server's own error code, such as `28P01`."""
        assert kind in KINDS
        super().__init__(message)
        self.kind = kind
        self.code = code
