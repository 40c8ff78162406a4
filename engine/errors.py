"""The errors that the engine raises. Their messages are written for users.

    AnabranchError                what happened, to what, what to do next; `code` is stable
    ├── Refused                   a command that cannot be done as asked (CLI exit 1, HTTP 409)
    │   └── NotFound              a command that names something that does not exist (HTTP 404)
    ├── Invalid                   input that breaks rules; the error lists every problem (HTTP 422)
    └── Unavailable               something needed is not available now (HTTP 503)

Failures of tools and of models are values (`RunOutcome`, `Finished`), not exceptions.
"""

from collections.abc import Sequence

from events.late_dataclass import dataclass

__all__ = ["AnabranchError", "Invalid", "NotFound", "Problem", "Refused", "Unavailable"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule: a stable code, the file and line if known, and a sentence."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}"
        return f"{place}: {self.message}" if place else self.message


class AnabranchError(Exception):
    """Base class of the engine's errors; see the overview at the top of this module."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Refused(AnabranchError):
    """A command that cannot be done as asked."""


class NotFound(Refused):
    """A command names something that does not exist."""


class Invalid(AnabranchError):
    """Input that breaks one or more rules. The error lists every problem."""

    def __init__(self, code: str, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(code, message)
        self.problems = tuple(problems)


class Unavailable(AnabranchError):
    """Something that is needed is not available now."""
