"""The tool host: a process with the tools' packages loaded. It forks a process for each call, or runs one call
itself.

It is started with `subprocess`, never with multiprocessing, which would run Streamlit's script again. It imports almost
none of our modules and unloads them before a tool runs, so that a bundle may have a module named `engine`.

It must not have open files or depend on other threads: a fork keeps only the thread that forks. The database that it
opens in advance for its calls is in memory and has no threads (`anabranch_tool.connections`).
"""

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn, TypeAlias

from engine.runtime.call_process import serve_call
from engine.runtime.environment import Environment
from engine.runtime.sandbox.confine import can_have_own_mounts, can_have_own_processes

__all__ = ["main"]

_Supervise: TypeAlias = Callable[[socket.socket, Callable[[bool], NoReturn]], NoReturn]


def main(arguments: Sequence[str]) -> None:
    """Serve requests until the engine closes its end of the socket.

    Arguments: the engine's root folder; the library's folder; the mode, which is `fork`, `fork shared` (without process
    namespaces) or `once`; the descriptor of the socket; and the modules to load first.
    """
    root, library, way, descriptor, *preload = arguments
    supervise = _supervising(own_processes=way == "fork") if way != "once" else None
    own_mounts = can_have_own_mounts()
    _take_up_library(root, library)
    for name in preload:
        with contextlib.suppress(ImportError):  # a tool that needs the module will report the error
            importlib.import_module(name)
    environment = Environment()
    _forget_ourselves()
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=int(descriptor))
    os.set_inheritable(control.fileno(), False)
    if supervise is None:
        serve_call(control, environment, own_mounts=own_mounts, own_processes=False)
    _serve(control, supervise, partial(_become_call, environment, own_mounts))


def _supervising(*, own_processes: bool) -> _Supervise:
    supervisor = importlib.import_module("engine.runtime.supervisor")
    return partial(supervisor.supervise, own_processes=own_processes and can_have_own_processes())


def _take_up_library(root: str, library: str) -> None:
    if sys.path and sys.path[0] == root:  # it was added only to import this module
        del sys.path[0]
    sys.path.append(library)
    importlib.import_module("anabranch_tool")


def _forget_ourselves() -> None:
    for name in [name for name in sys.modules if name == "engine" or name.startswith("engine.")]:
        del sys.modules[name]


def _serve(
    control: socket.socket, supervise: _Supervise, become_call: Callable[[Sequence[int], bool], NoReturn]
) -> NoReturn:
    warnings.simplefilter("ignore", DeprecationWarning)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors report their ends themselves
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 16, 4)
        if not message:
            sys.exit(0)
        if os.fork() == 0:
            control.close()
            status, *ends = descriptors
            supervise(socket.socket(fileno=status), partial(become_call, ends))
        for descriptor in descriptors:
            os.close(descriptor)


def _become_call(
    environment: Environment, own_mounts: bool, ends: Sequence[int], own_processes: bool
) -> NoReturn:
    channel, stdout, stderr = ends
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.dup2(channel, 3)
    os.closerange(4, 65_536)
    os.set_inheritable(3, False)
    serve_call(socket.socket(fileno=3), environment, own_mounts=own_mounts, own_processes=own_processes)
