"""`anabranch chat …`: lists, shows and changes chats."""

from engine.cli.lazy_group import LazyGroup

__all__ = ["program"]


COMMANDS = {
    "list": "engine.cli.chat_list:list_chats",
    "show": "engine.cli.chat_show:show_chat",
    "fork": "engine.cli.chat_changes:fork_chat",
    "archive": "engine.cli.chat_changes:archive_chat",
    "rewind": "engine.cli.chat_changes:rewind_chat",
    "approve": "engine.cli.chat_calls:approve_call",
    "answer": "engine.cli.chat_calls:answer_call",
    "deny": "engine.cli.chat_calls:deny_call",
    "moments": "engine.cli.moments:list_moments",
    "name-moment": "engine.cli.moments:name_moment",
    "forget-moment": "engine.cli.moments:forget_moment",
    "export": "engine.cli.export_chat:export_chat",
    "save-file": "engine.cli.save_file:save_file",
}
"""Name → module and attribute, as in `engine.cli.main`."""


program = LazyGroup(
    places=COMMANDS,
    help="List, show and fork chats; approve or deny calls that wait for you.",
)
