"""Makes the error that rejects a bundle and lists all its problems, and the problem that describes a failed example."""

from collections.abc import Sequence

from engine.errors import Invalid, Problem
from engine.toolsets.manifest import MANIFEST_NAME

__all__ = ["example_failed", "invalid_bundle"]

MAX_PROBLEMS = 200
"""The maximum number of problems that are listed. Further problems are only counted, because a hostile manifest can
break a rule on every line.
"""


def invalid_bundle(problems: Sequence[Problem]) -> Invalid:
    """Return one error that lists all `problems`, by file and line."""
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: (problem.file or "", problem.line or 0))
    if len(ordered) == 1:
        return Invalid("invalid_bundle", f"the bundle cannot be used: {ordered[0]}", ordered)
    message = f"the bundle cannot be used; {len(ordered)} problems, the first: {ordered[0]}"
    return Invalid("invalid_bundle", message, ordered[:MAX_PROBLEMS])


def example_failed(tool: str, number: int, faults: Sequence[str], line: int | None) -> Problem:
    """Return the problem that `anabranch toolset test` reports for a failed example."""
    message = f"example {number} of {tool} failed: {' '.join(faults)}"
    return Problem("example_failed", message, MANIFEST_NAME, line)
