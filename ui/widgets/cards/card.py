"""What every card shares: head with a title and faces, body, and the foot that says where the result came from."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import streamlit as st

from engine.rendering.plans import FileRef
from engine.views.chat import CallView
from ui.words import count, escape

__all__ = ["card", "choose_face", "file_name", "foot", "heading"]


def card(title: str, note: str, key: str, body: Callable[[], Any], foot: str = "") -> None:
    """Draw a card without faces: `body` draws what stands between its head and its foot."""
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}"):
            st.html(heading(title, note))
        with st.container(key=f"cardpad-{key}"):
            body()
        if foot:
            st.html(foot)


def heading(title: str, note: str) -> str:
    """A card's title and the quiet note beside it, as HTML."""
    return f'<div class="ab-cardtitle"><b>{escape(title)}</b><span>{escape(note)}</span></div>'


def choose_face(faces: list[str], key: str) -> str:
    """Let the reader choose among a card's faces; returns the one that is shown."""
    if len(faces) == 1:
        return faces[0]
    chosen = st.segmented_control(
        "Face", faces, default=faces[0], required=True, key=f"face-{key}", label_visibility="collapsed"
    )
    return chosen or faces[0]


def foot(call: CallView, shown_to_model: Any = None, rows: int | None = None, *, note: str = "") -> str:
    """The foot's facts as HTML: tool, version, what the model saw of `rows`, a `note`, and the files after it."""
    toolset, _, tool = call.tool_id.rpartition(":")
    version = f" {call.toolset_version}" if call.toolset_version else ""
    facts = [f"{escape(tool)} · {escape(toolset or 'built-in')}{escape(version)}"]
    if isinstance(shown_to_model, int) and rows is not None:
        facts.append(f"the model saw {shown_to_model:,} of {count(rows, 'row')}")
    if note:
        facts.append(escape(note))
    if call.post_manifest_id:
        facts.append(f"files after <code>m·{escape(call.post_manifest_id[-8:])}</code>")
    return '<div class="ab-foot">' + "".join(f"<span>{fact}</span>" for fact in facts) + "</div>"


def file_name(file: FileRef | None) -> str:
    """A file's name without its folders."""
    return PurePosixPath(file.path).name if file is not None else "Text"
