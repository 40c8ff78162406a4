"""Visitors of a public demo: private, limited, deleted afterwards, and able to download their log (UI-9)."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.app.demo.limits import DemoLimits, demo_limits, public_hosts
from engine.app.demo.visitor_app import VisitorApp
from engine.app.demo.visitors import DemoFull, Visitors
from engine.app.maintenance.chat_archive import log_bytes
from engine.commands.catalog import (
    AddSource,
    Ask,
    BeginChat,
    ChangeSetting,
    Command,
    ConfigureToolset,
    CreateChat,
    DeleteChat,
    EnableTool,
    ForgetDefinition,
    ForkChat,
    InstallToolset,
    RegisterServer,
    SaveFile,
    SelectModel,
    SetDefinition,
    TestSource,
    UninstallToolset,
    Upload,
    UploadFiles,
)
from engine.config import sample_data, shipped_bundles
from engine.errors import Invalid, Refused
from engine.views.chat import ChatView

QUESTION = "Which region has the highest revenue?"
SMALL = DemoLimits(visitors=3, idle_minutes=30, grace_seconds=60)


class Tabs:
    """The page's sessions, and the time."""

    def __init__(self) -> None:
        self.live = {"tab"}
        self.now = 1000.0

    def is_live(self, session_id: str) -> bool:
        return session_id in self.live


@pytest.fixture
def tabs() -> Tabs:
    return Tabs()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundles installed, as a demo prepares it for its first visitor."""
    copy = tmp_path_factory.mktemp("prepared") / "copy"
    visitors = Visitors(SMALL, lambda _: True, temporary=tmp_path_factory.mktemp("first"))
    shutil.copytree(visitors._prepared(), copy)
    visitors.close()
    return copy


@pytest.fixture
def make(tmp_path: Path, tabs: Tabs, prepared: Path) -> Iterator[Callable[..., Visitors]]:
    """A demo below `tmp_path`, closed afterwards."""
    made: list[Visitors] = []

    def opened(limits: DemoLimits = SMALL) -> Visitors:
        visitors = Visitors(limits, tabs.is_live, clock=lambda: tabs.now, temporary=tmp_path)
        shutil.copytree(prepared, visitors._root / "prepared")
        made.append(visitors)
        return visitors

    yield opened
    for visitors in made:
        visitors.close()


def samples() -> list[Upload]:
    return [Upload(path.name, path) for path in sorted(sample_data().glob("*.csv"))]


def asked(app: VisitorApp, question: str = QUESTION) -> str:
    """Ask about the sample data, and wait for the answer."""
    turn = app.send(BeginChat(question, samples()))
    assert app.wait(turn.turn_id, 600)
    chat_id: str = turn.chat_id
    return chat_id


def descendants() -> set[int]:
    """All descendants of this process."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def files_below(folder: Path) -> list[Path]:
    held = [path / "anabranch.lock" for path in folder.iterdir()]
    return [path for path in folder.rglob("*") if path.is_file() and path not in held]


def test_two_visitors_cannot_see_each_others_data(make: Callable[..., Visitors]) -> None:
    """Neither chats nor files, events, settings or folders."""
    visitors = make()
    one, other = visitors.enter("one", "tab"), visitors.enter("other", "tab")
    chat_id = asked(one)
    one.send(ChangeSetting("instructions", "round to two decimals"))
    assert other.chats() == []
    assert other.settings.instructions == ""
    with pytest.raises(Exception, match="There is no chat"):
        other.chat(chat_id)
    assert not any(chat_id in str(record.stream) for record in other.log.read_all())
    assert one.data != other.data
    assert not one.data.is_relative_to(other.data.parent)
    assert oct(one.data.parent.stat().st_mode)[-3:] == "700"


@pytest.mark.long
def test_a_question_is_answered_with_the_sample_data(make: Callable[..., Visitors]) -> None:
    """The offline analyst works the same as outside a demo."""
    app = make().enter("one", "tab")
    view = app.chat(asked(app))
    assert [turn.reason for turn in view.turns.values()] == ["stop"]
    assert {call.status for call in view.calls.values()} == {"success"}


def test_no_key_of_the_host_reaches_a_visitor(
    make: Callable[..., Visitors], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the engine's vault nor a tool's process gets them."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-host-0123456789abcdef")
    monkeypatch.setenv("GEMINI_API_KEY", "host-gemini-0123456789")
    app = make().enter("one", "tab")
    assert app.vault.values() == {}
    assert app.providers.key_place("openai") is None
    assert app.providers.offers() == []
    assert app.vault.place.is_relative_to(app.data.parent)


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("count", [5, pytest.param(100, marks=pytest.mark.long)])
def test_many_visitors_in_a_row_leave_no_process_and_no_file(
    make: Callable[..., Visitors], tabs: Tabs, tmp_path: Path, count: int
) -> None:
    """Each arrives, starts a chat, and closes its tab; some ask a question. All share one pool of tool processes."""
    visitors = make(replace(SMALL, grace_seconds=10))
    first = visitors.enter("first", "tab")
    asked(first)
    before = descendants()
    for number in range(count):
        tabs.live.add(f"tab-{number}")
        app = visitors.enter(f"visitor-{number}", f"tab-{number}")
        if number % 10 == 0:
            asked(app)
        else:
            app.send(CreateChat(f"chat of {number}"))
        tabs.live.discard(f"tab-{number}")
        tabs.now += 11
        visitors.look_round()
        assert visitors.stay(f"visitor-{number}") is None
        assert not app.data.parent.exists()
    assert len(descendants()) <= len(before)
    visitors.leave("first")
    assert {path.relative_to(tmp_path).parts[1] for path in files_below(tmp_path)} == {"prepared"}
    visitors.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_reloaded_tab_finds_its_chats(make: Callable[..., Visitors], tabs: Tabs) -> None:
    """Its session is a new one, but within the grace period."""
    visitors = make()
    chat = visitors.enter("one", "tab").send(CreateChat("mine"))
    tabs.live = set()
    tabs.now += 59
    assert visitors.look_round() == 0
    tabs.live = {"tab again"}
    assert [row["chat_id"] for row in visitors.enter("one", "tab again").chats()] == [chat]
    tabs.now += 120
    assert visitors.look_round() == 0


@pytest.mark.long
def test_a_visitor_whose_tab_is_closed_is_deleted_after_the_grace_period(
    make: Callable[..., Visitors], tabs: Tabs
) -> None:
    """The engine is closed and the folder deleted; the same tab then gets a new session."""
    visitors = make()
    folder = visitors.enter("one", "tab").data.parent
    visitors.enter("one", "tab").send(CreateChat("mine"))
    tabs.live = set()
    visitors.look_round()
    tabs.now += 61
    assert visitors.look_round() == 1
    assert not folder.exists()
    tabs.live = {"tab"}
    assert visitors.enter("one", "tab").chats() == []


def test_a_visitor_who_is_idle_for_half_an_hour_is_deleted(make: Callable[..., Visitors], tabs: Tabs) -> None:
    """Even if the tab is still open."""
    visitors = make()
    folder = visitors.enter("one", "tab").data.parent
    tabs.now += 29 * 60
    assert visitors.look_round() == 0
    visitors.enter("one", "tab")
    tabs.now += 29 * 60
    assert visitors.look_round() == 0
    tabs.now += 2 * 60
    assert visitors.look_round() == 1
    assert not folder.exists()


@pytest.mark.long
def test_a_running_turn_ends_when_its_visitor_is_deleted(make: Callable[..., Visitors]) -> None:
    """No part of the turn continues, and nothing more is written to the folder."""
    visitors = make()
    app = visitors.enter("one", "tab")
    app.send(BeginChat(QUESTION, samples()))
    visitors.leave("one")
    assert not app.data.parent.exists()


def test_a_full_demo_says_so_and_still_lets_existing_visitors_in(
    make: Callable[..., Visitors], tabs: Tabs
) -> None:
    """A place becomes free when a tab is closed, even within the grace period."""
    visitors = make()
    for number in range(3):
        tabs.live.add(f"tab-{number}")
        visitors.enter(f"visitor-{number}", f"tab-{number}")
    with pytest.raises(DemoFull, match="full right now: 3 visitors"):
        visitors.enter("late", "tab")
    assert not visitors.has_room("late")
    assert visitors.has_room("visitor-0")
    tabs.live.discard("tab-1")
    assert visitors.has_room("late")
    visitors.enter("late", "tab")
    assert visitors.stay("visitor-1") is None


@pytest.mark.parametrize(
    "command",
    [
        InstallToolset(shipped_bundles() / "image-studio", "yes"),
        UninstallToolset("data-analyst"),
        ConfigureToolset("data-analyst", {}),
        RegisterServer("time", command="python"),
        AddSource("till", "sqlite", "/data/till.sqlite"),
        TestSource("till"),
        ChangeSetting("base_urls", {"openai": "http://127.0.0.1:1"}),
    ],
    ids=lambda command: type(command).__name__,
)
def test_commands_that_are_not_for_visitors_are_refused_with_a_message(
    stays: tuple[Visitors, VisitorApp, str], command: Command
) -> None:
    """They cannot add a bundle, a server or a key, and nothing is fetched."""
    _, app, _ = stays
    before = app.log.head()
    with pytest.raises(Refused, match=r"This public demo .*On your own machine") as refused:
        app.send(command)
    assert refused.value.code == "demo_closed"
    assert app.log.head() == before


def test_a_visitor_cannot_read_folders_or_fetch_addresses(stays: tuple[Visitors, VisitorApp, str]) -> None:
    """Neither a folder of the host nor an address."""
    _, app, _ = stays
    with pytest.raises(Refused, match="cannot install toolsets"):
        app.preview_toolset(shipped_bundles() / "data-analyst")
    with pytest.raises(Refused, match="cannot install toolsets"):
        app.fetch_bundle("https://127.0.0.1/x.zip")


@pytest.mark.long
@pytest.mark.parametrize(("toolset", "name"), [("app-builder", "run_command"), ("data-analyst", "python")])
def test_a_demo_offers_only_bundles_without_keys_and_no_tool_that_runs_code(
    make: Callable[..., Visitors], toolset: str, name: str
) -> None:
    """Even if a visitor enables such a tool, or runs it by its command."""
    app = make().enter("one", "tab")
    assert {row["id"] for row in app.installed()} == {"data-analyst", "app-builder"}
    tool_id = f"{toolset}:{name}"
    app.send(EnableTool(tool_id))
    tool = next(tool for tool in app.tools() if tool.tool_id == tool_id)
    assert (tool.available, tool.reason) == (False, "Disabled by administrator")
    assert name not in app.next_selection()[toolset]
    with pytest.raises(Refused, match="Disabled by administrator"):
        app.runnable(tool_id)


@pytest.mark.long
@pytest.mark.parametrize("model", ["openai:gpt-5", "ollama:qwen3", "scripted:/etc/passwd"])
def test_only_the_offline_analyst_answers(make: Callable[..., Visitors], model: str) -> None:
    """No other model is used and no file of the host is read as a script, wherever the model's name comes from."""
    app = make().enter("one", "tab")
    chat_id = app.send(CreateChat())
    for command in (
        SelectModel(chat_id, model),
        ChangeSetting("model", model),
        BeginChat("hello", model=model),
    ):
        with pytest.raises(Refused, match="only the offline analyst answers"):
            app.send(command)


@pytest.mark.long
def test_a_file_that_is_too_large_is_refused(make: Callable[..., Visitors]) -> None:
    """By upload or by saving; both limits are named."""
    app = make(replace(SMALL, upload_bytes=1 << 20)).enter("one", "tab")
    chat_id = app.send(CreateChat())
    big = b"x" * ((1 << 20) + 1)
    uploads = [Upload("a.csv", big)]
    for command in (
        UploadFiles(chat_id, uploads),
        SaveFile(chat_id, "a.csv", big, None),
        Ask(chat_id, "hello", uploads),
        Ask(chat_id, "hello", uploads, if_running="queue"),
    ):
        with pytest.raises(Refused, match=r"A file may have up to 1 MiB; yours has 1\.0 MiB"):
            app.send(command)


def test_the_number_of_files_and_chats_and_the_total_size_are_limited(make: Callable[..., Visitors]) -> None:
    """Commands that free space are still possible."""
    limits = replace(SMALL, files=2, chats=2, total_bytes=4 << 20)
    app = make(limits).enter("one", "tab")
    chat_id = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [Upload("a.csv", b"a"), Upload("b.csv", b"b")]))
    with pytest.raises(Refused, match="A chat may have up to 2 files"):
        app.send(UploadFiles(chat_id, [Upload("c.csv", b"c")]))
    app.send(ForkChat(chat_id))
    for command in (CreateChat(), BeginChat("hello"), ForkChat(chat_id)):
        with pytest.raises(Refused, match="A visitor may have up to 2 chats"):
            app.send(command)
    with pytest.raises(Refused, match="may have up to 4 MiB, including the history"):
        app.send(SaveFile(chat_id, "a.csv", os.urandom(4 << 20), sha256(b"a").hexdigest()))
    app.send(DeleteChat(chat_id))


@pytest.mark.long
def test_a_question_that_is_too_long_is_refused(make: Callable[..., Visitors]) -> None:
    """Before any of it is stored."""
    app = make().enter("one", "tab")
    with pytest.raises(Refused, match="20,000 characters"):
        app.send(Ask(app.send(CreateChat()), "x" * 20_001))
    with pytest.raises(Refused, match="20,000 characters"):
        app.send(Ask(app.send(CreateChat()), "x" * 20_001, if_running="queue"))


@pytest.mark.long
def test_a_turn_that_takes_too_long_is_ended_with_a_message(make: Callable[..., Visitors]) -> None:
    """The message names the limit, and does not say that the visitor stopped the turn."""
    app = make(replace(SMALL, turn_seconds=0.01)).enter("one", "tab")
    view = app.chat(asked(app))
    [turn] = view.turns.values()
    assert turn.reason == "limit"
    assert "longer than the 0.01 s" in str(turn.problem)


@pytest.mark.long
def test_the_number_of_calls_in_a_turn_is_limited(make: Callable[..., Visitors]) -> None:
    """The model is then asked for its answer."""
    app = make(replace(SMALL, turn_calls=1)).enter("one", "tab")
    view = app.chat(asked(app, "Show the revenue per month as a line chart"))
    [turn] = view.turns.values()
    assert len(view.calls) == 1
    assert turn.reason in ("stop", "limit")


@pytest.mark.long
def test_the_memory_of_a_tool_is_limited(make: Callable[..., Visitors]) -> None:
    """If it is too little, the call fails and the demo continues."""
    app = make(replace(SMALL, tool_memory_bytes=8 << 20)).enter("one", "tab")
    view = app.chat(asked(app))
    assert {call.status for call in view.calls.values()} <= {"error"}
    assert all(turn.reason for turn in view.turns.values())


@pytest.mark.long
def test_folders_of_a_killed_server_are_deleted_at_the_next_start(
    tmp_path: Path, make: Callable[..., Visitors]
) -> None:
    """Folders of a running server are not."""
    living = make().enter("one", "tab")
    code = (
        "import sys, signal, os; from pathlib import Path;"
        "from engine.app.demo.visitors import Visitors; from engine.app.demo.limits import DemoLimits;"
        "v = Visitors(DemoLimits(), lambda s: True, temporary=Path(sys.argv[1]));"
        "print(v.enter('x', 'tab').data.parent, flush=True); signal.pause()"
    )
    root = Path(__file__).resolve().parents[3]
    killed = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=root
    )
    assert killed.stdout is not None
    left = Path(killed.stdout.readline().strip())
    assert left.is_dir()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    assert left.is_dir()
    make()
    assert not left.parent.exists()
    assert living.data.is_dir()


# ---- taking the log along --------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_downloaded_log_can_be_restored_by_another_visitor(make: Callable[..., Visitors]) -> None:
    """The chats are the same, with texts, files, results and times, and can be continued."""
    visitors = make()
    one = visitors.enter("one", "tab")
    chat_id = asked(one)
    one.send(SetDefinition("revenue", "gross", chat_id))
    one.send(SetDefinition("revenue", "net of returns", chat_id))
    one.send(SetDefinition("churn", "gone", chat_id))
    one.send(ForgetDefinition("churn", chat_id))
    one.send(ForkChat(chat_id))
    content = one.packed()
    before = one.chat(chat_id)
    visitors.enter("other", "tab").send(CreateChat("goes away"))
    left = visitors.enter("other", "tab").data.parent
    brought = visitors.bring_back("other", content)
    other = visitors.enter("other", "tab")
    assert (one.was_restored, other.was_restored) == (False, True)
    assert (brought.chats, len(other.chats())) == (2, 2)
    assert not left.exists()
    after = other.chat(chat_id)
    assert told(after) == told(before)
    assert other.log.verify().ok
    assert other.checking.check().ok
    held = [(row["meaning"], row["version"]) for row in other.read("definitions")]
    assert held == [("net of returns", 2)] * 2
    times = [
        [(r.event_id, r.occurred_at) for r in app.log.read_stream(f"chat-{chat_id}")] for app in (one, other)
    ]
    assert times[0] == times[1]
    turn = other.send(Ask(chat_id, "Top 5 products by revenue"))
    assert other.wait(turn.turn_id, 600)
    assert other.chat(chat_id).turns[turn.turn_id].reason == "stop"


@pytest.mark.long
def test_highly_compressible_files_and_many_files_can_be_restored(make: Callable[..., Visitors]) -> None:
    """A bundle of such files would be refused; here they are a visitor's data."""
    visitors = make()
    one = visitors.enter("one", "tab")
    chat_id = one.send(CreateChat())
    sparse = b"day,store,units,returns\n" + b"2024-01-01,Berlin,0,0\n" * 100_000
    one.send(UploadFiles(chat_id, [Upload("zeros.csv", sparse)]))
    content = repacked(one.packed(), _many_contents)
    assert len(sparse) > 1 << 20
    visitors.enter("other", "tab")
    visitors.bring_back("other", content)
    other = visitors.enter("other", "tab")
    entry = other.workspace.files(chat_id)["zeros.csv"]
    assert other.workspace.read(chat_id, entry.sha256) == sparse


def _many_contents(entries: dict[str, bytes]) -> None:
    entries |= {f"blobs/{sha256(b'%d' % number).hexdigest()}": b"%d" % number for number in range(2_500)}


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(make: Callable[..., Visitors]) -> None:
    """Before it is unpacked, even if it is small."""
    visitors = make(replace(SMALL, total_bytes=1 << 20))
    one = visitors.enter("one", "tab")

    def swollen(entries: dict[str, bytes]) -> None:
        entries["blobs/" + "0" * 64] = bytes(70 << 20)

    content = repacked(one.packed(), swollen)
    assert len(content) < 1 << 20
    with pytest.raises(Invalid, match="it contains more than can be restored here"):
        visitors.bring_back("one", content)


@pytest.mark.long
def test_a_history_cannot_grow_beyond_the_size_that_can_be_downloaded(
    make: Callable[..., Visitors], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every downloaded file is small enough to be restored."""
    visitors = make()
    one = visitors.enter("one", "tab")
    chat_id = one.send(CreateChat())
    for name, most in (("MOST_EVENTS", one.log.head()), ("MOST_EVENT_BYTES", 2_000), ("MOST_CONTENTS", 1)):
        with monkeypatch.context() as patched:
            patched.setattr(f"engine.app.demo.visitor_app.{name}", most)
            with pytest.raises(Refused, match="Download the log, and start again"):
                one.send(Ask(chat_id, "How many?"))
    with zipfile.ZipFile(io.BytesIO(one.packed())) as archive:
        long = archive.getinfo("events.jsonl").file_size
    with one.reads.reader() as cursor:
        assert long <= log_bytes(cursor) < 2 * long


def told(view: ChatView) -> list[object]:
    """The content of a chat, without its positions in the log."""
    words = [(message.message_id, message.parent_id, message.text) for message in view.messages.values()]
    return [
        words,
        [(c.call_id, c.status, c.args, c.result, c.plan) for c in view.calls.values()],
        view.manifest,
    ]


def repacked(content: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """The file with changed entries."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return target.getvalue()


def _a_word_changed(entries: dict[str, bytes]) -> None:
    entries["events.jsonl"] = entries["events.jsonl"].replace(b"highest", b"lowest_", 1)


def _the_tail_cut(entries: dict[str, bytes]) -> None:
    entries["events.jsonl"] = b"\n".join(entries["events.jsonl"].split(b"\n")[:-1])


def _a_line_taken_out(entries: dict[str, bytes]) -> None:
    lines = entries["events.jsonl"].split(b"\n")
    entries["events.jsonl"] = b"\n".join(lines[:3] + lines[4:])


def _a_blob_changed(entries: dict[str, bytes]) -> None:
    name = next(name for name in entries if name.startswith("blobs/"))
    entries[name] = b"other" + entries[name]


def _the_blobs_taken_out(entries: dict[str, bytes]) -> None:
    for name in [name for name in entries if name.startswith("blobs/")]:
        del entries[name]


def _a_way_out(entries: dict[str, bytes]) -> None:
    entries["../evil.py"] = b"x"


def _something_more(entries: dict[str, bytes]) -> None:
    entries["toolsets/evil/tools.py"] = b"x"


def _nonsense(entries: dict[str, bytes]) -> None:
    entries["events.jsonl"] = b'{"a": [[[[\n\x00\xff'


def _of_the_future(entries: dict[str, bytes]) -> None:
    entries["anabranch.json"] = json.dumps({"format": "anabranch-log", "version": 99}).encode()


@pytest.fixture(scope="module")
def stays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visitors, VisitorApp, str]]:
    """A demo with one visitor who has asked a question, and the chat."""
    visitors = Visitors(SMALL, lambda _: True, clock=lambda: 0.0, temporary=tmp_path_factory.mktemp("stays"))
    app = visitors.enter("one", "tab")
    yield visitors, app, asked(app)
    visitors.close()


@pytest.mark.parametrize(
    "change",
    [
        _a_word_changed,
        _the_tail_cut,
        _a_line_taken_out,
        _a_blob_changed,
        _the_blobs_taken_out,
        _a_way_out,
        _something_more,
        _nonsense,
        _of_the_future,
    ],
    ids=lambda change: change.__name__.strip("_"),
)
def test_a_changed_file_is_refused_and_the_visitors_data_stays(
    stays: tuple[Visitors, VisitorApp, str], change: Callable[[dict[str, bytes]], None]
) -> None:
    """With a message; nothing incomplete stays."""
    visitors, app, chat_id = stays
    content = repacked(app.packed(), change)
    folders = sorted(path for path in app.data.parent.parent.iterdir() if path.is_dir())
    with pytest.raises(Invalid, match=r"This file cannot be restored: (?!its events do)") as refused:
        visitors.bring_back("one", content)
    assert refused.value.code == "log_file_bad"
    assert visitors.enter("one", "tab") is app
    assert [row["chat_id"] for row in app.chats()] == [chat_id]
    assert sorted(path for path in app.data.parent.parent.iterdir() if path.is_dir()) == folders


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", b"PK\x05\x06" + b"\0" * 18],
    ids=["empty", "text", "empty zip"],
)
def test_a_file_that_is_not_an_exported_log_is_refused(
    stays: tuple[Visitors, VisitorApp, str], content: bytes
) -> None:
    """Whatever file it is."""
    visitors, _, _ = stays
    with pytest.raises(Invalid, match="This file cannot be restored"):
        visitors.bring_back("one", content)


def rehashed(content: bytes, change: Callable[[str, dict[str, Any]], None]) -> bytes:
    """The file with changed payloads (including ids), and with a hash chain that was computed again."""
    from events.chain import chained  # noqa: PLC0415
    from events.stored_row import GENESIS, ID_COLUMNS, row_from_json, row_to_json  # noqa: PLC0415

    def rewrite(entries: dict[str, bytes]) -> None:
        previous, lines = GENESIS, []
        for line in entries["events.jsonl"].decode().split("\n"):
            row = row_from_json(line)
            payload = json.loads(row.payload) | dict(zip(ID_COLUMNS, row.ids, strict=True))
            change(row.type, payload)
            ids = tuple(payload.pop(name) for name in ID_COLUMNS)
            text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            row = replace(row, ids=ids, payload=text, hash="")
            row = chained(previous, row)
            previous = row.hash
            lines.append(row_to_json(row))
        entries["events.jsonl"] = "\n".join(lines).encode()
        entries["anabranch.json"] = json.dumps(
            json.loads(entries["anabranch.json"]) | {"head": previous}
        ).encode()

    return repacked(content, rewrite)


@pytest.mark.long
def test_a_forged_log_cannot_add_tools(make: Callable[..., Visitors]) -> None:
    """Its hashes may be valid, but it cannot say which tools exist, what they run and what they can access."""
    visitors = make()
    one = visitors.enter("one", "tab")
    asked(one)

    def forge(kind: str, payload: dict[str, object]) -> None:
        if kind == "ToolsetInstalled":
            payload["manifest"] = json.loads(json.dumps(payload["manifest"]).replace("tools.", "evil."))
            payload["content_hash"] = "0" * 64

    visitors.enter("other", "tab")
    visitors.bring_back("other", rehashed(one.packed(), forge))
    other = visitors.enter("other", "tab")
    honest = {tool.tool_id: (tool.entrypoint, tool.content_hash, tool.network) for tool in one.tools()}
    assert {
        tool.tool_id: (tool.entrypoint, tool.content_hash, tool.network) for tool in other.tools()
    } == honest


@pytest.mark.long
def test_a_forged_log_cannot_write_outside_its_folder(make: Callable[..., Visitors]) -> None:
    """A path that leads upwards is refused before anything is written."""
    visitors = make()
    one = visitors.enter("one", "tab")
    asked(one)

    def forge(kind: str, payload: dict[str, object]) -> None:
        added = payload.get("added")
        if kind == "ManifestRecorded" and isinstance(added, dict):
            payload["added"] = {f"../../../{path}": file for path, file in added.items()}

    with pytest.raises(Invalid, match="leads upwards"):
        visitors.bring_back("one", rehashed(one.packed(), forge))


@pytest.mark.long
def test_an_inconsistent_forged_log_is_refused(make: Callable[..., Visitors]) -> None:
    """Each event may be valid even if no page could show all of them together."""
    visitors = make()
    one = visitors.enter("one", "tab")
    asked(one)

    def forge(kind: str, payload: dict[str, object]) -> None:
        if kind == "ToolCallFinished":
            payload["result"] = {"blob": "not a hash"}

    with pytest.raises(Invalid, match="cannot be restored"):
        visitors.bring_back("one", rehashed(one.packed(), forge))
    assert one.chats()


def _a_message_below_itself(kind: str, payload: dict[str, Any], _seen: list[dict[str, Any]]) -> None:
    if kind == "MessageAdded":
        payload["parent_id"] = payload["message_id"]


def _a_message_below_a_later_one(kind: str, payload: dict[str, Any], seen: list[dict[str, Any]]) -> None:
    if kind == "MessageAdded" and not any(before["kind"] == kind for before in seen):
        payload["parent_id"] = "00000000-0000-7000-8000-000000000001"
    elif kind == "MessageAdded" and payload["finish"] == "stop":
        payload["message_id"] = "00000000-0000-7000-8000-000000000001"


def _two_messages_of_one_id(kind: str, payload: dict[str, Any], seen: list[dict[str, Any]]) -> None:
    first = next((before for before in seen if before["kind"] == "MessageAdded"), None)
    if kind == "MessageAdded" and first is not None:
        payload["message_id"] = first["message_id"]


def _an_id_spelled_otherwise(kind: str, payload: dict[str, Any], seen: list[dict[str, Any]]) -> None:
    _two_messages_of_one_id(kind, payload, seen)
    if kind == "MessageAdded" and seen:
        payload["message_id"] = "{" + payload["message_id"].upper() + "}"


def _files_on_themselves(kind: str, payload: dict[str, Any], _seen: list[dict[str, Any]]) -> None:
    if kind == "ManifestRecorded":
        payload["parent_id"] = payload["manifest_id"]


def _a_turn_that_never_began(kind: str, payload: dict[str, Any], _seen: list[dict[str, Any]]) -> None:
    if kind == "TurnFinished":
        payload["turn_id"] = "00000000-0000-7000-8000-000000000001"


@pytest.mark.parametrize(
    "forge",
    [
        _a_message_below_itself,
        _a_message_below_a_later_one,
        _two_messages_of_one_id,
        _an_id_spelled_otherwise,
        _files_on_themselves,
        _a_turn_that_never_began,
    ],
    ids=lambda forge: forge.__name__.strip("_"),
)
def test_a_forged_log_with_cycles_is_refused(
    stays: tuple[Visitors, VisitorApp, str],
    forge: Callable[[str, dict[str, Any], list[dict[str, Any]]], None],
) -> None:
    """Code that follows a chat's messages would never end, so the log is refused before anything is written."""
    visitors, app, _ = stays
    seen: list[dict[str, Any]] = []

    def change(kind: str, payload: dict[str, Any]) -> None:
        forge(kind, payload, seen)
        seen.append({"kind": kind, **payload})

    with pytest.raises(Invalid, match=r"event \d+ of a chat, \w+, "):
        visitors.bring_back("one", rehashed(app.packed(), change))
    assert visitors.enter("one", "tab") is app


@pytest.mark.long
def test_two_chats_of_a_forged_log_cannot_share_ids(make: Callable[..., Visitors]) -> None:
    """A read model that joins by id would turn two chats of n steps into two to the power of n rows."""
    visitors = make()
    one = visitors.enter("one", "tab")
    for name in ("a", "b"):
        one.send(UploadFiles(one.send(CreateChat(name)), [Upload("a.csv", b"a\n1\n")]))

    def forge(kind: str, payload: dict[str, Any]) -> None:
        if kind == "ManifestRecorded":
            payload["manifest_id"] = "00000000-0000-7000-8000-000000000001"

    with pytest.raises(Invalid, match="or is already in use"):
        visitors.bring_back("one", rehashed(one.packed(), forge))


@pytest.mark.long
def test_a_log_that_exceeds_a_visitors_limits_is_not_restored(make: Callable[..., Visitors]) -> None:
    """Limits apply to restored data too."""
    visitors = make(replace(SMALL, chats=2))
    one = visitors.enter("one", "tab")
    one.send(CreateChat("a"))
    one.send(CreateChat("b"))
    content = one.packed()
    visitors.limits = replace(SMALL, chats=1)
    with pytest.raises(Refused, match="A visitor may have up to 1 chats"):
        visitors.bring_back("one", content)
    visitors.limits = replace(SMALL, total_bytes=100)
    with pytest.raises(Refused, match="A file that you restore"):
        visitors.bring_back("one", content)


def test_the_hosts_limits_are_read_from_the_environment() -> None:
    """If a value is not a number, the default applies."""
    limits = demo_limits(
        {"ANABRANCH_DEMO_VISITORS": "5", "ANABRANCH_DEMO_UPLOAD_MB": "2", "ANABRANCH_DEMO_CHATS": "x"}
    )
    assert (limits.visitors, limits.upload_bytes, limits.chats) == (5, 2 << 20, 20)
    assert public_hosts({}) == {"*"}
    assert public_hosts({"ANABRANCH_HOSTS": "Demo.example, other.example"}) == {
        "demo.example",
        "other.example",
    }
