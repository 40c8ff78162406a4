"""`anabranch chat …`: lists, shows and changes chats."""

from engine.cli.lazy_group import LazyGroup

__all__ = ["program"]


COMMANDS = {
    "list": ("engine.cli.chat_list:list_chats", "List the chats, the latest first."),
    "show": ("engine.cli.chat_show:show_chat", "Show a chat's active branch with its tool calls."),
    "fork": ("engine.cli.chat_changes:fork_chat", "Copy a branch, with its files, into a new chat."),
    "archive": (
        "engine.cli.chat_changes:archive_chat",
        "Move a chat from the list of chats to the archive, or back.",
    ),
    "rewind": (
        "engine.cli.chat_changes:rewind_chat",
        "Take a chat, its files, or both back to an earlier state; later events stay in the history.",
    ),
    "approve": ("engine.cli.chat_calls:approve_call", "Allow a waiting call, then print the answer."),
    "answer": (
        "engine.cli.chat_calls:answer_call",
        "Answer a question from the model, then print the model's answer.",
    ),
    "deny": ("engine.cli.chat_calls:deny_call", "Deny a waiting call, then print the answer."),
    "moments": ("engine.cli.moments:list_moments", "List a chat's named moments."),
    "name-moment": (
        "engine.cli.moments:name_moment",
        "Name a state of a chat's files, so that SQL and Python can read its tables as NAME.table.",
    ),
    "forget-moment": ("engine.cli.moments:forget_moment", "Remove a moment's name."),
    "export": (
        "engine.cli.export_chat:export_chat",
        "Write a chat as a file that can be read or run without Anabranch.",
    ),
    "save-file": ("engine.cli.save_file:save_file", "Save files to a chat, recorded as your edits."),
}
"""As in `engine.cli.main`."""


program = LazyGroup(
    places=COMMANDS,
    help="List, show and fork chats; approve or deny calls that wait for you.",
)
