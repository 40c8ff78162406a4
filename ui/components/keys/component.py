"""The keyboard shortcuts of the page, and the list of all of them."""

from ui.components.assets import component

__all__ = ["KEYS", "keys"]

_mount = component("keys")

KEYS = (
    ("Everywhere", "?", "This list"),
    ("Everywhere", "Ctrl K", "Search chats"),
    ("Everywhere", "Alt N", "New chat"),
    ("In a chat", "/", "Go to the input. In the input: choose a tool to run"),
    ("In a chat", "@", "In the question: names of tables, columns, files and results"),
    ("In a chat", "Enter", "Send"),
    ("In a chat", "Shift Enter", "New line"),
    ("In a chat", "Esc", "Stop the run, or close the panel"),
    ("In a chat", "↑", "In the empty input: edit your last question"),
    ("In a chat", "Alt ← →", "Earlier or later version of a question or answer"),
    ("In a chat", "Ctrl B", "Build a query, or go back to typing"),
    ("In a chat", "1, 2", "Choose one of two readings"),
    ("In a chat", "P", "Pin the answer in view"),
    ("In a chat", "N", "Go to the next number of an answer; with Shift: the previous one"),
    ("In a chat", "E", "Edit the chart in view"),
    ("In a chat", "F", "Files"),
    ("In a chat", "B", "Branches"),
    ("In a chat", "H", "History"),
    ("In a chat", "V", "Verify"),
    ("In the history", "← →", "One event back or forward"),
    ("In the history", "Page Up, Page Down", "Ten events"),
    ("In the history", "Home, End", "First or last event"),
    ("In the history", "Space", "Play or pause"),
    ("In the history", "F", "Fork from here"),
    ("In the history", "Esc", "Back to now"),
    ("In a comparison", "[ ]", "Previous or next difference"),
    ("In a comparison", "1 to 6", "Show numbers, tables, charts, SQL, files or calls; 0 shows all"),
    ("In a comparison", "S", "Swap A and B"),
    ("In a comparison", "G", "Go to the other side"),
    ("Standing questions", "↑ ↓", "Previous or next question"),
    ("Standing questions", "Enter", "Open the answer"),
    ("Standing questions", "R", "Run again; with Shift: all"),
    ("Standing questions", "U", "Unpin"),
    ("In an editor", "Ctrl S", "Save"),
    ("In an editor", "Ctrl Z", "Undo a change to a chart; with Shift: redo"),
    ("In an editor", "Esc", "Close the chart editor; asks first if there are unsaved changes"),
)
"""The place where each shortcut works, its key, and its effect."""


def keys() -> None:
    """Listen for keyboard shortcuts that have no button on the page."""
    _mount(key="keys", data={"keys": [list(row) for row in KEYS]}, width="content")
