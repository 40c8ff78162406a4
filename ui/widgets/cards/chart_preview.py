"""The preview of an edited chart: run as the tool runs it, but not recorded."""

from dataclasses import dataclass

from engine.errors import AnabranchError
from engine.rendering.plans import ChartPlan
from engine.views.chart_versions import CHART
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.cards.chart_draft import Draft, arguments_of

__all__ = ["Preview", "columns_of", "previewed"]

_SECONDS = 10.0
"""After which a preview is stopped."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The drawn chart, or the reason why there is none."""

    plan: ChartPlan | None
    problem: str


_previews = OwnerCache[Preview](60)
_columns = OwnerCache[tuple[tuple[str, str], ...]](100)


def columns_of(chat_id: str, statement: str) -> tuple[tuple[str, str], ...]:
    """Return name and type of each column of a SELECT over the chat's files as they are.

    Raises:
        AnabranchError: it cannot run; says why.
    """
    engine = app()
    wanted = (chat_id, engine.chat(chat_id).manifest, statement)
    return _columns.get(engine, wanted, lambda: engine.columns_of(chat_id, statement))


def previewed(chat_id: str, draft: Draft) -> Preview:
    """Return the chart that the draft draws over the chat's current files."""
    engine, args = app(), arguments_of(draft)

    def run() -> Preview:
        try:
            found = engine.preview_call(chat_id, CHART, args, _SECONDS)
        except AnabranchError as error:
            return Preview(None, error.message)
        plan = found.plan if isinstance(found.plan, ChartPlan) else None
        return Preview(plan, found.problem or ("" if plan is not None else "The tool drew no chart."))

    return _previews.get(
        engine, (chat_id, engine.chat(chat_id).manifest, repr(sorted(args.items(), key=str))), run
    )
