"""Runs one call inside its own process: reads the request, confines itself, imports, runs, answers and ends.

The answer is sent over a private socket as lines of JSON. The parent does not trust the answer, because
bundle code runs in this process and can write to the socket too. It can forge only the answer of its own call.
"""

import asyncio
import contextlib
import importlib
import inspect
import json
import math
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from engine.runtime.environment import Environment
from engine.runtime.loading import EntrypointNotFound, load
from engine.runtime.sandbox.confine import Confined, NotConfined, Ready, Terms

__all__ = ["serve_call"]

_LONGEST_MESSAGE = 4_000
_LONGEST_TRACEBACK = 16_000


class _Bad(Exception):
    """Raised if a result cannot be accepted; its arguments are the kind of fault and a sentence about it."""


def serve_call(
    channel: socket.socket, environment: Environment, *, own_mounts: bool, own_processes: bool
) -> NoReturn:
    """Serve the only request that arrives over `channel`, then end the process with all its threads.

    `environment` contains the modules that were loaded before; `own_mounts` says whether processes here can have
    separate mounts, `own_processes` whether this process is in a separate process namespace.
    """
    send_lock = threading.Lock()

    def send(message: Mapping[str, Any]) -> None:
        _send(channel, send_lock, json.dumps(message).encode())

    try:
        _make_ready(send)
        ready = Ready(own_mounts=own_mounts, own_processes=own_processes)
        with channel.makefile("rb") as lines:
            request = json.loads(lines.readline())
        send({"started": True})
        bundle = Path(request["bundle"]) if request["bundle"] else None
        try:
            _prepare(ready, request, bundle, send)
            result = _run(request, bundle)
            send({"environment": environment.facts()})
            _send(channel, send_lock, b'{"result": ' + result + b"}")
        except BaseException as error:
            with contextlib.suppress(Exception):  # the tool may have damaged the modules that this code reads
                send({"environment": environment.facts()})
            send({"error": _described(error, bundle, request)})
        _flush()
    finally:
        os._exit(
            0
        )  # ends the tool's threads too, and runs no exit handlers of libraries loaded before the fork


def _send(channel: socket.socket, lock: threading.Lock, line: bytes) -> None:
    with lock:
        channel.sendall(line + b"\n")


def _make_ready(send: Any) -> None:
    """Before the request arrives, do all the work that does not depend on it."""
    sys.stdout = TextIOWrapper(open(1, "wb"), "utf-8", "backslashreplace", line_buffering=True)  # noqa: SIM115
    sys.stderr = TextIOWrapper(open(2, "wb"), "utf-8", "backslashreplace", line_buffering=True)  # noqa: SIM115
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]
    _forget_what_the_host_knew()
    library = importlib.import_module("anabranch_tool")  # importable only in tool processes
    library.report_progress_to(lambda fraction, text: send({"progress": [fraction, text]}))


def _prepare(ready: Ready, request: Mapping[str, Any], bundle: Path | None, send: Any) -> None:
    terms = Terms(
        workspace=Path(request["workspace"]),
        private=Path(request["private"]),
        bundle=bundle,
        packages=[Path(folder) for folder in request["packages"]],
        readable=[Path(file) for file in request["readable"]],
        environment=request["environment"],
        network=request["network"],
        seconds=request["seconds"],
        memory_bytes=request["memory_bytes"],
        file_bytes=request["file_bytes"],
        at_least=request["at_least"],
        without=request["without"],
    )
    sys.path.extend(request["packages"])
    try:
        confined = ready.confine(terms)
    except NotConfined as refused:
        _tell(send, refused.confined)
        raise
    if hasattr(time, "tzset"):
        time.tzset()
    _tell(send, confined)


def _tell(send: Any, confined: Confined) -> None:
    send({"confined": [confined.level, list(confined.layers)]})


def _forget_what_the_host_knew() -> None:
    """Reset the state of modules that were loaded before the fork, because no two calls may share it."""
    if tempfile := sys.modules.get("tempfile"):
        setattr(tempfile, "tempdir", None)  # noqa: B010 -- its stub hides that name
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()


def _run(request: Mapping[str, Any], bundle: Path | None) -> bytes:
    importlib.import_module("anabranch_tool.context").given.update(request["context"])
    function = load(bundle, request["entrypoint"])
    value = function(Path(request["workspace"]), **request["arguments"])
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value))
    return _encoded(value, request["result_bytes"])


async def _awaited(value: Any) -> Any:
    return await value


def _encoded(value: Any, limit: int) -> bytes:
    if not isinstance(value, dict):
        raise _Bad(
            "not_a_dict", f"The tool returned a value of type {type(value).__name__}; it must return a dict."
        )
    try:
        data = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise _Bad("not_json", "The tool returned text that is not valid Unicode.") from None
    except RecursionError:
        raise _Bad("not_json", "The tool returned a value that is nested too deeply for JSON.") from None
    except (TypeError, ValueError) as error:
        culprit = _culprit(value, "$return", set()) or str(error)
        raise _Bad("not_json", f"The tool returned a value that JSON cannot represent: {culprit}.") from None
    if len(data) > limit:
        raise _Bad(
            "too_large",
            f"The tool returned {len(data):,} bytes of JSON; the limit is {limit:,}. "
            "Write large data to a file in the workspace and return its name.",
        )
    return data


def _culprit(value: Any, place: str, above: set[int]) -> str | None:
    """Return a description of the first thing in `value` that JSON cannot represent; None if there is none."""
    if value is None or isinstance(value, str | bool | int):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{place} is {value}"
    if not isinstance(value, dict | list | tuple):
        return f"{place} is of type {type(value).__name__}"
    if id(value) in above:
        return f"{place} contains itself"
    below = above | {id(value)}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(value, dict) and not (key is None or isinstance(key, str | int | float)):
            return f"{place} has a key of type {type(key).__name__}"
        inner = f"{place}.{key}" if isinstance(value, dict) else f"{place}[{key}]"
        if found := _culprit(item, inner, below):
            return found
    return None


def _described(error: BaseException, bundle: Path | None, request: Mapping[str, Any]) -> dict[str, str]:
    if isinstance(error, _Bad):
        return {"kind": error.args[0], "message": error.args[1], "traceback": ""}
    if isinstance(error, NotConfined):
        return {"kind": "not_confined", "message": str(error), "traceback": ""}
    if isinstance(error, EntrypointNotFound):
        return {"kind": "not_found", "message": str(error), "traceback": ""}
    try:
        text = str(error)
    except Exception:
        text = "(its message could not be read)"
    if isinstance(error, importlib.import_module("anabranch_tool").ToolError):
        return {"kind": "refused", "message": text[:_LONGEST_MESSAGE], "traceback": ""}
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, MemoryError):
        message += f" (the limit is {request['memory_bytes'] / (1 << 20):,.0f} MiB)"
    own = bundle or Path(__file__).parent / "library"
    return {
        "kind": "exception",
        "message": message[:_LONGEST_MESSAGE],
        "traceback": _trimmed(error, own),
    }


def _trimmed(error: BaseException, own: Path) -> str:
    """Return the traceback with only the frames in the tool's own files. The paths of these files begin at the bundle's
    root.
    """
    try:
        summary = traceback.TracebackException.from_exception(error)
        link: traceback.TracebackException | None = summary
        while link is not None:
            link.stack = traceback.StackSummary.from_list(
                [frame for frame in link.stack if Path(frame.filename).is_relative_to(own)]
            )
            link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
        text = "".join(summary.format()).replace(f"{own}{os.sep}", "")
    except Exception:
        return ""
    return text if len(text) <= _LONGEST_TRACEBACK else f"…{text[-_LONGEST_TRACEBACK:]}"


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(Exception):  # the tool may have closed or replaced the stream
            stream.flush()  # type: ignore[union-attr]
