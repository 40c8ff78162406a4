"""The panel of a number: its origin, from the text of the answer to the files and the log."""

from collections.abc import Sequence

import streamlit as st

from engine.errors import AnabranchError
from engine.views.answer_number import AnswerNumber
from engine.views.chat import ChatView
from engine.views.dossier import CellShown, Dossier, rounding, status_words
from engine.views.number_marks import is_marked
from ui import session
from ui.components.number_links.component import number_links
from ui.current_app import app
from ui.widgets.dossier_facts import dossier_facts, station
from ui.widgets.number_actions import confirm_cell, number_actions
from ui.widgets.rows_asked import ask_for_rows
from ui.words import count, escape, unseen

__all__ = ["listen_to_numbers", "number_panel"]

_OPENED = "number"
_LONG_TEXT = 400
"""The number of characters above which a text is shown in a box that scrolls."""


def listen_to_numbers(view: ChatView, answers: Sequence[str]) -> None:
    """Open the panel of a number that is clicked; `answers` are the messages on the page."""
    names = {
        f"{message_id}-{one.place}": _spoken(one)
        for message_id in answers
        for one in app().numbers(view.chat_id, message_id)
        if is_marked(one)
    }
    number_links(names, key=f"numbers-{view.chat_id}", on_open=_open)


def _spoken(one: AnswerNumber) -> str:
    """Return the text of a number's link for screen readers."""
    words = one.text.replace("−", "minus ").replace("-", "minus ") if one.text[:1] in "−-" else one.text
    maybe = [cell.cell for cell in one.traced.likely] or list(
        one.traced.maybe.cells if one.traced.maybe else ()
    )
    cells = one.cells or (maybe if one.status == "unclear" else ())
    table = one.results[cells[0].table] if cells else None
    named = f", {'' if one.cells else 'may be '}from {table.title or table.name}" if table else ""
    return f"{words}, {status_words(one, one.status).lower()}{named}"


def _open(reference: str) -> None:
    message_id, _, place = reference.rpartition("-")
    if place.isdigit():
        session.remember(_OPENED, (message_id, int(place)))
        session.remember("panel", "number")


def number_panel(view: ChatView) -> None:
    """Draw where the chosen number came from."""
    message_id, place = session.remembered(_OPENED, ("", 0))
    numbers = [one for one in app().numbers(view.chat_id, message_id) if is_marked(one)]
    try:
        dossier = app().dossier(view.chat_id, message_id, place)
    except AnabranchError:
        st.html('<p class="ab-note">This number is not on this branch.</p>')
        return
    at = next((index for index, one in enumerate(numbers) if one.place == place), 0)
    with st.container(key="number-steps", horizontal=True, vertical_alignment="center"):
        for step, icon, words in (
            (-1, "chevron_left", "Previous number"),
            (1, "chevron_right", "Next number"),
        ):
            to = numbers[(at + step) % len(numbers)].place if numbers else place
            st.button(
                unseen(words),
                icon=f":material/{icon}:",
                key=f"number{step}",
                type="tertiary",
                help=words,
                on_click=session.remember,
                args=(_OPENED, (message_id, to)),
                disabled=len(numbers) < 2,
            )
            if step < 0:
                st.html(f'<span class="ab-meta">{at + 1} of {len(numbers)}</span>', width="content")
    _dossier(view, dossier)


def _dossier(view: ChatView, dossier: Dossier) -> None:
    number = dossier.number
    stations = [_head(dossier), *_in_the_answer(dossier)]
    st.html("".join(stations))
    if dossier.cells:
        st.html(station(_cells_title(dossier), _cells(dossier.cells)))
        _which_rows(view.chat_id, dossier.cells)
    if number.traced.derivation is not None:
        formula = number.traced.derivation.formula
        st.html(station(number.traced.derivation.operation.capitalize(), f"<code>{escape(formula)}</code>"))
    if number.traced.working:
        told = f"<p>{escape(dossier.objection)}</p>" if dossier.objection else ""
        st.html(station("In the model's words", f"<code>{escape(number.traced.working)}</code>{told}"))
    if dossier.review:
        st.html(station("Review", f"<p>{escape(dossier.review)}</p>"))
        _review_texts(view.chat_id, dossier.message.message_id)
    if dossier.others:
        told = f"{count(len(dossier.others), 'other cell')} could also be the source"
        st.html(station(told, _cells(dossier.others)))
    if dossier.nearest:
        st.html(station("Closest values", f"{count(len(number.results), 'result')} searched"))
    for at, (cell, told) in enumerate(dossier.likely, start=1):
        st.html(station("Possibly this cell", f"<p>{escape(told)}</p>{_cells((cell,))}"))
        confirm_cell(view, dossier, at, told)
    if dossier.maybe:
        heading = "An estimate" if dossier.number.traced.assumed else "May be calculated"
        st.html(station(heading, f"<p>{escape(dossier.maybe)}</p>"))
    number_actions(view, dossier)
    dossier_facts(dossier)


def _review_texts(chat_id: str, message_id: str) -> None:
    """Show the request for the model's review and its reply, once this part is opened."""
    opened = st.expander(
        "Request and reply of the review", type="compact", key="review-texts", on_change="rerun"
    )
    if opened.open and (texts := app().review_texts(chat_id, message_id)) is not None:
        with opened:
            for title, text in zip(("Request", "Reply"), texts, strict=True):
                st.html(f'<span class="ab-label">{title}</span>')
                box = st.container(height=260 if len(text) > _LONG_TEXT else "content", border=False)
                box.code(text, language=None, wrap_lines=True)


def _which_rows(chat_id: str, cells: Sequence[CellShown]) -> None:
    """Offer the rows behind each cell that a call made."""
    with st.container(key="which-rows", horizontal=True):
        for at, cell in enumerate(cells):
            if not cell.call_id:
                continue
            named = f"{cell.columns[cell.column]} {_value(cell.value)}"
            st.button(
                "Which rows?" if len(cells) == 1 else f"Which rows? {_value(cell.value)}",
                icon=":material/table_rows:",
                key=f"which-rows-{at}",
                type="tertiary",
                help=f"Show the input rows behind {named}",
                on_click=ask_for_rows,
                args=(chat_id, cell.call_id, cell.at, cell.columns[cell.column], _full_name(cell)),
            )


def _full_name(cell: CellShown) -> str:
    """Return the cell as people would name it, by its column, row and value."""
    words = [str(value) for value in cell.row if isinstance(value, str) and value][:2]
    of = f" of {', '.join(words)}" if words else ""
    return f"{cell.columns[cell.column]}{of}: {_value(cell.value)}"


def _cells_title(dossier: Dossier) -> str:
    """Return the title above the cells. It says so if only some of them are listed."""
    derivation, shown = dossier.number.traced.derivation, len(dossier.cells)
    if derivation is not None and (every := max(derivation.many, len(derivation.cells))) > shown:
        return f"First and last of {every:,} cells" if shown == 2 else f"{shown} of {every:,} cells"
    return "The cell" if len(dossier.cells) == 1 else "The cells"


def _head(dossier: Dossier) -> str:
    status = dossier.status
    return (
        f'<div class="ab-number-head"><span class="ab-number-value">{escape(dossier.number.text)}</span>'
        f'<span class="ab-badge {_KINDS[status]}">{escape(status_words(dossier.number, status))}</span></div>'
    )


_KINDS = {
    "exact": "ok",
    "derived": "ok",
    "said": "off",
    "plain": "off",
    "stale": "run",
    "unclear": "run",
    "unbacked": "run",
}


def _in_the_answer(dossier: Dossier) -> list[str]:
    if told := rounding(dossier.number):
        return [station("In the answer", escape(told))]
    return []


def _cells(cells: Sequence[CellShown]) -> str:
    """Return each cell as HTML: a small table with its row, in which the cell is marked."""
    made = []
    for cell in cells:
        names = [at for at, value in enumerate(cell.row) if isinstance(value, str) and value][:2]
        columns = [*(at for at in names if at != cell.column), cell.column]
        head = "".join(f"<th>{escape(cell.columns[at])}</th>" for at in columns)
        row = "".join(
            f'<td class="{"ab-cell" if at == cell.column else ""}">{escape(_value(cell.row[at]))}</td>'
            for at in columns
        )
        made.append(
            f"<figure><figcaption>{escape(cell.result)}, {count(cell.rows, 'row')}</figcaption>"
            f"<table><tr>{head}</tr><tr>{row}</tr></table></figure>"
        )
    return "".join(made)


def _value(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)
