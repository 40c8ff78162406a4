"""A `dataclass` whose methods are written when the class is first used.

Python writes and compiles up to six methods for each dataclass when its module is imported. For the 550 classes that
are loaded to open a data folder, this takes a third of a second, although a process uses only a few of them. Here, the
class is made at once, and Python's own `dataclass` writes the methods when the first instance is made or loaded, or
when the fields are first requested.

Only classes with slots are supported. An error in a class (such as a field without a default after one with a default)
is reported when the class is first used, so a test uses each class once.
"""

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, get_origin

__all__ = ["dataclass", "finish"]

_waiting: dict[type, tuple[type, dict[str, bool]]] = {}
"""Class with slots → the class as it was declared, and the options of `dataclass`; until the methods are written."""
_lock = RLock()  # writing a class may need its base class first
_ON_REQUEST = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots, **options):
        """Return a decorator like `dataclasses.dataclass(slots=True, **options)` that writes methods on first use."""
        if not slots:
            raise TypeError("Use dataclasses.dataclass for a class without slots.")

        def made(declared):
            owner = _with_slots(declared)
            _waiting[owner] = declared, options
            return owner

        return made


def finish(owner: type) -> None:
    """Write the methods of `owner`, if it is waiting for them.

    Raises:
        TypeError: the fields cannot form a dataclass.
    """
    with _lock:
        if owner not in _waiting:
            return
        declared, options = _waiting[owner]
        for base in declared.__mro__[1:]:
            finish(base)
        before = dict(vars(declared))
        written = vars(dataclasses.dataclass(**options)(declared))
        fields: Any = written["__dataclass_fields__"]
        for name, value in list(written.items()):
            if name not in fields and (name not in before or before[name] is not value):
                setattr(owner, name, value)
        if options.get("frozen") and "__getstate__" not in before:
            setattr(owner, "__getstate__", _state)  # noqa: B010 - mypy refuses the assignment
            setattr(owner, "__setstate__", _set_state)  # noqa: B010
        del _waiting[owner]


class _OnRequest:
    """A placeholder for an attribute of a late dataclass. Reading the attribute writes the dataclass's methods, and
    returns the real attribute.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, owner: type) -> Any:
        finish(self._owner)
        return getattr(owner, self._name)


def _with_slots(declared: type) -> type:
    """Return the class with slots for its own fields, and placeholders for the attributes that are written later."""
    members = dict(vars(declared))
    annotations = members.get("__annotations__", {})
    names = [name for name, kind in annotations.items() if not _is_class_variable(kind)]
    inherited = {slot for base in declared.__mro__[1:-1] for slot in getattr(base, "__slots__", ())}
    for name in (*names, "__dict__", "__weakref__"):
        members.pop(name, None)
    members["__slots__"] = tuple(name for name in names if name not in inherited)
    members["__qualname__"] = declared.__qualname__
    members |= {name: _OnRequest(name) for name in _ON_REQUEST}

    def begin(self: Any, *values: Any, **named: Any) -> None:
        finish(owner)
        owner.__init__(self, *values, **named)  # type: ignore[misc]

    def load(self: Any, state: Any) -> None:
        finish(owner)
        owner.__setstate__(self, state)  # type: ignore[attr-defined]

    members.setdefault("__init__", begin)
    members.setdefault("__setstate__", load)
    owner: type = type(declared)(declared.__name__, declared.__bases__, members)
    return owner


def _is_class_variable(kind: Any) -> bool:
    if isinstance(kind, str):
        return "ClassVar" in kind
    return kind is ClassVar or get_origin(kind) is ClassVar


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)  # frozen
