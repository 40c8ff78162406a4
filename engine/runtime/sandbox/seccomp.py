"""The system calls that a tool process may make: a seccomp filter in classic BPF (seccomp(2)).

The filter lists the allowed calls. Every other call fails with EPERM, so the tool's error names the cause and the
process continues. `clone3`, `openat2` and every call newer than this list fail with ENOSYS instead: the C library then
falls back to an older call, whose arguments can be checked here.
"""

import ctypes
import errno
import struct
from collections.abc import Iterable, Mapping

from engine.runtime.sandbox.kernel import prctl
from engine.runtime.sandbox.numbers import MACHINE, NEWEST, NUMBERS

__all__ = ["available", "install", "program"]

_NOT_ALLOWED = """
accept accept4 bind connect listen mount mount_setattr move_mount open_tree setpgid setsid umount2 unshare
"""
"""Calls that are not allowed in general. Anabranch itself makes some of them before the filter is installed; others are
allowed in special cases below.
"""
_SERVING = """
accept accept4 bind connect listen
"""
"""Calls that are allowed if the network is allowed. Without the network, they could only act on a socket that
`socketpair` made, for example give it a name.
"""

_GROUPS = """
setpgid setsid
"""
"""System calls that leave the process group. They are refused if a tool call can be ended only by killing its group."""

_ATTRIBUTES = """
chmod chown fchmod fchmodat fchmodat2 fchown fchownat file_setattr fremovexattr fsetxattr futimesat lchown
lremovexattr lsetxattr removexattr removexattrat setxattr setxattrat utime utimensat utimes
"""
"""Calls that Landlock does not restrict. Without separate mounts, a tool could use them to lock the user out of any
file.
"""

_NAMESPACES = 0x7E02_0000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_SIBLING = 0x8000  # CLONE_PARENT: a process that is not below the tool
_GAINING = 0o6000  # the setuid and setgid bits
_CREATING = 0x40_0040  # O_CREAT, O_TMPFILE: the mode argument counts only with one of these
_OUT_OF_BAND = 1
_UNIX, _INTERNET, _INTERNET_6 = 1, 2, 10
_STREAM, _DATAGRAM, _PACKETS = 1, 2, 5
"""Socket types. A pair of stream or packet sockets stays connected; a pair of datagram sockets can send to any address.
"""
_OF_A_USER = {"getpriority": 2, "ioprio_get": 3, "ioprio_set": 3, "setpriority": 2}
"""System calls that take a kind and a process as arguments, each with the kind that means all processes of a user."""

_TERMINAL = (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C_542A)
_BLOCKS = (2, 0x4004_9409, 0x4020_940D, 0x8008_6601, 0xC020_660B)
_ASKING = (*_TERMINAL, *_BLOCKS)
"""The allowed `ioctl` requests. They ask whether this is a terminal, how large it is and how much can be read; they set
non-blocking and close-on-exec; and they list or share the blocks of a file. Requests that type into a terminal
(TIOCSTI, TIOCLINUX) or send signals (FIOSETOWN) are not allowed.
"""
_INTERFACES = (0x8910, 0x8912, 0x8913, 0x8915, 0x891B, 0x8933)
"""Requests for the names, numbers and addresses of network interfaces, which are allowed together with the network."""

_ONLY: Mapping[str, tuple[int, tuple[int, ...], int]] = {
    "fallocate": (1, (0, 3), errno.EOPNOTSUPP),
    "fcntl": (1, (*range(8), 36, 37, 38, 1027, 1028, 1030, 1031, 1032, 1034), errno.EPERM),
    "membarrier": (0, (0, 8, 16, 32, 64, 128, 256, 512), errno.EPERM),
    "personality": (0, (0xFFFF_FFFF,), errno.EPERM),
    "prctl": (
        0,
        (1, 2, 3, 15, 16, 21, 23, 27, 29, 30, 38, 39, 41, 42, 51, 55, 56, 65, 66, 0x5356_4D41),
        errno.EPERM,
    ),
    "prlimit64": (0, (0,), errno.EPERM),
    "sched_setaffinity": (0, (0,), errno.EPERM),
    "sched_setparam": (0, (0,), errno.EPERM),
    "sched_setscheduler": (0, (0,), errno.EPERM),
}
"""System call → the place of an argument, the values of this argument for which the call is allowed, and the error for
all other values. `fallocate`: not beyond a file's end, which no limit counts. `fcntl`: not F_SETOWN and F_SETSIG
(signals to others), F_SETLEASE and F_NOTIFY (watching files). `membarrier`: not the commands that interrupt every
processor. `prctl`: names, signals at the parent's end, and giving up rights. The other calls: only for the process
itself, which is 0.
"""

_NONE_OF: Mapping[str, tuple[int, int]] = {
    "clone": (0, _NAMESPACES | _SIBLING),
    "clock_getres": (0, 1 << 31),  # refuses clocks of other processes, whose numbers are negative
    "clock_gettime": (0, 1 << 31),
    "clock_nanosleep": (0, 1 << 31),
    "timer_create": (0, 1 << 31),
    "creat": (1, _GAINING),
    "renameat2": (4, 4),  # refuses RENAME_WHITEOUT, which makes a device
    "sendto": (3, _OUT_OF_BAND),
    "sendmsg": (2, _OUT_OF_BAND),
    "sendmmsg": (3, _OUT_OF_BAND),
}
"""System call → the place of an argument, and the bits that must not be set in it."""
_MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}
_NEW_FILES = {"open": (1, 2), "openat": (2, 3)}
"""System call → the places of the flags and of the mode among its arguments."""
_NODES = {"mknod": 1, "mknodat": 2}

_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32 = 0x4000_0000
_PR_GET_SECCOMP, _PR_SET_SECCOMP, _FILTER = 21, 22, 2


def program(*, network: bool, attributes: bool, groups: bool) -> bytes:
    """Return the filter.

    With `attributes`, modes, owners and times of files can be changed; otherwise such calls do nothing. With `groups`,
    a process may leave its process group; use this only if the call's process namespace ends all of its processes.
    """
    code = [
        _op(_LOAD, 4),  # the architecture, because each has its own numbers for system calls
        _op(_EQUAL, _ARCHITECTURES[MACHINE], yes=1),
        _refuse(),
        _op(_LOAD, 0),
    ]
    if MACHINE == "x86_64":
        code += [_op(_AT_LEAST, _X32, no=1), _refuse()]
    rules = _rules(network=network, attributes=attributes)
    for name, rule in rules.items():
        code += _where(name, rule)
    denied = {*_NOT_ALLOWED.split(), *rules}
    granted = (_SERVING if network else "") + (_GROUPS if groups else "")
    allowed = (NUMBERS.keys() - denied) | (NUMBERS.keys() & {*granted.split()})
    code += _ranges(sorted(NUMBERS[name] for name in allowed))
    return b"".join([*code, _op(_AT_LEAST, NEWEST + 1, no=1), _refuse(errno.ENOSYS), _refuse()])


def available() -> bool:
    """Return whether the kernel has such filters, and the numbers of its system calls are known."""
    try:
        return MACHINE in _ARCHITECTURES and prctl(_PR_GET_SECCOMP) >= 0
    except OSError:
        return False


def install(*, network: bool, attributes: bool, groups: bool) -> bool:
    """Bind this thread and its children to `program`; return whether that was possible. `no_new_privs` must
    already be set.
    """
    if MACHINE not in _ARCHITECTURES:
        return False
    code = program(network=network, attributes=attributes, groups=groups)
    held = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    try:
        prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(header))
    except OSError:
        return False
    return True


def _rules(*, network: bool, attributes: bool) -> dict[str, list[bytes]]:
    """Return the calls whose verdict depends on their arguments, each with code that reaches a verdict in
    every case.
    """
    rules = {name: _none_of(place, bits) for name, (place, bits) in _NONE_OF.items()}
    rules |= {name: _only(place, values, code) for name, (place, values, code) in _ONLY.items()}
    rules |= {
        name: [*_creating(flags), *_none_of(mode, _GAINING)] for name, (flags, mode) in _NEW_FILES.items()
    }
    rules |= {name: _plain_node(place) for name, place in _NODES.items()}
    for name, user in _OF_A_USER.items():
        own = [_argument(1), _op(_EQUAL, 0, yes=1), _refuse()]
        rules[name] = [*own, _argument(0), _op(_EQUAL, user, no=1), _refuse(), _allow()]
    rules["ioctl"] = _only(1, (*_ASKING, *(_INTERFACES if network else ())), errno.ENOTTY)
    rules["madvise"] = [
        _argument(2),
        _op(_EQUAL, 12, no=1),
        _refuse(errno.EINVAL),
        _allow(),
    ]  # refuses MADV_MERGEABLE, with which processes share equal pages
    rules["socketpair"] = [*_is(0, (_UNIX,)), *_is(1, (_STREAM, _PACKETS), 0xF), _allow()]
    kinds = [*_is(0, (_INTERNET, _INTERNET_6)), *_is(1, (_STREAM, _DATAGRAM), 0xF), _allow()]
    rules["socket"] = kinds if network else [_refuse()]
    rules["clone3"] = rules["openat2"] = [_refuse(errno.ENOSYS)]
    if attributes:
        return rules | {name: _none_of(place, _GAINING) for name, place in _MODES.items()}
    return rules | {name: [_refuse(0)] for name in _ATTRIBUTES.split()}


def _op(code: int, operand: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, operand)


def _allow() -> bytes:
    return _op(_RETURN, _ALLOW)


def _refuse(code: int = errno.EPERM) -> bytes:
    return _op(_RETURN, _ERRNO | code)


def _argument(place: int) -> bytes:
    """Load the lower half of an argument. The kernel reads only that half of these arguments."""
    return _op(_LOAD, 16 + 8 * place)


def _where(name: str, then: list[bytes]) -> list[bytes]:
    """Run `then`, which must always end in a verdict, for the call `name`; the call's number stays loaded for other
    calls.
    """
    if name not in NUMBERS:
        return []
    return [_op(_EQUAL, NUMBERS[name], no=len(then)), *then]


def _is(place: int, values: Iterable[int], mask: int = 0, code: int = errno.EPERM) -> list[bytes]:
    """Continue with the next check if an argument is one of `values`; otherwise refuse the call."""
    values = list(values)
    compared = [_op(_EQUAL, value, yes=len(values) - number) for number, value in enumerate(values)]
    return [_argument(place), *([_op(_AND, mask)] if mask else []), *compared, _refuse(code)]


def _only(place: int, values: Iterable[int], code: int) -> list[bytes]:
    return [*_is(place, values, code=code), _allow()]


def _none_of(place: int, bits: int) -> list[bytes]:
    return [_argument(place), _op(_ANY_OF, bits, no=1), _refuse(), _allow()]


def _creating(flags: int) -> list[bytes]:
    """Continue with the next check if the call may create a file; otherwise allow the call, because its mode argument
    then has no meaning.
    """
    return [_argument(flags), _op(_ANY_OF, _CREATING, yes=1), _allow()]


def _plain_node(place: int) -> list[bytes]:
    """Allow files and pipes, but no devices and no sockets."""
    return [*_is(place, (0, 0o100000, 0o010000), 0o170000), *_none_of(place, _GAINING)]


def _ranges(numbers: list[int]) -> list[bytes]:
    """Allow these numbers, which are sorted; each range of consecutive numbers costs two comparisons."""
    code: list[bytes] = []
    first = 0
    for place, number in enumerate(numbers):
        if place + 1 < len(numbers) and numbers[place + 1] == number + 1:
            continue
        code += [_op(_AT_LEAST, numbers[first], no=2), _op(_AT_LEAST, number + 1, yes=1), _allow()]
        first = place + 1
    return code
