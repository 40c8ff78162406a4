"""Starts the page: Streamlit on loopback only, with the settings that the app relies on."""

import os
import signal
import socket
import sys
import webbrowser
from pathlib import Path
from typing import NoReturn

from click.exceptions import Exit

from engine.app.demo.limits import is_demo
from engine.cli.cli_context import say
from engine.cli.waiting import lock_to_serve
from engine.config import config_folder
from engine.errors import Unavailable
from engine.secrets.api_token import made_token
from engine.system.data_folder import is_read_only
from engine.system.data_folder_lock import DataFolderLock, Holder
from engine.system.private_files import restore_umask

__all__ = ["listening_socket", "serve_page"]

_TRIES = 20
_BACKLOG = 2048
_HANDS_ON = os.name == "posix"
"""Whether `exec` keeps files and sockets open on this system."""


def serve_page(data: Path, port: int, *, browser: bool) -> NoReturn:
    """Turn this process into the page's server for `data`, at `port` or the next free port. The server prints its
    address once the folder is open.

    The folder's lock and the listening port are acquired here and passed to the server. So no other process can take
    them while the server loads, and problems with them are reported at once.

    If a running app already serves the folder, print its address instead, and start nothing.

    Raises:
        Unavailable: the folder is in use or cannot be used, the folder of keys cannot be used, or no port is free.
    """
    lock: DataFolderLock | None = None
    if not is_demo():  # a demo has no token and no lasting data folder
        made_token(config_folder())
        if not is_read_only(data):
            held = lock_to_serve(data)
            if isinstance(held, Holder):
                _say_where(data, held, browser=browser)
            lock = held
    listening = listening_socket(port)
    handed_on = ["--socket", str(listening.fileno())] if _HANDS_ON else []
    if lock is not None and _HANDS_ON:
        handed_on += ["--folder-lock", str(lock.hand_on())]
    elif lock is not None:
        lock.release()
    _become_the_server(data, listening, handed_on, browser=browser)


def _say_where(data: Path, known: Holder, *, browser: bool) -> NoReturn:
    say(
        "stdout",
        f"Anabranch is already running at {known.address} (data in {data}, process {known.pid}).\n",
    )
    if browser and known.address:
        restore_umask()
        webbrowser.open(known.address)
    raise Exit


def _become_the_server(
    data: Path, listening: socket.socket, handed_on: list[str], *, browser: bool
) -> NoReturn:
    port = listening.getsockname()[1]
    page = Path(__file__).resolve().parents[2] / "ui" / "app.py"
    options = {
        "server.address": "127.0.0.1",
        "server.port": str(port),
        "server.headless": "false" if browser else "true",
        "server.showEmailPrompt": "false",
        "browser.serverAddress": "127.0.0.1",
        "logger.hideWelcomeMessage": "true",
    }
    arguments = [item for name, value in options.items() for item in (f"--{name}", value)]
    for name in [name for name in os.environ if name.startswith("STREAMLIT_")]:
        del os.environ[name]  # settings for the user's other Streamlit apps
    os.environ["ANABRANCH_DATA"] = str(data)
    os.environ["ANABRANCH_ADDRESS"] = f"http://127.0.0.1:{port}"
    os.chdir(page.parents[1])
    command = [sys.executable, "-m", "ui.serving", *handed_on, "run", str(page), *arguments]
    restore_umask()  # for the browser; the app sets its own umask when it opens its data folder
    if _HANDS_ON:
        listening.set_inheritable(True)
        signal.pthread_sigmask(
            signal.SIG_BLOCK, {signal.SIGINT}
        )  # these signals are blocked until the server can exit with a message
    else:
        listening.close()
    os.execv(sys.executable, command)  # noqa: S606 - our own arguments, and no shell is involved


def listening_socket(wanted: int) -> socket.socket:
    """Return a socket that listens on port `wanted` of 127.0.0.1, or on the next port that is free.

    Raises:
        Unavailable: none of these ports is free (`port_taken`).
    """
    last = min(wanted + _TRIES, 65_536) - 1
    for port in range(wanted, last + 1):
        listening = socket.socket()
        try:
            if os.name != "nt":  # on Windows, this would take the port from another listener
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", port))
            listening.listen(_BACKLOG)
        except OSError:
            listening.close()
        else:
            return listening
    raise Unavailable(
        "port_taken", f"No port from {wanted} to {last} can be used on 127.0.0.1. Choose another --port."
    )
