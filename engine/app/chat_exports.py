"""Exports of a chat for people who do not have Anabranch: a page, Markdown, a notebook or SQL."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from engine.errors import NotFound
from engine.secrets.scrubber import Scrubber
from engine.views.chat import ChatView
from engine.views.reports.html_report import html_report
from engine.views.reports.markdown_report import markdown_report
from engine.views.reports.report import Report
from engine.views.reports.report_file import read_report
from engine.views.reports.reports import Reports
from engine.views.reports.scrubbed import scrubbed
from engine.views.workspace import WorkspaceReads

__all__ = ["ChatExports", "ReportKind"]

ReportKind: TypeAlias = Literal["html", "md"]


class ChatExports:
    """Makes them. Safe for several threads; nothing is recorded."""

    def __init__(
        self, chat: Callable[[str], ChatView], reports: Reports, workspace: WorkspaceReads, scrubber: Scrubber
    ) -> None:
        self._chat, self._reports, self._workspace, self._scrubber = chat, reports, workspace, scrubber

    def report(
        self,
        chat_id: str,
        kind: ReportKind,
        answers: Sequence[str] = (),
        message_id: str | None = None,
        report_file: str | None = None,
    ) -> str:
        """Return a report as a page or as Markdown; see `ExportChat` for what is in it.

        Raises:
            NotFound: the chat, a message or the report file is not there, or there is nothing to export.
        """
        view = self._chat(chat_id)
        if report_file is not None:
            made = self._reports.of_file(view, read_report(self._file(chat_id, report_file)))
        else:
            made = self._reports.of_chat(view, answers, message_id)
        return self.written(made, kind)

    def of_text(self, chat_id: str, text: str, kind: ReportKind) -> str:
        """Return the report that a report file's text describes, before it is saved."""
        return self.written(self._reports.of_file(self._chat(chat_id), read_report(text)), kind)

    def written(self, report: Report, kind: ReportKind) -> str:
        """Return a report without configured secrets, as a page or as Markdown."""
        clean = scrubbed(report, self._scrubber.text)
        return html_report(clean) if kind == "html" else markdown_report(clean)

    def _file(self, chat_id: str, path: str) -> str:
        entry = self._workspace.files(chat_id).get(path)
        if entry is None:
            raise NotFound("file_not_found", f"There is no file {path} in this chat.")
        return self._workspace.read(chat_id, entry.sha256).decode("utf-8", "replace")
