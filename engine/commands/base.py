"""Base classes of commands and queries."""

from typing import Any, ClassVar, Generic, TypeVar

__all__ = ["Command", "Message", "Query", "Result"]

Result = TypeVar("Result")
"""The type of the value that a command or a query returns."""


class Message(Generic[Result]):
    """A message to an engine. Each message is a frozen dataclass that declares its result, in words and as `Result`."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Any] = {"extra": "forbid", "use_attribute_docstrings": True}
    """For the codec: nothing beside the fields is taken, and their docstrings describe them."""


class Command(Message[Result]):
    """A request that changes something and may be refused."""

    __slots__ = ()


class Query(Message[Result]):
    """A question to the engine. It changes nothing that anyone relies on."""

    __slots__ = ()
