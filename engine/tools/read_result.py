"""The tool `read_result` (RUN-8): returns an earlier result of the branch, as recorded in the log."""

from collections.abc import Callable, Iterator, Sequence

from engine.chats.open_chats import Chats
from engine.chats.payloads import value_of
from engine.chats.workspaces import Workspaces
from engine.deciders.chat_state import ChatState
from engine.deciders.turn_state import CallState
from engine.rendering.plans import RenderPlan
from engine.runtime.protocol import Confinement, RunError, RunOutcome
from engine.system.cancellation import Cancellation
from engine.system.input_limits import nearest
from engine.tools.builtin import READ_RESULT
from engine.tools.call_plans import Branch
from engine.tools.result_names import call_name, names_of
from engine.tools.tool import Tool
from engine.workspace.blobs import BlobStore
from events.canonical import canonical_json
from events.json_value import JSON, JSONObject

__all__ = ["ResultCalls"]

_PAGE = 16_000
"""The maximum number of characters of one answer. It is below the limit for results that are sent to a model."""
_NEAR = 5
_HELD = Confinement(layers=("nothing ran",))


class ResultCalls:
    """Answers the calls of the tool."""

    def __init__(self, chats: Chats, workspaces: Workspaces) -> None:
        self._chats = chats
        self._workspaces = workspaces

    def run(
        self,
        branch: Branch,
        _tool: Tool,
        arguments: JSONObject,
        _cancel: Cancellation,
        _progress: Callable[[float | None, str], None],
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Return the newest result with the requested name on the branch."""
        name, asked = str(arguments["name"]).strip(), arguments.get("offset")
        offset = int(asked) if isinstance(asked, int | float) else 0
        blobs = self._workspaces.blobs(branch.chat_id)
        with self._chats.locked(branch.chat_id) as state:
            done = list(_successful(state, branch.message_id, blobs))
        for place, call, result in reversed(done):
            if name in (place, *names_of(result)):
                return RunOutcome("success", _page(call, result, offset), confinement=_HELD), None
        names = list(dict.fromkeys(name for _, _, result in reversed(done) for name in names_of(result)))
        return RunOutcome(
            "error", error=RunError("no_such_result", _unknown(name, names)), confinement=_HELD
        ), None


def _successful(
    state: ChatState, message_id: str | None, blobs: BlobStore
) -> Iterator[tuple[str, CallState, JSON]]:
    """Yield the successful calls of the branch, the oldest first, except calls of `read_result`.

    Each has a name that depends on its place on the branch. Summaries and truncated results mention the same name.
    """
    for number, call in enumerate(state.calls_on(message_id), 1):
        finished = call.finished
        reads_back = call.requested.tool_id == READ_RESULT
        if finished is not None and finished.status == "success" and not reads_back:
            yield call_name(number), call, value_of(finished.result, blobs)


def _page(call: CallState, result: JSON, offset: int) -> JSONObject:
    text = canonical_json(result)
    tool = call.requested.tool_id.rpartition(":")[2]
    if offset == 0 and len(text) <= _PAGE:
        return {"tool": tool, "result": result}
    page = text[offset : offset + _PAGE]
    more = offset + _PAGE if len(text) > offset + _PAGE else None
    return {"tool": tool, "text": page, "characters": len(text), "next_offset": more}


def _unknown(name: str, names: Sequence[str]) -> str:
    near = nearest(name, names, _NEAR, 0.5) or list(names[:_NEAR])
    listed = (
        f" Available results: {', '.join(near)}."
        if near
        else " No call of this chat has returned anything yet."
    )
    return f"There is no result {name} in this chat.{listed}"
