"""Hostile acts that exhaust resources, outlive the call, or leave traps in the workspace. See `acts`."""

import fcntl
import mmap
import os
import signal
import subprocess
import time
from pathlib import Path

from common import call

# ---- using up resources


def fill_shared_memory(workspace, there):
    held = []
    for _ in range(64):
        block = mmap.mmap(-1, 32 << 20)  # shared: RLIMIT_DATA does not count it
        block.write(b"x" * (32 << 20))
        held.append(block)
        time.sleep(0.05)
    return len(held)


def fill_shared_memory_folder(workspace, there):
    files = [Path(f"/dev/shm/anabranch-{os.getpid()}-{number}") for number in range(12)]
    try:
        for file in files:
            file.write_bytes(b"x" * (30 << 20))
    finally:
        for file in files:
            file.unlink(missing_ok=True)
    return "filled"


def fill_pipes(workspace, there):
    size = 0
    for _ in range(400):
        _, write = os.pipe()
        size += fcntl.fcntl(write, 1031, 1 << 20)
    return size


def allocate_a_file(workspace, there):
    os.posix_fallocate(os.open(workspace / "big", os.O_CREAT | os.O_WRONLY), 0, 64 << 20)
    return (workspace / "big").stat().st_size


def allocate_beyond_the_end(workspace, there):
    file = os.open(workspace / "hidden", os.O_CREAT | os.O_WRONLY)
    call(285, 47, file, 1, 0, 64 << 20)  # FALLOC_FL_KEEP_SIZE
    return (workspace / "hidden").stat().st_blocks


def argument_of_a_gigabyte(workspace, there):
    subprocess.run(["true", "x" * (256 << 10)], check=True)
    return "taken"


def raise_own_limits(workspace, there):
    import resource

    raised = []
    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_DATA):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            raised.append(kind)
        except ValueError:
            continue
    return raised


def answer_without_end(workspace, there):
    while True:
        os.write(3, b"x" * (1 << 16))


def answer_nested_without_end(workspace, there):
    os.write(3, b'{"result": {"a": ' + b"[" * 50_000 + b"\n")
    os._exit(0)


def answer_without_sense(workspace, there):
    os.write(3, b"\xff\xfe\x00{}\n[]\nnull\n" + b'{"started": true}\n' * 100 + b'{"confined": ["full", 7]}\n')
    os._exit(0)


# ---- outliving the call: each holds a pipe that the test looks at


def _hold():
    held = os.open("life", os.O_WRONLY)
    os.write(held, b"x")
    os.set_inheritable(held, True)


def _wait_for(act):
    """Run `act` in a child, and return once it holds the pipe."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            _hold()
            os.write(write, b"x")
            act()
        finally:
            os._exit(0)
    os.read(read, 1)


def outlive_in_new_session(workspace, there):
    def act():
        try:
            os.setsid()
        except OSError:
            pass
        if os.fork() == 0:
            time.sleep(1000)

    _wait_for(act)


def outlive_with_all_signals_blocked(workspace, there):
    def act():
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
        while True:
            time.sleep(1000)

    _wait_for(act)


def outlive_stopped(workspace, there):
    _wait_for(lambda: os.kill(os.getpid(), signal.SIGSTOP))


def outlive_as_a_comet(workspace, there):
    def act():
        for _ in range(100_000):  # the number is another one each time somebody looks
            if os.fork():
                os._exit(0)

    _wait_for(act)


def outlive_by_timer(workspace, there):
    def act():
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        while True:
            signal.pause()

    _wait_for(act)


def outlive_as_another_program(workspace, there):
    _wait_for(lambda: os.execvp("sleep", ["sleep", "1000"]))


# ---- traps in the files left behind: the test takes a snapshot afterwards


def trap_link_to_secret(workspace, there):
    (workspace / "link.txt").symlink_to(Path(there["home"], "notes.txt"))
    (workspace / "deep").symlink_to(there["home"])


def trap_loop_of_links(workspace, there):
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")
    (workspace / "self").symlink_to(".")


def trap_pipe(workspace, there):
    os.mkfifo(workspace / "data.csv")


def trap_file_without_end(workspace, there):
    (workspace / "zeros.csv").symlink_to("/dev/zero")
    (workspace / "in").symlink_to("/proc/self/fd/0")


def trap_names(workspace, there):
    for name in (
        b"line\nbreak",
        b"bad\xff",
        b"\x1b]0;owned\x07",
        b"\xe2\x80\xae gpj.exe",
        b"-rf",
        b"a" * 255,
        b"\\..\\x",
    ):
        (Path(os.fsdecode(os.fsencode(workspace) + b"/" + name))).write_text("x")


def trap_deep_folders(workspace, there):
    for _ in range(3000):
        os.mkdir("d" * 8)
        os.chdir("d" * 8)
    Path("bottom").write_text("x")


def trap_many_files(workspace, there):
    for number in range(5000):
        (workspace / f"{number}\n").touch()


def trap_holes(workspace, there):
    with (workspace / "holes").open("wb") as file:
        file.truncate(31 << 20)
        for place in range(0, 31 << 20, 1 << 20):
            file.seek(place)
            file.write(b"x")


def trap_gaining_program(workspace, there):
    (workspace / "gain").write_text("#!/bin/sh\n")
    try:
        (workspace / "gain").chmod(0o6755)
    except PermissionError:
        pass


def trap_closed(workspace, there):
    (workspace / "closed").mkdir()
    (workspace / "closed" / "file").write_text("x")
    (workspace / "closed" / "file").chmod(0)
    (workspace / "closed").chmod(0)


def trap_swapping_links(workspace, there):
    """A process that goes on exchanging a file and a link to a secret while the snapshot is taken."""
    (workspace / "file").write_text("x")
    (workspace / "other").symlink_to(Path(there["home"], "notes.txt"))
    if os.fork() == 0:
        while True:
            os.rename(workspace / "file", workspace / "third")
            os.rename(workspace / "other", workspace / "file")
            os.rename(workspace / "third", workspace / "other")


def trap_writer_by_map(workspace, there):
    (workspace / "mapped").write_bytes(b"\0" * 4096)
    with (workspace / "mapped").open("r+b") as file:
        area = mmap.mmap(file.fileno(), 4096)
    if os.fork() == 0:
        while True:
            for number in range(256):
                area[:8] = bytes([number]) * 8


def trap_case_and_forms(workspace, there):
    for name in ("File", "file", "caf\u00e9", "cafe\u0301", "CON", "aux.txt", "a:b"):
        (workspace / name).write_text(name)
