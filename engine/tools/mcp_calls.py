"""Runs calls of MCP tools, without a workspace; stores the answers, and makes render plans.

Pictures and other binary content are stored in the chat's blobs; the result names them, and models are not sent their
bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.chats.workspaces import Workspaces
from engine.rendering.media import IMAGE_TYPES
from engine.rendering.plans import CodePlan, FileRef, Image, ImagesPlan, JsonPlan, RenderPlan
from engine.runtime.protocol import Confinement, RunError, RunOutcome
from engine.system.cancellation import Cancellation
from engine.system.input_limits import MCP_FILES, MOST_IN_RESULT, excess
from engine.tools.call_plans import Branch
from engine.tools.mcp.servers import McpServers
from engine.tools.mcp.values import StoredFile
from engine.tools.tool import Tool
from events.canonical import canonical_json
from events.json_value import JSON, JSONObject

__all__ = ["RemoteCalls"]

_RESULT_BYTES = 8 << 20
_FILES_BYTES = 64 << 20
_ELSEWHERE = Confinement(layers=("MCP server elsewhere",))
"""The confinement of a server that is reached by its address. It does not run on this machine."""


class RemoteCalls:
    """Runs calls of MCP tools."""

    def __init__(self, servers: McpServers, workspaces: Workspaces) -> None:
        self._servers = servers
        self._workspaces = workspaces

    def run(
        self,
        branch: Branch,
        tool: Tool,
        arguments: JSONObject,
        cancel: Cancellation,
        progress: Callable[[float | None, str], None],
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Call `tool`. The blobs of its plan are durable when this returns."""
        assert tool.server is not None
        outcome, files = self._servers.call(
            tool.server, tool.remote_name, arguments, seconds=tool.timeout, cancel=cancel, progress=progress
        )
        state = self._servers.state(tool.server)
        outcome = replace(outcome, confinement=(state and state.held) or _ELSEWHERE)
        if outcome.value is None:
            return outcome, None
        too_large = _too_large(outcome, files)
        if too_large:
            return replace(outcome, status="error", value=None, error=RunError("too_large", too_large)), None
        kept = [self._keep(branch.chat_id, file) for file in files]
        value: dict[str, JSON] = dict(outcome.value)
        if kept:
            value["files"] = [
                {"name": ref.path, "media_type": ref.media_type, "size": ref.size, "sha256": ref.sha256}
                for ref in kept
            ]
        return replace(outcome, value=value), _plan(value, kept)

    def _keep(self, chat_id: str, file: StoredFile) -> FileRef:
        blob = self._workspaces.blobs(chat_id).put_bytes(file.content)
        return FileRef(path=file.name, sha256=blob.sha256, size=blob.size, media_type=file.media_type)


def _too_large(outcome: RunOutcome, files: Sequence[StoredFile]) -> str | None:
    too_much = excess(dict(outcome.value or {}), MOST_IN_RESULT)
    if too_much is not None:
        return f"The server's answer was not saved: {too_much}. Ask for less."
    try:
        text = canonical_json(dict(outcome.value or {}))
    except (ValueError, TypeError, RecursionError):
        return "The server's answer is not JSON that can be stored."
    if len(text) > _RESULT_BYTES:
        return f"The server answered with {len(text):,} characters; at most {_RESULT_BYTES:,} are kept. Ask for less."
    if len(files) > MCP_FILES:
        return (
            f"The server answered with {len(files):,} files, and at most {MCP_FILES} are allowed, so none were saved. "
            "Ask for fewer files."
        )
    size = sum(len(file.content) for file in files)
    if size > _FILES_BYTES:
        return f"The server answered with files of {size:,} bytes; at most {_FILES_BYTES:,} are kept. Ask for less."
    return None


def _plan(value: JSONObject, kept: Sequence[FileRef]) -> RenderPlan:
    """Return pictures if there are some, plain text if there is nothing else, and JSON for everything else."""
    pictures = [ref for ref in kept if ref.media_type in IMAGE_TYPES]
    text = value.get("text")
    if pictures:
        caption = text if isinstance(text, str) and len(text) <= 1_000 else None
        return ImagesPlan(images=tuple(Image(file=ref) for ref in pictures), caption=caption)
    if isinstance(text, str) and value.keys() == {"text"}:
        return CodePlan(content=text, language="text", editable=False)
    return JsonPlan()
