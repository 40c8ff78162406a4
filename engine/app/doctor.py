"""Health checks: versions, the data folder, the log, tool processes, and what the system can enforce."""

import os
import platform
import sys
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.app.app import App
from engine.config import config_folder
from engine.errors import AnabranchError
from engine.runtime.sandbox.levels import LEVELS
from engine.runtime.sandbox_limitations import sandbox_limitations
from engine.system.data_folder import is_store
from engine.system.private_files import CONFIG_FOLDER, own_folder, shared_paths
from engine.toolsets.administrator import Administrator
from events.late_dataclass import dataclass
from events.log_files import KEPT

__all__ = ["Check", "examine"]

_NEEDED = ("duckdb", "streamlit", "pyarrow", "pydantic", "fastapi")


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result."""

    name: str
    ok: bool
    detail: str


def examine(data: Path, running: App | None = None) -> list[Check]:
    """Run all checks. The data folder is opened, unless the app `running` has opened it."""
    versions = ", ".join(f"{name} {version(name)}" for name in _NEEDED)
    private, unusable = _private(data), _unusable_configuration()
    checks = [
        Check("python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()}"),
        Check("packages", True, versions),
        _administrator(),
        private,
        *unusable,
    ]
    if running is not None:
        return [*checks, Check("data folder", True, str(data)), *_inside(running)]
    if not is_store(data):
        return [*checks, *_without_data(data)]
    try:
        app = App(data)
    except AnabranchError as error:
        return [*checks, Check("data folder", False, error.message)]
    except OSError as error:
        return [*checks, Check("data folder", False, f"{data} cannot be used: {error}")]
    try:
        return [*checks, Check("data folder", True, str(data)), *_inside(app)]
    finally:
        app.close()


def _without_data(data: Path) -> list[Check]:
    """Run the checks that are possible before there is a data folder; nothing is created."""
    above = next((folder for folder in (data, *data.parents) if folder.exists()), data)
    if not (above.is_dir() and os.access(above, os.W_OK)):
        return [
            Check(
                "data folder",
                False,
                f"{data} cannot be created: {above} is not a folder that you may write to",
            )
        ]
    with TemporaryDirectory(prefix="anabranch-") as empty, closing(App(Path(empty) / "data")) as app:
        found = Check("data folder", True, f"there is no data in {data} yet")
        return [found, *(check for check in _inside(app) if check.name not in ("log", _COPY))]


_COPY = "second copy"


def _private(data: Path) -> Check:
    """Check whether other users may read the files. This must run first, since opening the folder makes it private."""
    shared = [str(path) for folder in (data, config_folder()) for path in shared_paths(folder)]
    if not shared:
        return Check("privacy", True, "no other user may read the data and configuration folders")
    listed = ", ".join(shared[:3]) + (f" and {len(shared) - 3} more" if len(shared) > 3 else "")
    return Check(
        "privacy",
        False,
        f"other users could read {listed}; this is fixed when the folders are opened, so run the check again",
    )


def _unusable_configuration() -> list[Check]:
    """Return a failed check if the folder of keys and marks cannot be used. If the folder does not exist, it is
    created, as when the app starts.
    """
    try:
        own_folder(config_folder(), CONFIG_FOLDER)
    except AnabranchError as error:
        return [Check("configuration", False, error.message)]
    return []


def _administrator() -> Check:
    administrator = Administrator(os.environ)
    ban = administrator.ban()
    if ban.problem:
        return Check("administrator", False, f"{ban.problem}; until this is fixed, everything is disabled")
    disabled = sorted(ban.toolsets | ban.tools | {f"mcp:{server}" for server in ban.servers})
    return Check(
        "administrator", True, f"disables {', '.join(disabled)}" if disabled else "nothing is disabled"
    )


def _inside(app: App) -> list[Check]:
    found = app.log.verify()
    restored = app.upkeep.restored
    detail = f"{found.events:,} events, the chain is intact" if found.ok else found.problem or ""
    if restored:
        detail += f"; {restored} were restored from the journal"
    problem = app.upkeep.problem
    more = [problem] if problem and problem not in detail else []
    detail = "; ".join([detail, *more, *app.upkeep.notices()])
    checks = [Check("log", found.ok and problem is None, detail), _second_copy(app)]
    listed = [row["id"] + (f" ({row['reason']})" if row["reason"] else "") for row in app.installed()]
    checks.append(
        Check("toolsets", True, ", ".join(listed) or "none")
    )  # always ok: a toolset that lacks a key is not a fault
    if found.ok:
        checks.append(_tool_process(app))
        unconfined = [row["id"] for row in app.read("mcp_servers") if row["config"].get("unconfined")]
        if unconfined:
            words = (
                f"unconfined by your choice, so they can do everything that you can: {', '.join(unconfined)}"
            )
            checks.append(Check("MCP servers", True, words))
    return checks


def _second_copy(app: App) -> Check:
    size = app.upkeep.kept_bytes()
    if not app.settings.keep_journal:
        return Check(_COPY, True, "none, because of the setting keep_journal")
    kept = app.data / KEPT
    if kept.exists() and not kept.is_dir():
        return Check(_COPY, False, f"{kept} is not a folder, so there is no copy; remove it")
    return Check(_COPY, True, f"{size / 2**10:,.0f} KiB in kept-journal")


def _tool_process(app: App) -> Check:
    held = app.try_tool_process()
    if held is None:
        return Check("tool processes", False, "a tool process could not be run")
    lines = [
        f"{held.level}: {', '.join(held.layers)}",
        *(f"not confined here: {gap}" for gap in sandbox_limitations(held)),
    ]
    asked = app.settings.sandbox_at_least
    enough = asked == "strongest" or LEVELS.index(held.level) >= LEVELS.index(asked)
    if not enough:
        lines.append(f"no tool can run, because the setting sandbox_at_least requires “{asked}”")
    return Check("tool processes", enough, "; ".join(lines))
