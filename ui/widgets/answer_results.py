"""The results of an answer: shown where the text names them, or else below it. A chart and its query share a card."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import streamlit as st

from engine.rendering.plans import ChartPlan, TablePlan
from engine.views.chart_versions import Version, is_version, versions_of
from engine.views.chat import CallView, ChatView
from engine.views.placement import Missing, Piece, Placed, Result, Words, results_of
from ui.widgets.cards.chart_version import shown_version
from ui.widgets.file_links import Links
from ui.widgets.render_plan import render_plan
from ui.words import count, escape, prose

__all__ = ["Shown", "as_edited", "cards_of", "show_answer", "show_cards"]


@dataclass(frozen=True, slots=True)
class Shown:
    """One card under an answer."""

    result: Result
    chart: Result | None = None
    """The chart that was drawn from this result."""

    @property
    def is_table(self) -> bool:
        """Whether the card shows rows without a chart."""
        return isinstance(self.result.plan, TablePlan) and self.chart is None

    @property
    def call_ids(self) -> list[str]:
        """The calls whose results the card shows."""
        return [self.result.call.call_id, *([self.chart.call.call_id] if self.chart else [])]


def cards_of(results: Sequence[Result], others: Sequence[Result] = ()) -> list[Shown]:
    """Return the cards of the results below an answer. A chart shares the card of the query whose rows it draws.

    `others` are results of the turn that get no card by themselves; a chart of one of them shares a card with it.
    """
    tables = [result for result in (*others, *results) if isinstance(result.plan, TablePlan)]
    shown: dict[str, Shown] = {}
    for result in results:
        table = _table_of(result, tables)
        if table is None:
            shown.setdefault(result.key, Shown(result))
        elif table.key in shown and shown[table.key].chart is not None:
            shown[result.key] = Shown(result)  # a second chart of a table gets a separate card
        else:
            shown[table.key] = Shown(table, result)
    return list(shown.values())


def as_edited(view: ChatView, result: Result) -> Result:
    """Return a result as the user last edited it, or in the version that the reader chose."""
    versions = versions_of(view.calls, result.call.call_id) if isinstance(result.plan, ChartPlan) else ()
    if result.place or not versions:
        return result
    shown = shown_version(versions)
    return result if shown.call.call_id == result.call.call_id else Result(shown.call, shown.plan)


def show_answer(view: ChatView, pieces: Sequence[Piece], links: Links) -> None:
    """Draw an answer's text, with each result shown where the text names it."""
    seen: dict[str, int] = {}
    for piece in pieces:
        match piece:
            case Words():
                st.markdown(prose(links.marked(piece.text)))
            case Placed():
                again = seen[piece.result.key] = seen.get(piece.result.key, 0) + 1
                _draw(view, Shown(as_edited(view, piece.result)), f"at{again}-" if again > 1 else "")
            case Missing():
                st.html(f'<p class="ab-warning">{escape(_missing(piece))}</p>')
    links.buttons(view.chat_id)


def show_cards(view: ChatView, shown: Sequence[Shown], placed: Sequence[str] = ()) -> None:
    """Draw cards, each with the user's own runs from it below; then draw the runs from the other calls in `placed`.

    If the answer's text names results, the tables that it does not name are collapsed into one line.
    """
    folded = [one for one in shown if placed and one.is_table]
    for one in shown:
        if one not in folded:
            _draw_with_runs(view, one)
    _runs(view, [call_id for call_id in placed if not any(call_id in one.call_ids for one in shown)])
    if folded:
        label = count(len(folded), "more result")
        fold = st.expander(label, type="compact", key=f"fold-{folded[0].result.key}", on_change="rerun")
        if fold.open:
            with fold:
                for one in folded:
                    _draw_with_runs(view, one)


def _draw_with_runs(view: ChatView, one: Shown) -> None:
    _draw(view, one)
    _runs(view, one.call_ids)


def _runs(view: ChatView, call_ids: Sequence[str]) -> None:
    """Draw the results that the user made from these calls, and in turn from those results. Edited charts are left
    out, because they replace their original.
    """
    made_from = {version.call.call_id for call_id in call_ids for version in versions_of(view.calls, call_id)}
    for run in _run_from(view, {*call_ids, *made_from}):
        results = list(results_of([run]))
        for result in results:
            _draw(view, Shown(as_edited(view, result)))
        if results:
            _runs(view, [run.call_id])


def _run_from(view: ChatView, call_ids: Set[str]) -> Iterator[CallView]:
    made = (run for run in view.calls.values() if run.from_call_id in call_ids and not run.aside)
    return (run for run in made if not is_version(view.calls, run))


def _draw(view: ChatView, shown: Shown, before: str = "") -> None:
    result, chart = shown.result, shown.chart
    of = chart or result
    drawn = (
        Version(chart.call, chart.plan) if chart is not None and isinstance(chart.plan, ChartPlan) else None
    )
    versions = versions_of(view.calls, of.call.call_id) if isinstance(of.plan, ChartPlan) else ()
    key = f"{before}{result.key}"
    render_plan(view.chat_id, result.call, key=key, drawn=drawn, part=result.plan, versions=versions)


def _missing(piece: Missing) -> str:
    near = f" Did it mean {' or '.join(piece.near)}?" if piece.near else ""
    if not piece.name:
        return f"The answer has a place for a result here, but does not name the result.{near}"
    return (
        f"The answer refers to a result named {piece.name} here, but there is no result with this name.{near}"
    )


def _table_of(chart: Result, tables: Sequence[Result]) -> Result | None:
    """Return the last table that has the same SQL as a chart, or that the chart's SQL names; None if there is no such
    table."""
    plan = chart.plan
    if not isinstance(plan, ChartPlan) or not plan.sql:
        return None
    words = re.findall(r"\w+", plan.sql.lower())
    for result in reversed(tables):
        table = result.plan
        if (
            isinstance(table, TablePlan)
            and table.sql
            and (_plain(table.sql) == _plain(plan.sql) or (table.name or _stem(table)) in words)
        ):
            return result
    return None


def _stem(table: TablePlan) -> str:
    path = table.file.path if table.file is not None else ""
    return re.sub(r"\W+", "_", path.rsplit("/", 1)[-1].removesuffix(".parquet").lower())


def _plain(sql: str) -> str:
    return " ".join(sql.rstrip("; \n").split())
