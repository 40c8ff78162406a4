"""Commands that shape tables."""

from collections.abc import Sequence

from engine.commands.base import Command
from engine.commands.steps import Step
from events.late_dataclass import dataclass

__all__ = ["ShapeTable"]


@dataclass(frozen=True, slots=True)
class ShapeTable(Command[str]):
    """Make a new table from a chat's table in one or more steps. This is recorded as a `query` call by the user.
    Returns the call's id.

    The steps become one SELECT, which is recorded as a call and can run again. The original file and table do not
    change. If a step's values can be read in two ways, the command is refused until the step says how to read them
    (`step_choice`).
    """

    chat_id: str
    table: str
    """The name of the table in SQL."""
    steps: Sequence[Step]
    name: str | None = None
    """The name of the new table; None: the old name with `_clean`. If the name is taken, a number is added."""
    from_call_id: str | None = None
    """The call whose card shows the new table."""
