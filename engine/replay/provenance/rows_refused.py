"""The error raised if the rows behind a cell cannot be shown."""

from engine.errors import Refused

__all__ = ["RowsRefused"]


class RowsRefused(Refused):
    """The rows behind a cell cannot be shown. `why` is the end of the sentence "The rows … cannot be shown: …"."""

    def __init__(self, why: str) -> None:
        super().__init__("rows_refused", f"The rows behind this cell cannot be shown: {why}.")
        self.why = why
