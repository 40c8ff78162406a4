"""Shows what a pending call would send from this machine: the destination, the bytes in full, and the files."""

import streamlit as st

from engine.views.chat import CallView
from engine.views.outgoing_data import what_leaves
from ui.current_app import app
from ui.words import count, escape, size

__all__ = ["would_leave"]

_KNOWN = {
    "host": "",
    "claimed": "as its toolset declares; Anabranch does not prevent other destinations",
    "unknown": "Anabranch does not know which addresses this tool sends data to",
}


def would_leave(chat_id: str, call: CallView) -> None:
    """Draw what would be sent, above the arguments."""
    tool = next((tool for tool in app().tools() if tool.tool_id == call.tool_id), None)
    view = app().chat(chat_id)
    files = app().workspace.files(chat_id, view.manifest)
    leaving = what_leaves(call, tool, files, list(view.calls.values()))
    if leaving is None:
        return
    first = '<span class="ab-badge run">first time in this chat</span>' if leaving.first else ""
    where = f" <small>{_KNOWN[leaving.known]}</small>" if _KNOWN[leaving.known] else ""
    rows = {
        "To": f"<b>{escape(leaving.host)}</b>{where} {first}",
        "Data": f"{leaving.size:,} bytes, shown in full below",
    }
    if leaving.files:
        total = sum(length for _, length in leaving.files)
        named = ", ".join(escape(path) for path, _ in leaving.files[:5])
        more = f" and {len(leaving.files) - 5} more" if len(leaving.files) > 5 else ""
        rows["Files"] = f"{count(len(leaving.files), 'file')}, {escape(size(total))}: {named}{more}"
    facts = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows.items())
    st.html(
        f'<div class="ab-leaving"><b>What would leave this machine</b><dl class="ab-facts-list">{facts}</dl></div>'
    )
