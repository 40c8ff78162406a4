"""Turns the recorded calls of a branch into the steps of a program, with the data that they read."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from engine.rendering.plans import ChartPlan, PartsPlan, TablePlan
from engine.tools.file_tables import TableReads
from engine.tools.sources.offer import source_asked
from engine.views.changed_inputs import ChangedInputs
from engine.views.chat import CallView, ChatView
from engine.views.number_evidence import program_of
from engine.views.placement import Result, results_of
from engine.views.programs.program import (
    ChartStep,
    OmittedStep,
    Program,
    PythonStep,
    QueryStep,
    QuestionStep,
    Step,
    TableName,
)
from engine.views.programs.program_data import ProgramData
from engine.views.reports.cards import Cards
from engine.views.reports.report import FigurePart, TablePart
from engine.views.reports.report_sources import needed_calls
from engine.views.reports.reports import Head
from engine.views.reports.selection import calls_with_cards, selected
from engine.views.workspace import WorkspaceReads
from engine.workspace.blobs import BlobStore
from events.json_value import JSONObject

__all__ = ["Moments", "Programs"]

_UNNAMED_PAST = re.compile(r'"(?:at \d+|branch \d+)"\s*\.', re.IGNORECASE)
Moments = Callable[[str], Iterable[Mapping[str, Any]]]
"""The named moments of a chat: rows of the read model `moments`."""


class Programs:
    """Makes programs. Thread-safe; nothing is recorded."""

    def __init__(
        self,
        reads: TableReads,
        workspace: WorkspaceReads,
        cards: Cards,
        blobs_of: Callable[[str], BlobStore],
        moments: Moments,
        head: Head,
        now: Callable[[], datetime],
    ) -> None:
        self._reads, self._workspace, self._cards = reads, workspace, cards
        self._blobs_of, self._moments, self._head, self._now = blobs_of, moments, head, now

    def of_chat(
        self,
        view: ChatView,
        folder: str,
        packages: tuple[str, ...],
        answers: Collection[str] = (),
        leaf: str | None = None,
    ) -> Program:
        """Return a program with the calls of a branch, or with the calls of chosen answers and all calls that they
        depend on.

        Raises:
            NotFound: an answer is not on the branch, or there is nothing to export.
            Refused: the data is too large.
        """
        own = calls_with_cards(view, selected(view, answers, leaf))
        calls = needed_calls(view, own, ChangedInputs(self._workspace))
        data = ProgramData(view.chat_id, self._reads, self._workspace)
        states = {str(row["name"]): row["manifest_id"] for row in self._moments(view.chat_id)}
        steps: list[Step] = []
        asked = ""
        for call in calls:
            question = own.get(call.call_id, asked)
            if question != asked:
                asked = question
                steps.append(QuestionStep(question))
            steps += self._steps(view, call, data, {"": call.pre_manifest_id, **states})
        position, chain_hash = self._head()
        return Program(
            view.title or "Untitled chat",
            tuple(steps),
            data.files,
            folder,
            position,
            chain_hash,
            self._now(),
            packages,
        )

    def _steps(
        self, view: ChatView, call: CallView, data: ProgramData, states: Mapping[str, str | None]
    ) -> Iterator[Step]:
        text, plan = program_of(call), call.plan
        if plan is None or not isinstance(plan, TablePlan | ChartPlan | PartsPlan):
            yield OmittedStep(call.tool_id, "it does not compute a table or chart")
            return
        source = source_asked(call.tool_id, call.args)
        if source is not None:
            yield OmittedStep(
                call.tool_id, f"it was read from the source {source}; its recorded result is in the data"
            )
            return
        sql = plan.sql if isinstance(plan, TablePlan | ChartPlan) else None
        if isinstance(plan, PartsPlan) and not isinstance(call.args, dict):
            yield OmittedStep(call.tool_id, "its code is not recorded")
            return
        if not isinstance(plan, PartsPlan) and not sql:
            yield OmittedStep(call.tool_id, "it was not made by SQL or Python")
            return
        if _UNNAMED_PAST.search(sql or text):
            yield OmittedStep(call.tool_id, "it reads an earlier state of the files that has no name")
            return
        yield from data.loads(sql or text, states)
        if isinstance(plan, TablePlan):
            yield from self._query(view, call, plan, data)
        elif isinstance(plan, ChartPlan):
            yield ChartStep(plan.title or "Chart", sql or "", _spec(plan), self._figure(view, call))
        else:
            yield self._python(view, call, plan, data)

    def _query(self, view: ChatView, call: CallView, plan: TablePlan, data: ProgramData) -> Iterator[Step]:
        if plan.file is None:
            yield OmittedStep(call.tool_id, "its result is not a separate table")
            return
        table = TableName(plan.name or _stem(plan.file.path))
        recorded = self._blobs_of(view.chat_id).read(plan.file.sha256)
        target = data.keep(f"recorded/{table.name}.parquet", recorded)
        data.made(table, plan.file.sha256)
        shown = next((p for p in self._parts(view, call) if isinstance(p, TablePart)), None)
        title = shown.title if shown is not None else plan.title or table.name
        yield QueryStep(table, title, plan.sql or "", target, shown)

    def _python(self, view: ChatView, call: CallView, plan: PartsPlan, data: ProgramData) -> PythonStep:
        code = plan.code or program_of(call)
        data.named_files(code, call.pre_manifest_id)
        shown = tuple(self._parts(view, call))
        return PythonStep(plan.title or "Python", code, plan.output or "", shown)

    def _figure(self, view: ChatView, call: CallView) -> FigurePart | None:
        return next((part for part in self._parts(view, call) if isinstance(part, FigurePart)), None)

    def _parts(self, view: ChatView, call: CallView) -> Iterator[TablePart | FigurePart]:
        for result in _shown(call):
            for part in self._cards.parts_of(view.chat_id, result):
                if isinstance(part, TablePart | FigurePart):
                    yield part


def _shown(call: CallView) -> Iterator[Result]:
    yield from results_of([call])


def _spec(plan: ChartPlan) -> JSONObject:
    """Return a chart's specification with its data."""
    spec: JSONObject = dict(plan.spec)
    if plan.data is not None:
        spec["data"] = {"values": list(plan.data)}
    if plan.title:
        spec["title"] = plan.title
    return spec


def _stem(path: str) -> str:
    return re.sub(r"\W+", "_", path.rsplit("/", 1)[-1].rpartition(".")[0]).strip("_") or "result"
