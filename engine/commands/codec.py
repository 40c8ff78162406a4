"""Converts commands to and from documents: the API decodes them, the command line encodes them.

The converters are made from the dataclasses. Each field becomes a member with the same name in the document; see
`carried` for bytes and files. Values that are JSON already need no converter, so pydantic, which is slow to import, is
not loaded for them.
"""

from collections.abc import Iterable
from dataclasses import fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from engine.commands.base import Message
from engine.commands.carried import Local, Outgoing, Parts
from engine.errors import Invalid, Problem

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["decode", "decode_result", "encode", "encode_result", "local_fields", "result_type", "schemas"]


_Schema: TypeAlias = dict[str, Any]


def result_type(kind: type) -> Any:
    """Return the result type of a command or query."""
    (base,) = (base for base in kind.__dict__["__orig_bases__"] if get_args(base))
    return get_args(base)[0]


def local_fields(kind: type) -> frozenset[str]:
    """Return the names of the fields that stay in the sending process."""
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(name for name, hint in hints.items() if Local in get_args(hint)[1:])


def encode(message: Message[Any]) -> tuple[dict[str, Any], Parts]:
    """Return the document of a command or query, and the parts of the form that must be sent with it."""
    kind = type(message)
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    if all(_is_json(hints[name]) for name in names):
        return {name: getattr(message, name) for name in names}, {}
    outgoing = Outgoing()
    document = _adapter(kind).dump_python(message, mode="json", context={"outgoing": outgoing})
    local = local_fields(kind)
    return {name: value for name, value in document.items() if name not in local}, outgoing.parts


def decode(kind: type[Message[Any]], document: Any, parts: Parts | None = None) -> Any:
    """Return the command or query that a document describes.

    Raises:
        Invalid: the document is not valid (`request_invalid`); every problem is listed.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - slow to import

    try:
        return _adapter(kind).validate_python(document, context={"parts": parts or {}})
    except ValidationError as error:
        found = [(".".join(str(at) for at in one["loc"]), one) for one in error.errors(include_url=False)]
        said = [(at or "body", one["type"], one["msg"].removeprefix("Value error, ")) for at, one in found]
        problems = [Problem(str(code), f"{at}: {words}") for at, code, words in said]
        told = "; ".join(problem.message for problem in problems[:3])
        raise Invalid("request_invalid", f"The request is not valid: {told}.", problems) from None


def encode_result(kind: type[Message[Any]], result: Any) -> Any:
    """Return the result of a command or query as JSON."""
    return _adapter(kind, result=True).dump_python(result, mode="json")


def decode_result(kind: type[Message[Any]], document: Any) -> Any:
    """Return the result of a command or query that ran elsewhere."""
    if _is_json(result_type(kind)):
        return document
    return _adapter(kind, result=True).validate_python(document)


def _is_json(kind: Any) -> bool:
    """Return whether all values of a type are JSON, so that no converter is needed."""
    if get_origin(kind) in (dict, list, Union, UnionType):
        return all(_is_json(part) for part in get_args(kind))
    return kind in (Any, bool, int, str, NoneType)


def schemas(
    kinds: Iterable[type[Message[Any]]], references: str
) -> tuple[dict[tuple[str, str], dict[str, Any]], dict[str, Any]]:
    """Return the JSON schemas of messages and their results, and the definitions to which the schemas refer.

    The keys of the schemas are pairs such as `("ForkChat", "message")` and `("ForkChat", "result")`; `references` is a
    template such as `#/components/schemas/{model}`.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import

    listed = list(kinds)
    inputs = [((kind.__name__, "message"), "validation", _adapter(kind)) for kind in listed]
    outputs = [((kind.__name__, "result"), "serialization", _adapter(kind, result=True)) for kind in listed]
    made, rest = TypeAdapter.json_schemas([*inputs, *outputs], ref_template=references)  # type: ignore[list-item]
    found: dict[Any, Any] = {key: schema for (key, _), schema in made.items()}
    return found, dict(rest.get("$defs", {}))


_adapters: "dict[tuple[type, bool], TypeAdapter[Any]]" = {}
"""Type → its converter, made when it is first needed. The key's flag is True for converters of results."""


def _adapter(kind: type, *, result: bool = False) -> "TypeAdapter[Any]":
    made = _adapters.get((kind, result))
    if made is None:
        from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import

        made = _adapters[kind, result] = TypeAdapter(result_type(kind) if result else kind)
    return made
