"""The tool `remember` (SEAT-9): saves a definition once the user has approved the call."""

from collections.abc import Callable

from engine.chats.definitions import DefinitionBook, MadeBy
from engine.errors import AnabranchError
from engine.rendering.plans import RenderPlan
from engine.runtime.protocol import Confinement, RunError, RunOutcome
from engine.system.cancellation import Cancellation
from engine.tools.call_plans import Branch
from engine.tools.tool import Tool
from events.canonical import JSONObject

__all__ = ["RememberCalls"]

_HELD = Confinement(layers=("nothing ran",))


class RememberCalls:
    """Answers its calls."""

    def __init__(self, book: DefinitionBook) -> None:
        self._book = book

    def run(
        self,
        branch: Branch,
        _tool: Tool,
        arguments: JSONObject,
        _cancel: Cancellation,
        _progress: Callable[[float | None, str], None],
        call_id: str,
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Save the definition and return it as it now holds."""
        scope = str(arguments.get("scope") or "everywhere")
        chat_id = branch.chat_id if scope == "chat" else None
        try:
            made = self._book.set(
                str(arguments["term"]),
                str(arguments["meaning"]),
                chat_id,
                made_by=MadeBy(branch.chat_id, branch.turn_id, call_id),
            )
        except AnabranchError as error:
            return RunOutcome("error", error=RunError(error.code, error.message), confinement=_HELD), None
        where = "in this chat" if scope == "chat" else "in every chat"
        result: JSONObject = {
            "remembered": f"The user agreed. It holds {where} from now on, until the user changes it.",
            "term": made.term,
            "meaning": made.meaning,
            "version": made.version,
            "scope": scope,
        }
        return RunOutcome("success", result, confinement=_HELD), None
