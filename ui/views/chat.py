"""The chat page: its head, its transcript, the running turn, the composer, and the Files panel."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import streamlit as st

from engine.commands.catalog import (
    Ask,
    RestoreChat,
    Upload,
    UploadFiles,
)
from engine.errors import NotFound
from engine.views.chat import ChatView
from engine.views.exchanges import Exchange, exchanges, own_runs_after
from engine.views.model_info import model_title
from engine.views.placement import results_of
from events.json_value import JSON
from ui import session
from ui.acts import once
from ui.current_app import app, send
from ui.widgets.askable_tables import with_sources
from ui.widgets.composer import composer
from ui.widgets.empty import empty, sample_uploads, welcome
from ui.widgets.export_menu import export_menu
from ui.widgets.failure import failure, pending_failure
from ui.widgets.live import live
from ui.widgets.message import show_exchange
from ui.widgets.number_panel import listen_to_numbers
from ui.widgets.own_runs import own_runs
from ui.widgets.question_field import NEW_CHAT
from ui.widgets.refused_question import refused_question, submit_question
from ui.widgets.rerun import rerun_band
from ui.widgets.rewound import rewound
from ui.widgets.rows_dialog import rows_dialog
from ui.widgets.side_panel import side_panel
from ui.widgets.summary import summary_fold
from ui.widgets.waiting_questions import waiting_questions
from ui.words import count, escape, tokens

__all__ = ["chat_page"]

_SHOWN, _MORE = 6, 12
"""How many questions are drawn at first with their answers, and how many older ones are added on demand. Each takes
time whenever the page is drawn, and an answer with results takes as long as two others. So it counts as two.
"""


def chat_page(chat_id: str) -> None:
    """Draw the chat `chat_id`."""
    version = app().version(chat_id)
    try:
        view = app().chat(chat_id)
    except NotFound:
        _no_chat("This chat does not exist.", "Your chats are listed in the sidebar.", chat_id)
        return
    if view.deleted:
        _no_chat("This chat was deleted.", "Its events are kept.", chat_id, back=RestoreChat(chat_id))
        return
    _chat(view, version)


def _no_chat(what: str, more: str, chat_id: str, back: RestoreChat | None = None) -> None:
    with st.container(key="no-chat"):
        pending_failure()
        failure(what, more)
        refused_question(chat_id)
        with st.container(horizontal=True):
            if back is not None:
                st.button(
                    "Restore it", key="restore", type="primary", on_click=once("restore", send), args=(back,)
                )
            st.button("New chat", key="instead", on_click=session.go_to_chat, args=(None,))


def _chat(view: ChatView, version: int) -> None:
    running = [turn.turn_id for turn in view.turns.values() if turn.reason is None]
    shown = exchanges(view)
    _head(view)
    with st.container(key="transcript"):
        _transcript(view, shown)
        rerun_band(view)
        rewound(view.chat_id)
        pending_failure()
        _tail(view, shown, running, version)
        waiting_questions(view.chat_id)
    composer(
        chat_id=view.chat_id,
        running=bool(running),
        selection=view.selection,
        model=view.model,
        base_url=view.base_url,
        depth=view.depth,
        on_ask=_ask_here,
        on_ask_form=_ask_form_here,
        tables=lambda: with_sources(app().workspace.seen(view.chat_id, view.manifest)),
        placeholder="Ask a follow-up" if shown else NEW_CHAT,
    )
    side_panel(view)
    rows_dialog(view.chat_id)


def _transcript(view: ChatView, shown: Sequence[Exchange]) -> None:
    """Draw the newest exchanges, and the user's own calls between them."""
    of, limit = session.remembered("shown", (None, 0))
    if of != view.chat_id:
        session.clear("shown")
        limit = _at_first(shown)
    if len(shown) > limit:
        st.button(
            f"Show {count(min(_MORE, len(shown) - limit), 'earlier question')}",
            key="earlier",
            type="tertiary",
            on_click=session.remember,
            args=("shown", (view.chat_id, limit + _MORE)),
        )
    ran = own_runs_after(view, shown)
    if len(shown) <= limit:
        own_runs(view, ran.get(None, ()))
    for exchange in shown[-limit:]:
        with st.container(key=f"exchange-{exchange.question.message_id}"):
            show_exchange(view, exchange, st.context.timezone_offset)
        summary_fold(view, exchange)
        own_runs(view, ran.get(exchange.question.message_id, ()))
    listen_to_numbers(view, [e.answer.message_id for e in shown[-limit:] if e.answer])
    if not shown and not ran:
        _welcome(view)


def _at_first(shown: Sequence[Exchange]) -> int:
    """Return how many of the newest exchanges are drawn when a chat is opened; at least one."""
    weights = (2 if _may_have_results(one) else 1 for one in reversed(shown))
    return max(1, sum(total <= _SHOWN for total in accumulate(weights)))


def _may_have_results(one: Exchange) -> bool:
    running = one.turn is not None and one.turn.reason is None
    return running or any(results_of([call for step in one.steps for call in step.calls]))


def _tail(view: ChatView, shown: Sequence[Exchange], running: Sequence[str], version: int) -> None:
    """Draw the text of the running turns. The page stays at the question that the user is reading."""
    ended = sorted((t for t in view.turns.values() if t.reason), key=lambda t: t.started_at)
    last = shown[-1].question.message_id if shown else None
    leaf, question = session.remembered(f"reading-{view.chat_id}", (None, None))
    last = question if leaf == view.leaf and question is not None else last
    live(view.chat_id, running, [turn.turn_id for turn in ended[-5:]], last, version)


def _welcome(view: ChatView) -> None:
    files = app().workspace.files(view.chat_id, view.manifest)
    if not files:
        empty(with_sample=False, on_pick=_ask_sample_here)
        return
    welcome(
        app().workspace.seen(view.chat_id, view.manifest).tables, len(files), lambda text: _ask_here(text, [])
    )


def _head(view: ChatView) -> None:
    with st.container(key="chat-head", horizontal=True, vertical_alignment="center"):
        title, model = escape(view.title or "New chat"), escape(model_title(view.model))
        whole, branch = view.usage(), view.usage(branch=True)
        used = tokens(branch.tokens_in, branch.tokens_out) if whole.tokens_in or whole.tokens_out else ""
        told = f"The whole chat: {tokens(whole.tokens_in, whole.tokens_out)}" if used else ""
        st.html(
            f'<div class="ab-title"><b>{title}</b><span>{model}</span><span title="{told}">{used}</span></div>',
            width="stretch",
        )
        for name, icon, key in (("Files", "folder_open", "F"), ("Branches", "account_tree", "B")):
            st.button(
                name,
                icon=f":material/{icon}:",
                key=name.lower(),
                help=f"Show {name} beside the chat ({key})",
                type="secondary" if session.panel() == name.lower() else "tertiary",
                shortcut=key,
                on_click=session.toggle_panel,
                args=(name.lower(),),
            )
        _page_buttons(view)
        if view.messages or view.own_runs:
            export_menu(view)


def _page_buttons(view: ChatView) -> None:
    """Draw the buttons that lead to the chat's own pages."""
    st.button(
        "History",
        icon=":material/history:",
        key="history-of-chat",
        help="See this chat at any moment (H)",
        type="tertiary",
        shortcut="H",
        on_click=_open_history,
        args=(view.chat_id,),
    )
    if view.calls:
        st.button(
            "Verify",
            icon=":material/fact_check:",
            key="verify-chat",
            help="Run this chat's tool calls again, and check whether each gives the same result (V)",
            type="tertiary",
            shortcut="V",
            on_click=session.go_to_page,
            args=("verify",),
        )


def _open_history(chat_id: str) -> None:
    session.stand_at(chat_id, None)
    session.go_to_page("history")


def _ask_here(text: str, uploads: list[Upload]) -> None:
    """Ask in the chat that is shown; files without a question are only added."""
    chat_id = session.selected_chat()
    if chat_id is None:
        return
    if text.strip():
        submit_question(Ask(chat_id, text, uploads))
    elif uploads:
        send(UploadFiles(chat_id, uploads))


def _ask_form_here(text: str, form: Mapping[str, JSON]) -> None:
    chat_id = session.selected_chat()
    if chat_id is not None:
        submit_question(Ask(chat_id, text, form=form))


def _ask_sample_here(text: str) -> None:
    _ask_here(text, sample_uploads())
