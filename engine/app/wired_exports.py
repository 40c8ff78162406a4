"""Builds the parts that export chats."""

from collections.abc import Callable

from engine.app.chat_exports import ChatExports
from engine.chats.workspaces import Workspaces
from engine.rendering.charts.renderer import ChartRenderer
from engine.secrets.scrubber import Scrubber
from engine.views.chat import ChatView
from engine.views.numbers import AnswerNumbers
from engine.views.programs.program_steps import Moments, Programs
from engine.views.reports.cards import Cards
from engine.views.reports.reports import Reports
from engine.views.results import ResultReads
from engine.views.workspace import WorkspaceReads
from events.identity import Clock
from events.log import EventLog

__all__ = ["wired_exports"]


def wired_exports(
    chat: Callable[[str], ChatView],
    log: EventLog,
    numbers: AnswerNumbers,
    workspace: WorkspaceReads,
    results: ResultReads,
    workspaces: Workspaces,
    charts: ChartRenderer,
    scrubber: Scrubber,
    moments: Moments,
    clock: Clock,
) -> ChatExports:
    """Build the exports from the parts of an app."""

    def head() -> tuple[int, str]:
        position = log.head()
        last = next(iter(log.read_all(position - 1, 1)), None) if position else None
        return (last.position, last.hash) if last is not None else (0, "")

    cards = Cards(results, workspaces, charts)
    reports = Reports(numbers, workspace, cards, head, clock)
    programs = Programs(results.reads, workspace, cards, workspaces.blobs, moments, head, clock)
    return ChatExports(chat, reports, programs, workspace, scrubber)
