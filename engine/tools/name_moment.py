"""The tool `name_moment` (RUN-8): names the state of the files before the next call."""

from engine.tools.call_plans import Branch
from engine.tools.moment_names import MomentNames
from engine.tools.recording_calls import RecordingCalls
from events.json_value import JSONObject

__all__ = ["MomentCalls"]


class MomentCalls(RecordingCalls):
    """Answers the calls of the tool."""

    def __init__(self, names: MomentNames) -> None:
        self._names = names

    def record(self, branch: Branch, arguments: JSONObject, call_id: str) -> JSONObject:
        """Name the branch's files and return how later calls read them."""
        moment, moved = self._names.name(
            branch.chat_id,
            str(arguments["name"]),
            lambda _: (branch.message_id, branch.manifest_id),
            description=str(arguments.get("description") or ""),
            call_id=call_id,
            correlation_id=branch.turn_id,
        )
        result: JSONObject = {
            "named": moment.name,
            "use": f"SQL and python read its tables as {moment.name}.TABLE.",
        }
        if moved:
            result["note"] = f"{moment.name} was the name of an earlier moment, which has no name now."
        return result
