"""Links of an answer to files of the workspace: text in the answer, and buttons below it that open the Files panel."""

import re
from collections.abc import Collection
from urllib.parse import unquote, urlsplit

import streamlit as st

from engine.views.placement import CODE
from ui import session
from ui.words import label

__all__ = ["Links"]

_LINK = re.compile(
    r"(?<![!\\])\[([^\]\n]{1,500}+)\]\(\s{0,9}<?([^)\s>]{1,500}+)>?(?:\s{1,9}\"[^\"\n]{0,200}+\")?\s{0,9}\)"
)
"""A Markdown link. Its lengths are bounded: a model may write many brackets, and the search would take quadratic time.
"""
_ELSEWHERE = re.compile(r"(?i)[a-z][a-z0-9+.-]*:|//|#|\?")


class Links:
    """While an answer's text is drawn, collects the files to which the text links."""

    def __init__(self, files: Collection[str], key: str) -> None:
        """`files` are the paths of the chat's current files; `key` identifies the answer."""
        self._files = files
        self._key = key
        self._found: list[str] = []

    def marked(self, text: str) -> str:
        """Return `text` with the host added to each external link, and each link to a file replaced by its name.

        A browser would open an empty page for a link to a file.
        """
        parts = CODE.split(text)
        return "".join(part if index % 2 else _LINK.sub(self._mark, part) for index, part in enumerate(parts))

    def _mark(self, found: re.Match[str]) -> str:
        words, target = found[1], unquote(found[2])
        if _ELSEWHERE.match(target):
            return _with_host(found[0], words, target)
        path = target.removeprefix("./").removeprefix("/").removeprefix("workspace/")
        if path not in self._files:
            return f"{words} (there is no file `{path.replace('`', '')}`)"
        if path not in self._found:
            self._found.append(path)
        return f"**{words}**"

    def buttons(self, chat_id: str) -> None:
        """Draw a button for each collected file."""
        if not self._found:
            return
        with st.container(key=f"links-{self._key}", horizontal=True):
            for number, path in enumerate(self._found[:20]):
                st.button(
                    label(path),
                    icon=":material/description:",
                    key=f"link-{number}-{self._key}",
                    type="tertiary",
                    help="Open in the Files panel",
                    on_click=_open,
                    args=(chat_id, path),
                )


def _with_host(link: str, words: str, target: str) -> str:
    """Return an external link with its host added to the link's text, which the model wrote and which may mislead."""
    try:
        host = urlsplit(target).hostname
    except ValueError:
        host = None
    if not host or host in re.split(r"[^\w.-]+", words.lower()):
        return link
    shown = re.sub(r"[^\w.:-]", "?", host)
    return link.replace(f"[{words}]", f"[{words} ({shown})]", 1)


def _open(chat_id: str, path: str) -> None:
    session.remember(f"panel-file-{chat_id}", path)
    session.remember("panel", "files")
