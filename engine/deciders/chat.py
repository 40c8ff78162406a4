"""Decisions about a chat. Pure functions that take its state and a request, and return new events or refuse."""

from collections.abc import Mapping, Sequence

from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused
from engine.workspace.manifest import FileEntry, Files, difference
from events.catalog.chat import (
    ChatArchived,
    ChatCreated,
    ChatDeleted,
    ChatRenamed,
    ChatRestored,
    ChatUnarchived,
    Depth,
    DepthSelected,
    LeafSelected,
    MessageAdded,
    ModelSelected,
    ToolsSelected,
)
from events.catalog.parts import TextPart
from events.catalog.workspace import File, LeftOut, ManifestRecorded, ManifestSource
from events.event import Event
from events.identity import NewId

__all__ = [
    "archive",
    "create",
    "delete",
    "edit",
    "question",
    "record_state",
    "rename",
    "require",
    "require_quiet",
    "require_words",
    "restore",
    "retried_question",
    "select_depth",
    "select_leaf",
    "select_model",
    "select_tools",
    "title_from",
    "unarchive",
]

_TITLE = 60


def require(state: ChatState, chat_id: str) -> None:
    """Raise `NotFound` if the chat does not exist (`chat_not_found`), or `Refused` if it was deleted
    (`chat_deleted`)."""
    if not state.exists:
        raise NotFound(
            "chat_not_found", f"There is no chat {chat_id}. `anabranch chat list` shows all chats."
        )
    if state.deleted:
        raise Refused("chat_deleted", f"Chat {chat_id} was deleted. Restore it first.")


def require_quiet(state: ChatState, chat_id: str) -> None:
    """Refuse to change the files or the current message while a turn or tool is running, because its result would hide
    the change.
    """
    require(state, chat_id)
    if state.works:
        raise Refused(
            "turn_runs", "A turn is running in this chat. Wait until it ends, or stop it, then try again."
        )


def create(
    title: str,
    selection: Mapping[str, Sequence[str]],
    model: str,
    base_url: str | None = None,
    depth: Depth = "quick",
) -> list[Event]:
    """Create a chat with its first choices."""
    return [
        ChatCreated(title=title),
        ToolsSelected(selection={key: list(tools) for key, tools in selection.items()}),
        ModelSelected(model=model, base_url=base_url),
        *select_depth(ChatState(), depth),
    ]


def rename(title: str) -> list[Event]:
    """Give a chat the title that the user chose. Raise `Refused` if it is empty (`title_empty`)."""
    clean = " ".join(title.split())
    if not clean:
        raise Refused("title_empty", "A chat's title cannot be empty. Type one, or leave it unchanged.")
    return [ChatRenamed(title=clean[:200])]


def delete(state: ChatState) -> list[Event]:
    """Remove the chat from the list; no event if it is already removed."""
    return [] if state.deleted else [ChatDeleted()]


def restore(state: ChatState) -> list[Event]:
    """Put a deleted chat back on the list; no event if it is not deleted."""
    return [ChatRestored()] if state.deleted else []


def archive(state: ChatState) -> list[Event]:
    """Move the chat to the archive; no event if it is already there."""
    return [] if state.archived else [ChatArchived()]


def unarchive(state: ChatState) -> list[Event]:
    """Move the chat out of the archive; no event if it is not there."""
    return [ChatUnarchived()] if state.archived else []


def select_tools(state: ChatState, selection: Mapping[str, Sequence[str]]) -> list[Event]:
    """Change the selected tools; no event if the selection is unchanged."""
    chosen = {key: sorted(set(tools)) for key, tools in sorted(selection.items())}
    present = {key: sorted(set(tools)) for key, tools in sorted(state.selection.items())}
    return [] if chosen == present else [ToolsSelected(selection=chosen)]


def select_model(state: ChatState, model: str, base_url: str | None) -> list[Event]:
    """Select another model; no event if the model is unchanged."""
    same = (model, base_url) == (state.model, state.base_url)
    return [] if same else [ModelSelected(model=model, base_url=base_url)]


def select_depth(state: ChatState, depth: Depth) -> list[Event]:
    """Select another depth; no event if the depth is unchanged."""
    return [] if depth == state.depth else [DepthSelected(depth=depth)]


def select_leaf(state: ChatState, message_id: str | None) -> list[Event]:
    """Go to another message, with its files. Raise `NotFound` if the chat does not have it."""
    if message_id is not None and message_id not in state.messages:
        raise NotFound("message_not_found", f"This chat has no message {message_id}.")
    if message_id == state.leaf:
        return []
    return [LeafSelected(message_id=message_id, manifest_id=state.manifest_at(message_id))]


def require_words(text: str) -> None:
    """Raise `Refused` if a question is empty (`question_empty`)."""
    if not text.strip():
        raise Refused("question_empty", "There is nothing to ask. Type a question.")


def question(text: str, new_id: NewId, *, parent_id: str | None, replaces: str | None = None) -> MessageAdded:
    """Add a user's message below `parent_id`; the chat moves to it."""
    require_words(text)
    return MessageAdded(
        message_id=new_id(),
        parent_id=parent_id,
        role="user",
        parts=(TextPart(text=text),),
        becomes_leaf=True,
        replaces=replaces,
    )


def edit(state: ChatState, message_id: str, text: str, new_id: NewId) -> list[Event]:
    """Add an edited question beside the original, with the same files.

    Raises:
        NotFound: the message is not a question of this chat (`question_not_found`).
        Refused: the text is empty (`question_empty`).
    """
    original = state.messages.get(message_id)
    if original is None or original.role != "user":
        raise NotFound(
            "question_not_found",
            f"Message {message_id} is not a question in this chat; only questions can be edited.",
        )
    message = question(text, new_id, parent_id=original.parent_id, replaces=message_id)
    return [*_stand_on(state, original.parent_id), message, *_same_files(state, original, message, new_id)]


def _stand_on(state: ChatState, message_id: str | None) -> list[Event]:
    """Return an event that switches the files to a message's state; no event if they are already in that state."""
    manifest = state.manifest_at(message_id)
    return [] if manifest == state.manifest else [LeafSelected(message_id=message_id, manifest_id=manifest)]


def _same_files(
    state: ChatState, original: MessageAdded, message: MessageAdded, new_id: NewId
) -> Sequence[Event]:
    own = state.own_manifest(original.message_id)
    if own is None:
        return []
    before = state.manifest_at(original.parent_id)
    return record_state(
        state,
        state.files(own),
        new_id,
        parent_id=before,
        message_id=message.message_id,
        source="user_upload",
        source_ref=original.message_id,
        active=True,
    )


def retried_question(state: ChatState, message_id: str) -> MessageAdded:
    """Return the question that a retry of `message_id` answers again. Raise `NotFound` if there is none."""
    if message_id not in state.messages:
        raise NotFound("message_not_found", f"This chat has no message {message_id}.")
    found = state.question_of(message_id)
    if found is None:
        raise NotFound(
            "question_not_found",
            f"Message {message_id} is not the answer to a question, so there is nothing to retry.",
        )
    return found


def record_state(
    state: ChatState,
    files: Files,
    new_id: NewId,
    *,
    parent_id: str | None,
    message_id: str | None,
    source: ManifestSource,
    source_ref: str | None,
    active: bool,
    call_id: str | None = None,
    joined: bool = True,
    left_out: Sequence[LeftOut] = (),
) -> list[ManifestRecorded]:
    """Record a state of the files as changes to its parent; no event if nothing changed."""
    changes = difference(state.files(parent_id), files)
    if not changes and source != "branch":
        return []
    return [
        ManifestRecorded(
            manifest_id=new_id(),
            parent_id=parent_id,
            message_id=message_id,
            call_id=call_id,
            added=_recorded(changes.added),
            changed=_recorded(changes.changed),
            removed=tuple(changes.removed),
            source=source,
            source_ref=source_ref,
            active=active,
            joined=joined,
            left_out=tuple(left_out),
        )
    ]


def _recorded(files: Mapping[str, FileEntry]) -> dict[str, File]:
    return {path: File(sha256=f.sha256, size=f.size, executable=f.executable) for path, f in files.items()}


def title_from(text: str) -> str:
    """Return a chat's title from its first question: the first line, cut at a word."""
    line = " ".join((text.strip().splitlines() or [""])[0].split())
    if len(line) <= _TITLE:
        return line
    cut = line[:_TITLE].rsplit(" ", 1)[0]
    return (cut if len(cut) > _TITLE // 2 else line[: _TITLE - 1]).rstrip(" ,;:.-") + "…"
