"""What stands under an answer: the results of its last step, a chart and its query as one, and the user's own runs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.rendering.plans import ChartPlan, TablePlan
from engine.views.chat import CallView, ChatView, MessageView
from ui.widgets.render_plan import render_plan

__all__ = ["Shown", "lifted", "show_lifted"]


@dataclass(frozen=True, slots=True)
class Shown:
    """One card under an answer."""

    call: CallView
    chart: CallView | None = None
    """The call that drew the result of `call`."""

    @property
    def call_ids(self) -> list[str]:
        """The calls whose results it shows."""
        return [self.call.call_id, *([self.chart.call_id] if self.chart else [])]


def lifted(steps: Sequence[MessageView]) -> list[Shown]:
    """The cards of the last step that made any to look at."""
    for step in reversed(steps):
        made = [call for call in step.calls if _worth_lifting(call)]
        if made:
            queries = [call for one in steps for call in one.calls if _worth_lifting(call)]
            return _joined(made, queries)
    return []


def show_lifted(view: ChatView, shown: Sequence[Shown]) -> None:
    """Draw them, each with what the user ran from it below."""
    for one in shown:
        render_plan(view.chat_id, one.call, key=one.call.call_id, drawn=one.chart)
        for run in view.calls.values():
            if run.from_call_id in one.call_ids and _worth_lifting(run):
                render_plan(view.chat_id, run, key=run.call_id)


def _joined(made: Sequence[CallView], queries: Sequence[CallView]) -> list[Shown]:
    shown: dict[str, Shown] = {}
    for call in made:
        query = _query_of(call, queries)
        if query is None:
            shown.setdefault(call.call_id, Shown(call))
        else:
            shown[query.call_id] = Shown(query, call)
    return list(shown.values())


def _query_of(chart: CallView, queries: Sequence[CallView]) -> CallView | None:
    """The query whose very result a chart draws: by the same SQL, or by the name of the file that keeps it."""
    plan = chart.plan
    if not isinstance(plan, ChartPlan) or not plan.sql:
        return None
    for query in reversed(queries):
        table = query.plan
        if isinstance(table, TablePlan) and table.file is not None and table.sql:
            stem = re.sub(r"\W+", "_", table.file.path.rsplit("/", 1)[-1].removesuffix(".parquet").lower())
            if _plain(table.sql) == _plain(plan.sql) or stem in re.findall(r"\w+", plan.sql.lower()):
                return query
    return None


def _plain(sql: str) -> str:
    return " ".join(sql.rstrip("; \n").split())


def _worth_lifting(call: CallView) -> bool:
    if call.status != "success" or not call.render_plan:
        return False
    return call.plan is not None and call.plan.renderer not in ("json", "error")
