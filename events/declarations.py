"""Declarations for event classes: their ids and contents, and how forks and the history treat them.

A field is declared in its annotation, as in `call_id: Annotated[str, Refers("call")]`; values inside events are
declared in the same way. Readers use `declared`, `inner` and `ids_in`, and need no separate lists of events. Pure.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from pydantic import BaseModel

from events.late_dataclass import dataclass

__all__ = [
    "LANES",
    "ByField",
    "Content",
    "Copied",
    "Dropped",
    "Fork",
    "History",
    "InFork",
    "Lane",
    "Makes",
    "NamesContents",
    "NamesFiles",
    "Refers",
    "RemovesContents",
    "declared",
    "holds_ids",
    "ids_in",
    "inner",
    "values_of",
]

Lane: TypeAlias = Literal["messages", "calls", "files", "choices"]
LANES: tuple[Lane, ...] = get_args(Lane)
"""The lanes of the history, from the top."""


@dataclass(frozen=True, slots=True)
class Makes:
    """The field contains the id of something that the event creates."""

    kind: str
    """The kind of the new thing, such as `message`."""
    version: str = ""
    """The name of a field with a version number: version 1 creates the thing, later versions refer to it. Empty: the
    event always creates it."""


@dataclass(frozen=True, slots=True)
class Refers:
    """The field refers to something by its id. In a fork, the field gets the id of the copy."""

    kind: str
    earlier: bool = True
    """Whether an import requires that an earlier event created the thing."""
    not_copied: Literal["renamed", "cleared", "kept"] = "renamed"
    """How a fork treats the id of something that it does not copy. Use `renamed` also for things that are created
    later.
    """
    instead: str = ""
    """The field whose value a fork uses if it does not copy the thing that this field refers to."""


@dataclass(frozen=True, slots=True)
class InFork:
    """A fork gives the field a different value."""

    value: object = None
    same_as: str = ""
    """The field whose value is used; empty: use `value`."""


@dataclass(frozen=True, slots=True)
class Content:
    """The field is the SHA-256 of content in the chat's store. It must be named `sha256`, so that SQL can find it."""


@dataclass(frozen=True, slots=True)
class NamesContents:
    """The field is a stored value that refers to contents, such as a render plan."""


@dataclass(frozen=True, slots=True)
class NamesFiles:
    """The content to which the field refers is a file of the workspace. `gc` may remove this content."""


@dataclass(frozen=True, slots=True)
class RemovesContents:
    """The field lists the hashes of contents that were removed on purpose."""


@dataclass(frozen=True, slots=True)
class Copied:
    """A fork copies the event if it copies the thing that a field refers to."""

    along: str = ""
    """The name of that field. If the field's value is None, it refers to the root, which every fork has. Empty: the
    event is always copied.
    """
    before_end: str = ""
    """The name of a field with a message id: the event is copied only if the fork continues after that message."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A fork does not copy the event."""

    why: str


Fork: TypeAlias = Copied | Dropped
"""How a fork treats an event."""


@dataclass(frozen=True, slots=True)
class ByField:
    """A sentence that depends on the value of one field."""

    name: str
    sentences: Mapping[str, str]
    otherwise: str = ""
    """The sentence for all other values."""


@dataclass(frozen=True, slots=True)
class History:
    """How the history shows an event."""

    lane: Lane
    says: str | ByField = ""
    """The event in one sentence; `{field}` is replaced by a field's value. Empty if the class
    overrides `sentence`.
    """


Declaration = TypeVar("Declaration")


def declared(cls: type[BaseModel], kind: type[Declaration]) -> Mapping[str, Declaration]:
    """Return the fields of a class that have a declaration of the given kind, each with its declaration."""
    if (cls, kind) not in _declared:
        fields = cls.model_fields.items()
        found = {name: one for name, field in fields for one in field.metadata if isinstance(one, kind)}
        _declared[cls, kind] = found
    return _declared[cls, kind]


_declared: dict[tuple[type, type], Mapping[str, Any]] = {}
"""The declarations of the classes that were read so far; they never change."""


@cache
def inner(cls: type[BaseModel]) -> Mapping[str, frozenset[type[BaseModel]]]:
    """Return the fields of `cls` that can contain models, such as a `File`, each with the classes of these models."""
    found = {name: frozenset(_models_in(one.annotation)) for name, one in cls.model_fields.items()}
    return {name: models for name, models in found.items() if models}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def ids_in(value: BaseModel) -> Iterator[tuple[Makes | Refers, str]]:
    """Yield each id in an event or a value, with its declared kind; absent ids are left out."""
    cls = type(value)
    for name, made in declared(cls, Makes).items():
        yield made, getattr(value, name)
    for name, named in declared(cls, Refers).items():
        found = getattr(value, name)
        if found is not None:
            yield named, found
    for name, models in inner(cls).items():
        if any(holds_ids(model) for model in models):
            for one in values_of(getattr(value, name)):
                yield from ids_in(one)


@cache
def holds_ids(cls: type[BaseModel]) -> bool:
    """Return whether values of a class can contain ids."""
    own = bool(declared(cls, Makes)) or bool(declared(cls, Refers))
    return own or any(holds_ids(model) for models in inner(cls).values() for model in models)


def values_of(held: object) -> Iterator[BaseModel]:
    """Yield the values in a field: the value itself, or the members of a tuple or a mapping."""
    if isinstance(held, BaseModel):
        yield held
    elif isinstance(held, tuple):
        yield from (one for one in held if isinstance(one, BaseModel))
    elif isinstance(held, Mapping):
        yield from (one for one in held.values() if isinstance(one, BaseModel))
