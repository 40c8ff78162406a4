"""Types for command fields whose values are not JSON: bytes, files, and values that stay in the sending process.

The aliases annotate the fields of commands. Their codec functions are loaded only with the codec.
"""

import base64
import binascii
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core.core_schema import CoreSchema, SerializationInfo, ValidationInfo

__all__ = ["INLINE_BYTES", "BundleSource", "Bytes", "FileBytes", "Local", "Outgoing", "Parts"]

Parts: TypeAlias = dict[str, "bytes | Path"]
"""The parts of a form besides the document: name → bytes, or the file that contains them."""

INLINE_BYTES = 256 << 10
"""The maximum number of bytes in the document itself, as base64. Larger values become parts of a form."""


@dataclass(slots=True)
class Outgoing:
    """Collects the parts of a document that is being encoded."""

    parts: Parts = field(default_factory=dict)
    inline: int = 0
    """The number of bytes in the document itself."""


_TEXT = {"type": "string"}


def _form(name: str, words: str) -> dict[str, Any]:
    described = {name: {**_TEXT, "description": words}}
    return {"type": "object", "properties": described, "required": [name], "additionalProperties": False}


_FORMS = {
    "base64": _form("base64", "The bytes, in base64."),
    "part": _form("part", "The name of the form part that contains the bytes."),
    "path": _form("path", "The absolute path of a file or folder on the app's machine."),
}


@dataclass(frozen=True, slots=True)
class _Carried:
    """Bytes or a file, encoded as an object with one key: `base64`, `part` or `path`. Only a `place` can use `path`."""

    takes: Literal["bytes", "file", "place"]
    """`bytes` are read into memory; a `file` may stay on disk; a `place` is a file, or a folder, sent as its path."""

    def __get_pydantic_core_schema__(self, _source: Any, _handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema  # noqa: PLC0415 - loaded only with the codec

        sends = core_schema.plain_serializer_function_ser_schema(self._sent, info_arg=True)
        return core_schema.with_info_plain_validator_function(self._received, serialization=sends)

    def __get_pydantic_json_schema__(
        self, _schema: "CoreSchema", _handler: "GetJsonSchemaHandler"
    ) -> dict[str, Any]:
        forms = ("base64", "part", "path") if self.takes == "place" else ("base64", "part")
        return {"anyOf": [_FORMS[form] for form in forms]}

    def _sent(self, content: bytes | Path, info: "SerializationInfo") -> dict[str, str]:
        outgoing: Outgoing = (info.context or {})["outgoing"]
        if isinstance(content, Path) and self.takes == "place" and not content.is_file():
            return {"path": str(content.absolute())}
        if isinstance(content, bytes) and outgoing.inline + len(content) <= INLINE_BYTES:
            outgoing.inline += len(content)
            return {"base64": base64.b64encode(content).decode()}
        name = f"file{len(outgoing.parts)}"
        outgoing.parts[name] = content
        return {"part": name}

    def _received(self, value: Any, info: "ValidationInfo") -> bytes | Path:
        parts: Parts = (info.context or {}).get("parts", {})
        match value:
            case {"base64": str(text), **rest} if not rest:
                try:
                    return base64.b64decode(text, validate=True)
                except (binascii.Error, ValueError):
                    raise ValueError("the base64 is not valid") from None
            case {"part": str(name), **rest} if not rest and name in parts:
                content = parts[name]
                whole = self.takes == "bytes" and isinstance(content, Path)
                return content.read_bytes() if whole and isinstance(content, Path) else content
            case {"path": str(text), **rest} if not rest and self.takes == "place":
                if "\x00" in text or not Path(text).is_absolute():
                    raise ValueError("`path` must be an absolute path")
                return Path(text)
        raise ValueError('give {"base64": "…"}, or {"part": "…"} with the name of a form part')


@dataclass(frozen=True, slots=True)
class _Local:
    """A value that stays in the process that sends the command, and is not encoded."""

    def __get_pydantic_core_schema__(self, _source: Any, _handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema  # noqa: PLC0415 - as above

        sends = core_schema.plain_serializer_function_ser_schema(lambda _: None)
        return core_schema.no_info_plain_validator_function(self._received, serialization=sends)

    def __get_pydantic_json_schema__(
        self, _schema: "CoreSchema", _handler: "GetJsonSchemaHandler"
    ) -> dict[str, Any]:
        from pydantic_core import PydanticOmit  # noqa: PLC0415 - as above

        raise PydanticOmit

    def _received(self, _value: Any) -> Any:
        raise ValueError("there is no such field")


Local = _Local()
"""Marks a field whose value stays in the process that sends the command."""
Bytes: TypeAlias = Annotated[bytes, _Carried("bytes")]
"""Bytes that are in memory."""
FileBytes: TypeAlias = Annotated[bytes | Path, _Carried("file")]
"""The bytes of a file, or the file that contains them. Only the bytes are sent."""
BundleSource: TypeAlias = Annotated[bytes | Path, _Carried("place")]
"""A ZIP, whose bytes are sent, or a folder, whose path is sent because the toolset follows it."""
