"""The dossiers of a call and of a file (TIM-6): the inputs with totals, manual edits, the last re-run, and the place in
the log."""

from engine.views.chat import CallView
from engine.views.inputs import FileStep, InputFile
from engine.views.number_evidence import program_of
from engine.views.replays import VerdictView
from engine.workspace.manifest import FileEntry
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["CallDossier", "FileDossier"]


@dataclass(frozen=True, slots=True)
class CallDossier:
    """Everything that is known about how a call got its result."""

    call: CallView
    inputs: tuple[InputFile, ...]
    """The files that the call's SQL or code names, in their state at the time of the call."""
    changed: tuple[str, ...]
    """Files behind the result that were changed or removed."""
    not_counted: str
    """The reason why the rows that the call used are not counted; "" if they are counted."""
    verdict: VerdictView | None
    hash: str
    """The hash of the event that requested the call."""

    @property
    def program(self) -> str:
        """The SQL or code; "" if there is none."""
        return program_of(self.call)

    def to_json(self) -> JSONObject:
        """Return the dossier as `anabranch why --json` prints it."""
        call, verdict = self.call, self.verdict
        inputs: list[JSON] = [one.to_json() for one in self.inputs]
        return {
            "call": {
                "id": call.call_id,
                "tool_id": call.tool_id,
                "toolset_version": call.toolset_version,
                "status": call.status,
                "position": call.position,
                "hash": self.hash,
                "finished_at": call.finished_at.isoformat() if call.finished_at else None,
                "program": self.program,
            },
            "inputs": inputs,
            "changed": list(self.changed),
            "not_counted": self.not_counted or None,
            "re_run": {"verdict": verdict.verdict, "at": verdict.at.isoformat(), "reason": verdict.reason}
            if verdict is not None
            else None,
        }


@dataclass(frozen=True, slots=True)
class FileDossier:
    """Everything that is known about the origin of a file of a chat."""

    chat_id: str
    path: str
    file: FileEntry
    steps: tuple[FileStep, ...]
    """The steps that led to the file's content, the oldest first."""
    made: CallDossier | None
    """The call that wrote the file; None if the user added it."""

    def to_json(self) -> JSONObject:
        """Return the dossier as `anabranch why --json` prints it."""
        steps: list[JSON] = [step.to_json() for step in self.steps]
        document: JSONObject = {
            "chat_id": self.chat_id,
            "path": self.path,
            "sha256": self.file.sha256,
            "size": self.file.size,
            "steps": steps,
        }
        return document | (self.made.to_json() if self.made is not None else {"call": None})
