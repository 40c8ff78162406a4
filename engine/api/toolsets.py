"""Routes for toolsets and tools: list, install with consent, enable, export, uninstall, run one tool."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from engine.api.api_context import Running
from engine.api.bodies import either, finite, read_either
from engine.api.problem import Json, problem
from engine.api.shapes import HomeId, Id, ToolId
from engine.api.toolset_shapes import (
    Enabled,
    Executed,
    Execution,
    Import,
    Installed,
    Restored,
    ToolDocument,
    ToolsetDocument,
    Uninstalled,
)
from engine.app.app import App
from engine.commands.catalog import (
    CreateChat,
    DeleteChat,
    DisableToolset,
    EnableToolset,
    InstallToolset,
    RestoreToolset,
    RunTool,
    UninstallToolset,
)
from engine.errors import Invalid, NotFound
from engine.tools.tool import BUILTIN, Tool
from engine.tools.unknown_tools import tool_not_found
from engine.toolsets.fetching import fetch
from engine.views.documents import toolset_document

__all__ = ["routes"]

routes = APIRouter(tags=["toolsets"])


@routes.get("/toolsets", operation_id="list_toolsets", response_model=list[ToolsetDocument])
def list_toolsets(app: Running) -> Response:
    """List the installed toolsets with their tools and availability."""
    return Json([toolset_document(row) for row in app.installed()])


@routes.post(
    "/toolsets/import",
    operation_id="import_toolset",
    response_model=Installed,
    openapi_extra=either(Import),
)
async def import_toolset(app: Running, request: Request) -> Response:
    """Install or upgrade a bundle: a ZIP in a form's `file`, or a bundle at an address or a path on this machine.

    Without `agreed_hash` nothing is installed: the answer is a 409 `not_agreed` with `sheet`, which lists what the
    bundle may do, and `content_hash`. Show the sheet, and send the hash once the user agrees. If the bundle has changed
    since, the answer is a 409 `bundle_changed` with the sheet of the current content. The bundle receives only the
    stored keys and environment variables that the request names.
    """
    async with read_either(request, Import) as (body, files):
        given = [*files, *(source for source in (body.url, body.path) if source)]
        if len(given) != 1:
            raise Invalid("source", "Give one bundle: a `file`, a `url` or a `path`.")
        source = files[0].content if files else body.path or body.url or ""
        return await run_in_threadpool(_imported, app, source, body)


@routes.get("/toolsets/{toolset_id}", operation_id="get_toolset", response_model=ToolsetDocument)
def get_toolset(app: Running, toolset_id: Id) -> Response:
    """Get one toolset with its tools."""
    rows = [row for row in app.installed() if row["id"] == toolset_id]
    if not rows:
        raise NotFound("toolset_not_found", f"No toolset {toolset_id} is installed.")
    return Json(toolset_document(rows[0]))


@routes.get(
    "/toolsets/{toolset_id}/export",
    operation_id="export_toolset",
    response_model=None,
    responses={
        200: {"description": "A ZIP that can be installed elsewhere.", "content": {"application/zip": {}}}
    },
)
def export_toolset(app: Running, toolset_id: Id) -> Response:
    """Get a toolset as a ZIP. Its bytes are the same each time."""
    name = f'attachment; filename="{toolset_id}.zip"'
    packed = app.toolsets.export(toolset_id)
    return Response(packed, media_type="application/zip", headers={"content-disposition": name})


@routes.post("/toolsets/{toolset_id}/enable", operation_id="enable_toolset", response_model=ToolsetDocument)
def enable_toolset(app: Running, toolset_id: Id, body: Enabled) -> Response:
    """Enable or disable a toolset."""
    app.send(EnableToolset(toolset_id) if body.enabled else DisableToolset(toolset_id))
    return get_toolset(app, toolset_id)


@routes.post("/toolsets/{toolset_id}/restore", operation_id="restore_toolset", response_model=Restored)
def restore_toolset(app: Running, toolset_id: Id) -> Response:
    """Restore a toolset's changed files from the copies that were stored when it was installed."""
    return Json(app.send(RestoreToolset(toolset_id)))


@routes.post("/toolsets/{toolset_id}/uninstall", operation_id="uninstall_toolset", response_model=Uninstalled)
def uninstall_toolset(app: Running, toolset_id: Id) -> Response:
    """Uninstall a toolset and delete its secrets; its results in chats stay visible."""
    app.send(UninstallToolset(toolset_id))
    return Json({"toolset_id": toolset_id, "uninstalled": True})


@routes.post("/toolsets/{toolset_id}/execute/{tool}", operation_id="execute_tool", response_model=Executed)
def execute_tool(app: Running, toolset_id: HomeId, tool: Id, body: Execution) -> Response:
    """Run one tool without a model, on a chat's files or without files.

    `builtin` means the built-in tools, `mcp:SERVER` the tools of an MCP server.
    """
    tool_id = tool if toolset_id == BUILTIN else f"{toolset_id}:{tool}"
    return Json(_executed(app, tool_id, body))


@routes.get("/tools", operation_id="list_tools", response_model=list[ToolDocument], tags=["tools"])
def list_tools(app: Running) -> Response:
    """List all tools."""
    return Json(_documents(app, app.tools()))


@routes.get("/tools/{tool_id}", operation_id="get_tool", response_model=ToolDocument, tags=["tools"])
def get_tool(app: Running, tool_id: ToolId) -> Response:
    """Get one tool."""
    found = [tool for tool in app.tools() if tool.tool_id == tool_id]
    if not found:
        known = [tool.tool_id for tool in app.tools()]
        raise tool_not_found(tool_id, known, "GET /v1/tools lists the tools.")
    return Json(_documents(app, found)[0])


@routes.get(
    "/chats/{chat_id}/tools",
    operation_id="get_available_tools",
    response_model=list[ToolDocument],
    tags=["tools"],
)
def get_available_tools(app: Running, chat_id: Id) -> Response:
    """List the tools that the model of a chat may use now: the selected tools that are available."""
    ticked = app.chat(chat_id).selection if app.settings.tools_on else {}
    offered = [t for t in app.tools() if t.available and t.name in ticked.get(t.home, ())]
    return Json(_documents(app, offered))


def _imported(app: App, source: Path | str | bytes, body: Import) -> Response:
    reference = None
    if isinstance(source, Path):
        source = source.read_bytes()
    elif body.url:
        source, reference = fetch(body.url), body.url
    elif isinstance(source, str):
        source = _on_this_machine(source)
    preview = app.preview_toolset(source, reference)
    if preview.outcome != "unchanged" and body.agreed_hash != preview.content_hash:
        code, words = "not_agreed", "Nothing is installed yet."
        if body.agreed_hash is not None:
            code = "bundle_changed"
            words = "The bundle has changed since its consent sheet was shown. Nothing is installed."
        return problem(
            409,
            code,
            f"{words} Show the sheet, then send its `content_hash` as `agreed_hash`.",
            sheet=preview.sheet,
            content_hash=preview.content_hash,
            outcome=preview.outcome,
        )
    agreed = body.agreed_hash or preview.content_hash
    command = InstallToolset(
        source,
        "sheet",
        source_ref=reference,
        agreed_hash=agreed,
        keep_keys=body.keep_keys,
        variables=body.variables,
    )
    return Json(app.send(command))


def _on_this_machine(text: str) -> Path:
    path = Path(text).expanduser() if "\x00" not in text else Path()
    if not path.is_absolute() or not path.exists():
        raise NotFound("source_missing", "`path` is neither a file nor a folder; give an absolute path.")
    return path


def _executed(app: App, tool_id: str, body: Execution) -> dict[str, Any]:
    app.runnable(tool_id)
    params = finite(body.params, "params")
    chat_id = body.chat_id or app.send(CreateChat(title=f"Tool {tool_id}"))
    try:
        run = RunTool(chat_id, tool_id, params, allow_confirmations=body.allow_confirmations)
        call_id = app.send(run)
        call = app.chat(chat_id).calls[call_id]
    finally:
        if body.chat_id is None:
            app.send(DeleteChat(chat_id))
    if call.status == "success":
        return {"tool_call_id": body.tool_call_id, "result": call.result}
    error = call.error or {"kind": call.status, "message": f"The call ended with the status {call.status}."}
    return {"tool_call_id": body.tool_call_id, "error": error}


def _document(tool: Tool, rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a tool's document, with facts from its row in the read model `tools`. Tools of MCP servers have no row."""
    names = ("tool_id", "toolset_id", "description", "input_schema", "effects", "requires_confirmation")
    more = ("timeout", "command", "command_argument", "available", "reason")
    own = {name: getattr(tool, name) for name in (*names, *more)}
    row = rows.get(tool.tool_id, {})
    listed = {
        "category": row.get("category"),
        "entrypoint": row.get("entrypoint"),
        "enabled": row.get("enabled", tool.available),
        "renderer": tool.render.renderer if tool.render is not None else None,
    }
    return {**own, **listed, "tool_name": tool.name, "name": tool.title}


def _documents(app: App, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    rows = {str(row["tool_id"]): row for row in app.read("tools")}
    return [_document(tool, rows) for tool in tools]
