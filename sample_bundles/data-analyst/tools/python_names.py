"""Chooses names for the tables, figures and charts of a call: valid in SQL, and unique in workspace and turn."""

import re
from collections.abc import Iterable
from pathlib import Path

from anabranch_tool.context import given
from anabranch_tool.result_names import FOLDER, name_from

__all__ = ["Names"]

_LONGEST = 48
_OF_A_CALL = re.compile(r"_call(\d+)$")


class Names:
    """Chooses the names for one call."""

    def __init__(self, workspace: Path, tables: Iterable[str]) -> None:
        """`tables` contains the names of the existing tables.

        Earlier calls that run in parallel see the same files and may choose the same names. To keep names unique, this
        call's names then end in its number.
        """
        self._taken = {name.lower() for name in tables}
        self._taken |= {file.name.split(".")[0].lower() for file in (workspace / FOLDER).glob("*")}
        beside = len(given.get("beside", ()))
        self._suffix = f"_call{beside + 1}" if beside else ""

    def new(self, *wishes: str | None) -> str:
        """Return an unused name, based on the first wish that is not blank."""
        plain = _OF_A_CALL.sub(r"_call_\1", name_from(*wishes)[:_LONGEST].strip("_"))
        name, number = f"{plain}{self._suffix}", 2
        while name in self._taken:
            name, number = f"{plain}_{number}{self._suffix}", number + 1
        self._taken.add(name)
        return name
