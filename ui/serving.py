"""The process that serves the page: Streamlit's own command, with a clean start and a clean shutdown.

`anabranch serve` replaces itself with `python -m ui.serving [--socket N] [--folder-lock N] run …`. The numbers are the
descriptors of the listening socket and of the lock on the data folder.
"""

import atexit
import os
import signal
import socket
import sys
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run Streamlit's command. Ctrl C ends it with a message and the exit code for SIGINT."""
    signal.signal(signal.SIGINT, _end)
    if os.name == "posix":
        signal.pthread_sigmask(
            signal.SIG_UNBLOCK, {signal.SIGINT}
        )  # `anabranch serve` blocked it before it was replaced by this program
    listening, folder_lock = _handed_on("--socket"), _handed_on("--folder-lock")

    import click  # noqa: PLC0415 - the import takes a second, and Ctrl C may come within it
    from streamlit import delta_generator  # noqa: PLC0415
    from streamlit.web.cli import main as streamlit_command  # noqa: PLC0415

    from engine.app.opening import ends_with_reason  # noqa: PLC0415
    from engine.app.process_state import adopt_folder_lock  # noqa: PLC0415

    if folder_lock is not None:
        adopt_folder_lock(folder_lock)
    if listening is not None:
        _listen_on(listening)
    _end_at_once_while_starting()
    # Otherwise Streamlit would search all loaded modules at its first element, to check whether it was started
    # correctly.
    delta_generator._use_warning_has_been_displayed = True
    code = 0
    with ends_with_reason():
        try:
            streamlit_command(standalone_mode=False)
        except (click.Abort, KeyboardInterrupt):
            _end(signal.SIGINT)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
    _leave(code)


def _handed_on(option: str) -> int | None:
    """Remove `option` and its number from the command line, and return the number; None if there is no such option."""
    if option not in sys.argv:
        return None
    at = sys.argv.index(option)
    number = int(sys.argv[at + 1])
    del sys.argv[at : at + 2]
    return number


def _listen_on(descriptor: int) -> None:
    """Let Streamlit use this socket, which accepts connections already, instead of opening another one."""
    from streamlit.web.server.starlette import starlette_server  # noqa: PLC0415 - see `main`

    listening = socket.socket(fileno=descriptor)
    listening.setblocking(False)
    listening.set_inheritable(False)
    setattr(starlette_server, "_bind_socket", lambda *_: listening)  # noqa: B010 - mypy refuses the assignment


def _end_at_once_while_starting() -> None:
    """While the server is starting or the data folder is being opened, let a signal end this process at once; uvicorn
    would first finish starting. A second Ctrl C also ends the process at once.
    """
    from uvicorn import Server  # noqa: PLC0415 - see `main`

    from engine.app.opening import is_opening  # noqa: PLC0415

    finish = Server.handle_exit

    def handle_exit(server: Server, number: int, frame: FrameType | None) -> None:
        if not server.started or is_opening() or (server.should_exit and number == signal.SIGINT):
            _end(number)
        finish(server, number, frame)

    setattr(Server, "handle_exit", handle_exit)  # noqa: B010 - mypy refuses the assignment


def _end(number: int, *_: Any) -> NoReturn:
    """End the process because of a signal. Nothing is lost, since the log survives a kill."""
    if number == signal.SIGINT:
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            sys.stderr.write("Anabranch has ended.\n")
        _leave(128 + number)
    atexit._run_exitfuncs()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
    os._exit(128 + number)


def _leave(code: int) -> NoReturn:
    """End the process once everything has been closed.

    The interpreter's normal exit would destroy DuckDB's objects in an arbitrary order and print pages of messages.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
