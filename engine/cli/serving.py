"""Starts the page: Streamlit on loopback only, with the settings that the app relies on."""

import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import NoReturn

from engine.errors import Unavailable
from engine.system.data_folder_lock import held_by_another, holder, is_held
from engine.system.private_files import restore_umask

__all__ = ["free_port", "serve_page"]

_TRIES = 20


def serve_page(data: Path, port: int, *, browser: bool) -> NoReturn:
    """Turn this process into the page's server for `data`, at `port` or the next free port. The server prints its
    address once the folder is open.

    If a running app already serves the folder, print its address instead, and start nothing.

    Raises:
        Unavailable: another process holds the data folder, or no port is free.
    """
    if is_held(data):
        known = holder(data)
        if known is None or not known.address:
            raise held_by_another(data, known)
        sys.stdout.write(
            f"Anabranch is already running at {known.address} (data in {data}, process {known.pid}).\n"
        )
        if browser:
            restore_umask()
            webbrowser.open(known.address)
        sys.exit(0)
    chosen = free_port(port)
    address = f"http://127.0.0.1:{chosen}"
    page = Path(__file__).resolve().parents[2] / "ui" / "app.py"
    options = {
        "server.address": "127.0.0.1",
        "server.port": str(chosen),
        "server.headless": "false" if browser else "true",
        "browser.serverAddress": "127.0.0.1",
        "logger.hideWelcomeMessage": "true",
    }
    arguments = [item for name, value in options.items() for item in (f"--{name}", value)]
    os.environ["ANABRANCH_DATA"] = str(data)
    os.environ["ANABRANCH_ADDRESS"] = address
    os.chdir(page.parents[1])
    command = [sys.executable, "-m", "ui.serving", "run", str(page), *arguments]
    restore_umask()  # the app sets its own when it opens its data folder; the browser that it starts is the user's
    os.execv(sys.executable, command)  # noqa: S606 - a list of our own, and no shell on the way


def free_port(wanted: int) -> int:
    """Return `wanted`, or the next port on 127.0.0.1 that nothing listens on."""
    for port in range(wanted, min(wanted + _TRIES, 65_536)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise Unavailable(
        "port_taken", f"The ports {wanted} to {wanted + _TRIES - 1} are all in use. Choose another --port."
    )
