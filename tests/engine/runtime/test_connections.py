"""A database that was opened before a call's process was forked belongs to the call, and weakens no protection."""

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.app.wiring_parts import PRELOAD
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunOutcome, RunRequest
from engine.system.cancellation import Cancellation

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX")
FORKS = sys.platform.startswith("linux")
CODE = """
from pathlib import Path
from anabranch_tool.connections import connect
from anabranch_tool.tables import open_tables

def drawn(workspace):
    opened = open_tables(workspace)
    cells = opened.connection.execute("SELECT random(), uuid()::VARCHAR").fetchone()
    return {"number": cells[0], "id": cells[1]}

def apart(workspace):
    first, second = connect(), connect()
    first.execute("CREATE TABLE seen AS SELECT 1 AS n; SET TimeZone = 'Asia/Tokyo'")
    shown = "SELECT (SELECT count(*) FROM duckdb_tables()), current_setting('TimeZone')"
    return {"first": first.execute(shown).fetchone(), "second": second.execute(shown).fetchone()}

def summed(workspace):
    with connect(threads=2) as connection:
        return {"sum": int(connection.execute("SELECT sum(n) FROM range(1000000) t(n)").fetchone()[0])}

def reads(workspace, path):
    return {"rows": connect().execute(f"SELECT * FROM read_text('{path}')").fetchall()}
"""


@pytest.fixture(
    scope="module", params=(True, False) if FORKS else (False,), ids=lambda forks: f"fork={forks}"
)
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    """A pool whose processes are like an app's."""
    with Pool(preload=PRELOAD, fork=request.param) as opened:
        yield opened


def ran(pool: Pool, folder: Path, function: str, **arguments: Any) -> RunOutcome:
    """Run one of the functions above in a tool process."""
    (folder / "bundle" / "tools").mkdir(parents=True, exist_ok=True)
    (folder / "bundle" / "tools" / "sql.py").write_text(textwrap.dedent(CODE))
    (folder / "workspace").mkdir(exist_ok=True)
    request = RunRequest("call", folder / "bundle", f"tools.sql:{function}", folder / "workspace", arguments)
    return pool.run(request, cancel=Cancellation())


def value(pool: Pool, folder: Path, function: str) -> dict[str, Any]:
    """Return what one of the functions above returns."""
    outcome = ran(pool, folder, function)
    assert outcome.status == "success", outcome.error
    assert outcome.value is not None
    return dict(outcome.value)


def test_calls_get_different_random_numbers(pool: Pool, tmp_path: Path) -> None:
    drawn = [value(pool, tmp_path, "drawn") for _ in range(3)]
    assert len({one["number"] for one in drawn}) == 3
    assert len({one["id"] for one in drawn}) == 3


def test_two_connections_of_a_call_do_not_share_tables_or_settings(pool: Pool, tmp_path: Path) -> None:
    seen = value(pool, tmp_path, "apart")
    assert seen["first"] == [1, "Asia/Tokyo"]
    assert seen["second"][0] == 0
    assert seen["second"][1] != "Asia/Tokyo"


def test_a_call_can_use_several_threads(pool: Pool, tmp_path: Path) -> None:
    assert value(pool, tmp_path, "summed") == {"sum": 499_999_500_000}


@pytest.mark.skipif(not FORKS, reason="files are closed to tools on Linux, in forked processes")
def test_a_call_that_uses_an_earlier_connection_is_still_confined(tmp_path: Path) -> None:
    """The database was opened before the process was confined; files that it opens later are still refused."""
    secret = tmp_path / "secret.txt"
    secret.write_text("nobody else's")
    with Pool(preload=PRELOAD) as pool:
        outcome = ran(pool, tmp_path, "reads", path=str(secret))
    assert outcome.confinement.level == "full"
    assert outcome.error is not None
    assert "nobody else's" not in str(outcome)
