"""Hostile acts on other processes, through sockets, and on the kernel. See `acts`."""

import ctypes
import fcntl
import mmap
import os
import signal
import socket
import struct
from pathlib import Path

from common import LIBC, X86, call, in_a_child

# ---- other processes


def list_processes(workspace, there):
    return [
        name
        for name in os.listdir("/proc")
        if name.isdigit() and int(name) in (there["engine"], there["sibling"])
    ]


def time_the_engine(workspace, there):
    return Path(f"/proc/{there['engine']}/stat").read_text()


def time_the_engine_by_its_clock(workspace, there):
    clock = (~there["engine"] << 3) | 2
    found = (ctypes.c_long * 2)()
    call(228, 113, clock, ctypes.byref(found))
    return "told"


def alarm_at_the_engines_clock(workspace, there):
    call(222, 107, (~there["engine"] << 3) | 2, None, ctypes.byref(ctypes.c_int()))
    return "made"


def see_the_engines_call(workspace, there):
    return Path(f"/proc/{there['engine']}/syscall").read_text()


def hold_the_engine_by_pidfd(workspace, there):
    return os.pidfd_open(there["engine"])


def compare_with_the_engine(workspace, there):
    return call(312, 272, os.getpid(), there["engine"], 1, 0, 0) >= 0


def signal_as_owner(workspace, there):
    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, there["sibling"])
    fcntl.fcntl(ours, 10, signal.SIGCONT)  # F_SETSIG
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
    theirs.send(b"x")
    return "signalled"


def signal_as_owner_by_ioctl(workspace, there):
    ours, _ = socket.socketpair()
    fcntl.ioctl(ours, 0x8901, struct.pack("i", there["sibling"]))  # FIOSETOWN
    return "set"


def signal_by_queue(workspace, there):
    information = (ctypes.c_int32 * 32)(signal.SIGCONT, 0, -1)
    call(129, 138, there["sibling"], signal.SIGCONT, ctypes.byref(information))
    return "signalled"


def signal_everyone(workspace, there):
    os.kill(-1, 0)
    return "reached"


def choose_the_engines_processor(workspace, there):
    os.sched_setaffinity(there["sibling"], os.sched_getaffinity(0))
    return "chosen"


def schedule_the_engine(workspace, there):
    os.sched_setscheduler(there["sibling"], os.SCHED_BATCH, os.sched_param(0))
    return "scheduled"


def slow_the_engines_disk(workspace, there):
    call(251, 30, 1, there["sibling"], (2 << 13) | 7)
    return "slowed"


def ask_the_engines_priority(workspace, there):
    return call(140, 141, 0, there["engine"])


def ask_the_engines_locks(workspace, there):
    call(274, 100, there["sibling"], ctypes.byref(ctypes.c_void_p()), ctypes.byref(ctypes.c_size_t()))
    return "told"


def move_the_engines_memory(workspace, there):
    return call(279, 239, there["sibling"], 0, None, None, None, 0) == 0


def advise_the_engines_memory(workspace, there):
    pidfd = os.pidfd_open(there["sibling"])
    area = (ctypes.c_size_t * 2)(there["address"] & ~4095, 4096)
    return call(440, 440, pidfd, ctypes.byref(area), 1, 20, 0) >= 0


def find_the_engines_session(workspace, there):
    return os.getsid(there["engine"])


def read_the_engines_capabilities(workspace, there):
    return (
        call(
            125, 90, ctypes.byref((ctypes.c_uint32 * 2)(0x20080522, there["engine"])), (ctypes.c_uint32 * 6)()
        )
        == 0
    )


def interrupt_all_processors(workspace, there):
    return call(324, 283, 2, 0, 0) == 0  # MEMBARRIER_CMD_GLOBAL_EXPEDITED


def share_memory_by_content(workspace, there):
    page = mmap.mmap(-1, 1 << 16)
    page.madvise(12)  # MADV_MERGEABLE: who else has these bytes?
    return "shared"


def hide_from_the_supervisor(workspace, there):
    if LIBC.prctl(4, 0, 0, 0, 0):  # PR_SET_DUMPABLE
        raise OSError(ctypes.get_errno(), "refused")
    return "hidden"


def become_a_reaper(workspace, there):
    if LIBC.prctl(36, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "refused")
    return "became"


def start_a_sibling(workspace, there):
    if (pid := call(56, 220, 0x8000 | 17, 0, 0, 0, 0)) == 0:  # CLONE_PARENT
        os._exit(0)
    return pid


# ---- sockets


def datagrams_to_the_host(workspace, there):
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return ours.sendto(b"x", there["datagram"])


def descriptors_to_the_host(workspace, there):
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", os.open(__file__, os.O_RDONLY)))]
    return ours.sendmsg([b"x"], rights, 0, there["datagram"])


def packets_to_the_host(workspace, there):
    """Browsers need such pairs; what is sent goes to the other end, whatever address it has."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.sendto(b"x", there["datagram"])
    theirs.setblocking(False)
    return None if theirs.recv(1) == b"x" else "sent elsewhere"


def pair_to_the_host(workspace, there):
    ours, _ = socket.socketpair()
    ours.connect(there["unix"])
    return "connected"


def pair_to_a_datagram_socket(workspace, there):
    ours, _ = socket.socketpair()
    return ours.sendto(b"x", there["datagram"])


def name_a_pair(workspace, there):
    ours, _ = socket.socketpair()
    ours.bind("\0anabranch-planted")
    return "named"


def serve_by_a_pair(workspace, there):
    ours, _ = socket.socketpair()
    ours.bind(str(workspace / "socket"))
    ours.listen()
    return "listens"


def forge_credentials(workspace, there):
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    forged = struct.pack("3i", there["engine"], os.getuid(), os.getgid())
    ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, forged)])
    return theirs.recvmsg(1, 64)[1]


def out_of_band(workspace, there):
    ours, _ = socket.socketpair()
    return ours.send(b"x", socket.MSG_OOB)


def descriptors_over_the_channel(workspace, there):
    """What the engine gets with the answer it must drop; then the answer still comes."""
    channel = socket.socket(fileno=os.dup(3))
    for _ in range(64):
        channel.sendmsg([b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", 1))])


def multipath_socket(workspace, there):
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).fileno()


def rare_sockets(workspace, there):
    found = []
    for family in range(2, 46):
        for kind in (1, 2, 3, 5):
            try:
                found.append(socket.socket(family, kind).fileno())
            except OSError:
                continue
    return found


# ---- the kernel


def _in_the_kernel(kind):
    call(272, 97, kind)
    return "left"


def new_mount_namespace(workspace, there):
    return _in_the_kernel(0x0002_0000)


def new_network_namespace(workspace, there):
    return _in_the_kernel(0x4000_0000)


def new_process_namespace(workspace, there):
    return _in_the_kernel(0x2000_0000)


def make_all_writable(workspace, there):
    call(165, 40, None, b"/", None, 32 | 4096, None)  # MS_REMOUNT, MS_BIND
    Path(there["home"], "planted").write_text("x")
    return "remounted"


def uncover_proc(workspace, there):
    call(166, 39, b"/proc", 2)
    return "uncovered"


def open_a_file_system(workspace, there):
    return call(430, 430, b"tmpfs", 0)


def clone_a_tree(workspace, there):
    return call(428, 428, -100, b"/", 1)


def list_mounts(workspace, there):
    request = (ctypes.c_uint64 * 4)(24, 0xFFFFFFFFFFFFFFFF, 0)
    return call(458, 458, ctypes.byref(request), (ctypes.c_uint64 * 64)(), 64, 0)


def system_calls_of_32_bit_programs(workspace, there):
    """The same processor takes calls by another table, with int 0x80."""
    if not X86:
        raise OSError("no such table")

    def act():
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # getpid
        result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
        if result < 0:
            raise OSError(-result, "refused")
        return result

    return in_a_child(act)


def make_a_file_in_memory(workspace, there):
    return os.memfd_create("hidden")


def run_from_memory(workspace, there):
    made = os.memfd_create("hidden")
    os.write(made, Path("/bin/true").read_bytes())
    if (pid := os.fork()) == 0:
        try:
            os.execve(f"/proc/self/fd/{made}", ["true"], {})
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def run_by_descriptor(workspace, there):
    program = os.open("/bin/true", os.O_RDONLY)
    if (pid := os.fork()) == 0:
        try:
            empty = (ctypes.c_char_p * 2)(b"true", None)
            call(322, 281, program, b"", empty, (ctypes.c_char_p * 1)(None), 0x1000)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def secret_memory(workspace, there):
    return call(447, 447, 0)


def asynchronous_input(workspace, there):
    return call(206, 0, 8, ctypes.byref(ctypes.c_ulong(0))) == 0


def listen_to_own_filter(workspace, there):
    program = struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000)
    held = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", 1, ctypes.addressof(held))
    return call(317, 277, 1, 8, header)


def older_personality(workspace, there):
    return call(135, 92, 0x0400000) >= 0  # memory that can be read can be run


def name_the_machine(workspace, there):
    socket.sethostname(socket.gethostname())
    return "named"


def cached_pages(workspace, there):
    area = (ctypes.c_uint64 * 2)(0, 4096)
    return (
        call(451, 451, os.open(os.__file__, os.O_RDONLY), ctypes.byref(area), (ctypes.c_uint64 * 5)(), 0) == 0
    )


def unknown_system_calls(workspace, there):
    """Calls that this kernel has, and that no list named when it was written."""
    found = []
    for number in range(470, 520):
        try:
            call(number, number, -1, 0, 0, 0, 0, 0)
            found.append(number)
        except OSError as error:
            if error.errno not in (1, 38):  # EPERM, ENOSYS: the kernel never looked at it
                found.append(number)
    return found
