"""One flipped bit in any file of a folder with five chats: the data reads the same, or the damage is reported.

Bits are flipped in the database, its write-ahead log, the journal, the second copy, contents, the code of toolsets,
cached tables, and the marks in the configuration folder.
"""

import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import Upload
from engine.errors import AnabranchError
from events.log_files import DATABASE
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call, install_kit

CHATS = 5
QUERY = "SELECT team, sum(points) AS points FROM teams GROUP BY 1 ORDER BY 1"
ROWS = "team,points\n" + "".join(f"Reds,{n}\nBlues,{n * n}\n" for n in range(1_000))
FIRST_BLOCK, BLOCK = 12_288, 262_144
"""Where DuckDB's first block begins, and bytes of one."""
NOT_OURS = ("anabranch.lock", "workspace")
"""What holds the folder, and the working folders, which are the user's to change."""


@dataclass(frozen=True)
class Store:
    """A store that was not closed, its contents, and a place for copies of it."""

    home: Path
    expected: Any
    scratch: Path

    def files(self) -> list[Path]:
        """Every file in which a bit may be flipped."""
        found = (path.relative_to(self.home) for path in self.home.rglob("*") if path.is_file())
        return sorted(path for path in found if not set(NOT_OURS) & set(path.parts))


def opened(home: Path) -> App:
    environ = {"ANABRANCH_CONFIG": str(home / "config"), "ANABRANCH_KEYRING": "off"}
    return App(home / "data", environ=environ)


def told(app: App) -> Any:
    """What a user sees of the past: events, chats, the contents of all files, and the result of a query."""
    events = [(record.position, record.event) for record in app.log.read_all()]
    chats = [app.chat(chat["chat_id"]) for chat in app.chats()]
    contents = {
        (chat["chat_id"], path): app.workspace.read(chat["chat_id"], file.sha256)
        for chat in app.chats()
        for path, file in app.workspace.files(chat["chat_id"]).items()
    }
    plans = [(view.calls[c].plan, view.calls[c].status) for view in chats for c in view.calls]
    return events, contents, plans


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    home = tmp_path_factory.mktemp("five") / "live"
    app = opened(home)
    install_kit(app, home.parent / "kit")
    for number in range(CHATS):
        talk = Talk(app, home.parent)
        talk.replies(
            {"text": "I count. ", "calls": [call("query", sql=QUERY, title="Points")]},
            {"text": "I note it. ", "calls": [call("put", files={f"note-{number}.md": "# Note\n" * 20})]},
            {"text": "Blues have most."},
        )
        talk.ask("Who has most points?", files=[Upload("teams.csv", f"{ROWS}Greens,{number}\n".encode())])
    expected = told(app)
    shutil.copytree(home, home.with_name("store"))
    app.close()
    return Store(home.with_name("store"), expected, home.parent)


def outcome(store: Store, name: Path, at: int, bit: int) -> str:
    """Return `same` if the store is unchanged, `said` if the damage was reported; fail if neither is true."""
    case = store.scratch / "case"
    shutil.rmtree(case, ignore_errors=True)
    shutil.copytree(store.home, case, symlinks=True)
    data = bytearray((case / name).read_bytes())
    data[at] ^= 1 << bit
    (case / name).write_bytes(data)
    try:
        app = opened(case)
    except AnabranchError:
        return "said"
    try:
        if app.upkeep.problem or app.upkeep.notices() or not app.log.verify().ok:
            return "said"
        if not app.checking.check().ok or app.upkeep.mend_copy():
            return "said"
        try:
            found = told(app)
        except AnabranchError:
            return "said"
        assert found == store.expected, f"bit {bit} of byte {at} of {name}: changed data without an error"
        try:
            return again(app, case)
        except AnabranchError:
            return "said"
    finally:
        app.close()


def again(app: App, case: Path) -> str:
    """Ask the same query again, now with the damaged caches and code: `same` or `said`."""
    talk = Talk(app, case, app.chats()[0]["chat_id"])
    said = len([message for message in talk.branch() if message.role == "assistant"])
    talk.replies(*[{"text": "…"}] * said, {"text": "", "calls": [call("query", sql=QUERY)]}, {"text": "So."})
    talk.ask("And again?")
    last = talk.calls()[-1]
    if last.status != "success":
        return "said"
    assert f"{sum(n * n for n in range(1_000))}" in str(last.result), "another number, and nobody says so"
    return "said" if app.upkeep.problem or app.upkeep.notices() else "same"


def flips(store: Store, count: int, seed: int) -> list[tuple[Path, int, int]]:
    """Places drawn at random, the same number from each kind of file."""
    draw = random.Random(seed)
    files = [path for path in store.files() if (store.home / path).stat().st_size]
    kinds: dict[str, list[Path]] = {}
    for path in files:
        kinds.setdefault("/".join(path.parts[:2]), []).append(path)
    chosen = [draw.choice(draw.choice(list(kinds.values()))) for _ in range(count)]
    return [(p, draw.randrange((store.home / p).stat().st_size), draw.randrange(8)) for p in chosen]


@pytest.mark.parametrize("seed", mostly_long(range(3), quick=(1,)))
def test_a_flipped_bit_anywhere_is_never_silent(store: Store, seed: int) -> None:
    for name, at, bit in flips(store, 4, seed):
        assert outcome(store, name, at, bit) in ("same", "said")


@pytest.mark.long
def test_a_flipped_bit_in_each_block_of_the_database_is_never_silent(store: Store) -> None:
    """Some blocks are read only by the next checkpoint."""
    database = Path("data", DATABASE)
    blocks = range(FIRST_BLOCK, (store.home / database).stat().st_size, BLOCK)
    assert len(blocks) > 4
    for block in blocks:
        for at in (block + BLOCK // 5, block + BLOCK * 4 // 5):
            assert outcome(store, database, at, 3) in ("same", "said")


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(100, 110))
def test_a_thousand_flipped_bits_are_never_silent(store: Store, seed: int) -> None:
    for name, at, bit in flips(store, 100, seed):
        assert outcome(store, name, at, bit) in ("same", "said")
