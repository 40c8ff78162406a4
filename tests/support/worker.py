"""Work without end on a data folder, for tests that kill it: turns, uploads, edits, installs, rebuilds, checkpoints.

Run as `python -m tests.support.worker DATA SEED`. After each piece of work it prints the position of the log up to
which everything was acknowledged. Each write carries a token of its own, so that an effect that happened twice is seen.
"""

import random
import sys
from pathlib import Path

from engine.app import App
from engine.commands import InstallToolset, SelectLeaf, UninstallToolset, Upload, UploadFiles
from tests.support.talk import KIT, Talk, call, install_kit, write_bundle

__all__ = ["LEDGER", "main"]

LEDGER = "ledger"
"""Files below this folder of a workspace are named by their token."""

_ACT = KIT["tools/act.py"]


class Worker:
    """One chat and what can happen to it."""

    def __init__(self, data: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.data = data
        self.app = App(data)
        install_kit(self.app, data.parent / "kit")
        self.talk = Talk(self.app, data.parent)
        self.tokens = 0

    def token(self) -> str:
        """A name that was never used before."""
        self.tokens += 1
        return f"{LEDGER}/{self.tokens:06d}"

    def turn(self) -> None:
        """A turn of one to three steps with one to three calls each."""
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
        """One file of up to 200 kB."""
        content = self.random.randbytes(self.random.randint(0, 200_000))
        self.app.send(UploadFiles(self.talk.chat_id, [Upload("data.csv", content)]))

    def move(self) -> None:
        """Stand on some message of the tree."""
        messages = list(self.app.chat(self.talk.chat_id).messages)
        if messages:
            self.app.send(SelectLeaf(self.talk.chat_id, self.random.choice(messages)))

    def install(self) -> None:
        """Another content of the bundle `kit`, or `kit` away and back."""
        if self.random.random() < 0.3:
            self.app.send(UninstallToolset("kit"))
        changed = KIT | {"tools/act.py": f"{_ACT}\n# {self.random.random()}\n"}
        self.app.send(InstallToolset(write_bundle(self.data.parent / "kit", changed), "yes"))

    def rebuild(self) -> None:
        """All read models anew."""
        self.app.log.rebuild()

    def checkpoint(self) -> None:
        """The journal into the database."""
        self.app.log.checkpoint()

    def work(self) -> None:
        """Something of all that, for ever."""
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
            print(self.app.log.head(), flush=True)


def main() -> None:
    """Work until killed."""
    data, seed = Path(sys.argv[1]), int(sys.argv[2])
    worker = Worker(data, seed)
    print(worker.app.log.head(), flush=True)
    worker.work()


if __name__ == "__main__":
    main()
