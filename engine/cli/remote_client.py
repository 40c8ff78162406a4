"""The command line beside a running app, which runs the command; this process shows what it says (LOG-8)."""

import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from engine.cli.cli_context import GIVEN, Wanted, ask, is_interactive, say
from engine.config import config_folder
from engine.errors import Refused, Unavailable
from engine.secrets.api_token import known_token
from engine.system.data_folder_lock import Holder, held_by_another, holder, is_ours

__all__ = ["run_there"]

_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}")
_TIMES = httpx.Timeout(10.0, read=None)


def run_there(data: Path) -> int:
    """Have the service of `data` run the command that this process was given; returns its exit code.

    Raises:
        Unavailable: it cannot be reached, or ended meanwhile; the message says who holds the log.
        Refused: it does not take the command.
    """
    known, given = holder(data), GIVEN.get()
    if known is None or known.address is None or given is None:
        raise held_by_another(data, known)
    if not is_ours(data) or not _LOOPBACK.fullmatch(known.address):
        raise Refused(
            "service_foreign",
            f"The data folder {data} is held by process {known.pid}, which is not an app of yours on this machine; "
            "your token is not sent to it. Give another folder with --data.",
        )
    names, words = given()
    headers = {"Authorization": f"Bearer {known_token(config_folder())}"}
    with httpx.Client(
        base_url=f"{known.address}/v1", headers=headers, trust_env=False, timeout=_TIMES
    ) as client:
        try:
            return _run(client, data, known, names, words)
        except httpx.ConnectError as error:
            raise _unreachable(data, known, "does not answer there") from error
        except httpx.HTTPError as error:
            raise _unreachable(
                data, known, f"ended before the command did ({type(error).__name__})"
            ) from error


def _run(client: httpx.Client, data: Path, known: Holder, names: list[str], words: list[str]) -> int:
    body = {
        "words": words,
        "cwd": str(Path.cwd()),
        "interactive": is_interactive(),
        "data": str(data),
        "version": version("anabranch"),
    }
    with client.stream("POST", f"/commands/{'-'.join(names)}", json=body) as answer:
        if not answer.headers.get("content-type", "").startswith("application/x-ndjson"):
            raise _refused(data, known, answer)
        lines = answer.iter_lines()
        run = str(json.loads(next(lines))["run"])
        with _stopping(client, run):
            for line in lines:
                code = _take(client, run, json.loads(line))
                if code is not None:
                    return code
    raise _unreachable(data, known, "ended before the command did")


def _take(client: httpx.Client, run: str, message: dict[str, Any]) -> int | None:
    """Do what a message says; returns the exit code where it is the last."""
    if "stdout" in message:
        say("stdout", message["stdout"])
    elif "stderr" in message:
        say("stderr", message["stderr"])
    elif "wants" in message:
        wanted: Wanted = message["wants"]
        client.post(f"/runs/{run}", json={"answer": ask(wanted, message["prompt"])})
    elif "error" in message:
        raise Unavailable(message["error"]["code"], message["error"]["message"])
    elif "code" in message:
        return int(message["code"])
    return None


@contextmanager
def _stopping(client: httpx.Client, run: str) -> Iterator[None]:
    """Ctrl C stops what runs there, and its end is still shown; a second one leaves it to itself."""
    asked = False

    def post() -> None:
        try:
            client.post(f"/runs/{run}", json={"stop": True})
        except httpx.HTTPError as error:  # the stream ends too, and says so
            sys.stderr.write(f"The app could not be told to stop ({type(error).__name__}).\n")

    def interrupted(*_: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        Thread(target=post, daemon=True).start()

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _refused(data: Path, known: Holder, answer: httpx.Response) -> Refused | Unavailable:
    """The error for an answer that is no run."""
    answer.read()
    try:
        told = answer.json()
        code, detail = str(told["code"]), str(told["detail"])
    except (ValueError, KeyError, TypeError):
        return _unreachable(data, known, f"answers there as no app of this kind ({answer.status_code})")
    if answer.status_code == 401:
        return Refused(
            "token_wrong",
            f"The app at {known.address} (process {known.pid}), which holds {data}, does not know your token. "
            "Set ANABRANCH_CONFIG as it was set for that app, or start it again.",
        )
    return Refused(code, f"{detail} The app at {known.address} (process {known.pid}) holds {data}.")


def _unreachable(data: Path, known: Holder, what: str) -> Unavailable:
    return Unavailable(
        "service_unreachable",
        f"The data folder {data} is in use by process {known.pid}, which says that it serves {known.address} but "
        f"{what}. End that process, or give another folder with --data.",
    )
