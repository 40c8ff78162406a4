"""The cell whose rows were asked for: the dialog "Which rows?" is drawn with the page, and asked for anywhere on it."""

from ui import session

__all__ = ["ask_for_rows", "forget_rows", "rows_asked"]

_ASKED = "rows-asked"


def ask_for_rows(chat_id: str, call_id: str, row: int, column: str, named: str) -> None:
    """Open the dialog for a cell with the next drawing; `named` says which cell it is."""
    session.remember(_ASKED, (chat_id, call_id, row, column, named))


def rows_asked(chat_id: str) -> tuple[str, str, int, str, str] | None:
    """Return what was asked for in a chat, as `ask_for_rows` was given it."""
    asked: tuple[str, str, int, str, str] | None = session.remembered(_ASKED)
    return asked if asked is not None and asked[0] == chat_id else None


def forget_rows() -> None:
    """Close the dialog with the next drawing."""
    session.clear(_ASKED)
