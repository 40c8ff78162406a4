"""Parses an MCP server's answer (MCP-4): text, structured content and links as JSON, binary content as files."""

import base64
import binascii
import json
import mimetypes
import re
from typing import Any

import mcp_types as types

from engine.tools.mcp.values import StoredFile, ToolAnswer
from events.json_value import JSON, JSONObject

__all__ = ["answer_of"]

_MEDIA = re.compile(r"[a-z0-9!#$&^_.+-]{1,64}/[a-z0-9!#$&^_.+-]{1,64}")


class _Taken:
    """The content that was found so far."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.files: list[StoredFile] = []
        self.resources: list[JSON] = []
        self.links: list[JSON] = []

    def binary(self, data: str, media_type: str | None, kind: str, name: str = "") -> str:
        """Store base64 content as a file; return its name."""
        media = media_type or "application/octet-stream"
        media = media if _MEDIA.fullmatch(media) else "application/octet-stream"
        subtype = media.rpartition("/")[2]
        ending = mimetypes.guess_extension(media) or (f".{subtype}" if subtype.isalnum() else ".bin")
        number = len(self.files) + 1
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name.rsplit("/", 1)[-1])[-60:].lstrip(".")
        called = f"{number}-{plain}" if plain else f"{kind}-{number}{ending}"
        try:
            content = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            self.texts.append(f"({kind} {number} could not be read: it is not valid base64.)")
            return ""
        self.files.append(StoredFile(called, media, content))
        return called


def answer_of(result: types.CallToolResult) -> ToolAnswer:
    """Return the answer, without text that only repeats the structured content."""
    taken = _Taken()
    for block in result.content:
        _take(block, taken)
    text = "\n".join(taken.texts)
    if result.is_error:
        return ToolAnswer({}, failed=text or "The tool failed and did not say why.")
    value: JSONObject = {}
    structured: Any = result.structured_content
    if text and not (structured is not None and _says(text, structured)):
        value["text"] = text
    if structured is not None:
        value["structured"] = structured
    for name, found in (("resources", taken.resources), ("links", taken.links)):
        if found:
            value[name] = found
    return ToolAnswer(value, tuple(taken.files))


def _take(block: types.ContentBlock, taken: _Taken) -> None:
    match block:
        case types.TextContent():
            taken.texts.append(block.text)
        case types.ImageContent():
            taken.binary(block.data, block.mime_type, "image")
        case types.AudioContent():
            taken.binary(block.data, block.mime_type, "audio")
        case types.ResourceLink():
            told = {"uri": str(block.uri), "name": block.name, "description": block.description}
            taken.links.append({key: value for key, value in told.items() if value})
        case types.EmbeddedResource():
            _resource(block.resource, taken)


def _resource(resource: types.TextResourceContents | types.BlobResourceContents, taken: _Taken) -> None:
    told: JSONObject = {"uri": str(resource.uri)}
    if resource.mime_type:
        told["media_type"] = resource.mime_type
    if isinstance(resource, types.TextResourceContents):
        told["text"] = resource.text
    else:
        told["file"] = taken.binary(resource.blob, resource.mime_type, "resource", str(resource.uri))
    taken.resources.append(told)


def _says(text: str, structured: Any) -> bool:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return bool(
        said in (structured, structured.get("result") if isinstance(structured, dict) else structured)
    )
