"""The engine of one visitor: its own folder, no access to the host, and limits with clear errors."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from engine.app.app import App
from engine.app.demo.limits import DemoLimits
from engine.app.maintenance.chat_archive import (
    MOST_CONTENTS,
    MOST_EVENT_BYTES,
    MOST_EVENTS,
    Unpacked,
    log_bytes,
    pack_log,
    unpack_log,
)
from engine.chats.open_chats import stream_of
from engine.command_handlers.toolsets import Preview
from engine.commands import catalog as ask
from engine.commands.catalog import Command, Result, Upload
from engine.errors import AnabranchError, Refused
from engine.rendering.charts.renderer import ChartRenderer
from engine.runtime.hosts import Hosts
from engine.workspace.locations import Entry
from events.event import Recorded

__all__ = ["VisitorApp", "bring_into"]

_ON_YOUR_OWN = "On your own machine you can do this."
_CLOSED: Mapping[type[Command[Any]], str] = {
    ask.InstallToolset: "This public demo cannot install toolsets.",
    ask.UninstallToolset: "This public demo cannot uninstall its toolsets; disable one instead.",
    ask.RestoreToolset: "This public demo cannot restore toolsets; reload the page for a fresh copy.",
    ask.ConfigureToolset: "This public demo stores no keys and no configuration of toolsets.",
    ask.AllowLocation: "This public demo cannot read the server's files in place.",
    ask.ForbidLocation: "This public demo cannot read the server's files in place.",
    ask.AddSource: "This public demo cannot read databases.",
    ask.ChangeSource: "This public demo cannot read databases.",
    ask.RemoveSource: "This public demo cannot read databases.",
    ask.TestSource: "This public demo cannot read databases.",
    ask.RefreshSourceTables: "This public demo cannot read databases.",
    ask.ProfileSourceTable: "This public demo cannot read databases.",
    ask.RegisterServer: "This public demo cannot start MCP servers.",
    ask.RemoveServer: "This public demo has no MCP servers.",
    ask.EnableServer: "This public demo cannot start MCP servers.",
    ask.DisableServer: "This public demo has no MCP servers.",
    ask.TrustServer: "This public demo has no MCP servers.",
}
_STARTS = (
    ask.Ask,
    ask.AskQueued,
    ask.BeginChat,
    ask.Retry,
    ask.EditMessage,
    ask.RunTool,
    ask.AnswerCall,
    ask.ApproveCall,
)
"""Commands that start a turn."""
_FREES = (
    ask.DeleteChat,
    ask.StopTurn,
    ask.DenyCall,
    ask.RemoveFile,
    ask.SelectLeaf,
    ask.RestoreChat,
    ask.UnqueueQuestion,
)
"""Commands that a visitor may still send when the storage is full."""
_BANS = ("ANABRANCH_ADMIN", "ANABRANCH_TOOLS")
"""Settings of the host's environment that also apply to visitors, because they can only restrict what is allowed."""
_MIB = 1 << 20
_FULL = 3 / 4
"""If a visitor's log is larger than this share of the limit for a downloaded log, nothing new may begin. The rest is
reserved for work that is already running.
"""


class VisitorApp(App):
    """An app whose data and configuration are in `folder`. It uses nothing from the host's environment."""

    def __init__(self, folder: Path, limits: DemoLimits, hosts: Hosts, charts: ChartRenderer) -> None:
        environ = {"ANABRANCH_CONFIG": str(folder / "config"), "ANABRANCH_KEYRING": "off"}
        environ |= {name: os.environ[name] for name in _BANS if name in os.environ}
        self.limits = limits
        self._counted = (0, 0)
        """A position in the log, and the size of all events up to that position."""
        self.was_restored = False
        """Whether the chats were restored from a file. Its hashes are consistent, but anyone can write such a file."""
        super().__init__(folder / "data", environ=environ, bounds=limits.bounds, hosts=hosts, charts=charts)

    def send(self, command: Command[Result]) -> Result:
        """Like `App.send`, but rejects commands that visitors may not use or that exceed a limit."""
        self._require_allowed(command)
        self._require_room(command)
        return super().send(command)

    def preview_toolset(self, source: Path | bytes, source_ref: str | None = None) -> Preview:  # noqa: ARG002
        """Raise `Refused`: nothing can be installed in a demo, so bundles are not examined."""
        _refuse(_CLOSED[ask.InstallToolset])

    def browse_folder(self, folder: str) -> list[Entry]:  # noqa: ARG002
        """Raise `Refused`: visitors cannot see the files of this computer."""
        _refuse(_CLOSED[ask.AllowLocation])

    def fetch_bundle(self, url: str, *, own_network: bool = False) -> bytes:  # noqa: ARG002
        """Raise `Refused`: nothing can be downloaded in a demo."""
        _refuse(_CLOSED[ask.InstallToolset])

    def packed(self) -> bytes:
        """Return the log with all contents that it refers to, as a file that can be restored."""
        with self.reads.reader() as cursor:
            return pack_log(cursor, self._own_chats(), self._workspaces.blobs)

    def look_through(self) -> None:
        """Read every chat once. This raises an error if a chat is inconsistent, which valid hashes do not rule out."""
        for row in self.chats():
            self.chat(row["chat_id"])

    def _log_bytes(self) -> int:
        """Return the size of the events in a downloaded log."""
        position, before = self._counted
        head = self.log.head()
        if head > position:
            with self.reads.reader() as cursor:
                self._counted = head, before + log_bytes(cursor, position)
        return self._counted[1]

    def _own_chats(self) -> list[tuple[str, list[Recorded]]]:
        ids = [row["chat_id"] for row in self.read("chats")]
        return [(chat_id, self.log.read_stream(stream_of(chat_id))) for chat_id in ids]

    def _require_allowed(self, command: Command[Any]) -> None:
        closed = _CLOSED.get(type(command))
        if closed is not None:
            _refuse(closed)
        if isinstance(command, ask.ChangeSetting) and command.name == "base_urls":
            _refuse("This public demo cannot use model servers on other machines.")
        text = getattr(command, "text", "")
        if isinstance(text, str) and len(text) > self.limits.text_characters:
            _over(f"A question may have up to {self.limits.text_characters:,} characters.", "Shorten it.")

    def _require_room(self, command: Command[Any]) -> None:
        self._require_free_turn(command)
        self._require_room_for_chat(command)
        sizes = _sizes(command)
        self._require_room_for_files(command, sizes)
        if not isinstance(command, _FREES):
            self._require_storage(sum(sizes))

    def _require_free_turn(self, command: Command[Any]) -> None:
        most = self.limits.turns_at_once
        waits = (
            isinstance(command, ask.Ask) and command.if_running == "queue" and self.running(command.chat_id)
        )
        if isinstance(command, _STARTS) and not waits and self._at_work() >= most:
            _over(f"At most {most} turns may run at once.", "Wait until one ends, or stop one.")

    def _require_room_for_chat(self, command: Command[Any]) -> None:
        makes_one = isinstance(command, ask.CreateChat | ask.BeginChat | ask.ForkChat)
        if makes_one and len(self.read("chats")) >= self.limits.chats:
            _over(
                f"A visitor may have up to {self.limits.chats} chats, including deleted ones.",
                "Continue in one of your chats.",
            )

    def _require_room_for_files(self, command: Command[Any], sizes: list[int]) -> None:
        limits, largest = self.limits, max(sizes, default=0)
        if largest > limits.upload_bytes:
            _over(
                f"A file may have up to {limits.upload_bytes / _MIB:g} MiB; yours has {largest / _MIB:,.1f} MiB.",
                "Use a part of the file.",
            )
        added = 0 if isinstance(command, ask.SaveFile) and command.opened_sha256 else len(sizes)
        if added and self._files_of(command) + added > limits.files:
            _over(f"A chat may have up to {limits.files} files.", "Remove some first.")

    def _require_storage(self, added_bytes: int) -> None:
        most = self.limits.total_bytes
        used, files = _below(self.data)
        anew = "Download the log, and start again in a new tab."
        if used + added_bytes > most:
            _over(f"All your data may have up to {most / _MIB:g} MiB, including the history.", anew)
        if self.log.head() > _FULL * MOST_EVENTS or self._log_bytes() > _FULL * MOST_EVENT_BYTES:
            _over("Your history has reached its maximum length.", anew)
        if files > _FULL * MOST_CONTENTS:
            _over("You have reached the maximum number of file versions.", anew)

    def _at_work(self) -> int:
        return sum(len(self.running(row["chat_id"])) for row in self.read("chats"))

    def _files_of(self, command: Command[Any]) -> int:
        chat_id = getattr(command, "chat_id", None)
        if chat_id is None:
            return 0
        try:
            return len(self.workspace.files(chat_id, self.chat(chat_id).manifest))
        except AnabranchError:
            return 0  # the command itself says that there is no such chat


def bring_into(
    folder: Path,
    source: bytes,
    limits: DemoLimits,
    hosts: Hosts,
    charts: ChartRenderer,
) -> tuple[VisitorApp, Unpacked]:
    """Open a new engine in `folder` with the chats from a downloaded file. If this fails, remove the folder.

    Raises:
        Invalid: the file was not made by Anabranch, or it was changed.
        Refused: the file contains more than a visitor may store.
    """
    most = limits.brought_bytes

    def require_room(size: int) -> None:
        if size > most:
            _over(f"A file that you restore can be up to {most / _MIB:g} MiB.", "Restore a smaller one.")

    require_room(len(source))
    chats = 0

    def check(_chat_id: str, _events: list[Recorded]) -> None:
        nonlocal chats
        chats += 1
        if chats > limits.chats:
            _over(f"A visitor may have up to {limits.chats} chats.", "Restore a smaller one.")

    brought = unpack_log(source, folder / "data", check, most)
    require_room(_below(folder)[0])
    app = VisitorApp(folder, limits, hosts, charts)
    try:
        app.look_through()
        app.was_restored = True
    except BaseException:
        app.close()
        raise
    return app, brought


def _sizes(command: Command[Any]) -> list[int]:
    uploads: list[Upload] = list(getattr(command, "files", ()) or ())
    sizes = [len(u.content) if isinstance(u.content, bytes) else u.content.stat().st_size for u in uploads]
    if isinstance(command, ask.SaveFile):
        sizes.append(len(command.content))
    return sizes


def _below(folder: Path) -> tuple[int, int]:
    """Return the total size of the files below a folder, and their number."""
    total = files = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).lstat().st_size
                files += 1
            except OSError:
                continue  # a tool removed this file meanwhile
    return total, files


def _refuse(why: str) -> NoReturn:
    raise Refused("demo_closed", f"{why} {_ON_YOUR_OWN}")


def _over(what: str, way: str) -> NoReturn:
    raise Refused("demo_limit", f"This is a public demo. {what} {way}")
