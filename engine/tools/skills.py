"""The tool `read_skill`: returns the instructions of an installed skill that matches a task.

Only files that the installed version lists are read, and the hash of each file is checked. No process is needed,
because nothing is executed.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.rendering.plans import DocumentPlan, RenderPlan
from engine.runtime.protocol import Confinement, RunError, RunOutcome
from engine.system.cancellation import Cancellation
from engine.tools.call_plans import Branch
from engine.tools.tool import Tool
from engine.tools.toolbox import ReadModels, Toolbox
from engine.toolsets.skill import SKILL_NAME, instructions
from events.json_value import JSONObject

__all__ = ["SkillCalls"]

_PAGE = 20_000
"""The maximum number of characters of one answer. It is below the limit for results that are sent to a model."""
_LARGEST = 4 << 20
_LISTED = 200
_HELD = Confinement(layers=("nothing ran",))
_NO_SCRIPTS = "Scripts of a skill are not run here; do what they describe with the tools that you have."


class SkillCalls:
    """Answers the calls of the tool."""

    def __init__(self, toolbox: Toolbox, read: ReadModels, data: Path) -> None:
        self._toolbox = toolbox
        self._read = read
        self._data = data

    def run(
        self,
        _branch: Branch,
        _tool: Tool,
        arguments: JSONObject,
        _cancel: Cancellation,
        _progress: Callable[[float | None, str], None],
    ) -> tuple[RunOutcome, RenderPlan | None]:
        """Return the requested text."""
        known = {row["skill"]["name"]: row for row in self._toolbox.toolsets() if row["skill"]}
        name, path = str(arguments["skill"]), str(arguments.get("path") or SKILL_NAME).removeprefix("./")
        row = known.get(name) or next((row for row in known.values() if row["id"] == name), None)
        if row is None or not row["available"]:
            there = ", ".join(sorted(name for name, row in known.items() if row["available"])) or "none"
            why = (
                f"The skill {name} cannot be used: {row['reason']}." if row else f"There is no skill {name}."
            )
            return _failed("unknown_skill", f"{why} Available skills: {there}."), None
        files = {f["path"]: f for f in self._read("toolset_files") if f["toolset_id"] == row["id"]}
        if path not in files:
            there = ", ".join(list(files)[:_LISTED])
            return _failed("no_such_file", f"The skill {name} has no file {path}. It has: {there}."), None
        return self._answer(row, files, path, arguments)

    def _answer(
        self, row: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]], path: str, arguments: JSONObject
    ) -> tuple[RunOutcome, RenderPlan | None]:
        text = self._text(files[path])
        if isinstance(text, RunOutcome):
            return text, None
        text = instructions(text) if path == SKILL_NAME else text
        asked = arguments.get("offset")
        offset = asked if isinstance(asked, int) else 0
        page = text[offset : offset + _PAGE]
        others = [name for name in files if name != path]
        answer: dict[str, Any] = {
            "skill": row["skill"]["name"],
            "version": row["version"],
            "content_hash": row["content_hash"],
            "path": path,
            "content": page,
            "next_offset": offset + _PAGE if len(text) > offset + _PAGE else None,
            "other_files": others[:_LISTED],
        }
        if any(name.startswith("scripts/") for name in files):
            answer["note"] = _NO_SCRIPTS
        plan = DocumentPlan(title=f"{row['skill']['name']}: {path}", content=page, editable=False)
        return RunOutcome("success", answer, confinement=_HELD), plan

    def _text(self, file: Mapping[str, Any]) -> str | RunOutcome:
        if file["size"] > _LARGEST:
            told = f"{file['path']} has {file['size']:,} bytes; at most {_LARGEST:,} can be read."
            return _failed("too_large", f"{told} Split the file in its toolset.")
        try:
            data: bytes = (self._data / file["stored_path"]).read_bytes()
        except OSError:
            data = b""
        if sha256(data).hexdigest() != file["sha256"]:
            restore = (
                f"`anabranch toolset restore {file['toolset_id']}`, or choose Restore on the Toolsets page"
            )
            message = f"{file['path']} has changed since it was installed. To restore it, run {restore}."
            return _failed("damaged", message)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return _failed("not_text", f"{file['path']} is not text, so it cannot be read.")


def _failed(kind: str, message: str) -> RunOutcome:
    return RunOutcome("error", error=RunError(kind, message), confinement=_HELD)
