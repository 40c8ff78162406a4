"""Creates the golden events: for each class a complete one and one with only its required fields, always the same."""

import types
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from events.event import Event
from events.json_value import JSON
from events.stored_row import ID_COLUMNS

__all__ = ["Golden", "full", "least"]

Golden = dict[str, Any]
"""`type`, `schema_version`, `ids` and `payload`, as the log's row holds them."""

NESTED: JSON = {"list": [1, 2.5, None, True, 'é "quoted" – text'], "large": 9007199254740993, "empty": {}}


def full(cls: type[Event]) -> Golden:
    """Return the event with every field set."""
    return _stored(cls, {name: _value(name, field) for name, field in _own(cls)})


def least(cls: type[Event]) -> Golden:
    """Return the event with only its required fields, as empty as possible."""
    return _stored(cls, {name: _empty(name, field) for name, field in _own(cls) if field.is_required()})


def _own(cls: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    return [(name, field) for name, field in cls.model_fields.items() if name != "type"]


def _stored(cls: type[Event], fields: dict[str, Any]) -> Golden:
    ids = {name: fields.pop(name) for name in ID_COLUMNS if fields.get(name) is not None}
    fields = {name: value for name, value in fields.items() if name not in ID_COLUMNS}
    return {
        "type": cls.model_fields["type"].default,
        "schema_version": cls.schema_version,
        "ids": ids,
        "payload": fields,
    }


def _value(name: str, field: FieldInfo) -> Any:
    return _of(name, field.annotation)


def _of(name: str, annotation: Any) -> Any:
    """Return a value of a type; text is chosen by the field's name."""
    if annotation is JSON:
        return NESTED
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _of(name, next(part for part in inner if part is not type(None)))
    if origin is Literal:
        return inner[-1]
    if origin is tuple:
        return [_of(name, part) for part in _alternatives(inner[0])]
    if origin is list:
        return [_of(name, inner[0])]
    if origin is dict:
        return {_text(name): _of(name, inner[1])}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {key: _value(key, field) for key, field in annotation.model_fields.items()}
    plain = {str: _text(name), int: 7, float: 0.25, bool: True}
    return plain[annotation]


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a tagged union; a list then contains one of each."""
    inner = get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        return _alternatives(inner[0])
    return inner if get_origin(annotation) in (Union, types.UnionType) else (annotation,)


def _text(name: str) -> str:
    if name.endswith(("_id", "_ids", "replaces")):
        return "01890a5d-ac96-774b-bcce-b302099a8057"
    if name in {"sha256", "content_hash"}:
        return "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    return f"{name.replace('_', ' ')} – été 'n' \"w\"\n$"


def _empty(name: str, field: FieldInfo) -> Any:
    annotation = field.annotation
    if annotation is JSON:
        return None
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType) and type(None) in inner:
        return None
    if origin in (tuple, list):
        return []
    if origin is dict:
        return {}
    if annotation is str and not name.endswith("_id"):
        return ""
    return _of(name, annotation)
