"""Values that commands carry."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

__all__ = ["Depth", "Rewound", "Upload"]

Depth: TypeAlias = Literal["quick", "thorough"]
"""How many steps with tool calls a turn of a chat may have: as the settings say for each."""

Rewound: TypeAlias = Literal["both", "chat", "files"]
"""What a rewind takes back."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the user brings: its name, and its bytes or where they are."""

    name: str
    content: bytes | Path
