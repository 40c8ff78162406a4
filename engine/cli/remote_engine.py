"""The engine of a running app in another process, over HTTP on loopback with this installation's token (LOG-8)."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from engine.cli.loopback_client import BrokenOff, LoopbackClient, NotConnected, Reply
from engine.commands.base import Command, Message, Query, Result
from engine.commands.codec import decode_result, encode, local_fields, result_type
from engine.config import config_folder
from engine.errors import AnabranchError, Invalid, NotFound, Problem, Refused, Unavailable
from engine.secrets.api_token import known_token
from engine.system.data_folder_lock import Holder, held_by_another, holder, is_held, is_ours

__all__ = ["RemoteEngine", "remote_engine"]

_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}")
_LINES = "application/x-ndjson"


@contextmanager
def remote_engine(data: Path) -> "Iterator[RemoteEngine]":
    """Yield the engine of the app that serves `data`.

    Raises:
        Unavailable: the app cannot be reached; the message says which process holds the data folder.
        Refused: the app belongs to another user, or has another version.
    """
    known = holder(data)
    if known is None or known.address is None:
        raise held_by_another(data, known)
    if not is_ours(data) or not _LOOPBACK.fullmatch(known.address):
        raise Refused(
            "service_foreign",
            f"The data folder {data} is in use by process {known.pid}, which is not one of your apps on this machine; "
            "your token is not sent to it. Give another folder with --data.",
        )
    client = LoopbackClient(known.address, known_token(config_folder()))
    engine = RemoteEngine(client, data, known)
    engine.require_same_version()
    yield engine


class RemoteEngine:
    """A remote engine. Safe for several threads."""

    def __init__(self, client: LoopbackClient, data: Path, known: Holder) -> None:
        self._client = client
        self._data = data
        self._known = known

    def require_same_version(self) -> None:
        """Reject an app that this command line may not understand.

        Raises:
            Refused: the app has another version.
            Unavailable: the app does not answer, or another program answers at its address.
        """
        try:
            with self._client.get("/v1/health") as answer:
                health = json.loads(answer.read())
            theirs, pid = str(health["version"]), int(health["pid"])
        except (NotConnected, BrokenOff) as error:
            raise self._unreachable("does not answer there") from error
        except (ValueError, KeyError, TypeError) as error:
            raise self._unreachable("does not answer as an Anabranch app") from error
        if pid != self._known.pid:
            raise self._unreachable(f"process {pid} answers there")
        if theirs != version("anabranch"):
            raise Refused(
                "version_differs",
                f"The command line is version {version('anabranch')}, but the running app is version {theirs}. "
                "Restart the app.",
            )

    def send(self, command: Command[Result]) -> Result:
        """See `Engine.send`."""
        found: Result = self._call("commands", command)
        return found

    def read(self, query: Query[Result]) -> Result:
        """See `Engine.read`."""
        found: Result = self._call("queries", query)
        return found

    def _call(self, folder: str, message: Message[Any]) -> Any:
        document, parts = encode(message)
        path = f"/v1/{folder}/{type(message).__name__}"
        try:
            with self._client.post(path, document, parts, accept=_LINES) as answer:
                return self._answered(message, answer)
        except NotConnected as error:
            raise self._unreachable("does not answer there") from error
        except BrokenOff as error:
            raise self._ended(str(error)) from error

    def _answered(self, message: Message[Any], answer: Reply) -> Any:
        kind = type(message)
        if answer.status != 200:
            raise self._refusal(answer)
        if result_type(kind) is Path:
            return _file_of(answer)
        if result_type(kind) is bytes:
            return answer.read()
        tell = getattr(message, "progress", None) if "progress" in local_fields(kind) else None
        for told in self._told(answer):
            if "progress" in told and tell is not None:
                tell(told["progress"])
            elif "result" in told:
                return decode_result(kind, told["result"])
            elif "problem" in told:
                raise error_of(told["problem"])
        raise self._ended("its answer was cut off")

    def _told(self, answer: Reply) -> Iterator[dict[str, Any]]:
        """Yield the JSON objects of an answer, which has one object per line."""
        for line in answer.lines():
            try:
                yield dict(json.loads(line))
            except (ValueError, TypeError) as error:
                raise self._unreachable("does not answer as an Anabranch app") from error

    def _refusal(self, answer: Reply) -> AnabranchError:
        """Return the error that an answer without a result reports."""
        try:
            error = error_of(json.loads(answer.read()))
        except (ValueError, KeyError, TypeError):
            return self._unreachable(f"does not answer as an Anabranch app ({answer.status})")
        if answer.status == 401:
            return Refused(
                "token_wrong",
                f"The app at {self._known.address} (process {self._known.pid}), which is using {self._data}, does not "
                "accept your token. Set ANABRANCH_CONFIG to the value that the app was started with, or start the app "
                "again.",
            )
        return error

    def _ended(self, how: str) -> Unavailable:
        if is_held(self._data):
            return self._unreachable(f"ended before the command did ({how})")
        return Unavailable(
            "service_ended",
            f"The app at {self._known.address} (process {self._known.pid}) ended before the command did. Everything "
            "recorded until then is kept. Check what the command has done, then run it again or start the app.",
        )

    def _unreachable(self, what: str) -> Unavailable:
        return Unavailable(
            "service_unreachable",
            f"The data folder {self._data} is in use by process {self._known.pid}, which should be serving "
            f"{self._known.address} but {what}. End that process, or give another folder with --data.",
        )


def error_of(problem: dict[str, Any]) -> AnabranchError:
    """Return the error that a problem document describes."""
    status, code, message = int(problem["status"]), str(problem["code"]), str(problem["detail"])
    if status == 422:
        fields = ("code", "message", "file", "line")
        found = [Problem(**{name: one[name] for name in fields}) for one in problem.get("problems") or ()]
        return Invalid(code, message, found)
    if status == 404:
        return NotFound(code, message)
    return Refused(code, message) if status < 500 and status != 429 else Unavailable(code, message)


def _file_of(answer: Reply) -> Path:
    """Write an answer's body to a temporary file, and return the file."""
    descriptor, name = mkstemp(prefix="anabranch-")
    try:
        with open(descriptor, "wb") as target:  # noqa: PTH123 - an open descriptor
            for piece in answer.pieces():
                target.write(piece)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)
