"""Commands that shape tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.base import Command
from engine.commands.steps import Step

__all__ = ["ShapeTable"]


@dataclass(frozen=True, slots=True)
class ShapeTable(Command[str]):
    """Make a new table from a chat's table by one or more steps, as the user's own call of `query`. Returns its id.

    The steps become one SELECT, which the call records, so that it runs again. The file and the table do not change. A
    step whose values can be read in two ways is refused until it states how (`step_choice`).
    """

    chat_id: str
    table: str
    """Its name in SQL."""
    steps: Sequence[Step]
    name: str | None = None
    """The name of the new table; None: the old name with `_clean`. A number is added if the name is taken."""
    from_call_id: str | None = None
    """The call below whose card the result is shown."""
