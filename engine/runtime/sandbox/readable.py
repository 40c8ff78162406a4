"""The parts of the system that every tool may read: programs and libraries, and as little as possible about this
machine. Home folders are not readable, and only the files of /etc that libraries need are. Libraries need the files of
their own process in /proc; the path of these is not known in advance, so all of /proc is readable. Landlock itself
forbids access to another process's memory, variables and open files, and a call that runs as root with separate mounts
does not see other processes there at all.
"""

import os
import site
import sys
from collections.abc import Iterator

__all__ = ["DEVICES", "NETWORK", "for_every_program", "for_every_tool"]

_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_SETTINGS = """
alternatives bash.bashrc crypto-policies debian_version fonts gitconfig group inputrc ld.so.cache ld.so.conf
ld.so.conf.d lsb-release locale.alias locale.conf localtime login.defs magic mime.types nsswitch.conf os-release
passwd pki/tls/openssl.cnf profile profile.d python3 shells ssl/openssl.cnf terminfo timezone
"""
_MACHINE = ("/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage")

DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
_NAMES = """
ca-certificates gai.conf host.conf hosts pki/ca-trust pki/tls/cert.pem pki/tls/certs protocols resolv.conf services
ssl/cert.pem ssl/certs
"""
NETWORK = (
    *(f"/etc/{name}" for name in _NAMES.split()),
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager/resolv.conf",
    "/mnt/wsl/resolv.conf",
)
"""Files with host names and trusted certificates, for processes that may use the network."""


def for_every_tool() -> Iterator[str]:
    """Return the paths of programs, of this interpreter and of its packages; some may not exist."""
    yield from for_every_program()
    yield from _interpreter()


def for_every_program() -> Iterator[str]:
    """Return the paths of installed programs and of their settings; some may not exist."""
    yield from _PROGRAMS
    yield from (f"/etc/{name}" for name in _SETTINGS.split())
    yield from _MACHINE


def _interpreter() -> set[str]:
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    found = {
        f"{prefix}/{name}" for prefix in prefixes for name in ("bin", "lib", "lib64", "share", "pyvenv.cfg")
    }
    found |= {path for path in [*sys.path, *site.getsitepackages()] if path and os.path.isabs(path)}  # noqa: PTH117
    found.add(os.path.realpath(sys.executable))
    return {path for path in found if not path.startswith(_PROGRAMS[0] + "/")}
