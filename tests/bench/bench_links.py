"""The cost of querying linked files, next to DuckDB itself: 20 GB of Parquet in 17 files.

The files are one file under 17 names, so that they take 1.2 GB of the disk. python -m tests.bench.bench_links
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb

from engine.app.app import App, open_app
from engine.commands.catalog import AllowLocation, CreateChat, RunTool, Upload, UploadFiles
from tests.bench.harness import Figure, interleaved, main

ROWS, FILES = 30_000_000, 17
SQL = "SELECT region, sum(amount), count(DISTINCT day), avg(amount) FROM {} GROUP BY 1"
BARE = "DuckDB by itself over 20 GB of Parquet"
OURS = "the same question as a recorded call over a link"


def measure() -> list[Figure]:
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_files(place / "sales")
        with open_app(place / "data") as app:
            chat_id = _chat(app, place / "sales")
            contenders: dict[str, Callable[[], object]] = {
                BARE: lambda: _bare(place / "sales"),
                OURS: lambda: app.send(RunTool(chat_id, "data-analyst:query", {"sql": SQL.format("sales")})),
            }
            timed = interleaved(contenders, rounds=3)
            assert {call.status for call in app.chat(chat_id).calls.values()} == {"success"}
    return [timed[BARE].figure(BARE, BARE), timed[OURS].figure(OURS, BARE, most=1.2)]


def write_files(folder: Path, rows: int = ROWS, files: int = FILES) -> None:
    """Write one Parquet file and give it `files` names."""
    folder.mkdir()
    duckdb.sql(
        f"COPY (SELECT i AS id, DATE '2024-01-01' + CAST(i % 366 AS INTEGER) AS day, "
        f"['East', 'West', 'North', 'South'][1 + i % 4] AS region, "
        f"CAST(hash(i) % 100000 / 100 AS DECIMAL(10, 2)) AS amount, hash(i) AS h1, hash(i + 1) AS h2, "
        f"hash(i + 2) AS h3 FROM range({rows}) t(i)) TO '{folder}/part-00.parquet' "
        "(FORMAT parquet, COMPRESSION uncompressed)"
    )
    for number in range(1, files):
        (folder / f"part-{number:02}.parquet").hardlink_to(folder / "part-00.parquet")


def _chat(app: App, folder: Path) -> str:
    chat_id = app.send(CreateChat(title="by reference"))
    linked = app.send(AllowLocation(str(folder)))
    app.send(UploadFiles(chat_id, [Upload(linked.name, linked.text.encode())]))
    return chat_id


def _bare(folder: Path) -> None:
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        asked = SQL.format(f"read_parquet('{folder}/*.parquet')")
        connection.execute(f"CREATE TEMP TABLE result AS {asked}")


if __name__ == "__main__":
    main(measure)
