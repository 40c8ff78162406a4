"""Recognizes the meaning of column names for cards, with the same rules as tool processes.

The tools' library cannot be imported here, so its file is run instead. This way there is only one copy of the rules.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Final

import engine

__all__ = ["is_code", "is_coordinate", "one_value"]

_rules = runpy.run_path(str(Path(engine.__file__).parent / "runtime/library/anabranch_tool/codes.py"))

is_code: Final[Callable[[str], bool]] = _rules["is_code"]
"""Return whether a column's numbers are codes, such as years and ids, which get no sums and no thousands separators."""
is_coordinate: Final[Callable[[str], bool]] = _rules["is_coordinate"]
"""Return whether a column's numbers are coordinates on a map, which have decimals but no meaningful sums."""
one_value: Final[Callable[[str], str]] = _rules["one_value"]
"""Return a phrase for one value of a column: `one month` for the title `month`, `one value of months` for `months`."""
