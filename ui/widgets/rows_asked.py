"""The cell for the dialog "Which rows?", which any part of the page can open."""

from ui import session
from ui.widgets.rows_search import stop_searches

__all__ = ["ask_for_rows", "forget_rows", "rows_asked"]

_ASKED = "rows-asked"


def ask_for_rows(chat_id: str, call_id: str, row: int, column: str, named: str) -> None:
    """Open the dialog for a cell when the page is next drawn; `named` describes the cell."""
    stop_searches()
    session.remember(_ASKED, (chat_id, call_id, row, column, named))


def rows_asked(chat_id: str) -> tuple[str, str, int, str, str] | None:
    """Return the cell for which `ask_for_rows` was called in a chat."""
    asked: tuple[str, str, int, str, str] | None = session.remembered(_ASKED)
    return asked if asked is not None and asked[0] == chat_id else None


def forget_rows() -> None:
    """Close the dialog at the next drawing of the page, and stop its search."""
    stop_searches()
    session.clear(_ASKED)
