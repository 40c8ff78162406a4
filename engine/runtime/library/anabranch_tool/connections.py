"""Connections to DuckDB in memory. Opening a database builds its whole catalog, which takes longer than most queries.

A host therefore opens a database before it forks, without any thread, and the first connection of each call uses the
copy in its process. The database contains no data of other calls, because each process serves one call with its own
copy.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import duckdb

__all__ = ["connect", "cores", "open_ahead"]

_TASKS = Path("/proc/self/task")
_WITHOUT_THREADS: dict[str, Any] = {"threads": 1, "async_threads": 0}

_ahead: list[duckdb.DuckDBPyConnection] = []
_used: list[duckdb.DuckDBPyConnection] = []
"""The first connections, one of each database. They are kept until the process ends, because closing the first
connection also closes the database's other connections.
"""


def connect(threads: int = 1) -> duckdb.DuckDBPyConnection:
    """Return a connection to an empty database that no other connection uses."""
    if _ahead:
        _used.append(_ahead.pop())
        # a new connection: random numbers of the first one would be the same in each process
        connection = _used[-1].cursor()
    else:
        connection = duckdb.connect(":memory:", config=_WITHOUT_THREADS)
    if threads > 1:
        connection.execute(f"SET threads = {threads}")
    return connection


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def open_ahead() -> None:
    """Open a database for the next `connect`, for processes that are forked from this one.

    It is closed again if it started a thread: a fork does not copy threads, and anything that waits for such a thread
    would wait forever.
    """
    before = _threads()
    connection = duckdb.connect(":memory:", config=_WITHOUT_THREADS)
    _use_once(connection)
    if _threads() > before:
        connection.close()
    else:
        _ahead.append(connection)


def _use_once(database: duckdb.DuckDBPyConnection) -> None:
    """Do the work that is slow the first time: parse, write Parquet, read it, and name the columns of a result."""
    with tempfile.TemporaryDirectory(prefix="anabranch-ahead-") as folder, database.cursor() as connection:
        file = f"{folder}/once.parquet".replace("'", "''")
        (statement,) = connection.extract_statements("SELECT n % 2 AS half, count(*) FROM once GROUP BY 1")
        duckdb.tokenize(statement.query)
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY (SELECT 1 AS n, 'a' AS name) TO '{file}' (FORMAT parquet)")
        connection.execute(f"CREATE TEMP VIEW once AS SELECT * FROM read_parquet(['{file}'])")
        connection.execute(f"CREATE TEMP TABLE result AS ({statement.query} ORDER BY 1)")
        connection.execute("DESCRIBE result").fetchall()
        connection.execute("SELECT * FROM result").fetchall()


def _threads() -> int:
    """Return how many threads this process has; 0 if the system does not list them, as on systems where processes are
    not forked.
    """
    return len(list(_TASKS.iterdir())) if _TASKS.exists() else 0
