"""Which system calls a tool process has: a filter in classic BPF, put together here (seccomp(2)).

What is refused fails with EPERM, so that a tool's error says so, and the process lives on.
"""

import ctypes
import errno
import struct
from collections.abc import Iterable

from engine.runtime.sandbox.kernel import MACHINE, NUMBERS, prctl

__all__ = ["install", "program"]

_REFUSED = """
acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init fanotify_mark finit_module
fsconfig fsmount fsopen fspick init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp
kexec_file_load kexec_load keyctl listmount lookup_dcookie memfd_secret migrate_pages modify_ldt mount mount_setattr
move_mount move_pages mq_open mq_unlink msgctl msgget msgrcv msgsnd name_to_handle_at nfsservctl open_by_handle_at
open_tree open_tree_attr perf_event_open pidfd_getfd pivot_root process_madvise process_mrelease process_vm_readv
process_vm_writev ptrace quotactl quotactl_fd reboot request_key semctl semget semop semtimedop setdomainname
sethostname setns setpgid setsid settimeofday shmat shmctl shmget statmount swapoff swapon syslog umount2 unshare
uselib userfaultfd vhangup _sysctl
"""
"""Other processes' memory, the system itself, namespaces, what is shared between all programs of a user, and what would
leave the process group, with which a call ends. One whose number is unknown here is unknown to this kernel's age."""

_ATTRIBUTES = """
chmod chown fchmod fchmodat fchmodat2 fchown fchownat file_setattr fremovexattr fsetxattr futimesat lchown
lremovexattr lsetxattr removexattr removexattrat setxattr setxattrat utime utimensat utimes
"""
"""Landlock does not see these, so without mounts of its own a tool could lock the user out of any file."""

_OF_ONESELF = ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler")
"""Allowed where the process, their first argument, is 0, which means oneself: else it may be any of the user's."""
_OF_A_USER = {"setpriority": 2, "ioprio_set": 3}
"""The same for their second argument; this first one means all processes of the user."""

_NAMESPACES = 0x7E02_0000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_TYPING = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into somebody's terminal
_UNIX, _INTERNET, _INTERNET_6 = 1, 2, 10
_STREAM, _DATAGRAM = 1, 2

_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32 = 0x4000_0000
_PR_SET_SECCOMP, _FILTER = 22, 2


def program(*, network: bool, attributes: bool) -> bytes:
    """Return the filter; with `attributes` modes, owners and times of files can be changed, else that does nothing."""
    code = [
        _op(_LOAD, 4),  # the architecture: numbers of another one mean other calls
        _op(_EQUAL, _ARCHITECTURES[MACHINE], yes=1),
        _refuse(),
        _op(_LOAD, 0),
    ]
    if MACHINE == "x86_64":
        code += [_op(_AT_LEAST, _X32, no=1), _refuse()]
    code += _refused(_REFUSED.split(), _refuse())
    if not attributes:
        code += _refused(_ATTRIBUTES.split(), _refuse(0))
    code += _where(
        "clone3", [_refuse(errno.ENOSYS)]
    )  # its flags lie in memory; the C library takes clone instead
    code += _where("clone", [_argument(0), _op(_ANY_OF, _NAMESPACES, no=1), _refuse(), _allow()])
    code += _where("ioctl", [_argument(1), *_one_of(_TYPING), _allow(), _refuse()])
    code += _where("socketpair", [_argument(0), *_one_of([_UNIX]), _refuse(), _allow()])
    code += _where("socket", _sockets() if network else [_refuse()])
    for name in _OF_ONESELF:
        code += _where(name, [_argument(0), _op(_EQUAL, 0, yes=1), _refuse(), _allow()])
    for name, user in _OF_A_USER.items():
        own = [_argument(1), _op(_EQUAL, 0, yes=1), _refuse()]
        code += _where(name, [*own, _argument(0), _op(_EQUAL, user, no=1), _refuse(), _allow()])
    return b"".join([*code, _allow()])


def install(*, network: bool, attributes: bool) -> bool:
    """Bind this thread and its children; returns whether that was possible. `no_new_privs` must be set."""
    if MACHINE not in _ARCHITECTURES:
        return False
    code = program(network=network, attributes=attributes)
    held = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    try:
        prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(header))
    except OSError:
        return False
    return True


def _op(code: int, operand: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, operand)


def _allow() -> bytes:
    return _op(_RETURN, _ALLOW)


def _refuse(code: int = errno.EPERM) -> bytes:
    return _op(_RETURN, _ERRNO | code)


def _argument(place: int) -> bytes:
    """Load the lower half of an argument: the kernel reads no more of these."""
    return _op(_LOAD, 16 + 8 * place)


def _refused(names: Iterable[str], verdict: bytes) -> list[bytes]:
    numbers = [NUMBERS[name] for name in names if name in NUMBERS]
    compared = [_op(_EQUAL, number, yes=len(numbers) - place) for place, number in enumerate(numbers)]
    return [*compared, _op(0x05, 1), verdict]  # 0x05: jump over the verdict


def _where(name: str, then: list[bytes]) -> list[bytes]:
    """`then`, which must end in a verdict on each way, for the call `name`; the number stays loaded for others."""
    if name not in NUMBERS:
        return []
    return [_op(_EQUAL, NUMBERS[name], no=len(then)), *then]


def _one_of(values: Iterable[int]) -> list[bytes]:
    """Go on after the next instruction if the loaded value is one of `values`, else to the next one."""
    values = list(values)
    return [_op(_EQUAL, value, yes=len(values) - place) for place, value in enumerate(values)]


def _sockets() -> list[bytes]:
    """TCP and UDP, and nothing that reaches into this machine."""
    return [
        _argument(0),
        *_one_of([_INTERNET, _INTERNET_6]),
        _refuse(),
        _argument(1),
        _op(_AND, 0xF),
        *_one_of([_STREAM, _DATAGRAM]),
        _refuse(),
        _allow(),
    ]
