"""The View menu of a table's card: columns, names, formats, totals, colours. Recorded; the table does not change."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from engine.commands.catalog import PickColumns, RenameColumns, ShapeTable, SortRows, Step, TableLook
from engine.errors import AnabranchError
from engine.views.results import Order, TableSource
from events.json_value import JSON
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send
from ui.owner_cache import OwnerCache
from ui.widgets.cards.choice import is_name, is_number
from ui.widgets.cards.table_look import CardTable, look_of, reset_look, set_field
from ui.words import escape, unseen

__all__ = ["number_formats", "order_of", "show_totals", "sort_field", "view_menu"]

_AUTOMATIC = "Automatic"
_AS_IT_CAME = "Original order"
_FORMATS = {
    _AUTOMATIC: None,
    "1234": "whole",
    "1234.50": "two_decimals",
    "Unformatted": "plain",
    "1.2K": "compact",
    "12.34%": "percent",
    "$1,234.50": "dollar",
    "€1,234.50": "euro",
}
"""A format's name in the menu → the recorded name."""
_GRID = {"whole": "%.0f", "two_decimals": "%.2f"}
"""A format's recorded name → its name in Streamlit's grid, if it differs."""
_NOTE = "How this card shows the table. The view is saved; the table and its SQL do not change."
_totals = OwnerCache[dict[str, JSON]](50)


def number_formats(look: TableLook, columns: Sequence[str]) -> dict[str, str | None]:
    """Return the format of each column's numbers in the grid; None: chosen automatically."""
    chosen = {name: look.formats.get(name, look.numbers) for name in columns}
    return {name: _GRID.get(one, one) if one else None for name, one in chosen.items()}


def order_of(look: TableLook, columns: Sequence[str]) -> Order | None:
    """Return the chosen order of a table with these columns."""
    by = look.sort_by
    return Order(by, look.descending) if by is not None and by in columns else None


def view_menu(
    table: CardTable, columns: Sequence[tuple[str, str]], name: str | None, *, sorts: bool = False
) -> None:
    """Draw the menu of a card; with `sorts`, it contains the choice of the sort order. `name` is the table name under
    which SQL can read the card's rows, if there is one.
    """
    if session.looks_back():
        return
    if session.remembered("view-made"):
        session.clear("view-made")
        st.rerun(scope="app")
    look, key = look_of(table), table.key
    names = [column for column, _ in columns]
    menu = st.popover(
        unseen("View"),
        icon=":material/view_column:",
        key=f"view-{key}",
        type="tertiary",
        help="View",
        on_change="rerun",
    )
    if not menu.open:  # drawing its fields takes half of the time of drawing a card
        return
    with menu:
        st.html(f'<p class="ab-note">{_NOTE}</p>')
        _columns(table, look, names)
        if sorts:
            sort_field(table, look, names, beside=False)
        _numbers(table, look)
        _one_column(table, look, columns)
        _switches(table, look)
        _ends(table, look, name, names)


def _ends(table: CardTable, look: TableLook, name: str | None, names: Sequence[str]) -> None:
    """Draw the buttons that make a table from the view, and that reset the view."""
    key = table.key
    if name is not None:
        st.button(
            "Save as a new table",
            key=f"view-make-{key}",
            help="Make a new table with these columns, names and order. The chat records the SELECT that makes it.",
            disabled=not _steps(look, names),
            on_click=once(f"view-make-{key}", partial(_make, table, name, names)),
        )
    st.button(
        "Reset view",
        key=f"view-reset-{key}",
        type="tertiary",
        help="Show the table as it was first shown",
        disabled=look == TableLook(),
        on_click=reset_look,
        args=(table,),
    )


def _columns(table: CardTable, look: TableLook, names: Sequence[str]) -> None:
    field = f"view-columns-{table.key}"
    picked = [name for name in look.shown if name in names]
    changed = set_field(table, field, picked, shown=tuple)
    st.multiselect("Columns, in this order", names, key=field, placeholder="All columns", on_change=changed)
    if not picked:
        field = f"view-hidden-{table.key}"
        gone = [name for name in look.hidden if name in names]
        changed = set_field(table, field, gone, hidden=tuple)
        st.multiselect("Hide", names, key=field, placeholder="No columns", on_change=changed)


def sort_field(table: CardTable, look: TableLook, names: Sequence[str], *, beside: bool) -> Order | None:
    """Draw the choice of the sort order, without a label if it is `beside` the search; return the chosen order."""
    key = f"sort-{table.key}"
    options: list[Order | str] = [_AS_IT_CAME, *(Order(name, way) for name in names for way in (False, True))]
    changed = set_field(
        table,
        key,
        order_of(look, names) or _AS_IT_CAME,
        sort_by=lambda one: one.column if isinstance(one, Order) else None,
        descending=lambda one: isinstance(one, Order) and one.descending,
    )
    chosen = st.selectbox(
        "Sort all rows",
        options,
        format_func=lambda one: (
            one if isinstance(one, str) else f"{one.column} {'↓' if one.descending else '↑'}"
        ),
        key=key,
        label_visibility="collapsed" if beside else "visible",
        width=190 if beside else "stretch",
        on_change=changed,
    )
    return chosen if isinstance(chosen, Order) else None


def _numbers(table: CardTable, look: TableLook) -> None:
    field = f"view-numbers-{table.key}"
    changed = set_field(table, field, _label(look.numbers), numbers=_FORMATS.get)
    st.selectbox("Number format", list(_FORMATS), key=field, on_change=changed)


def _one_column(table: CardTable, look: TableLook, columns: Sequence[tuple[str, str]]) -> None:
    """Draw the fields for one column's name and number format."""
    kinds, key = dict(columns), table.key
    one = st.selectbox(
        "Name and format of one column",
        list(kinds),
        index=None,
        key=f"view-one-{key}",
        placeholder="Choose a column",
    )
    if one is None:
        return
    field = f"view-name-{key}-{one}"

    def named(held: str) -> dict[str, str]:
        return _with(look_of(table).names, one, (held or "").strip() or None)

    changed = set_field(table, field, look.names.get(one, ""), names=named)
    st.text_input("Shown as", key=field, placeholder=one, max_chars=200, on_change=changed)
    if is_number(kinds[one]):
        field = f"view-format-{key}-{one}"

        def written(held: str) -> dict[str, str]:
            return _with(look_of(table).formats, one, _FORMATS[held])

        changed = set_field(table, field, _label(look.formats.get(one)), formats=written)
        st.selectbox("Number format of this column", list(_FORMATS), key=field, on_change=changed)


def _switches(table: CardTable, look: TableLook) -> None:
    for name, words in (
        ("totals", "Totals of all rows"),
        ("colours", "Colour numbers by value"),
        ("whole_row", "Show the whole row when you select one"),
    ):
        field = f"view-{name}-{table.key}"
        changed = set_field(table, field, getattr(look, name), **{name: bool})
        st.checkbox(words, key=field, on_change=changed)


def _with(values: Mapping[str, str], name: str, value: str | None) -> dict[str, str]:
    others = {one: held for one, held in values.items() if one != name}
    return others if value is None else {**others, name: value}


def _label(recorded: str | None) -> str:
    return next(label for label, name in _FORMATS.items() if name == recorded)


def _steps(look: TableLook, names: Sequence[str]) -> list[Step]:
    """Return the steps that make a table from the view: its order, its columns and their names."""
    shown = [name for name in look.shown if name in names] or [n for n in names if n not in look.hidden]
    renamed = {name: new for name, new in look.names.items() if name in shown}
    order = order_of(look, names)
    steps: list[Step] = [SortRows(order.column, order.descending)] if order else []
    steps += [PickColumns(shown)] if shown and shown != list(names) else []
    return [*steps, RenameColumns(renamed)] if renamed else steps


def _make(table: CardTable, name: str, names: Sequence[str]) -> None:
    origin = table.call.call_id if table.call else None
    steps = _steps(look_of(table), names)
    if send(ShapeTable(table.chat_id, name, steps, from_call_id=origin)) is not REFUSED:
        session.remember("view-made", True)


def show_totals(source: TableSource, total: int, look: TableLook) -> None:
    """Draw the sums of the numeric columns over all rows, not only over those on the page."""
    engine = app()
    try:
        found = _totals.get(engine, source, lambda: dict(engine.results.totals(source)))
    except AnabranchError as error:
        st.html(f'<p class="ab-warning">{escape(error.message)}</p>')
        return
    told = [
        f"<b>{escape(look.names.get(name, name))}</b> {_written(value)}"
        for name, value in found.items()
        if not is_name(name)
    ]
    listed = " · ".join(told) or "none, because no column has numbers to add up"
    st.html(f'<p class="ab-totals">{_all_rows(total)}: {listed}</p>')


def _all_rows(total: int) -> str:
    return "Totals (1 row)" if total == 1 else f"Totals of all {total:,} rows"


def _written(value: JSON) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else escape(str(value))
