"""Checks whether a request to run a branch again fits that branch. Pure."""

from collections.abc import Collection, Mapping
from typing import TypeAlias

from engine.commands.catalog import RerunChat
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.deciders.manifest_changes import changes_of
from engine.errors import Invalid, NotFound
from engine.replay.rerun_calls import What
from engine.workspace.manifest import FileEntry

__all__ = ["ColumnNames", "brought_files", "require_brought", "required_leaf", "what_changes"]

ColumnNames: TypeAlias = Mapping[str, Mapping[str, str]]
"""Path → column that the calls use → the column of the new file that replaces it."""


def required_leaf(state: ChatState, chat_id: str, message_id: str | None) -> str:
    """Return the last message of the branch: the given message, or the chat's current one.

    Raises:
        NotFound: there is no such chat, or no such message in it.
    """
    decide.require(state, chat_id)
    leaf = message_id or state.leaf
    if leaf is None or leaf not in state.messages:
        raise NotFound("message_not_found", "This chat does not have that message, so nothing was run again.")
    return leaf


def what_changes(state: ChatState, leaf: str, command: RerunChat) -> What:
    """Return the changes that the command asks for, except for the files, which are not stored yet.

    Raises:
        NotFound: the branch has no such call (`call_not_found`), or no file to replace (`file_not_on_branch`).
        Invalid: the command mixes changes (`rerun_what`), or matches columns wrongly (`column_words`).
    """
    if command.call_id is not None:
        if command.files or command.columns or command.arguments is None:
            raise Invalid("rerun_what", "To change a call, give only its new arguments, no files or columns.")
        on_path = {call.requested.call_id for call in state.calls_on(leaf)}
        if command.call_id not in on_path:
            raise NotFound("call_not_found", f"There is no call {command.call_id} on this branch.")
        return What(call_id=command.call_id, arguments=dict(command.arguments), live=command.live)
    given = {upload.name for upload in command.files}
    require_brought(brought_files(state, leaf), given)
    for path, names in command.columns.items():
        if path not in given:
            raise Invalid(
                "column_words", f"There are matched columns for {path}, but no new {path} was given."
            )
        twice = [name for name in names.values() if list(names.values()).count(name) > 1]
        if twice:
            raise Invalid(
                "column_words", f"The column {twice[0]} of the new {path} cannot be used for two columns."
            )
    return What(live=command.live)


def brought_files(state: ChatState, leaf: str) -> dict[str, FileEntry]:
    """Return the files that the user added on a branch: path → the last content that the user gave it."""
    on_path = {None, *(message.message_id for message in state.path(leaf))}
    found: dict[str, FileEntry] = {}
    for recorded in state.recorded:
        if recorded.message_id in on_path and recorded.source in ("user_upload", "edit"):
            changes = changes_of(recorded)
            found |= {**changes.added, **changes.changed}
    return found


def require_brought(brought: Collection[str], wanted: Collection[str]) -> None:
    """Raise `NotFound` for a file in `wanted` that the user did not add to the branch (`file_not_on_branch`)."""
    for name in wanted:
        if name not in brought:
            listed = ", ".join(sorted(brought)) or "none"
            raise NotFound(
                "file_not_on_branch",
                f"No file named {name} was added to this branch. The added files are: {listed}.",
            )
