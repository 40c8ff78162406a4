"""Tries every hostile act at every level and writes docs/security.md: python -m tests.security.page"""

import os
import platform
import re
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.security.consent_acts import rows
from tests.security.serving import SERVER_ACTS, hostile_server, server_held
from tests.security.test_injected import ORDERS, PLACES
from tests.security.trying import ACTS, WITHOUT, Scene, scene

__all__ = ["NOT_HELD", "PAGE", "browser", "facts", "main", "name", "page"]

ATTACK = Path(__file__).resolve().parents[1] / "support" / "hostile_pages" / "attack.html"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"

NOT_HELD = {
    "look_at_status": "See whether a file exists, its size and its times, if it knows the path.",
    "look_at_link": "See where a link points, if it knows its path.",
    "lock_a_library": "Lock files that it may read. A program that asks for a lock waits until the call ends.",
}
"""Acts that succeed at each level, and what they come to."""

PROMISES = {
    "files": (
        "A tool reads and changes no files but its workspace and private folder, and watches none.",
        "files; read-only mounts (modes, owners, times); system calls (watching, devices, setuid)",
    ),
    "the machine": (
        "A tool learns little about this machine and changes nothing on it.",
        "files; own processes (a /proc with the machine's parts hidden)",
    ),
    "other processes": (
        "A tool sees, ends, slows and reads no process but its own.",
        "own processes; signals; system calls",
    ),
    "sockets": (
        "Without the network a tool reaches no socket, of this machine or another.",
        "system calls; own network",
    ),
    "the kernel": (
        "A tool uses only the parts of the kernel that honest programs need.",
        "system calls; no privileges",
    ),
    "what it was given": ("A tool gets no secret that it was not granted.", "clean environment"),
    "using things up": (
        "A call uses limited memory, processes, disk and output, and ends in time.",
        "resource limits; process group (what all of it uses is watched)",
    ),
    "outliving the call": (
        "When a call has ended, so has everything that it started.",
        "own processes; process group",
    ),
    "traps for who takes the files": (
        "What a call leaves cannot lead, block or overfill the engine when it stores the files.",
        "the snapshot: follows no link, opens no pipe, stores no holes, takes setuid bits away",
    ),
}
"""Section of acts → what is promised, and the layers that hold it."""

HEAD = """# What holds a tool

Written by `python -m tests.security.page`; not by hand.

## What is not held

Even with all layers, a tool can:

{not_held}
- See how busy the machine is, how much memory it has and which file systems are mounted (`/proc/stat`, `/proc/mounts`).
- With the network granted: reach any address, and the ports of this machine, and send what it has read.
- Slow down other calls: calls share the processor and the disk. Memory is limited per process; all processes of a call
  together are stopped at three quarters of the machine's memory. Control groups are not used.

With less than all layers, more gets through: see the columns below. `anabranch doctor` lists what this system does not
hold. Where the system refuses namespaces to ordinary users, a tool also sees the names of your other programs, and
changing modes, owners and times of files does nothing, in the workspace too; `setsid` and `setpgid` are then refused,
so that a call's end reaches all of it.

## What holds

A tool runs in its own process, which gives up what its call was not granted before any code of its bundle is loaded.
What each layer really did is recorded with the call.

| layer | what it does | where |
| --- | --- | --- |
| process group | what a call starts ends with it; what all of it uses is watched | Linux; elsewhere the group alone |
| clean environment | no variable but a few and those granted; its own HOME and temporary files | everywhere |
| resource limits | memory, processor time, size of a file, descriptors, no core dumps | Linux, macOS |
| read-only mounts | all but the workspace and private folder | Linux, if namespaces are allowed |
| own processes | /proc lists the call's processes only, and its first process ends them all | the same |
| own network | no network interface and no list of connections | the same |
| no privileges | no capabilities, and no program gives any (`no_new_privs`) | Linux |
| files | reads bundle, packages, programs; writes workspace and private folder (Landlock) | Linux from 5.13 |
| signals | reaches no process but its own (Landlock) | Linux from 6.12 |
| system calls | only those on a list, some only with certain arguments (seccomp) | Linux on x86-64, aarch64 |
| no network | no sockets; with the network granted, TCP and UDP alone | with system calls |

The level is “full” with files, system calls and resource limits, “filesystem only” with files alone, else “process
only”. A call is held as far as this system can, and refused if a layer fails that the system has; with the setting
`sandbox_at_least` you can allow less, or refuse systems that hold less.

## What is tried
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

What other renderers show runs nothing at all: scripts in each value of each renderer, as markup, links, formulas,
Mermaid, Vega expressions, drawings and names, are tried with the routes, as a plain script and in a demo
(`test_hostile_values.py`).

Tried in Chromium, each probe against a page with its routes, as a plain script and in a demo (`tests/browser`); none
succeeds:

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


STRANGERS = """
Not held, in plain words:

- What a server that is reached by its address does with what its tools are given, and what a tool with the network
  sends beside what is shown: its code decides. Its process finds the files that its arguments name, and no others.
- A host that a bundle names as its destination is a claim. Nothing holds the bundle to it.
- With `unconfined`, which only you can set, or on a system without Landlock, an MCP server runs as you.
- Secrets are found in results as they are, encoded (base64, base32, hex, URL, UTF-16), reversed and in upper or lower
  case. Encrypted, letter by letter, or in several of these forms at once they are not.
- What you yourself write or paste into a question is not asked about in a chat without files, results and definitions.
- After `always`, or with the setting `sending` at `freely`, what leaves is recorded and not shown before.

Each act below runs in `make test`, against a real app, a real server or a model that obeys.
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
    held = {
        act: [at.succeeded(act, level) is None for level in WITHOUT] for acts in ACTS.values() for act in acts
    }
    total = len(held)
    lines = [
        HEAD.format(not_held="\n".join(f"- {told}" for told in NOT_HELD.values())),
        f"{total} acts, each a small tool, run in a real pool at each level (`tests/security`). Counted is how "
        "many were held: they did not succeed.",
        "",
        f"Tried on {facts(at)}",
        "",
        f"| promise | acts | {' | '.join(WITHOUT)} | held by |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for section, acts in ACTS.items():
        promise, layers = PROMISES[section]
        counts = " | ".join(str(sum(column)) for column in zip(*(held[act] for act in acts), strict=True))
        lines.append(f"| {promise} | {len(acts)} | {counts} | {layers} |")
    sums = " | ".join(str(sum(column)) for column in zip(*held.values(), strict=True))
    lines += [f"| all | {total} | {sums} | |", ""]
    for section, acts in ACTS.items():
        lines += [f"### {section[0].upper()}{section[1:]}", "", *_by_level({act: held[act] for act in acts})]
    return "\n".join([*lines, *strangers()]).rstrip() + "\n" + browser()


def strangers() -> Iterator[str]:
    """What bundles, MCP servers and files try: each promise, the acts, and how many were held."""
    yield "# What bundles, servers and files try"
    yield STRANGERS
    yield "| promise | acts | held | held by |"
    yield "| --- | --- | --- | --- |"
    found = rows()
    for promise in dict.fromkeys(row[0] for row in found):
        mine = [row for row in found if row[0] == promise]
        yield f"| {promise} | {len(mine)} | {sum(row[2] for row in mine)} | {mine[0][3]} |"
    with tempfile.TemporaryDirectory(prefix="anabranch-server-") as root, hostile_server(Path(root)) as app:
        held = [server_held(app, act) for act in SERVER_ACTS]
        state = app.mcp.states()[0].held
    layers = ", ".join(state.layers) if state else "nothing"
    promise = (
        "An MCP server that Anabranch starts reaches its own program and folder, and what was agreed to."
    )
    yield f"| {promise} | {len(held)} | {sum(held)} | {layers} |"
    places = len(PLACES) * len(ORDERS)
    promise = "What stands in a file reaches no system text, and a model that obeys it sends nothing unseen."
    yield f"| {promise} | {places} | {places} | a fenced and escaped data part; the user is asked with the bytes |"
    yield ""


def _by_level(held: dict[str, list[bool]]) -> Iterator[str]:
    """The acts by the weakest level that holds them."""
    levels = list(WITHOUT)
    for place, level in [*enumerate(levels), (len(levels), "")]:
        acts = [
            name(act) for act, at in held.items() if (at.index(True) if any(at) else len(levels)) == place
        ]
        if acts:
            told = (
                f"Held at “{level}”" + (" already" if level != levels[-1] else " only")
                if level
                else "**Not held**"
            )
            yield textwrap.fill(f"{told}: {', '.join(acts)}.", 118)
            yield ""


def name(act: str) -> str:
    """An act as the page names it."""
    return act.replace("_", " ")


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory(prefix="anabranch-hostile-") as root, scene(Path(root)) as at:
        PAGE.write_text(page(at))
    print(f"{PAGE} written.")


if __name__ == "__main__":
    main()
