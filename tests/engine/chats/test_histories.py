"""Random histories of one chat: folder, manifests, read models and log agree after each command."""

import contextlib
import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.app.app import App
from engine.app.maintenance.interrupted_work import interrupt_what_ran
from engine.commands.catalog import EditMessage, ForkChat, RunTool, SaveFile, SelectLeaf, Upload, UploadFiles
from engine.errors import Refused
from tests.support.talk import Talk, call, install_kit

names = st.sampled_from(["a", "b", "d/a", "d/e/f"])
texts = st.sampled_from(["", "1", "2", "three"])
tools = st.sampled_from(["put", "add", "look"])
changes = st.dictionaries(names, texts, max_size=2)


class Histories(RuleBasedStateMachine):
    """One chat of an app, and everything that its user may do with it."""

    app: App
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk(self.app, Path(tempfile.mkdtemp(dir=self.folder)))
        self.fill = itertools.count()

    def say(self, tool: str, files: dict[str, str], fail: bool) -> None:
        step = {"calls": [call(tool, files=files, fail="no" if fail else "")]}
        self.talk.replies(*[step, {"text": "."}] * 30)

    def some(self, number: int, role: str = "") -> str | None:
        found = [m for m, v in self.app.chat(self.talk.chat_id).messages.items() if role in ("", v.role)]
        return found[number % len(found)] if found else None

    @rule(tool=tools, files=changes, fail=st.booleans(), with_file=st.booleans())
    def ask(self, tool: str, files: dict[str, str], fail: bool, with_file: bool) -> None:
        if len(self.talk.branch()) < 50:
            self.say(tool, files, fail)
            uploads = [Upload("given", b"%d" % next(self.fill))] if with_file else []
            assert self.talk.ask(f"question {next(self.fill)}", files=uploads).reason == "stop"

    @rule(number=st.integers(0, 50), tool=tools, files=changes)
    def retry(self, number: int, tool: str, files: dict[str, str]) -> None:
        if message_id := self.some(number):
            self.say(tool, files, False)
            assert self.talk.retry(message_id).reason == "stop"

    @rule(number=st.integers(0, 50))
    def edit(self, number: int) -> None:
        if message_id := self.some(number, "user"):
            self.say("look", {}, False)
            self.talk.ended(self.app.send(EditMessage(self.talk.chat_id, message_id, "otherwise")).turn_id)

    @rule(number=st.integers(0, 50))
    def move(self, number: int) -> None:
        self.app.send(SelectLeaf(self.talk.chat_id, self.some(number) if number else None))

    @rule()
    def upload(self) -> None:
        self.app.send(UploadFiles(self.talk.chat_id, [Upload("up", b"%d" % next(self.fill))]))

    @rule(path=names, text=texts)
    def save(self, path: str, text: str) -> None:
        present = self.app.workspace.files(self.talk.chat_id).get(path)
        opened = present.sha256 if present else None
        with contextlib.suppress(Refused):
            self.app.send(SaveFile(self.talk.chat_id, path, text.encode(), opened))

    @rule(tool=tools, files=changes)
    def run(self, tool: str, files: dict[str, str]) -> None:
        self.app.send(RunTool(self.talk.chat_id, f"kit:{tool}", {"files": files}))

    @rule(path=names, text=texts)
    def edit_outside_and_come_back(self, path: str, text: str) -> None:
        leaf, before = self.app.chat(self.talk.chat_id).leaf, self.talk.files()
        target = self.talk.place / path
        if not target.parent.is_dir() or target.is_dir():
            return
        target.write_text(text)
        self.app.send(SelectLeaf(self.talk.chat_id, None))
        self.app.send(SelectLeaf(self.talk.chat_id, leaf))
        if leaf is not None:
            assert self.talk.files() == {**before, path: text}

    @precondition(lambda self: len(self.talk.branch()) < 20)
    @rule(number=st.integers(0, 50))
    def fork(self, number: int) -> None:
        message_id = self.some(number)
        before = self.talk.files() if message_id == self.app.chat(self.talk.chat_id).leaf else None
        self.talk = Talk(self.app, self.talk.folder, self.app.send(ForkChat(self.talk.chat_id, message_id)))
        if before is not None:
            assert self.talk.files() == before

    @invariant()
    def the_folder_holds_what_is_recorded(self) -> None:
        assert self.talk.files() == self.talk.on_disk()

    @invariant()
    def the_projection_of_the_files_is_the_same(self) -> None:
        view = self.app.chat(self.talk.chat_id)
        rows = [r for r in self.app.read("manifest_files") if r["manifest_id"] == view.manifest]
        files = self.app.workspace.files(self.talk.chat_id)
        assert {r["path"]: r["sha256"] for r in rows} == {path: f.sha256 for path, f in files.items()}

    @invariant()
    def what_is_kept_in_memory_is_what_the_log_says(self) -> None:
        chats = self.app._chats
        with chats.locked(self.talk.chat_id) as live:
            chats._open[self.talk.chat_id].state = None
        with chats.locked(self.talk.chat_id) as folded:
            assert (folded.leaf, folded.manifest, folded.version) == (live.leaf, live.manifest, live.version)
            assert folded.messages == live.messages
            assert folded.calls == live.calls
            assert {m: folded.own_manifest(m) for m in folded.messages} == {
                m: live.own_manifest(m) for m in live.messages
            }

    def teardown(self) -> None:
        registers = self.app.reads.registers()
        self.app.reads.rebuild()
        assert self.app.reads.registers() == registers
        assert self.app.log.verify().ok


@pytest.mark.parametrize("examples", [2, pytest.param(10, marks=pytest.mark.long)])
def test_folder_manifests_read_models_and_log_agree_after_any_history(tmp_path: Path, examples: int) -> None:
    app = App(tmp_path / "data")
    install_kit(app, tmp_path / "kit")
    Histories.app, Histories.folder = app, tmp_path
    runs = settings(max_examples=examples, stateful_step_count=15, deadline=None, database=None)
    case = Histories.TestCase
    case.settings = runs
    try:
        case("runTest").runTest()
    finally:
        app.close()
    with_nothing_open = App(tmp_path / "data")
    head = with_nothing_open.log.head()
    interrupt_what_ran([], with_nothing_open._chats, with_nothing_open._workspaces, lambda: "")
    assert with_nothing_open.log.head() == head
    with_nothing_open.close()
