"""The tool `remember` (SEAT-9): saves a definition once the user has approved the call."""

from engine.chats.definitions import DefinitionBook, MadeBy
from engine.tools.call_plans import Branch
from engine.tools.recording_calls import RecordingCalls
from events.json_value import JSONObject

__all__ = ["RememberCalls"]


class RememberCalls(RecordingCalls):
    """Answers the calls of the tool."""

    def __init__(self, book: DefinitionBook) -> None:
        self._book = book

    def record(self, branch: Branch, arguments: JSONObject, call_id: str) -> JSONObject:
        """Save the definition, and return its current term, meaning, version and scope."""
        scope = str(arguments.get("scope") or "everywhere")
        made = self._book.set(
            str(arguments["term"]),
            str(arguments["meaning"]),
            branch.chat_id if scope == "chat" else None,
            made_by=MadeBy(branch.chat_id, branch.turn_id, call_id),
        )
        where = "in this chat" if scope == "chat" else "in every chat"
        return {
            "remembered": f"The user agreed. It applies {where} from now on, until the user changes it.",
            "term": made.term,
            "meaning": made.meaning,
            "version": made.version,
            "scope": scope,
        }
