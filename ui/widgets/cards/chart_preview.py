"""The preview of an edited chart. It runs the chart tool, but the run is not recorded. It can be stopped."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from engine.app.app import App
from engine.errors import AnabranchError
from engine.rendering.plans import ChartPlan
from engine.views.chart_versions import CHART
from ui import session
from ui.acts import once
from ui.background_task import StoppableTask
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.cards.chart_draft import Draft, arguments_of
from ui.widgets.parts import fragment

__all__ = ["Preview", "columns_of", "drop_preview", "previewed", "show_running"]

_EVERY = 0.5
"""Seconds between checks of a preview that is being drawn."""
_AT_ONCE = 1.0
"""Seconds that the page waits for a preview, so that most charts appear without a progress message."""
_STOPPED = "You stopped this preview. You can still save the chart."


@dataclass(frozen=True, slots=True)
class Preview:
    """The drawn chart, or the reason why there is none."""

    plan: ChartPlan | None
    problem: str
    """The reason why there is no chart; empty if there is a chart, or while it is being drawn."""
    is_stopped: bool = False

    @property
    def is_running(self) -> bool:
        """Whether the chart is still being drawn."""
        return self.plan is None and not self.problem

    @property
    def is_refused(self) -> bool:
        """Whether the chart cannot be drawn."""
        return self.plan is None and not self.is_running and not self.is_stopped


class _Work(StoppableTask[Preview]):
    """One preview, in a separate thread."""

    def __init__(self, wanted: Hashable) -> None:
        super().__init__()
        self.wanted = wanted

    def begin(self, engine: App, chat_id: str, draft: Draft) -> None:
        """Start the preview; drawn charts are cached."""
        args = arguments_of(draft)

        def run() -> Preview:
            try:
                found = engine.preview_call(chat_id, CHART, args, cancel=self._cancel)
            except AnabranchError as error:
                return Preview(None, error.message)
            plan = found.plan if isinstance(found.plan, ChartPlan) else None
            made = Preview(plan, found.problem or ("" if plan is not None else "The tool drew no chart."))
            return _drawn.get(engine, self.wanted, lambda: made) if plan is not None else made

        self.task.begin(run)
        self.task.wait(_AT_ONCE)


_drawn = OwnerCache[Preview](60)
_columns = OwnerCache[tuple[tuple[str, str], ...]](100)


def columns_of(chat_id: str, statement: str) -> tuple[tuple[str, str], ...]:
    """Return name and type of each column of a SELECT over the chat's current files.

    Raises:
        AnabranchError: the SELECT cannot run; the message says why.
    """
    engine = app()
    wanted = (chat_id, engine.chat(chat_id).manifest, statement)
    return _columns.get(engine, wanted, lambda: engine.columns_of(chat_id, statement))


def previewed(chat_id: str, draft: Draft, key: str) -> Preview:
    """Return the chart that the draft draws over the chat's current files; a chart that takes more than a second is
    drawn in the background. An older preview in the editor `key` is stopped.
    """
    engine = app()
    wanted = (chat_id, engine.chat(chat_id).manifest, repr(sorted(arguments_of(draft).items(), key=str)))
    known = _drawn.known(engine, wanted)
    if known is not None:
        drop_preview(key)
        return known
    work: _Work | None = session.remembered(_name(key))
    if work is None or work.wanted != wanted:
        drop_preview(key)
        work = _Work(wanted)
        session.remember(_name(key), work)
        work.begin(engine, chat_id, draft)
    if work.is_stopped:
        return Preview(None, _STOPPED, is_stopped=True)
    return work.task.outcome() if work.task.is_done else Preview(None, "")


def show_running(key: str) -> None:
    """Show how long a preview has been drawn, with a button that stops it; the page is drawn again when it ends."""
    work: _Work | None = session.remembered(_name(key))
    if work is not None:
        fragment(_running, run_every=_EVERY)(work, key)


def drop_preview(key: str) -> None:
    """Stop and forget the preview that is being drawn for an editor; the next run of the page starts it again."""
    work: _Work | None = session.remembered(_name(key))
    if work is not None:
        work.stop()
        session.clear(_name(key))


def _running(work: _Work, key: str) -> None:
    """Draw the progress with a Stop button, or rerun the page if the preview has ended."""
    if work.task.is_done or work.is_stopped:
        st.rerun(scope="app")
    with st.container(key=f"edrunning-{key}", horizontal=True, vertical_alignment="center"):
        words = f"Drawing the preview · {work.task.seconds} s"
        st.html(f'<span class="ab-note" role="status">{words}</span>', width="content")
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"stop-preview-{key}",
            help="Stop drawing this preview",
            on_click=once(f"stop-preview-{key}", work.stop),
        )


def _name(key: str) -> str:
    return f"chart-preview-{key}"
