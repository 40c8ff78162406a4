"""The sections of a comparison: numbers that moved, tables, charts, SQL, files and calls."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from engine.app.app import App
from engine.errors import AnabranchError
from engine.rendering.charts.overlay import one_scale
from engine.rendering.plans import ChartPlan
from engine.views.comparison import (
    CallPair,
    ChartPair,
    ComparedFile,
    ComparedTable,
    ComparedText,
    MovedNumber,
    TableDiff,
)
from events.json_value import JSONObject
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.cards.drawn_chart import draw_chart, rows_of_chart
from ui.widgets.compared_table import diff_note, diff_table, numbers_table
from ui.widgets.diff import diff
from ui.widgets.failure import failure
from ui.widgets.files import text_of
from ui.words import escape

__all__ = ["calls", "charts", "files", "heading", "numbers", "tables", "texts"]

_MOST_NUMBERS = 30
_LARGEST_TEXT = 1 << 20
"""Up to this many bytes, a file's text is compared."""
_keyed = OwnerCache[TableDiff](20)


def heading(title: str, note: str = "") -> None:
    """Draw a section's or a table's title."""
    st.html(f'<div class="ab-compared-head"><b>{escape(title)}</b><span>{escape(note)}</span></div>')


def numbers(found: Sequence[MovedNumber]) -> None:
    """Draw the numbers that moved, the largest movement first."""
    more = (
        f"the first {_MOST_NUMBERS} of {len(found):,}, largest relative change first"
        if len(found) > _MOST_NUMBERS
        else "largest relative change first"
    )
    heading("Numbers that moved", more)
    st.html(numbers_table(found[:_MOST_NUMBERS]))


def tables(found: Sequence[ComparedTable], *, everything: bool) -> None:
    """Draw the result tables."""
    for number, table in enumerate(found):
        with st.container(key=f"compared-table-{number}"):
            _table(table, f"t{number}", everything)


def _table(table: ComparedTable, key: str, everything: bool) -> None:
    if table.a is None or table.b is None:
        heading(table.name, f"only in {'A' if table.b is None else 'B'}")
        return
    if table.problem is not None:
        failure(f"The table {table.name} could not be compared.", table.problem)
        return
    if table.diff is None:
        heading(table.name, "the same in A and B")
        return
    body = st.container()
    with st.container(horizontal=True, vertical_alignment="center", key=f"matched-{key}"):
        chosen = _chosen_key(table.diff, key)
        found = _by_key(table, chosen)
        if found.verdict == "differs":
            st.download_button(
                "All differences as CSV",
                partial(_written, app(), table, found.key if chosen else None),
                f"{table.name} differences.csv",
                "text/csv",
                icon=":material/download:",
                key=f"differences-{key}",
                type="tertiary",
                on_click="ignore",
            )
    with body:
        heading(table.name, diff_note(found))
        if everything or found.verdict == "differs":
            _rows(found, everything)


def _written(engine: App, table: ComparedTable, key: tuple[str, ...] | None) -> bytes:
    assert table.a is not None
    assert table.b is not None
    return engine.table_comparisons.differences(table.a, table.b, key=key)


def _by_key(table: ComparedTable, chosen: tuple[str, ...]) -> TableDiff:
    """Return the comparison by the key that the reader chose, else by the key that was found."""
    a, b, found = table.a, table.b, table.diff
    assert found is not None
    if not chosen or a is None or b is None:
        return found
    engine = app()
    try:
        return _keyed.get(engine, (a, b, chosen), lambda: engine.table_comparisons.compare(a, b, key=chosen))
    except AnabranchError as error:
        failure("Rows cannot be matched by these columns.", error.message)
        return found


def _chosen_key(found: TableDiff, key: str) -> tuple[str, ...]:
    """Offer to choose the columns by which rows are matched, and return them; none if there is no choice."""
    single = found.rows.before == found.rows.after == 1
    names = [one.name for one in found.columns if one.before and one.after]
    if single or not names or found.verdict == "equal":
        return ()
    said = st.empty()
    with st.popover("Match rows by", icon=":material/key:", type="tertiary", key=f"key-menu-{key}"):
        chosen = st.multiselect(
            "Columns that identify a row",
            names,
            key=f"key-{key}",
            placeholder=" and ".join(found.key) if found.key else "By position",
        )
    if found.key is None and not chosen:
        said.html(
            '<p class="ab-warning">Rows are matched by position. Choose the columns that identify a row.</p>',
            width="content",
        )
    return tuple(chosen)


def _rows(found: TableDiff, everything: bool) -> None:
    st.html(diff_table(found, everything=everything))
    rows = found.rows
    said = [
        f"the first {len(shown):,} of {number:,} {word}"
        for number, shown, word in (
            (rows.changed, found.changed, "changed rows"),
            (rows.added, found.added, "rows only in B"),
            (rows.removed, found.removed, "rows only in A"),
            (rows.same if everything else 0, found.same, "rows that are the same"),
        )
        if number > len(shown)
    ]
    if said:
        st.html(
            f'<p class="ab-empty">Shown: {escape(", ".join(said))}. The download has every difference.</p>'
        )


def charts(found: Sequence[ChartPair], chats: tuple[str, str]) -> None:
    """Draw each chart of A next to the same chart of B, with one scale if both charts have the same form."""
    for number, chart in enumerate(found):
        plans = [chart.a, chart.b]
        shared = _on_one_scale(chart, chats)
        heading(chart.title, "same scale · the dashed outline in B shows A" if shared else "")
        for side, plan, column in zip("AB", shared or plans, st.columns(2), strict=True):
            with column, st.container(border=True, key=f"compared-chart-{number}-{side}"):
                st.html(f'<span class="ab-side">{side}</span>')
                if plan is None:
                    st.html(f'<p class="ab-empty">{side} does not have this chart.</p>')
                else:
                    draw_chart(plan, f"compared-{number}-{side}", chats["AB".index(side)])


def _on_one_scale(chart: ChartPair, chats: tuple[str, str]) -> list[ChartPlan | None] | None:
    if chart.a is None or chart.b is None:
        return None
    try:
        rows: list[list[JSONObject]] = [
            rows_of_chart(plan, chat) for plan, chat in zip((chart.a, chart.b), chats, strict=True)
        ]
    except AnabranchError:
        return None  # the error is shown when the chart is drawn
    specs = one_scale(chart.a.spec, rows[0], chart.b.spec, rows[1])
    if specs is None:
        return None
    return [
        plan.model_copy(update={"spec": spec, "data": None, "file": None})
        for plan, spec in zip((chart.a, chart.b), specs, strict=True)
    ]


def texts(found: Sequence[ComparedText]) -> None:
    """Draw the SQL and code of calls, line by line with changed words marked."""
    for text in found:
        title = f"{text.name} · {'SQL' if text.language == 'sql' else 'Python'}"
        if text.before is None or text.after is None:
            heading(title, f"only in {'B' if text.before is None else 'A'}")
        with st.container(border=True):
            diff(text.before or "", text.after or "", title)


def files(found: Sequence[ComparedFile], chats: tuple[str, str], *, everything: bool) -> None:
    """Draw the files that only one side has, or that changed."""
    words = {
        "added": "only in B",
        "removed": "only in A",
        "changed": "changed",
        "equal": "the same rows, stored differently",
    }
    for number, file in enumerate(found):
        note = (
            diff_note(file.table) if file.table is not None and file.what == "changed" else words[file.what]
        )
        heading(file.path, note)
        if file.what != "changed":
            continue
        with st.expander(
            "Differences", type="compact", key=f"compared-file-{number}", on_change="rerun"
        ) as opened:
            if not opened.open:
                continue
            if file.table is not None:
                _rows(file.table, everything)
            else:
                _file_text(file, chats)


def _file_text(file: ComparedFile, chats: tuple[str, str]) -> None:
    assert file.a is not None
    assert file.b is not None
    try:
        data = [app().workspace.read(chat, sha) for chat, sha in zip(chats, (file.a, file.b), strict=True)]
    except AnabranchError as error:
        failure("This file cannot be compared.", error.message)
        return
    before, after = (text_of(one) if len(one) <= _LARGEST_TEXT else None for one in data)
    if before is None or after is None:
        st.html('<p class="ab-empty">This file is not text, or is too large to compare line by line.</p>')
    else:
        diff(before, after, file.path)


def calls(found: Sequence[CallPair]) -> None:
    """List the calls of both sides."""
    badges = {
        "same": '<span class="ab-badge ok">Same</span>',
        "changed": '<span class="ab-badge run">Differs</span>',
        "only_a": '<span class="ab-badge off">only in A</span>',
        "only_b": '<span class="ab-badge off">only in B</span>',
    }
    rows = "".join(
        f"<div><code>{escape(pair.tool_id.rpartition(':')[2])}</code>{badges[pair.status]}"
        f"<span>{escape(_told(pair))}</span></div>"
        for pair in found
    )
    same = sum(pair.status == "same" for pair in found)
    heading("Calls", f"{same:,} of {len(found):,} the same" if found else "no calls")
    st.html(f'<div class="ab-compared-calls">{rows}</div>')


def _told(pair: CallPair) -> str:
    if pair.status != "changed":
        return ""
    arguments = "the same arguments" if pair.arguments_same else "different arguments"
    return f"{arguments}, {'the same result' if pair.results_same else 'a different result'}"
