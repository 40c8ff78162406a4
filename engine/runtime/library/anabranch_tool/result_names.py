"""Makes names for results. A name is unique among the workspace's tables, a call that runs again gets the same name
again, and different calls get different names.

A result `monthly_revenue` is the file `results/monthly_revenue.parquet` and, for later SQL, the table
`monthly_revenue`. Calls of one parallel group run on copies of the same files, so each call also avoids the names that
the earlier calls of the group use.
"""

import re
from pathlib import Path
from typing import Any

from anabranch_tool.context import given
from anabranch_tool.table_files import find_table_files
from anabranch_tool.table_names import reserved_words, sql_name

__all__ = ["FOLDER", "free_name", "name_from"]

FOLDER = "results"
_LONGEST = 60
_NAMES_ITS_RESULT = "data-analyst:query"
_NAMES_UNKNOWN = "data-analyst:python"
"""A tool that names its results while it runs, so a parallel call cannot know the names in advance."""


def name_from(*wishes: str | None) -> str:
    """Return the first of `wishes` that is not blank, as a name that SQL accepts without quotes; `result` if all are
    blank.
    """
    wish = next((text for text in wishes if text and text.strip()), "result")
    stem = re.sub(r"(?i)\.parquet$", "", wish.strip())
    return sql_name(stem[:_LONGEST], reserved_words()).strip("_") or "result"


def free_name(workspace: Path, *wishes: str | None) -> str:
    """Return a name for a new result, made from the first of `wishes` that is not blank.

    A name gets `_2`, `_3` and so on if a table of `workspace` has it, or an earlier call of the same group uses it.
    """
    taken = _taken(workspace)
    beside = given.get("beside", [])
    for call in beside:
        if call["tool"] == _NAMES_ITS_RESULT:
            taken.add(_next(_wished(call["arguments"]), taken))
    name = _next(name_from(*wishes), taken)
    unknown = any(call["tool"] == _NAMES_UNKNOWN for call in beside)
    return f"{name}_call{len(beside) + 1}" if unknown else name


def _taken(workspace: Path) -> set[str]:
    listed = given.get("tables")
    names = (
        {table["name"] for table in listed}
        if listed is not None
        else {table.name for table in find_table_files(workspace)}
    )
    return names | {*given.get("taken", ())} | {file.stem for file in (workspace / FOLDER).glob("*.parquet")}


def _wished(arguments: Any) -> str:
    told = arguments if isinstance(arguments, dict) else {}
    return name_from(*(wish for wish in (told.get("name"), told.get("title")) if isinstance(wish, str)))


def _next(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
