"""Endless work on a data folder, for tests that kill it: turns, uploads, edits, installs, rebuilds, checkpoints.

`begin` starts it in a separate process. After each piece of work it sends the position of the log up to which all
events were acknowledged. Each write contains a unique token, so that an effect that happened twice is noticed.
"""

import multiprocessing
import random
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from engine.app.app import App
from engine.commands.catalog import InstallToolset, SelectLeaf, UninstallToolset, Upload, UploadFiles
from tests.support.talk import KIT, Talk, call, install_kit, write_bundle

__all__ = ["LEDGER", "begin"]

LEDGER = "ledger"
"""Files below this folder of a workspace are named by their token."""

_ACT = KIT["tools/act.py"]


class Worker:
    """One chat and everything that can happen to it. If the data folder already has a chat, this chat is used."""

    def __init__(self, data: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.data = data
        self.app = App(data)
        chats = self.app.chats()
        if not chats:
            install_kit(self.app, data.parent / "kit")
        self.talk = Talk(self.app, data.parent, chats[0]["chat_id"] if chats else "")
        self.tokens = 0

    def token(self) -> str:
        """Return a file name that was never used before."""
        self.tokens += 1
        return f"{LEDGER}/{self.tokens:06d}"

    def turn(self) -> None:
        """Run a turn of one to three steps with one to three calls each."""
        said = len([m for m in self.talk.branch() if m.role == "assistant"])
        steps = self.random.randint(1, 3)
        calls = [
            [
                call(
                    self.random.choice(["put", "add", "look"]),
                    files={self.token(): "x" * self.random.randint(0, 5000)},
                )
                for _ in range(self.random.randint(1, 3))
            ]
            for _ in range(steps)
        ]
        replies = (
            [{"text": "…"}] * said
            + [{"text": "Now. ", "calls": made} for made in calls]
            + [{"text": "Done."}]
        )
        self.talk.replies(*replies)
        self.talk.ask("go")

    def upload(self) -> None:
        """Upload a file of up to 200 kB."""
        content = self.random.randbytes(self.random.randint(0, 200_000))
        self.app.send(UploadFiles(self.talk.chat_id, [Upload("data.csv", content)]))

    def move(self) -> None:
        """Select some message of the tree."""
        messages = list(self.app.chat(self.talk.chat_id).messages)
        if messages:
            self.app.send(SelectLeaf(self.talk.chat_id, self.random.choice(messages)))

    def install(self) -> None:
        """Install other contents of the bundle `kit`, sometimes after uninstalling it."""
        if self.random.random() < 0.3:
            self.app.send(UninstallToolset("kit"))
        changed = KIT | {"tools/act.py": f"{_ACT}\n# {self.random.random()}\n"}
        self.app.send(InstallToolset(write_bundle(self.data.parent / "kit", changed), "yes"))

    def rebuild(self) -> None:
        """Rebuild all read models."""
        self.app.reads.rebuild()

    def checkpoint(self) -> None:
        """Write the journal into the database."""
        self.app.upkeep.checkpoint()

    def work(self, acknowledge: Connection) -> None:
        """Do random pieces of work, forever."""
        kinds = [
            self.turn,
            self.turn,
            self.turn,
            self.upload,
            self.move,
            self.install,
            self.rebuild,
            self.checkpoint,
        ]
        while True:
            self.random.choice(kinds)()
            acknowledge.send(self.app.log.head())


def _work(data: Path, seed: int, acknowledge: Connection) -> None:
    worker = Worker(data, seed)
    acknowledge.send(worker.app.log.head())
    worker.work(acknowledge)


def begin(data: Path, seed: int) -> tuple[BaseProcess, Connection]:
    """Start to work on `data` until killed; return the process, and the pipe with its acknowledgements.

    The process is forked from one without threads that has loaded everything needed, so that a run spends no time
    loading.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    acknowledged, acknowledge = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(data, seed, acknowledge))
    process.start()
    acknowledge.close()
    return process, acknowledged
