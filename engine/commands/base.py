"""What every command is."""

from typing import Generic, TypeVar

__all__ = ["Command", "Result"]

Result = TypeVar("Result")
"""What a command returns."""


class Command(Generic[Result]):
    """A request; each is a frozen dataclass that says what it returns, in its docstring and as `Result`."""

    __slots__ = ()
