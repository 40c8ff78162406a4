"""Exports of a chat for people who do not have Anabranch: a page, Markdown, a notebook or SQL."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, TypeAlias

from engine.errors import Invalid, NotFound, Refused
from engine.secrets.scrubber import Scrubber
from engine.views.chat import ChatView
from engine.views.programs.packed_program import packed_program
from engine.views.programs.program_steps import Programs
from engine.views.reports.html_report import html_report, pasted_report
from engine.views.reports.markdown_report import markdown_report
from engine.views.reports.report import Report
from engine.views.reports.report_file import read_report
from engine.views.reports.reports import Reports
from engine.views.reports.scrubbed import scrubbed
from engine.views.workspace import WorkspaceReads

__all__ = ["ChatExports", "ProgramKind", "ReportKind"]

ReportKind: TypeAlias = Literal["html", "md"]
ProgramKind: TypeAlias = Literal["notebook", "sql"]
_NAME = re.compile(r"[\w][\w \-]{0,80}")
_PACKAGES = (
    "duckdb",
    "pandas",
    "pyarrow",
    "numpy",
    "scipy",
    "statsmodels",
    "scikit-learn",
    "matplotlib",
    "altair",
)
"""The packages that a notebook may import."""


class ChatExports:
    """Exports chats. Thread-safe; nothing is recorded."""

    def __init__(
        self,
        chat: Callable[[str], ChatView],
        reports: Reports,
        programs: Programs,
        workspace: WorkspaceReads,
        scrubber: Scrubber,
    ) -> None:
        self._chat, self._reports, self._programs = chat, reports, programs
        self._workspace, self._scrubber = workspace, scrubber

    def report(
        self,
        chat_id: str,
        kind: ReportKind,
        answers: Sequence[str] = (),
        message_id: str | None = None,
        report_file: str | None = None,
    ) -> str:
        """Return a report as a page or as Markdown; see `ExportChat` for its contents.

        Raises:
            NotFound: the chat, a message or the report file does not exist, or there is nothing to export.
        """
        view = self._chat(chat_id)
        if report_file is not None:
            made = self._reports.of_file(view, read_report(self._file(chat_id, report_file)))
        else:
            made = self._reports.of_chat(view, answers, message_id)
        return self._written(made, kind)

    def pasted(
        self, chat_id: str, answers: Sequence[str] = (), message_id: str | None = None
    ) -> tuple[str, str]:
        """Return a report for the clipboard, as Markdown and as HTML for documents and emails.

        Raises:
            NotFound: see `report`.
        """
        made = self._reports.of_chat(self._chat(chat_id), answers, message_id)
        clean = scrubbed(made, self._scrubber.text)
        return markdown_report(clean), pasted_report(clean)

    def of_text(self, chat_id: str, text: str, kind: ReportKind, *, preview: bool = False) -> str:
        """Return the report that a report file's text describes, before the file is saved."""
        made = self._reports.of_file(self._chat(chat_id), read_report(text))
        return self._written(made, kind, preview=preview)

    def _written(self, report: Report, kind: ReportKind, *, preview: bool = False) -> str:
        """Return a report as a page or as Markdown, with configured secrets removed."""
        clean = scrubbed(report, self._scrubber.text)
        return html_report(clean, preview=preview) if kind == "html" else markdown_report(clean)

    def program(
        self,
        chat_id: str,
        kind: ProgramKind,
        answers: Sequence[str] = (),
        message_id: str | None = None,
        name: str = "analysis",
    ) -> bytes:
        """Return a ZIP of the calls of a branch as a notebook or an SQL script, with their data.

        Raises:
            NotFound: the chat or a message does not exist, or there is nothing to export.
            Invalid: the name is not valid for a file (`export_name`).
            Refused: the data is too large, or one of its files contains a configured secret (`export_secret`).
        """
        if not _NAME.fullmatch(name):
            raise Invalid(
                "export_name",
                f"“{name}” cannot be used as a file name. Use letters, digits, -, _ and spaces.",
            )
        folder = f"{name.replace(' ', '_')}_data"
        made = self._programs.of_chat(self._chat(chat_id), folder, packages(), answers, message_id)
        for path, content in made.data.items():
            if held := self._scrubber.bytes_hold(content):
                raise Refused(
                    "export_secret",
                    f"{path} contains the key {held[0]}, so it is not exported. Remove the key, or export the "
                    "answers that do not read it.",
                )
        clean = replace(
            made, title=self._scrubber.text(made.title), steps=scrubbed(made.steps, self._scrubber.text)
        )
        return packed_program(clean, kind, name)

    def _file(self, chat_id: str, path: str) -> str:
        entry = self._workspace.files(chat_id).get(path)
        if entry is None:
            raise NotFound("file_not_found", f"There is no file {path} in this chat.")
        return self._workspace.read(chat_id, entry.sha256).decode("utf-8", "replace")


def packages() -> tuple[str, ...]:
    """Return the packages that a notebook may import, with their installed versions."""
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name}=={version(name)}")
        except PackageNotFoundError:
            continue
    return tuple(found)
