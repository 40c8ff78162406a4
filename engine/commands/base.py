"""Base classes of commands and queries."""

from typing import Any, ClassVar, Generic, TypeVar

__all__ = ["Command", "Message", "Query", "Result"]

Result = TypeVar("Result")
"""The type of the value that a command or a query returns."""


class Message(Generic[Result]):
    """A message to an engine. Each message is a frozen dataclass. Its docstring and `Result` declare its result."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Any] = {"extra": "forbid", "use_attribute_docstrings": True}
    """Settings for the codec: documents may contain only the fields, and the fields' docstrings describe them."""


class Command(Message[Result]):
    """A request that changes something and may be refused."""

    __slots__ = ()


class Query(Message[Result]):
    """A request for information. It does not change anything that is recorded or shown."""

    __slots__ = ()
