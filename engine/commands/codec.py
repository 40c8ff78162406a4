"""Converts commands to and from documents: the API decodes them, the command line encodes them.

The converters are made from the dataclasses. Each field becomes a member with the same name in the document; see
`carried` for bytes and files.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from engine.commands.base import Message
from engine.commands.carried import Local, Outgoing, Parts
from engine.errors import Invalid, Problem

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
    outgoing = Outgoing()
    document = _adapter(type(message)).dump_python(message, mode="json", context={"outgoing": outgoing})
    local = local_fields(type(message))
    return {name: value for name, value in document.items() if name not in local}, outgoing.parts


def decode(kind: type[Message[Any]], document: Any, parts: Parts | None = None) -> Any:
    """Return the command or query that a document describes.

    Raises:
        Invalid: the document is not valid (`request_invalid`); every problem is listed.
    """
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
    return _adapter(kind, result=True).validate_python(document)


def schemas(
    kinds: Iterable[type[Message[Any]]], references: str
) -> tuple[dict[tuple[str, str], dict[str, Any]], dict[str, Any]]:
    """Return the JSON schemas of messages and their results, and the definitions to which the schemas refer.

    The keys of the schemas are pairs such as `("ForkChat", "message")` and `("ForkChat", "result")`; `references` is a
    template such as `#/components/schemas/{model}`.
    """
    listed = list(kinds)
    inputs = [((kind.__name__, "message"), "validation", _adapter(kind)) for kind in listed]
    outputs = [((kind.__name__, "result"), "serialization", _adapter(kind, result=True)) for kind in listed]
    made, rest = TypeAdapter.json_schemas([*inputs, *outputs], ref_template=references)  # type: ignore[list-item]
    found: dict[Any, Any] = {key: schema for (key, _), schema in made.items()}
    return found, dict(rest.get("$defs", {}))


_adapters: dict[tuple[type, bool], TypeAdapter[Any]] = {}
"""Type → its converter, made when it is first needed. The key's flag is True for converters of results."""


def _adapter(kind: type, *, result: bool = False) -> TypeAdapter[Any]:
    made = _adapters.get((kind, result))
    if made is None:
        made = _adapters[kind, result] = TypeAdapter(result_type(kind) if result else kind)
    return made
