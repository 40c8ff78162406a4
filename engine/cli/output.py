"""Output and exit codes of the command line.

0 done · 1 refused or failed · 2 wrong usage · 3 waiting for confirmation · 4 a result changed (`rerun`). With `--json`,
stdout contains one JSON document and nothing else. Otherwise results go to stdout, and errors go to stderr in one or
two lines.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click
from click.exceptions import Exit

from engine.app.failure_line import failure_line
from engine.cli.cli_context import say
from engine.errors import AnabranchError, Invalid, NotFound
from engine.system.private_files import users_mode
from engine.views.documents import as_json
from events.text import scrub_surrogates

__all__ = ["Output", "columns", "minute", "move_whole", "print_error", "require_folder", "write_whole"]


def columns(rows: Sequence[Sequence[object]], head: Sequence[str]) -> str:
    """Return rows as aligned text under a heading."""
    texts = [[str("" if cell is None else cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in texts) for i in range(len(head))]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in texts
    )


def minute(time: str) -> str:
    """Return a time from a document in the format for tables."""
    return time[:16].replace("T", " ")


def require_folder(target: Path) -> None:
    """Raise `NotFound` if the folder for a file does not exist (`folder_not_found`)."""
    if not target.parent.is_dir():
        raise NotFound(
            "folder_not_found",
            f"There is no folder {target.parent} for {target.name}. Create it first.",
        )


def write_whole(target: Path, data: bytes) -> None:
    """Write a file for the user, completely or not at all."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(data)
        fresh.chmod(users_mode())
        fresh.replace(target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def move_whole(source: Path, target: Path, mode: int) -> None:
    """Move a temporary file to the user's path, completely or not at all."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        shutil.copyfile(source, fresh)
        fresh.chmod(mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
        source.unlink(missing_ok=True)


class Output:
    """The output of one command."""

    def __init__(self, *, as_json: bool) -> None:
        self.json = as_json

    def done(self, document: Any, text: str, code: int = 0) -> NoReturn:
        """Print the result and exit."""
        _write(json.dumps(as_json(document), ensure_ascii=False, indent=2) if self.json else text)
        raise Exit(code)

    def note(self, text: str) -> None:
        """Print a note in addition to the result."""
        if not self.json:
            say("stderr", scrub_surrogates(text) + "\n")

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Print errors that the block raises, as text or JSON. Exit with code 1, or 3 if the user must agree first."""
        try:
            yield
        except AnabranchError as error:
            self._failed(
                error.code, error.message, list(error.problems) if isinstance(error, Invalid) else None
            )
        except (Exit, click.Abort, BrokenPipeError):
            raise
        except OSError as error:
            self._failed("system", failure_line(error), None)
        except Exception as error:
            from events.log import LogError  # noqa: PLC0415 - slow to import

            self._failed("log" if isinstance(error, LogError) else "internal", failure_line(error), None)

    def _failed(self, code: str, message: str, problems: list[Any] | None) -> NoReturn:
        if self.json:
            print_error(code, message, problems)
        else:
            told = [line for line in map(str, problems or []) if line not in message]
            lines = [message, *(f"  {line}" for line in told)]
            say("stderr", scrub_surrogates("\n".join(lines)) + "\n")
        raise Exit(3 if code == "not_agreed" else 1)


def print_error(code: str, message: str, problems: list[Any] | None = None) -> None:
    """Print an error as the only JSON document on stdout."""
    described: dict[str, Any] = {"code": code, "message": message}
    if problems is not None:
        described["problems"] = problems
    _write(json.dumps({"error": as_json(described)}, ensure_ascii=False, indent=2))


def _write(text: str) -> None:
    if text:
        say("stdout", scrub_surrogates(text) + "\n")
