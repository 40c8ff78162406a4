"""Actions for a number that is not traced: confirm a cell or the number, use another value, ask the model,
copy it.
"""

import streamlit as st

from engine.commands.catalog import Ask, EditAnswer, VouchNumber
from engine.views.chat import ChatView
from engine.views.dossier import CellShown, Dossier
from engine.views.model_info import model_title
from engine.views.rerun_numbers import as_written
from engine.views.sentence_removal import without_sentence
from ui import session
from ui.acts import once
from ui.components.copy_text.component import copy_text
from ui.current_app import REFUSED, send
from ui.widgets.refused_question import submit_question
from ui.words import escape

__all__ = ["confirm_cell", "number_actions"]


def number_actions(view: ChatView, dossier: Dossier) -> None:
    """Draw the actions on a number that is not traced, or that the user confirmed."""
    if session.looks_back():
        return
    number, message_id = dossier.number, dossier.message.message_id
    with st.container(key="number-actions"):
        if number.vouched:
            st.html(f'<p class="ab-note">{_vouched_words(dossier)}</p>')
        elif dossier.is_untraced:
            for at, cell in enumerate(dossier.nearest):
                _use(view, dossier, cell, at)
            st.button(
                f"Ask {model_title(view.model)} {'to check it' if number.traced.is_refuted else 'for its source'}",
                key="number-ask",
                type="primary",
                width="stretch",
                help="Ask about this number in this chat",
                on_click=once("number-ask", _ask),
                args=(view.chat_id, dossier),
            )
            _removal(view, dossier)
        with st.container(key="number-more", horizontal=True, vertical_alignment="center"):
            if number.vouched or dossier.is_untraced:
                st.button(
                    _vouch_label(dossier),
                    key="number-vouch",
                    help="The number is then marked as it was before you confirmed it"
                    if number.vouched
                    else "Record that this number is right, so that it is no longer marked in amber",
                    on_click=once("number-vouch", send),
                    args=(VouchNumber(view.chat_id, message_id, number.place, not number.vouched),),
                )
            copy_text(number.text, key="number-copy")


def confirm_cell(view: ChatView, dossier: Dossier, at: int, told: str) -> None:
    """Offer to confirm that an unclear number comes from a cell; `at` is the number of the cell among the possible
    ones, from 1.
    """
    if session.looks_back():
        return
    st.button(
        "Yes, this cell",
        icon=":material/check:",
        key=f"number-cell-{at}",
        help=f"Record that {dossier.number.text} comes from this cell. {told}",
        on_click=once("number-cell", send),
        args=(
            VouchNumber(
                view.chat_id, dossier.message.message_id, dossier.number.place, vouched=True, candidate=at
            ),
        ),
    )


def _vouched_words(dossier: Dossier) -> str:
    if dossier.cells:
        return "You confirmed that this number comes from this cell."
    if dossier.number.traced.status == "unclear":
        return "You said that this number is right. The sentence does not make clear where it comes from."
    if dossier.number.traced.is_refuted:
        return "You said that this number is right. The review of the answer found it wrong."
    return "You said that this number is right. No result of this chat contains it."


def _vouch_label(dossier: Dossier) -> str:
    return "Withdraw my confirmation" if dossier.number.vouched else "I know this number"


def _use(view: ChatView, dossier: Dossier, cell: CellShown, at: int) -> None:
    """Offer to write a cell's value in place of the number."""
    value = _in_its_unit(dossier, float(cell.value))
    words = [str(one) for one in cell.row if isinstance(one, str) and one][:2]
    where = f"{cell.columns[cell.column]}{' of ' + ', '.join(words) if words else ''}"
    with st.container(key=f"number-near-{at}", horizontal=True, vertical_alignment="center"):
        st.html(f"<b>{escape(value)}</b> <span class='ab-meta'>{escape(where)}</span>", width="stretch")
        st.button(
            "Use it",
            key=f"number-use-{at}",
            type="tertiary",
            help=f"Change the number to {value}. The model's answer is kept as another version.",
            on_click=once("number-use", _use_it),
            args=(view.chat_id, dossier, value),
        )


def _removal(view: ChatView, dossier: Dossier) -> None:
    """Offer to remove the sentence with the number, if whole sentences remain."""
    message = dossier.message
    left = without_sentence(message.content, dossier.number.traced.mention.start)
    if left is not None:
        st.button(
            "Remove the sentence",
            key="number-remove",
            width="stretch",
            help="Remove this sentence. The model's answer is kept as another version.",
            on_click=once("number-remove", _write),
            args=(view.chat_id, message.message_id, left),
        )


def _in_its_unit(dossier: Dossier, value: float) -> str:
    """Return a cell's value in the answer's format: 0.42 becomes 42% if the answer has a percentage."""
    mention = dossier.number.traced.mention
    share = mention.kind == "percent" and abs(value) <= 1 < abs(mention.value)
    return as_written(dossier.number, value * (100.0 if share else 1.0))


def _use_it(chat_id: str, dossier: Dossier, value: str) -> None:
    mention, message = dossier.number.traced.mention, dossier.message
    text = message.content[: mention.start] + value + message.content[mention.end :]
    _write(chat_id, message.message_id, text)


def _write(chat_id: str, message_id: str, text: str) -> None:
    if send(EditAnswer(chat_id, message_id, text)) is not REFUSED:
        session.toggle_panel("number")


def _ask(chat_id: str, dossier: Dossier) -> None:
    text = dossier.number.text
    submit_question(
        Ask(
            chat_id,
            f"Where does {text} in your answer come from? {_doubt(dossier)} Compute it with a tool and "
            "correct the sentence, or say that it is not from the data.",
        )
    )


def _doubt(dossier: Dossier) -> str:
    if because := dossier.number.traced.refuted_because:
        return f"A review found it wrong: {because}."
    if dossier.status == "unclear":
        return "The sentence does not make clear which value of a result it is."
    return "No result of this chat contains it."
