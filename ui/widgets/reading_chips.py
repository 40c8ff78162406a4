"""How the offline analyst read a question: parts that can be changed, or several readings to choose from.

Choices are computed for the last answer only, and for an older one when the reader asks to change it.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from engine.commands.catalog import Retry
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.exchanges import Exchange
from engine.views.query_form import FormError, FormPart, form_parts, form_sentence
from engine.workspace.table_facts import TableProfile
from events.json_value import JSON, JSONObject
from ui import session
from ui.acts import once
from ui.components.query_pills.component import PillRow, query_pills
from ui.current_app import app, send
from ui.widgets.askable_tables import source_profiles
from ui.widgets.exchange import is_latest
from ui.widgets.pills import pill_of, pills_html
from ui.words import escape, label

__all__ = ["reading_chips", "reading_choice", "readings_of"]


def readings_of(exchange: Exchange) -> tuple[JSONObject, ...]:
    """Return the query forms that are the readings of an exchange's question."""
    return next((step.readings for step in exchange.steps if step.readings), ())


def reading_chips(view: ChatView, exchange: Exchange, readings: Sequence[JSONObject]) -> None:
    """Draw the parts of the query, if the question was read in only one way."""
    if len(readings) != 1:
        return
    form, question = readings[0], exchange.question.message_id
    opened = session.remembered(f"changing-{view.chat_id}") == question and not session.looks_back()
    changing = is_latest(view, exchange) or opened
    tables = _tables(view.chat_id, question, read=changing)
    parts = _parts(form, tables, with_choices=changing and bool(tables))
    if isinstance(parts, str):
        st.html(f'<div class="ab-readas"><span>Read as</span>{escape(parts)}</div>')
    elif changing and tables:
        query_pills(
            [PillRow("Read as", tuple(pill_of(part, place) for place, part in enumerate(parts)))],
            token=exchange.steps[0].message_id,
            key=f"chips-{question}",
            disabled=_running(view),
            on_choose=partial(_choose, view.chat_id, question, parts),
        )
    else:
        _only_to_read(view, question, parts)


def _only_to_read(view: ChatView, question: str, parts: Sequence[FormPart]) -> None:
    with st.container(key=f"readas-{question}", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-readas"><span>Read as</span>{pills_html(parts)}</div>', width="content")
        if not session.looks_back():
            st.button(
                "Change",
                key=f"change-{question}",
                type="tertiary",
                help="Change how this question was read",
                disabled=_running(view),
                on_click=session.remember,
                args=(f"changing-{view.chat_id}", question),
            )


def _tables(chat_id: str, question: str, *, read: bool) -> tuple[TableProfile, ...]:
    """Return the tables that the question could use, as far as they are known; `read` begins to read the others."""
    try:
        manifest = app().workspace.manifest_at(chat_id, question)
        if manifest is None:
            return source_profiles()
        workspace = app().workspace
        found = (
            workspace.seen(chat_id, manifest).tables if read else workspace.known_tables(chat_id, manifest)
        )
        return (*found, *source_profiles()) if found or not workspace.files(chat_id, manifest) else ()
    except AnabranchError:
        return ()


def _parts(
    form: Mapping[str, JSON], tables: Sequence[TableProfile], *, with_choices: bool
) -> tuple[FormPart, ...] | str:
    """Return a form's parts, or a message if this version of Anabranch cannot read the form."""
    try:
        return form_parts(form, tables, with_choices=with_choices)
    except FormError:
        return "a query that this version of Anabranch cannot change"


def _running(view: ChatView) -> bool:
    return any(turn.reason is None for turn in view.turns.values())


def _choose(
    chat_id: str, question: str, parts: Sequence[FormPart], _row: int, part: int, choice: int
) -> None:
    session.clear(f"changing-{chat_id}")
    send(Retry(chat_id, question, form=parts[part].choices[choice].form))


def reading_choice(view: ChatView, exchange: Exchange, readings: Sequence[JSONObject]) -> None:
    """Draw the readings of a question, from which the user chooses one."""
    question = exchange.question.message_id
    tables = _tables(view.chat_id, question, read=False)
    latest = is_latest(view, exchange)
    with st.container(key=f"ways-{question}"):
        for number, form in enumerate(readings, 1):
            parts = _parts(form, tables, with_choices=False)
            if not isinstance(parts, str):
                _way(view, question, number, form, parts, latest)


def _way(
    view: ChatView, question: str, number: int, form: JSONObject, parts: Sequence[FormPart], latest: bool
) -> None:
    with st.container(key=f"way-{number}-{question}", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-way"><kbd aria-hidden="true">{number}</kbd>{pills_html(parts)}</div>',
            width="stretch",
        )
        if session.looks_back():
            return
        st.button(
            label(form_sentence(form)),
            icon=":material/arrow_forward:",
            key=f"read-{number}-{question}",
            type="tertiary",
            shortcut=str(number) if latest and not _running(view) else None,
            disabled=_running(view),
            on_click=once(f"read-{question}", send),
            args=(Retry(view.chat_id, question, form=form),),
        )
