"""Reads request bodies: JSON, or a form with files."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request

from engine.commands.catalog import Upload
from engine.errors import Invalid
from engine.system.input_limits import MOST_IN_ARGUMENTS, excess
from engine.workspace.limits import USUAL
from events.canonical import canonical_json

__all__ = ["EVENT", "either", "finite", "form_of", "kept_file", "read_either"]

Shape = TypeVar("Shape", bound=BaseModel)
_CHUNK = 1 << 20
_TEXT = {"type": "string"}
EVENT = {
    "type": "object",
    "properties": {"event": _TEXT, "data": _TEXT, "id": _TEXT},
    "required": ["event", "data"],
}
"""The schema of one server-sent event."""


def either(shape: type[BaseModel], *, needed: bool = True) -> dict[str, Any]:
    """Return the OpenAPI description of a body: a JSON document of `shape`, or a form with the same fields and with
    files.
    """
    document = shape.model_json_schema()
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    form = {**document, "properties": {**document["properties"], "file": {"type": "array", "items": file}}}
    return {
        "requestBody": {
            "required": needed,
            "content": {
                "application/json": {"schema": document},
                "multipart/form-data": {"schema": form},
            },
        }
    }


@asynccontextmanager
async def read_either(request: Request, shape: type[Shape]) -> AsyncIterator[tuple[Shape, list[Upload]]]:
    """Yield the body's document and files. The files are on disk only while the block runs.

    Raises:
        RequestValidationError: the document does not have that shape.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        yield _validated(shape, await _json(request)), []
        return
    async with request.form(max_files=USUAL.files, max_fields=50) as form:
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        document = _validated(shape, fields)
        with TemporaryDirectory(prefix="anabranch-upload-") as folder:
            uploads = [
                Upload(
                    file.filename or "file",
                    await run_in_threadpool(kept_file, file, Path(folder) / str(number)),
                )
                for number, file in enumerate(files)
            ]
            yield document, uploads


def kept_file(file: UploadFile, place: Path) -> Path:
    """Write a file from a form to `place`, and return `place`."""
    with place.open("wb") as target:
        while chunk := file.file.read(_CHUNK):
            target.write(chunk)
    return place


async def _json(request: Request) -> Any:
    body = await request.body()
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Invalid("body_json", "The body is not JSON.") from None


def _validated(shape: type[Shape], value: Any) -> Shape:
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_context=False)) from None


def form_of(words: str) -> dict[int | str, dict[str, Any]]:
    """Describe a response that is a stream of server-sent events."""
    return {200: {"description": words, "content": {"text/event-stream": {"schema": EVENT}}}}


def finite(value: dict[str, Any], name: str) -> dict[str, Any]:
    """Return `value` if it is JSON that the log can store.

    Raises:
        Invalid: a number is not finite, or the JSON is too deep or too large.
    """
    too_much = excess(value, MOST_IN_ARGUMENTS)
    if too_much is not None:
        raise Invalid("arguments_too_large", f"`{name}` was not accepted: {too_much}.")
    try:
        kept: dict[str, Any] = json.loads(canonical_json(value))
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid("arguments_json", f"`{name}` is not JSON that can be stored: {error}.") from None
    return kept
