"""Hostile acts: each returns what it got, or raises OSError if it was refused. Runs inside a tool process.

`there` contains the targets that the test has prepared: files, process ids, ports. An act that got nothing returns
nothing.
"""

import ctypes
import importlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import X86
from common import call as _call

MODULES = ("on_files", "on_processes", "left_behind")
"""Where further acts are."""


def run(workspace: Path, act: str, there: dict[str, Any]) -> dict[str, Any]:
    """Do one act; tell whether it succeeded."""
    os.environ["ACT"] = act
    try:
        found = globals().get(act) or next(
            found for name in MODULES if (found := getattr(importlib.import_module(name), act, None))
        )
        got = found(workspace, there)
    except (OSError, MemoryError, subprocess.SubprocessError) as error:
        return {"got": None, "refused": f"{type(error).__name__}: {error}"[:200]}
    return {"got": repr(got)[:200] if got else None, "refused": None}


# ---- files


def read_home(workspace, there):
    return Path(there["home"], "notes.txt").read_text()


def read_ssh_key(workspace, there):
    return Path(there["home"], ".ssh", "id_ed25519").read_text()


def list_home(workspace, there):
    return os.listdir(there["home"])


def read_other_chat(workspace, there):
    return Path(there["other_chat"], "private.csv").read_text()


def read_log(workspace, there):
    return Path(there["log"]).read_bytes()


def write_log(workspace, there):
    return Path(there["log"]).open("ab").write(b"forged")


def read_secrets(workspace, there):
    return Path(there["secrets"]).read_text()


def read_shadow(workspace, there):
    return Path("/etc/shadow").read_text()


def write_outside(workspace, there):
    return Path(there["home"], "planted.txt").write_text("x")


def write_tmp(workspace, there):
    return Path(there["home"]).parent.joinpath("planted").write_text("x")


def truncate_outside(workspace, there):
    os.truncate(Path(there["home"], "notes.txt"), 0)
    return "cut"


def delete_outside(workspace, there):
    Path(there["home"], "doomed.txt").unlink()
    return "gone"


def rename_out(workspace, there):
    (workspace / "a").write_text("x")
    os.rename(workspace / "a", Path(there["home"], "moved"))
    return "moved"


def rename_in(workspace, there):
    os.rename(Path(there["home"], "movable.txt"), workspace / "stolen")
    return (workspace / "stolen").read_text()


def hard_link_in(workspace, there):
    os.link(Path(there["home"], "notes.txt"), workspace / "linked")
    return (workspace / "linked").read_text()


def read_through_symlink(workspace, there):
    (workspace / "link").symlink_to(there["home"])
    return (workspace / "link" / "notes.txt").read_text()


def swap_workspace_for_symlink(workspace, there):
    os.rename(workspace, workspace.with_name("elsewhere"))
    os.symlink(there["home"], workspace)
    return "swapped"


def climb_by_dot_dot(workspace, there):
    return (workspace / os.path.relpath(there["home"], workspace) / "notes.txt").read_text()


def write_own_bundle(workspace, there):
    return Path(__file__).open("a").write("\n# changed")


def plant_bytecode(workspace, there):
    folder = Path(__file__).parent / "__pycache__"
    folder.mkdir(exist_ok=True)
    return (folder / "acts.pyc").write_bytes(b"x")


def write_interpreter(workspace, there):
    target = Path(os.__file__).parent / "anabranch_planted.py"
    target.write_text("")
    target.unlink()
    return "planted"


def read_the_temp_folder_of_another_call(workspace, there):
    return Path(there["other_temp"], "tmp", "intermediate.csv").read_text()


def change_mode_outside(workspace, there):
    target = Path(there["home"], "mode.txt")
    os.chmod(target, 0o777)
    return target.stat().st_mode & 0o777 == 0o777


def change_times_outside(workspace, there):
    target = Path(there["home"], "mode.txt")
    os.utime(target, (1, 1))
    return target.stat().st_mtime == 1


def set_attribute_outside(workspace, there):
    os.setxattr(Path(there["home"], "mode.txt"), "user.planted", b"x")
    return os.getxattr(Path(there["home"], "mode.txt"), "user.planted")


def change_owner(workspace, there):
    target = Path(there["home"], "mode.txt")
    os.chown(target, 65534, 65534)
    return target.stat().st_uid == 65534


def become_another_user(workspace, there):
    os.setresuid(61234, 61234, 61234)
    return os.getuid() == 61234


def make_device(workspace, there):
    os.mknod(workspace / "disk", 0o060600, os.makedev(254, 0))
    return "made"


def mount_something(workspace, there):
    _call(165, 40, b"none", os.fsencode(workspace), b"tmpfs", 0, None)
    return "mounted"


def leave_by_chroot(workspace, there):
    os.chroot(workspace)
    return "root changed"


def open_by_handle(workspace, there):
    handle = (ctypes.c_uint32 * 34)(128, 0)
    mount = ctypes.c_int()
    _call(303, 264, -100, os.fsencode(there["home"]), ctypes.byref(handle), ctypes.byref(mount), 0)
    at = os.open(workspace, os.O_RDONLY)
    return os.listdir(_call(304, 265, at, ctypes.byref(handle), os.O_RDONLY))


# ---- other processes


def read_engine_environ(workspace, there):
    return b"SECRET" in Path(f"/proc/{there['engine']}/environ").read_bytes()


def read_engine_descriptors(workspace, there):
    folder = f"/proc/{there['engine']}/fd"
    return [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]


def read_engine_command_line(workspace, there):
    return Path(f"/proc/{there['engine']}/cmdline").read_bytes()


def read_engine_memory(workspace, there):
    with open(f"/proc/{there['engine']}/mem", "rb", buffering=0) as memory:
        memory.seek(there["address"])
        return memory.read(6) == b"SECRET"


def read_host_maps(workspace, there):
    return Path(f"/proc/{there['host']}/maps").read_text()


def read_init(workspace, there):
    return Path("/proc/1/environ").read_bytes()


def enter_engines_root(workspace, there):
    return os.listdir(f"/proc/{there['engine']}/root{there['home']}")


def read_by_process_vm(workspace, there):
    buffer = ctypes.create_string_buffer(6)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 6)
    remote = (ctypes.c_size_t * 2)(there["address"], 6)
    _call(310, 270, there["engine"], ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
    return buffer.raw == b"SECRET"


def trace_sibling(workspace, there):
    _call(101, 117, 0x4206, there["sibling"], 0, 0)  # PTRACE_SEIZE
    return "seized"


def take_engines_descriptor(workspace, there):
    pidfd = os.pidfd_open(there["engine"])
    return _call(438, 438, pidfd, 0, 0) >= 0


def kill_sibling(workspace, there):
    os.kill(there["sibling"], 10)
    return "signalled"


def kill_engine(workspace, there):
    os.kill(there["engine"], 18)  # SIGCONT does no harm where it gets through
    return "signalled"


def kill_host(workspace, there):
    os.kill(there["host"], 18)
    return "signalled"


def kill_supervisor(workspace, there):
    os.kill(os.getppid() or 1, 18)
    return "signalled"


def kill_by_pidfd(workspace, there):
    import signal

    signal.pidfd_send_signal(os.pidfd_open(there["engine"]), 18)
    return "signalled"


def limit_the_engine(workspace, there):
    import resource

    now = resource.prlimit(there["sibling"], resource.RLIMIT_NOFILE)
    resource.prlimit(there["sibling"], resource.RLIMIT_NOFILE, now)
    return "set"


def slow_the_engine(workspace, there):
    os.setpriority(os.PRIO_PROCESS, there["sibling"], 19)
    return "slowed"


# ---- sockets


def _connected(family, kind, address):
    with socket.socket(family, kind) as made:
        made.settimeout(2)
        made.connect(address)
        made.send(b"x")
    return "sent"


def connect_tcp(workspace, there):
    return _connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", there["tcp"]))


def connect_tcp_v6(workspace, there):
    return _connected(socket.AF_INET6, socket.SOCK_STREAM, ("::1", there["tcp6"]))


def listen_tcp(workspace, there):
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        return made.getsockname()


def send_udp(workspace, there):
    return _connected(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", there["udp"]))


def ask_dns(workspace, there):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"\0" * 12, ("127.0.0.1", there["udp"]))
    return "asked"


def connect_unix(workspace, there):
    return _connected(socket.AF_UNIX, socket.SOCK_STREAM, there["unix"])


def connect_abstract(workspace, there):
    return _connected(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + there["abstract"])


def raw_socket(workspace, there):
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).fileno()


def ping_socket(workspace, there):
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).fileno()


def packet_socket(workspace, there):
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).fileno()


def netlink_socket(workspace, there):
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).fileno()


def crypto_socket(workspace, there):
    return socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0).fileno()


def vm_socket(workspace, there):
    return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM, 0).fileno()


def connect_by_program(workspace, there):
    code = f"import socket; socket.create_connection(('127.0.0.1', {there['tcp']}), 2)"
    subprocess.run([sys.executable, "-I", "-c", code], check=True, capture_output=True, timeout=10)
    return "connected"


def pair_of_internet_sockets(workspace, there):
    socket.socketpair(socket.AF_INET, socket.SOCK_STREAM)
    return "made"


# ---- the kernel


def new_user_namespace(workspace, there):
    _call(272, 97, 0x10000000)
    return "made"


def clone_into_namespace(workspace, there):
    if (pid := _call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)) == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "made"


def clone3_into_namespace(workspace, there):
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
    if (pid := _call(435, 435, ctypes.byref(arguments), 88)) == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "made"


def join_namespace(workspace, there):
    _call(308, 268, os.pidfd_open(there["sibling"]), 0x00020000)
    return "joined"


def io_uring(workspace, there):
    parameters = (ctypes.c_uint8 * 120)()
    return _call(425, 425, 2, ctypes.byref(parameters)) >= 0


def keyring(workspace, there):
    return _call(248, 217, b"user", b"planted", b"x", 1, -2)


def load_bpf(workspace, there):
    attributes = (ctypes.c_uint32 * 12)(2, 4, 4, 1)
    return _call(321, 280, 0, ctypes.byref(attributes), 48)


def performance_counters(workspace, there):
    attributes = (ctypes.c_uint64 * 16)(1 | (128 << 32), 0)
    return _call(298, 241, ctypes.byref(attributes), 0, -1, -1, 0)


def handle_faults(workspace, there):
    return _call(323, 282, 1)


def shared_memory_of_system_v(workspace, there):
    made = _call(29, 194, 0x5EED, 4096, 0o1600)
    _call(31, 195, made, 0, None)  # and away with it
    return made >= 0


def message_queue(workspace, there):
    made = _call(240, 180, b"planted", 0o102, 0o600, None)
    _call(241, 181, b"planted")
    return made >= 0


def shared_memory_folder(workspace, there):
    return Path(there["shared"]).read_text()


def system_calls_of_another_architecture(workspace, there):
    """A call by its number in the x32 table, which a filter on the usual numbers would let by."""
    if not X86:
        raise OSError("no such table")
    return _call(0x40000000 + 39, 0) > 0


def gain_by_setuid_program(workspace, there):
    status = Path("/proc/self/status").read_text()
    return "NoNewPrivs:\t0" in status


def keep_capabilities(workspace, there):
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("CapBnd"))
    effective = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("CapEff"))
    if os.getuid() != 0:
        return "NoNewPrivs:\t0" in Path("/proc/self/status").read_text()
    return (line, effective) if int(effective.split()[1], 16) else None


# ---- secrets


def engine_secret_in_environment(workspace, there):
    return "ANABRANCH_TEST_SECRET" in os.environ


def inherited_descriptors(workspace, there):
    found = []
    for descriptor in range(4, 1024):
        try:
            os.fstat(descriptor)
            found.append(descriptor)
        except OSError:
            pass
    return [d for d in found if not os.readlink(f"/proc/self/fd/{d}").startswith(("/proc", "anon"))]


# ---- using up resources: these do not come back where they are held


def fill_memory(workspace, there):
    return len([b"x" * (64 << 20) for _ in range(64)])


def fill_memory_in_maps(workspace, there):
    import mmap

    held = []
    for _ in range(64):
        block = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        block.write(b"x" * (64 << 20))
        held.append(block)
    return len(held)


def fill_a_file(workspace, there):
    with (workspace / "big").open("wb") as file:
        for _ in range(80):
            file.write(b"x" * (1 << 20))
    return "written"


def sparse_file(workspace, there):
    with (workspace / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    return "made"


def flood_output(workspace, there):
    for _ in range(64):
        sys.stdout.write("x" * (1 << 20))
    # the test looks at what was kept


def spin(workspace, there):
    while True:
        pass


def sleep_for_ever(workspace, there):
    while True:
        time.sleep(1000)


def fork_bomb(workspace, there):
    while True:
        try:
            if os.fork() == 0:
                time.sleep(1000)
        except BlockingIOError:
            time.sleep(1000)


def thread_bomb(workspace, there):
    import threading

    threading.stack_size(64 << 10)
    while True:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()


def open_everything(workspace, there):
    return [os.open("/dev/null", os.O_RDONLY) for _ in range(5000)]


def dump_core(workspace, there):
    import resource

    return resource.getrlimit(resource.RLIMIT_CORE)[0] != 0


# ---- outliving the call: each holds a pipe that the test looks at


def _leave(how):
    read, write = os.pipe()
    if os.fork() == 0:
        how()
        if os.fork() == 0:
            os.write(os.open("life", os.O_WRONLY), b"x")
            os.write(write, b"x")
            while True:
                time.sleep(1000)
        os._exit(0)
    os.read(read, 1)


def outlive_by_double_fork(workspace, there):
    _leave(lambda: None)


def outlive_by_setsid(workspace, there):
    def attempt():
        try:
            os.setsid()
        except OSError:
            pass

    _leave(attempt)


def outlive_as_daemon(workspace, there):
    import signal

    def attempt():
        for number in (1, 2, 15):
            signal.signal(number, signal.SIG_IGN)
        for way in (os.setsid, lambda: os.setpgid(0, 0)):
            try:
                way()
            except OSError:
                pass

    _leave(attempt)


def outlive_by_nohup(workspace, there):
    held = os.open("life", os.O_WRONLY)
    os.write(held, b"x")
    subprocess.Popen(
        ["nohup", "sleep", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[held]
    )
