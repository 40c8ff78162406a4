"""Tries every hostile act at every level and writes docs/security.md: python -m tests.security.page"""

import os
import platform
import tempfile
from pathlib import Path

from tests.security.trying import ACTS, WITHOUT, Scene, scene

__all__ = ["PAGE", "facts", "main", "page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"

HEAD = """# What holds a tool

Written by `python -m tests.security.page`; not by hand.

A tool runs in a process of its own, which gives up what its call was not granted before any code of its bundle is
loaded. What each layer really did is recorded with the call, and `anabranch doctor` says what this system cannot do.

| layer | what it does | where |
| --- | --- | --- |
| process group | what a call starts ends with it; what all of it uses is watched | Linux; elsewhere the group alone |
| clean environment | no variable but a few and those granted; its own HOME and temporary files | everywhere |
| resource limits | memory, processor time, size of a file, descriptors, no core dumps | Linux, macOS |
| read-only mounts | all but the workspace and private folder; root's calls see no other process | Linux, if it may |
| no privileges | no capabilities, and no program gives any (`no_new_privs`) | Linux |
| files | reads bundle, packages, programs; writes workspace and private folder (Landlock) | Linux from 5.13 |
| signals | reaches no process but its own (Landlock) | Linux from 6.12 |
| system calls | no others' memory, no namespaces; EPERM where refused (seccomp) | Linux on x86-64, aarch64 |
| no network | no sockets; with the network granted, TCP and UDP alone | with system calls |

The level is “full” with files, system calls and resource limits, “filesystem only” with files alone, else “process
only”. The setting `sandbox_at_least` refuses to run tools with less.

What this does not do: a tool that was granted the network reaches any address, this machine's own ports among them;
two calls at once share the processor and the disk; without the right to make mounts of its own a call of an ordinary
user's sees the names of that user's other processes in /proc, though not their memory, variables or files; and where
there are no such mounts, changing modes, owners and times of files does nothing, in the workspace too.
`setsid` and `setpgid` are refused, so that a call's end reaches all of it.

## What is tried against it
"""


def facts(at: Scene) -> str:
    """The machine, as far as results depend on it."""
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    held = {level: pool.confinement() for level, pool in at.pools.items()}
    layers = held["full"]
    assert layers is not None
    return f"{platform.system()}, {platform.machine()}, {user}: {', '.join(layers.layers)}."


def page(at: Scene) -> str:
    """Try everything and return the page."""
    lines = [
        HEAD,
        "Each act is a small tool, run in a real pool at each level (`tests/security`). “held”: it did not succeed.",
        "",
        f"Tried on {facts(at)}",
    ]
    summary = dict.fromkeys(WITHOUT, 0)
    tables: list[str] = []
    for section, acts in ACTS.items():
        tables += ["", f"### {section[0].upper()}{section[1:]}", ""]
        tables += ["| act | process only | filesystem only | full |", "| --- | --- | --- | --- |"]
        for act in acts:
            cells = []
            for level in WITHOUT:
                held = at.succeeded(act, level) is None
                summary[level] += held
                cells.append("held" if held else "**succeeds**")
            tables.append(f"| {act.replace('_', ' ')} | {' | '.join(cells)} |")
    total = sum(len(acts) for acts in ACTS.values())
    told = ", ".join(f"{count} at “{level}”" for level, count in summary.items())
    lines += ["", f"Of {total} acts are held: {told}."]
    return "\n".join([*lines, *tables]) + "\n"


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory(prefix="anabranch-hostile-") as root, scene(Path(root)) as at:
        PAGE.write_text(page(at))
    print(f"{PAGE} written.")


if __name__ == "__main__":
    main()
