"""Linked files stay in their place: nothing is copied, changes are noticed, and only allowed locations are read."""

import json
import os
import resource
import sys
import threading
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.app.app import App
from engine.chats.locations import LocationBook
from engine.commands.catalog import (
    AllowLocation,
    CreateChat,
    ForbidLocation,
    ForkChat,
    RewindChat,
    RunTool,
    Upload,
    UploadFiles,
)
from engine.errors import NotFound, Refused
from engine.tools.linked_files import LinkedFiles
from engine.views.chat import CallView
from engine.workspace.links import Link, Part, link_of
from engine.workspace.locations import contains, find_link
from events.catalog.location import PartsHashed
from events.event import Recorded
from tests.bench.bench_links import write_files
from tests.support.ask_offline import ROOT

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool import linked_tables, table_profile

from tests.support.long_cases import mostly_long

QUERY = "data-analyst:query"


def linked(app: App, *locations: Path | str) -> str:
    """A new chat with links to these locations."""
    chat_id = app.send(CreateChat(title="by reference"))
    for location in locations:
        made = app.send(AllowLocation(str(location)))
        app.send(UploadFiles(chat_id, [Upload(made.name, made.text.encode())]))
    return chat_id


def asked(app: App, chat_id: str, sql: str) -> CallView:
    """A query that the user ran, after it ended."""
    call_id = app.send(RunTool(chat_id, QUERY, {"sql": sql}))
    return app.chat(chat_id).calls[call_id]


def value(call: CallView) -> object:
    """The only value of a result."""
    assert isinstance(call.result, dict), call.error
    return call.result["rows"][0][0]


def sales(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        (folder / f"{name}.csv").write_text(f"day,region,amount\n{rows}")
    return folder


JANUARY, FEBRUARY = "2024-01-01,East,10.50\n2024-01-02,West,n/k\n", "2024-02-01,East,4.25\n"


def test_a_linked_folder_is_one_table_and_its_files_are_not_copied(app: App, tmp_path: Path) -> None:
    rows = "".join(f"2024-01-01,East,{n}.25\n" for n in range(20_000))
    chat_id = linked(app, sales(tmp_path / "sales", jan=rows, feb=FEBRUARY))

    assert value(asked(app, chat_id, "SELECT sum(amount) FROM sales")) == 199995004.25
    table = app.workspace.tables(chat_id)[0]
    assert (table.name, table.path, table.rows) == ("sales", "sales.link", 20_001)
    kept = sum(file.stat().st_size for file in (app.data / "chats" / chat_id).rglob("*") if file.is_file())
    assert kept < (tmp_path / "sales/jan.csv").stat().st_size / 10


def test_files_that_cannot_be_read_are_reported_with_the_result(app: App, tmp_path: Path) -> None:
    rows = "".join(f"2024-01-01,East,{n}.25\n" for n in range(100))
    chat_id = linked(app, sales(tmp_path / "sales", jan=rows + JANUARY))

    notes = asked(app, chat_id, "SELECT sum(amount) FROM sales").result["notes"]  # type: ignore[index,call-overload]
    assert notes == ['amount: 1 of 102 values is not a number and is left out: "n/k".']


def test_a_change_of_a_linked_file_is_recorded_and_used_by_the_next_query(app: App, tmp_path: Path) -> None:
    folder = sales(tmp_path / "sales", jan=FEBRUARY)
    chat_id = linked(app, folder)
    first = app.workspace.files(chat_id)["sales.link"]
    assert value(asked(app, chat_id, "SELECT sum(amount) FROM sales")) == 4.25

    sales(folder, feb="2024-02-02,West,100.00\n")
    assert value(asked(app, chat_id, "SELECT sum(amount) FROM sales")) == 104.25
    assert app.workspace.files(chat_id)["sales.link"] != first
    told = [event.event.sentence() for event in app.log.read_stream(f"chat-{chat_id}")]
    assert "Files that are read in place changed: 1 changed." in told

    for file in folder.iterdir():
        file.unlink()
    error = asked(app, chat_id, "SELECT sum(amount) FROM sales").error
    assert error is not None
    assert f"nothing is left at {folder}" in error["message"]


@pytest.mark.long
def test_going_back_to_a_past_state_does_not_restore_old_contents_of_linked_files(
    app: App, tmp_path: Path
) -> None:
    folder = sales(tmp_path / "sales", jan=FEBRUARY)
    chat_id = linked(app, folder)
    before = app.log.head()
    sales(folder, jan="2024-01-01,East,7.00\n")
    asked(app, chat_id, "SELECT sum(amount) FROM sales")
    app.send(RewindChat(chat_id, before, "files"))

    # the folder follows the present at once: a link names no content that is gone
    assert value(asked(app, chat_id, "SELECT sum(amount) FROM sales")) == 7
    fork = app.send(ForkChat(chat_id))
    assert value(asked(app, fork, "SELECT sum(amount) FROM sales")) == 7


@pytest.mark.parametrize(
    "what", mostly_long(["not allowed", "outside", "no link", "taken back"], quick=(0, 1))
)
def test_a_link_that_the_user_did_not_allow_is_not_followed(app: App, tmp_path: Path, what: str) -> None:
    folder = sales(tmp_path / "sales", jan=FEBRUARY)
    (tmp_path / "secret").mkdir()
    secret = tmp_path / "secret/keys.csv"
    secret.write_text("key\nhidden-value\n")
    place = secret.stat()
    stolen = Part(str(secret), place.st_size, place.st_mtime_ns, place.st_ino)
    content = {
        "not allowed": Link(str(secret), "csv", (stolen,)).content(),
        "outside": Link(str(folder), "csv", (stolen,)).content(),
        "no link": b'{"anabranch_link": 1, "location": ["' + str(secret).encode() + b'"]}',
        "taken back": find_link(str(secret)).content(),
    }[what]
    if what == "taken back":
        app.send(AllowLocation(str(secret)))
        app.send(ForbidLocation(str(secret)))
    app.send(AllowLocation(str(folder)))
    chat_id = app.send(CreateChat(title=what))
    app.send(UploadFiles(chat_id, [Upload("stolen.link", content)]))

    call = asked(app, chat_id, "SELECT * FROM stolen")
    assert "hidden-value" not in json.dumps([call.result, call.error])
    if what == "outside":  # the place is allowed, so the link is brought to what is really there
        assert call.result["row_count"] == 1  # type: ignore[index,call-overload]
    else:
        assert call.error is not None
    direct = asked(app, chat_id, f"SELECT * FROM read_csv('{secret}')")
    assert direct.error is not None


def test_a_symbolic_link_that_leads_out_of_a_linked_folder_is_skipped(app: App, tmp_path: Path) -> None:
    folder = sales(tmp_path / "sales", jan=FEBRUARY)
    secret = tmp_path / "keys.csv"
    secret.write_text("day,region,amount\n2024-01-01,hidden,1\n")
    (folder / "feb.csv").symlink_to(secret)

    assert value(asked(app, linked(app, folder), "SELECT count(*) FROM sales")) == 1


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("relative/sales.csv", "location_relative"),
        ("{tmp}/nothing.csv", "location_not_found"),
        ("{tmp}/empty", "location_empty"),
        ("{tmp}/mixed", "location_mixed"),
        ("{tmp}/mixed/notes.docx", "location_without_tables"),
        ("{data}", "location_own"),
        ("{data}/chats/*.csv", "location_own"),
        ("/", "location_own"),
    ],
)
def test_a_location_that_cannot_be_linked_is_refused_with_the_reason(
    app: App, tmp_path: Path, location: str, code: str
) -> None:
    (tmp_path / "empty").mkdir()
    sales(tmp_path / "mixed", jan=FEBRUARY)
    (tmp_path / "mixed/more.jsonl").write_text("{}\n")
    (tmp_path / "mixed/notes.docx").write_text("x")
    with pytest.raises(Refused) as refused:
        app.send(AllowLocation(location.format(tmp=tmp_path, data=app.data)))
    assert refused.value.code == code


@pytest.mark.long
def test_partitioned_parquet_is_read_and_a_file_with_other_columns_is_an_error(
    app: App, tmp_path: Path
) -> None:
    for year in (2023, 2024):
        (tmp_path / f"sales/year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"amount": [year]}), tmp_path / f"sales/year={year}/part-0.parquet")
    chat_id = linked(app, tmp_path / "sales")
    assert value(asked(app, chat_id, "SELECT sum(amount) FROM sales WHERE year = 2024")) == 2024

    pq.write_table(pa.table({"total": [1]}), tmp_path / "sales/year=2024/odd.parquet")
    error = asked(app, chat_id, "SELECT count(*) FROM sales").error
    assert error is not None
    assert "odd.parquet has other columns than part-0.parquet" in error["message"]


def test_large_files_are_sampled_and_that_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linked_tables, "READ_WHOLE", 1_000)
    monkeypatch.setattr(table_profile, "READ_WHOLE", 1_000)
    monkeypatch.setattr(table_profile, "_SOME_ROWS", 500)
    rows = [f"2024-01-01,East,{n}.25" for n in range(5_000)]
    rows[4_321] = "2024-01-01,East,unknown amount"
    file = sales(tmp_path / "sales", jan="\n".join(rows) + "\n") / "jan.csv"
    table = linked_tables.linked_table("csv", [file], 0.05)
    assert 4_500 < table["rows"] < 5_500
    assert table["notes"] == [f"The number of rows is an estimate: about {table['rows']:,}."]
    assert table["losses"][0].endswith(
        "values that do not fit these types are read as missing and not counted."
    )

    told = {key: table[key] for key in ("rows", "notes", "losses")}
    told["columns"] = [{"name": c.name, "type": c.type} for c in table["columns"]]
    asked_for = {
        "select": table["select"],
        "reads": [str(file)],
        "bytes": file.stat().st_size,
        "told": told,
    }
    profile = table_profile.profile_linked(asked_for)
    assert "Values, ranges and missing values are those of the first 500 rows." in profile["notes"]
    assert {column["distinct_estimated"] for column in profile["columns"]} == {True}


def test_a_location_contains_the_files_that_its_path_or_pattern_matches(tmp_path: Path) -> None:
    folder = sales(tmp_path / "a/b", jan=FEBRUARY)
    file = str(folder / "jan.csv")
    assert contains(file, file)
    assert contains(str(tmp_path), file)
    assert contains(f"{tmp_path}/**/*.csv", file)
    assert contains(f"{tmp_path}/a/*/j?n.csv", file)
    assert not contains(f"{tmp_path}/*.csv", file)
    assert not contains(f"{tmp_path}/a/b/jan", file)
    assert not contains(str(folder), f"{folder}/../b/jan.csv")
    assert link_of(find_link(file).content()) == find_link(file)


def test_parts_outside_an_allowed_location_are_not_read(tmp_path: Path) -> None:
    folder, secret = sales(tmp_path / "sales", jan=FEBRUARY), tmp_path / "keys.csv"
    secret.write_text("key\n")
    (tmp_path / "in.link").write_bytes(Link(str(folder), "csv", (Part(str(secret), 4, 0, 0),)).content())
    followed = LinkedFiles(lambda: [str(folder)]).follow(["in.link"], tmp_path)
    assert followed.links == {}
    assert followed.refused["in.link"] == f"it names {secret}, which is not in {folder}"


def test_withdrawing_a_location_that_was_never_allowed_is_refused(app: App) -> None:
    with pytest.raises(NotFound, match="is not an allowed location"):
        app.send(ForbidLocation("/nowhere"))


def test_a_second_process_sees_allowed_locations(app: App, tmp_path: Path) -> None:
    folder = sales(tmp_path / "sales", jan=FEBRUARY)
    book = LocationBook(app.log, ())
    assert str(folder) not in book.allowed()
    app.send(AllowLocation(str(folder)))
    assert str(folder) in book.allowed()


def test_hashes_of_linked_files_are_recorded_in_the_background(app: App, tmp_path: Path) -> None:
    folder, hashed = sales(tmp_path / "sales", jan=FEBRUARY, feb=JANUARY), threading.Event()
    made: list[PartsHashed] = []

    def watch(recorded: Sequence[Recorded]) -> None:
        found = [one.event for one in recorded if isinstance(one.event, PartsHashed)]
        made.extend(one for one in found if one.location == str(folder))
        if made:
            hashed.set()

    stop = app.log.watch(watch)
    try:
        link = link_of(app.send(AllowLocation(str(folder))).text.encode())
        assert hashed.wait(60)
    finally:
        stop()
    digests = {file.name: sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    assert {Path(one.path).name: one.sha256 for one in made[0].parts} == digests
    assert app.workspace.hashed(link).keys() == {part.path for part in link.parts}


@pytest.mark.long
def test_twenty_gigabytes_are_queried_in_bounded_memory_and_hardly_anything_is_stored(
    app: App, tmp_path: Path
) -> None:
    write_files(tmp_path / "sales")
    size = sum(file.stat().st_size for file in (tmp_path / "sales").iterdir())
    assert size > 20e9
    chat_id = linked(app, tmp_path / "sales")
    assert value(asked(app, chat_id, "SELECT count(*) FROM sales")) == 510_000_000
    assert asked(app, chat_id, "SELECT region, avg(amount) FROM sales GROUP BY 1").error is None
    assert app.workspace.tables(chat_id)[0].rows == 510_000_000

    stored = sum(file.stat().st_size for file in app.data.rglob("*") if file.is_file())
    assert stored < size / 100
    # of the tool processes that have ended, the largest; the limit of a call is what holds it
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 4 << 20

    os.utime(tmp_path / "sales/part-00.parquet", (1, 1))
    asked(app, chat_id, "SELECT count(*) FROM sales")
    assert any(
        "Files that are read in place changed" in event.event.sentence()
        for event in app.log.read_stream(f"chat-{chat_id}")
    )
