"""Cards of text: a program's, and a document's."""

import streamlit as st

from engine.rendering.plans import CodePlan, DocumentPlan, FileRef
from ui.widgets.cards.card import card, file_name
from ui.widgets.files import read_bytes
from ui.words import prose

__all__ = ["code_card", "document_card"]


def code_card(chat_id: str, plan: CodePlan, key: str) -> None:
    """Draw it with line numbers."""
    content = _text(chat_id, plan.file, plan.content)
    card(
        plan.title or file_name(plan.file),
        "",
        key,
        lambda: st.code(content, language=plan.language, line_numbers=True),
    )


def document_card(chat_id: str, plan: DocumentPlan, key: str) -> None:
    """Draw it as Markdown that fetches nothing."""
    content = _text(chat_id, plan.file, plan.content)
    card(plan.title or file_name(plan.file), "", key, lambda: st.markdown(prose(content)))


def _text(chat_id: str, file: FileRef | None, content: str | None) -> str:
    if content is not None:
        return content
    return read_bytes(chat_id, file).decode("utf-8", "replace") if file is not None else ""
