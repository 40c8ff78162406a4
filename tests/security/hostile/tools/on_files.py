"""Hostile acts on files and on facts about the machine. See `acts`."""

import ctypes
import fcntl
import os
import stat
import struct
import subprocess
from pathlib import Path

from common import LIBC, X86, call

# ---- files


def _watched(path):
    watcher = LIBC.inotify_init1(0)
    if watcher < 0 or LIBC.inotify_add_watch(watcher, os.fsencode(path), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "not watched")
    return "watched"


def watch_home(workspace, there):
    return _watched(there["home"])


def watch_programs(workspace, there):
    return _watched("/usr/bin")


def watch_by_fanotify(workspace, there):
    watcher = call(300, 262, 0x200, 0)  # FAN_REPORT_FID
    call(301, 263, watcher, 1, 0x20, -100, os.fsencode(there["home"]))
    return "watched"


def watch_by_dnotify(workspace, there):
    fcntl.fcntl(os.open("/usr", os.O_RDONLY), 1026, 0x0000_0004)  # F_NOTIFY, DN_CREATE
    return "watched"


def lease_on_a_library(workspace, there):
    fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, fcntl.F_RDLCK)  # F_SETLEASE: who writes waits
    return "leased"


def lock_a_library(workspace, there):
    fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "locked"


def look_at_status(workspace, there):
    return Path(there["home"], "notes.txt").stat().st_size


def look_at_link(workspace, there):
    return os.readlink(Path(there["home"], "link"))


def name_by_handle(workspace, there):
    handle = (ctypes.c_uint32 * 34)(128, 0)
    call(303, 264, -100, os.fsencode(there["home"]), ctypes.byref(handle), ctypes.byref(ctypes.c_int()), 0)
    return "named"


def hard_link_own_bundle(workspace, there):
    os.link(Path(__file__), workspace / "own.py")
    return (workspace / "own.py").open("a").write("# changed")


def reopen_bundle_for_writing(workspace, there):
    held = os.open(__file__, os.O_RDONLY)
    return os.write(os.open(f"/proc/self/fd/{held}", os.O_WRONLY | os.O_APPEND), b"# changed")


def reopen_by_path_descriptor(workspace, there):
    held = os.open(Path(there["home"], "notes.txt"), os.O_PATH)
    return Path(f"/proc/self/fd/{held}").read_text()


def read_through_own_root(workspace, there):
    return Path(f"/proc/self/root{there['home']}/notes.txt").read_text()


def read_through_own_folder(workspace, there):
    return Path("/proc/self/cwd", os.path.relpath(there["home"], workspace), "notes.txt").read_text()


def read_through_a_thread(workspace, there):
    return Path(f"/proc/thread-self/root{there['home']}/notes.txt").read_text()


def read_after_changing_folder(workspace, there):
    os.chdir(there["home"])
    return Path("notes.txt").read_text()


def read_by_the_loader(workspace, there):
    loader = "/lib64/ld-linux-x86-64.so.2" if X86 else "/lib/ld-linux-aarch64.so.1"
    return subprocess.run([loader, "/bin/cat", Path(there["home"], "notes.txt")], capture_output=True).stdout


def read_with_a_preload(workspace, there):
    environment = os.environ | {"LD_PRELOAD": str(workspace / "none.so"), "LD_LIBRARY_PATH": str(workspace)}
    command = ["cat", Path(there["home"], "notes.txt")]
    return subprocess.run(command, env=environment, capture_output=True).stdout


def read_after_a_wider_ruleset(workspace, there):
    rules = call(444, 444, ctypes.byref((ctypes.c_uint64 * 3)(1 << 2, 0, 0)), 24, 0)
    beneath = struct.pack("<Qi", 1 << 2, os.open("/", os.O_PATH))
    call(445, 445, rules, 1, beneath, 0)
    call(446, 446, rules, 0)
    return Path(there["home"], "notes.txt").read_text()


def exchange_with_outside(workspace, there):
    (workspace / "a").write_text("x")
    old, new = os.fsencode(workspace / "a"), os.fsencode(Path(there["home"], "movable.txt"))
    call(316, 276, -100, old, -100, new, 2)
    return (workspace / "a").read_text()


def leave_a_whiteout(workspace, there):
    (workspace / "a").write_text("x")
    call(316, 276, -100, os.fsencode(workspace / "a"), -100, os.fsencode(workspace / "b"), 4)
    return "made"


def link_nameless_file_outside(workspace, there):
    made = os.open(workspace, os.O_TMPFILE | os.O_WRONLY, 0o600)
    os.link(f"/proc/self/fd/{made}", Path(there["home"], "planted"), follow_symlinks=True)
    return "linked"


def pipe_outside(workspace, there):
    os.mkfifo(Path(there["home"], "pipe"))
    return "made"


def acl_outside(workspace, there):
    entries = [(1, 7, -1), (4, 7, -1), (32, 7, -1)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    target = Path(there["home"], "mode.txt")
    os.setxattr(target, "system.posix_acl_access", acl)
    return target.stat().st_mode & 0o777 == 0o777


def flags_of_a_file(workspace, there):
    (workspace / "kept").write_text("x")
    fcntl.ioctl(os.open(workspace / "kept", os.O_RDONLY), 0x4008_6602, struct.pack("l", 0x40))  # no dump
    return "set"


def change_quota(workspace, there):
    call(179, 60, 0x80000700, b"/dev/root", os.getuid(), ctypes.byref((ctypes.c_uint64 * 9)()))
    return "asked"


def gain_by_mode(workspace, there):
    (workspace / "gain").write_text("x")
    os.chmod(workspace / "gain", 0o6755)
    return (workspace / "gain").stat().st_mode & 0o6000


def gain_by_new_file(workspace, there):
    return os.fstat(os.open(workspace / "gain", os.O_CREAT | os.O_WRONLY, 0o4755)).st_mode & 0o6000


def gain_by_new_node(workspace, there):
    os.mknod(workspace / "gain", stat.S_IFREG | 0o4755)
    return (workspace / "gain").stat().st_mode & 0o6000


def gain_by_file_capabilities(workspace, there):
    (workspace / "gain").write_text("x")
    os.setxattr(workspace / "gain", "security.capability", struct.pack("<5I", 0x02000001, 1 << 21, 0, 0, 0))
    return "set"


def make_socket_file(workspace, there):
    os.mknod(workspace / "socket", stat.S_IFSOCK | 0o600)
    return "made"


# ---- the machine


def read_machine_id(workspace, there):
    return Path("/etc/machine-id").read_text()


def read_hardware(workspace, there):
    return os.listdir("/sys/class/dmi/id") + os.listdir("/sys/class/net")


def read_block_devices(workspace, there):
    return os.listdir("/sys/block")


def read_kernel_messages(workspace, there):
    return os.open("/dev/kmsg", os.O_RDONLY) >= 0


def ask_kernel_messages(workspace, there):
    return call(103, 116, 3, ctypes.create_string_buffer(4096), 4096)


def read_kernel_addresses(workspace, there):
    return [line for line in Path("/proc/kallsyms").read_text().splitlines() if int(line.split()[0], 16)]


def read_interrupts(workspace, there):
    """How often each key and packet came: the time between keys tells what is typed."""
    return Path("/proc/interrupts").read_text()


def read_locks_of_others(workspace, there):
    return Path("/proc/locks").read_text() + Path("/proc/diskstats").read_text()


def read_sockets_of_others(workspace, there):
    return f":{there['tcp']:04X}" in Path("/proc/net/tcp").read_text()


def read_unix_sockets_of_others(workspace, there):
    return there["abstract"] in Path("/proc/net/unix").read_text()


def press_sysrq(workspace, there):
    return os.open("/proc/sysrq-trigger", os.O_WRONLY) and Path("/proc/sysrq-trigger").is_file()


def set_core_pattern(workspace, there):
    return os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)


def set_kernel_memory(workspace, there):
    return os.open("/proc/sys/vm/drop_caches", os.O_WRONLY)


def survive_lack_of_memory(workspace, there):
    return Path("/proc/self/oom_score_adj").write_text("-1000")


def map_other_users(workspace, there):
    return os.open("/proc/self/uid_map", os.O_WRONLY)


def leave_control_group(workspace, there):
    return [os.open(path, os.O_WRONLY) for path in Path("/sys/fs/cgroup").rglob("cgroup.procs")][:1]


def open_devices(workspace, there):
    found = []
    for name in (
        "mem",
        "kmem",
        "port",
        "kvm",
        "fuse",
        "net/tun",
        "vhost-net",
        "userfaultfd",
        "uinput",
        "loop-control",
    ):
        try:
            found.append(os.open(f"/dev/{name}", os.O_RDWR))
        except OSError:
            continue
    return found


def open_terminal(workspace, there):
    return os.open("/dev/ptmx", os.O_RDWR) >= 0


def type_into_terminal(workspace, there):
    for descriptor in (0, 1, 2):
        fcntl.ioctl(descriptor, 0x5412, b"x")
    return "typed"
