"""Routes for a chat's files: the recorded states of its workspace, and file contents by hash."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from anyio import from_thread
from fastapi import APIRouter, Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from engine.api.api_context import Running
from engine.api.contents import content, type_by_name
from engine.api.problem import Json
from engine.api.shapes import FileList, Id, Received
from engine.commands.catalog import ReceiveFile
from engine.errors import NotFound
from engine.workspace.manifest import FileEntry
from engine.workspace.paths import require_path

__all__ = ["routes"]

_BYTES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The bytes, sandboxed and with a fixed type; active content is sent as a download.",
        "content": {"*/*": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}},
    }
}
_Manifest = Annotated[str | None, Query(pattern=r"^[0-9A-Za-z_-]{1,64}$")]

routes = APIRouter(tags=["files"])


@routes.get("/chats/{chat_id}/workspace/files", operation_id="get_workspace_files", response_model=FileList)
def get_workspace_files(app: Running, chat_id: Id, manifest_id: _Manifest = None) -> Response:
    """List the files, at the chat's current message or in a recorded state."""
    manifest_id = manifest_id or app.chat(chat_id).manifest
    return Json(_listed(manifest_id, app.workspace.files(chat_id, manifest_id)))


@routes.get(
    "/chats/{chat_id}/workspace/files/{path:path}",
    operation_id="get_workspace_file",
    responses=_BYTES,
    response_model=None,
)
def get_workspace_file(
    app: Running, chat_id: Id, path: Annotated[str, Path(max_length=2048)], manifest_id: _Manifest = None
) -> Response:
    """Get one file, at the chat's current message or in a recorded state."""
    require_path(path)
    entry = app.workspace.files(chat_id, manifest_id).get(path)
    if entry is None:
        raise NotFound("file_not_found", f"There is no file {path} in this chat.")
    place = app.workspace.path(chat_id, entry.sha256)
    return content(place, entry.sha256, path, type_by_name(path))


@routes.put(
    "/chats/{chat_id}/uploads/{name}",
    operation_id="upload_file",
    response_model=Received,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload_file(
    app: Running, request: Request, chat_id: Id, name: Annotated[str, Path(max_length=1000)]
) -> Response:
    """Add one file of any size. It is written to the disk as it arrives; the chat's followers receive its progress."""
    stream = request.stream()

    def pieces() -> Iterator[bytes]:
        while True:
            try:
                yield from_thread.run(anext, stream)
            except StopAsyncIteration:
                return

    length = request.headers.get("content-length", "")
    command = ReceiveFile(chat_id, name, pieces(), int(length) if length.isdigit() else None)
    return Json({"name": await run_in_threadpool(app.send, command)})


@routes.get(
    "/chats/{chat_id}/workspace/manifests/{message_id}",
    operation_id="get_workspace_manifest",
    response_model=FileList,
)
def get_workspace_manifest(app: Running, chat_id: Id, message_id: Id) -> Response:
    """List the files at a message."""
    manifest_id = app.workspace.manifest_at(chat_id, message_id)
    files = app.workspace.files(chat_id, manifest_id) if manifest_id else {}
    return Json(_listed(manifest_id, files))


@routes.get("/chats/{chat_id}/blobs/{sha256}", operation_id="get_blob", responses=_BYTES, response_model=None)
def get_blob(app: Running, chat_id: Id, sha256: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]) -> Response:
    """Get bytes by their hash: images and files from any stored render plan of this chat."""
    return content(app.workspace.path(chat_id, sha256), sha256)


def _listed(manifest_id: str | None, files: Mapping[str, FileEntry]) -> dict[str, Any]:
    rows = [
        {"path": path, "sha256": f.sha256, "size": f.size, "executable": f.executable}
        for path, f in sorted(files.items())
    ]
    return {"manifest_id": manifest_id, "files": rows}
