"""Tries every hostile act at every level and writes docs/security.md: python -m tests.security.page"""

import os
import platform
import re
import tempfile
import textwrap
from pathlib import Path

from tests.security.trying import ACTS, WITHOUT, Scene, scene

__all__ = ["PAGE", "browser", "facts", "main", "page"]

ATTACK = Path(__file__).resolve().parents[1] / "support" / "hostile_pages" / "attack.html"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"

NOT_HELD = {
    "look_at_status": "see whether a file is there, how large it is and when it was changed, if it knows the path",
    "look_at_link": "see where a link points to, if it knows its path",
    "lock_a_library": "lock files that it may read, so that programs that ask for a lock wait until the call ends",
}
"""Acts that succeed at each level, and what they come to."""

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

BROWSER = """
# What holds a page

| what is shown | how it is held |
| --- | --- |
| the app's page | a policy under which it runs its own scripts alone and fetches from its own address alone |
| what models and tools write | Markdown without pictures, labels as text, charts that fetch nothing |
| a page that a tool made | an opaque origin and a policy that reaches nothing, in its frame and in a tab of its own |
| the same, network granted | https, but neither the app nor this machine; a page of the workspace never |
| the same, without /v1 | two nested frames, both with that policy |
| an address that a tool named | https or this machine, after a click, in a frame that cannot leave for elsewhere |
| files that stand alone | sandboxed, of one type that the browser is not to doubt |

Tried in Chromium, each probe against a page with its routes and as a plain script (`tests/browser`); none succeeds:

"""

RESIDUAL = {"rtc_in_frame"}
REST = """
What a browser itself does not stop:

- The page's cookie is given to any process of this machine that asks the page for it, as any browser is; and as cookies
  know no ports, it is also sent to another local server's addresses below /v1 that you open. The token keeps out web
  pages, not other users and programs of the machine.
- Without /v1 (a plain script, the demo) no header can be set. A page in nested frames can then send small datagrams
  by WebRTC from a frame within it, and where it tries to leave for another address, the browser looks up that name and
  opens a connection before it refuses; nothing is asked over it, but a name can carry words.
- With the network granted, a page sends what it likes to any https address: its data too.
- `Connection-Allowlist` and `treat-as-public-address`, which close WebRTC, leaving by navigation in a tab of its own,
  and this machine over https, are known to Chromium alone. Other browsers hold to the rest; they were not tried.
- In Chromium 156 a page that opens WebRTC in a frame within it can crash its tab: nothing gets out.
- A page can use up the processor of its own process until it is closed. The app goes on.
- An address that you load in a frame learns that you did, and may do in its frame what any page may.
"""


def browser() -> str:
    """What is tried in the browser, told from the hostile pages and tests themselves."""
    probes = sorted(set(re.findall(r'probe\("([a-z_]+)"', ATTACK.read_text())) - RESIDUAL)
    said = textwrap.fill(", ".join(name.replace("_", " ") for name in probes) + ".", 118)
    return BROWSER + said + "\n" + REST


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
    return "\n".join([*lines, *tables]) + "\n" + browser()


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory(prefix="anabranch-hostile-") as root, scene(Path(root)) as at:
        PAGE.write_text(page(at))
    print(f"{PAGE} written.")


if __name__ == "__main__":
    main()
