"""Runs the tool `python` of data-analyst in a real app, with real processes."""

import csv
import io
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.app.app import App
from engine.commands.catalog import CreateChat, RunTool, Upload, UploadFiles
from engine.views.chat import CallView
from engine.workspace.manifest import FileEntry

__all__ = ["Lab", "csv_of", "monthly", "orders"]


@dataclass
class Lab:
    """A chat with files, in which code is run."""

    app: App
    chat_id: str

    @classmethod
    def opened(cls, app: App, files: Mapping[str, str | bytes]) -> "Lab":
        """A new chat with these files."""
        chat_id = app.send(CreateChat(title="Lab"))
        uploads = [Upload(n, text.encode() if isinstance(text, str) else text) for n, text in files.items()]
        if uploads:
            app.send(UploadFiles(chat_id, uploads))
        return cls(app, chat_id)

    def run(self, code: str, tool: str = "python", toolset: str = "data-analyst", **more: Any) -> CallView:
        """Run code, or SQL by `query`, and return the call."""
        arguments = {**({"code": code} if tool == "python" else {"sql": code}), **more}
        call_id = self.app.send(
            RunTool(self.chat_id, f"{toolset}:{tool}", arguments, allow_confirmations=True)
        )
        return self.app.chat(self.chat_id).calls[call_id]

    def result(self, code: str, **more: Any) -> dict[str, Any]:
        """Run code that must succeed."""
        call = self.run(code, **more)
        assert call.error is None, call.error["message"]
        assert isinstance(call.result, dict)
        return dict(call.result)

    def error(self, code: str) -> str:
        """Run code that must fail, and return the error message."""
        call = self.run(code)
        assert call.error is not None, call.result
        return str(call.error["message"])

    def files(self) -> dict[str, FileEntry]:
        """The chat's files."""
        return dict(self.app.workspace.files(self.chat_id))

    def read(self, path: str) -> bytes:
        """The bytes of one of them."""
        return self.app.workspace.read(self.chat_id, self.files()[path].sha256)


def csv_of(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def orders(rows: int = 200) -> str:
    """Orders whose amount is 20 + 3 for each item, and noise that grows with the items."""
    chance = random.Random(7)
    made = []
    for number in range(rows):
        items = 1 + number % 9
        noise = chance.gauss(0, items)
        region = "North" if number % 2 else "South"
        bonus = 6 if region == "South" else 0
        made.append((f"2024-{1 + number % 12:02}-{1 + number % 28:02}", region, items,
                     f"{20 + 3 * items + noise + bonus:.2f}"))  # fmt: skip
    return csv_of(("day", "region", "items", "amount"), made)


def monthly(years: int = 5) -> str:
    """A series with a trend of 2 a month and a season of twelve months."""
    rows = []
    for month in range(12 * years):
        value = 100 + 2 * month + 15 * math.sin(2 * math.pi * month / 12)
        rows.append((f"{2019 + month // 12}-{1 + month % 12:02}-01", f"{value:.4f}"))
    return csv_of(("month", "value"), rows)
