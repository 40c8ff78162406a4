"""The built-in tool `ask_user` when it runs outside a turn, where nobody can answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError

__all__ = ["ask_user"]


def ask_user(workspace: Path, question: str, answers: Sequence[str] = ()) -> dict[str, Any]:
    """Refuse to run; in a turn, the engine waits for the user's answer instead.

    Raises:
        ToolError: always.
    """
    del workspace, question, answers
    raise ToolError("`ask_user` can only be called by a model, in a turn: the user answers it in the chat.")
